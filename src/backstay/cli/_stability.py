"""``backstay stability``: how stable the selections of any program are."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from backstay._files import as_json
from backstay.cli._guard import Debug, WrongUse, guarded
from backstay.cli._lists import AsJson
from backstay.cli._options import options_named
from backstay.cli._read import delimiter_of
from backstay.cli._show import figure, listing, say, table


@guarded
def stability(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="Text file with the features that each run selected."),
    ],
    n_features: Annotated[
        int | None,
        typer.Option(
            "--n-features", "-n", min=1, help="Number of all features; not for a 0/1 matrix."
        ),
    ] = None,
    form: Annotated[
        str | None, typer.Option(help="long, rows, columns or matrix; recognised if omitted.")
    ] = None,
    delimiter: Annotated[str | None, typer.Option(help="Between fields; 'tab' for a tab.")] = None,
    transpose: Annotated[
        bool | None,
        typer.Option(
            "--transpose/--no-transpose",
            help="Whether a 0/1 matrix has a feature per line; recognised if omitted.",
        ),
    ] = None,
    json_: AsJson = False,
    debug: Debug = False,
) -> None:
    """Measure how stable the selections of any program are, with intervals.

    The file has a run and a feature per line (long, with names in the first line), a line of
    features per run (rows), a column of features per run (columns), or a table of 0 and 1, runs
    by features or features by runs (matrix).

    For example:

    [bold]backstay stability selected.csv --n-features 2000[/bold]
    """  # fmt: skip
    from backstay.datasets import read_selections

    with options_named():
        selections = read_selections(
            file, form, delimiter_of(delimiter), transpose=transpose, n_features=n_features
        )
    selected = {name for run in selections.runs for name in run}
    total = n_features or selections.n_features
    if n_features and selections.n_features and n_features != selections.n_features:
        raise WrongUse(
            f"--n-features {n_features} contradicts the matrix, which has "
            f"{selections.n_features} features."
        )
    if total is None:
        raise WrongUse(
            f"{len(selected)} features were selected; give the number of all features with "
            "--n-features."
        )
    if total < len(selected):
        raise WrongUse(f"--n-features {total} is less than the {len(selected)} selected.")
    rows = _measured(selections.runs, total)
    sizes = sorted({len(run) for run in selections.runs})
    n_runs = len(selections.runs)
    if json_:
        facts = {"form": selections.form, "n_runs": n_runs, "n_features": total, "sizes": sizes}
        say(as_json({**facts, "confidence": 0.95, "measures": rows}))
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
    table(["measure", "value [95 % interval]", "random is 0", "note"], shown)
    say("Intervals: jackknife over runs.")


def _measured(names: list[list[str]], n_features: int) -> list[dict[str, Any]]:
    """Return every measure on subsets that needs no more than the subsets."""
    from backstay.stability import UndefinedStabilityWarning, list_measures, stability_score

    warnings.simplefilter("always", UndefinedStabilityWarning)
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
            score = stability_score(runs, n_features, str(entry.name))
            figures = score.value, *score.confidence_interval
        rows.append({
            "measure": entry.name, **dict(zip(("value", "low", "high"), figures, strict=True)),
            "left_out": left_out, "chance_corrected": bool(entry.chance_corrected),
            "higher_is_stabler": bool(entry.higher_is_stabler), "note": entry.note,
        })  # fmt: skip
    return rows
