"""``backstay validate``: a frozen signature tested on a cohort that had no part in making it."""

from __future__ import annotations

import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from backstay._files import as_json, write_whole
from backstay.cli._guard import Debug, WrongUse, command_line, guarded
from backstay.cli._options import grouped, options_named
from backstay.cli._outputs import check_folder, make_folder, metric_title
from backstay.cli._predict import (
    Frozen,
    SignatureOptions,
    floor_for,
    read_for,
    say_stand_ins,
    write_predictions,
)
from backstay.cli._read import CohortOptions, OutcomeOptions
from backstay.cli._show import figure, say, table, warn

if TYPE_CHECKING:
    from backstay.report import ValidationReport


@guarded
@grouped
def validate(
    signature: Frozen,
    reading: CohortOptions,
    applied: SignatureOptions,
    outcome: OutcomeOptions,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder; the table's name with -validation if omitted."),
    ] = None,
    mapped: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            help="Class of the cohort and its name in the signature; may be repeated.",
            metavar="A=B",
        ),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            help="A difference from the expected score counts as none within this share of the "
            "way from guessing to the best score; 0.1 if omitted.",
            metavar="SHARE",
        ),
    ] = None,
    debug: Debug = False,
) -> None:
    """Test a frozen signature on an independent cohort, without refitting.

    Writes validation.html, validation.json and predictions.csv into the folder.

    For example:

    [bold]backstay validate signature.json cohort.csv --target diagnosis[/bold]

    [bold]backstay validate signature.json cohort.csv -t status --map tumour=ill --map normal=well[/bold]
    """  # noqa: E501, one example a line
    if not outcome.named():
        raise WrongUse("name the column of the outcome with --target, or --time and --event.")
    mapping = {}
    for text in mapped or ():
        theirs, _, ours = (part.strip() for part in text.partition("="))
        if not theirs or not ours:
            raise WrongUse(f"--map {text} must be COHORT=SIGNATURE, the names of one class.")
        mapping[theirs] = ours
    folder = Path(f"{reading.stem}-validation") if out is None else out
    check_folder(folder)
    reading.check_files(signature)
    frozen = applied.load(signature)
    rows = read_for(frozen, reading, outcome)
    if rows.n_dropped:
        columns = [name for option, name in outcome.named().items() if option != "event_is"]
        missing = " or ".join(map(repr, columns))
        warn(f"{rows.n_dropped} rows without a value of {missing} were left out.")
    from backstay.report import ValidationReport

    assert rows.y is not None
    given: dict[str, Any] = {} if margin is None else {"margin": margin}
    with options_named():
        validation = frozen.validate(
            rows.X,
            rows.y,
            mapping=mapping,
            allow_missing=applied.allow_missing,
            rescale=applied.rescale,
            covariates=rows.covariates,
            **given,
        )
    say_stand_ins(validation.stand_ins, frozen)
    make_folder(folder)
    about = {"command": command_line(), "signature": signature.name, "cohort": reading.data.name}
    floor = floor_for(frozen, reading)
    about["values"] = "as in the file" if floor is None else f"raised to {floor:g}, log2 taken"
    report = ValidationReport(validation, **about)
    write_whole(folder / "validation.json", as_json(report.to_dict()) + "\n")
    write_predictions(validation.predictions, folder / "predictions.csv")
    page = report.write(folder / "validation.html")
    show(report)
    say(f"Validation: {page}")
    say(f"Beside it: {folder / 'validation.json'}, {folder / 'predictions.csv'}")


def show(report: ValidationReport) -> None:
    """Write scores beside the expected ones, recalls or more figures, and what to beware of."""
    say()
    say(report.headline, "bold")
    say(report.sentence)
    say()
    rows = [
        [
            metric_title(one.metric),
            figure(**asdict(one.found), digits=_digits(one.found.value)),
            figure(**asdict(one.expected), digits=_digits(one.found.value)),
            figure(**asdict(one.difference), digits=_digits(one.found.value), sign="+"),
            "" if one.p_value != one.p_value else f"{one.p_value:.3f}",
            one.verdict,
        ]
        for one in report.validation.scores
    ]
    heads = ["score", "cohort", "expected", "difference", "p", "verdict"]
    table(heads, rows, "With 95 % intervals")
    say(report.margin)
    say()
    if "recalls" in report.validation.tables:
        recalls = report.validation.tables["recalls"].to_dict("records")
        shown = [[r["class"], r["rows"], figure(r["recall"], r["low"], r["high"])] for r in recalls]
        table(["class", "rows", "recognised"], shown)
    if "figures" in report.validation.tables:
        more = report.validation.tables["figures"].to_dict("records")
        shown = [
            [a["figure"], figure(a["value"], a["low"], a["high"], _digits(a["value"]))]
            for a in more
            if a["key"] != "log_rank"
        ]
        shown += [[a["figure"], f"{a['value']:.2g}"] for a in more if a["key"] == "log_rank"]
        table(["figure", "cohort"], shown)
    if report.cautions:
        say("Beware", "bold")
        for title, text in report.cautions:
            say(f"- {title} {text}")
        say()


def _digits(value: float) -> int:
    """Return how many decimals show something of a small number, such as an error with a unit."""
    small = 0 < abs(value) < 0.01
    return 1 - math.floor(math.log10(abs(value))) if small else 2
