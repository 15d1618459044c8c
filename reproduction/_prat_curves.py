"""Stability against subset size, problem by problem: the curves behind the tables [Prat A, B]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from reproduction._estimates import claimed, compared, mean_estimate
from reproduction._experiment import Experiment, ExperimentResult, RunSettings
from reproduction._prat_cells import Cell, counts, wrapper_table
from reproduction._prat_wrappers import Unit, files, pairs_run, run_units

__all__ = ["EXPERIMENTS"]


def _cells(settings: RunSettings, table: str, methods: Sequence[str], n: int) -> list[Cell]:
    printed = {(row["problem"], row["inducer"]): row for _, row in wrapper_table(table).iterrows()}
    pairs, _ = pairs_run(settings, printed, forward=False)
    pairs = [(p, i) for p, i in pairs if counts(p, "stability")]
    units = {(p, i, m): Unit(p, i, m) for p, i in pairs for m in methods}
    found = run_units(settings, units.values(), n)
    return [
        Cell(p, i, printed[p.rstrip("*"), i], {m: found[units[p, i, m]] for m in methods})
        for p, i in pairs
    ]


def _curves(table: str, plain: str, modified: str) -> Any:
    def run(settings: RunSettings) -> ExperimentResult:
        n = settings.count(5, 2)
        cells = _cells(settings, table, (plain, modified), n)
        rows, shares = [], []
        for cell in cells:
            apart = cell.curve(modified) - cell.curve(plain)
            share = float((apart > 0).mean())
            shares.append(share)
            about = {"problem": cell.problem, "inducer": cell.inducer}
            what = f"share of sizes at which {modified} is stabler than {plain}"
            rows.append({**about, "quantity": what, **compared(None, share, np.nan, np.nan)})
            difference, _ = cell.difference("stability", plain, modified)
            rows.append(
                {**about, "quantity": f"{modified} − {plain}", **compared(None, *difference)}
            )
        over_all = mean_estimate(pd.Series(shares).groupby([c.problem for c in cells]).mean())
        about = {"problem": "mean over data sets", "inducer": "all"}
        four = claimed("stabler at most sizes", over_all.low > 0.5, *over_all)
        rows.insert(0, {**about, "quantity": "share of sizes", **four})
        finding = (
            f"{modified} is stabler than {plain} at {over_all.value:.0%} of the sizes on average "
            f"({over_all.low:.0%} to {over_all.high:.0%} over data sets), and at more than half of "
            f"them in {sum(s > 0.5 for s in shares)} of {len(shares)} pairs of data set and "
            "inducer."
        )
        return ExperimentResult(
            pd.DataFrame(rows), finding, f"{n}×2 outer folds", _draw(cells, plain, modified)
        )

    return run


def _draw(cells: list[Cell], plain: str, modified: str) -> Any:
    n_columns = 5
    n_lines = -(-len(cells) // n_columns)

    def draw(figure: Any) -> None:
        panels = np.ravel(figure.subplots(n_lines, n_columns, squeeze=False))
        for axes in panels[len(cells) :]:
            axes.set_axis_off()
        for axes, cell in zip(panels, cells, strict=False):
            for method, colour in ((plain, "0.4"), (modified, "C1")):
                curve = cell.curve(method)
                axes.plot(np.arange(1, len(curve) + 1), curve, color=colour, lw=0.9, label=method)
            axes.set_title(f"{cell.problem} {cell.inducer}", fontsize=5, pad=2)
            axes.tick_params(labelsize=5)
        panels[0].legend(fontsize=4)

    return draw


_PROTOCOL = (
    "The runs of the table by the first reading; Kuncheva's index against the size of the subset. "
    "The printed figures have no numbers. We take 'stabler' as stabler at more than half of the "
    "sizes, over data sets."
)

EXPERIMENTS = [
    Experiment(
        "prat-figA",
        "Curves of stability of SBG and RSA",
        "[Prat] figures A.1 to A.17",
        "The curves behind table 6.5.",
        _PROTOCOL,
        _curves("6.5", "SBG", "RSA backward"),
        files(),
    ),
    Experiment(
        "prat-figB",
        "Curves of stability of SBG and SBG+",
        "[Prat] figures B.1 to B.10",
        "The curves behind table 7.2.",
        _PROTOCOL,
        _curves("7.2", "SBG", "SBG+"),
        files(),
    ),
]
