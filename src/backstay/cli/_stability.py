"""``backstay stability``: how stable the selections of any program are."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from backstay._files import as_json
from backstay.cli._guard import Debug, WrongUse, guarded
from backstay.cli._lists import AsJson
from backstay.cli._options import options_named
from backstay.cli._read import delimiter_of
from backstay.cli._show import figure, listing, say, table, warn

if TYPE_CHECKING:
    from backstay.datasets import Selections


@guarded
def stability(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="Text file with the features that each run selected."),
    ],
    n_features: Annotated[
        int | None,
        typer.Option(
            "--n-features", "-n", min=1, help="Number of all features; not needed for a 0/1 matrix."
        ),
    ] = None,
    form: Annotated[
        str | None, typer.Option(help="long, rows, columns or matrix; recognised if omitted.")
    ] = None,
    delimiter: Annotated[
        str | None, typer.Option(help="Separates fields; 'tab' for a tab.")
    ] = None,
    transpose: Annotated[
        bool | None,
        typer.Option(
            "--transpose/--no-transpose",
            help="Whether a 0/1 matrix has a feature per line; recognised if omitted.",
        ),
    ] = None,
    encoding: Annotated[str, typer.Option(help="Encoding of the file.")] = "utf-8",
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
    """Measure how stable the selections of any program are, with intervals.

    The file has a run and a feature per line (long, with names in the first line), a line of
    features per run (rows), a column of features per run (columns), or a table of 0 and 1, runs
    by features or features by runs (matrix).

    For example:

    [bold]backstay stability selected.csv --n-features 2000[/bold]

    [bold]backstay stability masks.csv --json[/bold]
    """  # fmt: skip
    from backstay.datasets import read_selections

    if not 0 < confidence < 1:
        raise WrongUse(f"--confidence {confidence} must lie between 0 and 1.")
    with options_named():
        selections = read_selections(
            file,
            form,
            delimiter_of(delimiter),
            encoding,
            transpose=transpose,
            n_features=n_features,
            max_size=max_size,
        )
    selected = {name for run in selections.runs for name in run}
    total = _n_features(selections, len(selected), n_features)
    rows = _measured(selections.runs, total, confidence)
    sizes = sorted({len(run) for run in selections.runs})
    n_runs = len(selections.runs)
    if json_:
        facts = {"form": selections.form, "n_runs": n_runs, "n_features": total, "sizes": sizes}
        say(as_json({**facts, "confidence": confidence, "measures": rows}))
        return
    listing(
        [
            ("form", selections.form),
            ("runs", n_runs),
            ("features", f"{len(selected)} ever selected of {total}"),
            ("sizes", str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"),
        ]
    )
    shown = [
        [
            row["measure"],
            row["left_out"] or figure(row["value"], row["low"], row["high"], 3),
            row["chance_corrected"],
            row["note"],
        ]
        for row in rows
    ]
    table(["measure", f"value [{confidence:.0%} interval]", "random is 0", "note"], shown)
    say("Intervals: jackknife over runs.")


def _n_features(selections: Selections, n_selected: int, given: int | None) -> int:
    """Return the number of all features; refuse one that contradicts the file."""
    known = selections.n_features
    if None not in (known, given) and given != known:
        raise WrongUse(f"--n-features {given} contradicts the matrix, which has {known} features.")
    total = given or known
    if total is None:
        raise WrongUse(
            f"{n_selected} features were selected; give the number of all features with "
            "--n-features."
        )
    if total < n_selected:
        raise WrongUse(f"--n-features {total} is less than the {n_selected} that were selected.")
    return total


def _measured(names: list[list[str]], n_features: int, confidence: float) -> list[dict[str, Any]]:
    """Return every measure on subsets that needs no more than the subsets."""
    from backstay.stability import list_measures

    numbers: dict[str, int] = {}
    runs = [[numbers.setdefault(name, len(numbers)) for name in run] for run in names]
    equal = len({len(run) for run in runs}) == 1
    frame = list_measures()
    rows = []
    for entry in frame[frame["input"] == "subsets"].itertuples(index=False):
        left_out, figures = "", (math.nan, math.nan, math.nan)
        if entry.needs_similarity:
            left_out = "needs the correlations of the features"
        elif entry.equal_sizes and not equal:
            left_out = "needs runs of equal size"
        else:
            figures = _figures(runs, n_features, entry, confidence)
        rows.append({
            "measure": entry.name, **dict(zip(("value", "low", "high"), figures, strict=True)),
            "left_out": left_out, "chance_corrected": bool(entry.chance_corrected),
            "higher_is_stabler": bool(entry.higher_is_stabler), "note": entry.note,
        })  # fmt: skip
    return rows


def _figures(
    runs: list[list[int]], n_features: int, entry: Any, confidence: float
) -> tuple[float, float, float]:
    """Return the value of a measure and the two ends of its interval."""
    from backstay.stability import UndefinedStabilityWarning, stability_score

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UndefinedStabilityWarning)
        score = stability_score(runs, n_features, entry.name, confidence=confidence)
    for message in caught:
        warn(str(message.message))
    return score.value, *score.confidence_interval
