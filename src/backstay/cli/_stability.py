"""``backstay stability``: how stable the selections of any program are."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from backstay.cli._guard import Debug, WrongUse, guarded
from backstay.cli._lists import AsJson, as_json
from backstay.cli._options import options_named
from backstay.cli._show import figure, listing, say, table, warn

if TYPE_CHECKING:
    from backstay.datasets import Selections


@guarded
def stability(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Text file of the features each run selected.")
    ],
    n_features: Annotated[
        int | None,
        typer.Option(
            "--n-features", "-n", min=1, help="Number of all features; not needed for a 0/1 matrix."
        ),
    ] = None,
    form: Annotated[
        str | None, typer.Option(help="long, rows, columns or matrix; recognised if not given.")
    ] = None,
    delimiter: Annotated[str | None, typer.Option(help="Between fields; 'tab' for a tab.")] = None,
    transpose: Annotated[
        bool | None,
        typer.Option(
            "--transpose/--no-transpose",
            help="Whether a 0/1 matrix has a feature per line; recognised if not given.",
        ),
    ] = None,
    encoding: Annotated[str, typer.Option(help="Of the file.")] = "utf-8",
    max_size: Annotated[
        float | None,
        typer.Option(
            help="Gigabytes that a compressed file may unpack to; 4 if omitted.", metavar="GB"
        ),
    ] = None,
    confidence: Annotated[float, typer.Option(help="Coverage of the intervals.")] = 0.95,
    json_: AsJson = False,
    debug: Debug = False,
) -> None:
    """Measure the stability of selections, made by any program, with intervals.

    The file has a run and a feature per line (long, with names in the first line), a line of
    features per run (rows), a column of features per run (columns), or 0 and 1 for runs by
    features or features by runs (matrix).

    For example:

    [bold]backstay stability selected.csv --n-features 2000[/bold]

    [bold]backstay stability masks.csv --json[/bold]
    """  # fmt: skip
    from backstay.datasets import read_selections

    if not 0 < confidence < 1:
        raise WrongUse(f"--confidence {confidence} must lie between 0 and 1.")
    separator = {"tab": "\t"}.get(delimiter or "", delimiter)
    with options_named():
        found = read_selections(
            file,
            form,
            separator,
            encoding,
            transpose=transpose,
            n_features=n_features,
            max_size=max_size,
        )
    total = _n_features(found, n_features)
    rows = _measured(found, total, confidence)
    sizes = sorted({len(run) for run in found.runs})
    if json_:
        facts = {"form": found.form, "n_runs": len(found.runs), "n_features": total}
        say(as_json({**facts, "sizes": sizes, "confidence": confidence, "measures": rows}))
        return
    distinct = len({name for run in found.runs for name in run})
    listing(
        [
            ("form", found.form),
            ("runs", len(found.runs)),
            ("features", f"{distinct} ever selected of {total}"),
            ("sizes", str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"),
        ]
    )
    shown = []
    for row in rows:
        numbers = (row[key] for key in ("value", "low", "high"))
        value, low, high = (math.nan if number is None else number for number in numbers)
        cell = row["left_out"] or figure(value, low, high, 3)
        shown.append([row["measure"], cell, row["chance_corrected"], row["note"]])
    table(["measure", f"value [{confidence:.0%} interval]", "random is 0", "note"], shown)
    say("Intervals: analytic for nogueira and kuncheva, jackknife over runs for the others.")


def _n_features(found: Selections, given: int | None) -> int:
    distinct = len({name for run in found.runs for name in run})
    if found.n_features is not None:
        if given is not None and given != found.n_features:
            raise WrongUse(
                f"--n-features {given} contradicts the matrix, which has {found.n_features} "
                "features."
            )
        return found.n_features
    if given is None:
        raise WrongUse(
            f"{distinct} features were ever selected; say out of how many with --n-features."
        )
    if given < distinct:
        raise WrongUse(f"--n-features {given} is less than the {distinct} that were selected.")
    return given


def _measured(found: Selections, n_features: int, confidence: float) -> list[dict[str, Any]]:
    """Return every measure on subsets that needs no more than the subsets."""
    from backstay.stability import list_measures

    numbers: dict[str, int] = {}
    runs = [[numbers.setdefault(name, len(numbers)) for name in run] for run in found.runs]
    equal = len({len(run) for run in runs}) == 1
    frame = list_measures()
    rows = []
    for entry in frame[frame["input"] == "subsets"].itertuples(index=False):
        row: dict[str, Any] = {
            "measure": entry.name, "value": None, "low": None, "high": None, "left_out": "",
            "chance_corrected": bool(entry.chance_corrected),
            "higher_is_stabler": bool(entry.higher_is_stabler), "note": entry.note,
        }  # fmt: skip
        if entry.needs_similarity:
            row["left_out"] = "needs the correlations of the features"
        elif entry.equal_sizes and not equal:
            row["left_out"] = "needs runs of equal size"
        else:
            row |= _score(runs, n_features, entry, confidence)
        rows.append(row)
    return rows


def _score(
    runs: list[list[int]], n_features: int, entry: Any, confidence: float
) -> dict[str, float | None]:
    from backstay.stability import UndefinedStabilityWarning, stability_score

    how = "analytic" if entry.analytic_variance else "jackknife"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UndefinedStabilityWarning)
        score = stability_score(runs, n_features, entry.name, confidence=confidence, method=how)
    for message in caught:
        warn(str(message.message))
    figures = (score.value, *score.confidence_interval)
    names = ("value", "low", "high")
    return {n: float(v) if math.isfinite(v) else None for n, v in zip(names, figures, strict=True)}
