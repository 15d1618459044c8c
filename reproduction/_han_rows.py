"""Rows of the dissertation's tables, and the look of its figures [Han]."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import stats

from reproduction._estimates import Estimate, claimed, compared

__all__ = [
    "COLOURS",
    "LINES",
    "claim",
    "draw_curve",
    "fresh",
    "legend",
    "observed",
]

# One colour for each way of selecting, whatever the base ranker.
COLOURS = {
    "plain": "#444444",
    "ensemble": "#0072b2",
    "weighted": "#d55e00",
    "control": "#009e73",
    "weighted, mean 1": "#cc79a7",
}
# Dashes where curves lie on each other: the control on the weighting, mean 1 on plain.
LINES = dict.fromkeys(COLOURS, "-") | {"control": "--", "weighted, mean 1": "--"}
NORMAL = float(stats.norm.ppf(0.975))


def fresh(values: Any, mean: float, sd: float, n: int) -> Estimate:
    """Return our mean and the interval in which a published mean of `n` others should lie.

    The two-sample t interval for the difference, around our mean: both are means over random
    partitions of the same rows, so that only the partitions differ.
    """
    runs = np.asarray(values, dtype=np.float64)
    runs = runs[np.isfinite(runs)]
    if not len(runs):
        return Estimate(math.nan, math.nan, math.nan)
    own, freedom = float(runs.mean()), len(runs) + n - 2
    pooled = (((runs - own) ** 2).sum() + (n - 1) * sd**2) / freedom
    half = float(stats.t.ppf(0.975, freedom) * math.sqrt(pooled * (1 / len(runs) + 1 / n)))
    return Estimate(own, own - half, own + half)


def claim(text: str, holds: bool | np.bool_, found: Estimate, **about: Any) -> dict[str, Any]:
    """Return a row for a published statement."""
    return {**about, **claimed(text, bool(holds), *found)}


def observed(found: Estimate, **about: Any) -> dict[str, Any]:
    """Return a row for something nobody published, such as a control."""
    return {**about, **compared(None, *found)}


def draw_curve(axes: Any, x: Any, found: list[Estimate], label: str, role: str) -> None:
    """Draw estimates against x with their intervals as a band."""
    table = np.array(found, dtype=np.float64)
    axes.plot(x, table[:, 0], label=label, color=COLOURS[role], ls=LINES[role])
    axes.fill_between(x, table[:, 1], table[:, 2], color=COLOURS[role], alpha=0.15, linewidth=0)


def legend(figure: Any, axes: Any, **options: Any) -> None:
    """Put the legend of one panel below all of them."""
    lines, labels = axes.get_legend_handles_labels()
    figure.legend(lines, labels, loc="outside lower center", ncols=5, fontsize="small", **options)
