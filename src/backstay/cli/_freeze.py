"""``backstay freeze``: from a finished study and its table to a signature file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from backstay._words import counted
from backstay.cli._guard import Debug, WrongUse, guarded
from backstay.cli._options import options_named
from backstay.cli._outputs import metric_title
from backstay.cli._show import figure, say
from backstay.cli._stores import Store, beside, load


@guarded
def freeze(
    store: Store,
    data: Annotated[Path, typer.Option("--data", "-d", help="The table of the study.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="signature.json beside the store if omitted.")
    ] = None,
    choice: Annotated[
        str, typer.Option(help="trusted, short, accurate, or METHOD,SIZE,MODEL.", metavar="ANSWER")
    ] = "trusted",
    include_rows: Annotated[
        bool,
        typer.Option("--include-rows", help="Allow values of samples in the file, as k-NN needs."),
    ] = False,
    debug: Debug = False,
) -> None:
    """Freeze the signature of a study, to be applied and tested elsewhere.

    The table is read as [bold]run[/bold] read it.

    For example:

    [bold]backstay freeze colon-backstay -d colon.csv --choice t,20,svm -o short.json[/bold]
    """
    results = load([store])
    if len(results.datasets) > 1:
        held = ", ".join(results.datasets)
        raise WrongUse(f"the store holds the data sets {held}; freeze takes a store of one.")
    known = results.data.provenance.get("reading")
    if known is None:
        raise WrongUse(
            "the store does not say how its table was read; freeze it from Python with "
            "results.freeze(X, y)."
        )
    from backstay.datasets import Reading, read_table

    with options_named(known=()):  # freeze has none of these options
        table = read_table(data, reading=Reading.from_json(known["options"]))
        X = table.numbers(known["categories"])[0]
    path = beside(store, "signature.json") if out is None else out
    with options_named():
        signature = results.freeze(
            X,
            table.y,
            _choice(choice),
            include_rows=include_rows,
            covariates=table.covariates,
            batch=table.batch,
        )
    signature.save(path)
    say(f"Signature: {path}")
    chosen, expected = signature.document["choice"], signature.document["expected"][0]
    n = counted(signature.n_features_in_, "feature")
    say(f"{n} of {chosen['method']}, {chosen['model']}.")
    if expected["value"] is not None:
        shown = figure(expected["value"], expected["low"], expected["high"])
        say(f"Expected {metric_title(expected['metric'])}: {shown}.")
    said = f"Probabilities: {signature.document['probabilities']}."
    say(signature.intervals_said or said)


def _choice(text: str) -> str | tuple[str, int, str]:
    """Return one of the answers by name, or a configuration; a method may hold commas."""
    found = re.fullmatch(r"(.+),\s*(\d+)\s*,([^,]+)", text)
    if found is None and "," in text:
        raise WrongUse(
            f"--choice {text} must be trusted, short, accurate, or a method, a size and a "
            "model, such as t,20,svm."
        )
    return (found[1].strip(), int(found[2]), found[3].strip()) if found else text
