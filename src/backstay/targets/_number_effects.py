"""How does a feature go with a number? Slopes, correlations, and columns that give it away.

Only the moments are kept in a store, so a corrected formula corrects old studies.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from backstay.targets._metric import some_rows
from backstay.targets._target import (
    Arrays,
    Association,
    Effects,
    Floats,
    by_column,
    directions,
    filled_in,
)

if TYPE_CHECKING:
    from backstay.targets._numbers import NumberTarget

MOMENTS = (
    "number count",
    "number deviation",
    "number deviation of the outcome",
    "number correlation",
)
# Standard deviations below that share of the mean are rounding.
ROUNDING = 1e-10
# A column that is no feature and the outcome are nearly the same above this share.
STRONG = 0.9


def moments_with_numbers(target: NumberTarget, X: Any) -> Arrays:
    """Return what is known of every column and of the outcome in its rows; gaps are left out."""

    def figures(table: Floats) -> tuple[Floats, ...]:
        known = np.isfinite(table)
        n = known.sum(axis=0)
        x, xx, scale = _centred(table, known)
        z, zz, _ = _centred(np.broadcast_to(target.values[:, None], table.shape), known)
        with np.errstate(invalid="ignore", divide="ignore"):
            spread = np.sqrt(xx / (n - 1))
            flat = spread <= ROUNDING * scale
            r = np.where(flat, np.nan, (x * z).sum(axis=0) / np.sqrt(xx * zz))
            return n, np.where(flat, 0, spread), np.sqrt(zz / (n - 1)), np.clip(r, -1, 1)

    return by_column(X, MOMENTS, figures)


def _centred(table: Floats, known: NDArray[np.bool_]) -> tuple[Floats, Floats, Floats]:
    """Return deviations from the columns' means, 0 for gaps, their squares' sums, and the means."""
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(known, table, 0).sum(axis=0) / known.sum(axis=0)
        deviation = np.where(known, table - mean, 0)
    return deviation, (deviation**2).sum(axis=0), np.abs(mean)


def effects_on_numbers(target: NumberTarget, moments: Mapping[str, NDArray[Any]]) -> Effects:
    """Return how features go with the outcome.

    The effect is Pearson's r with Fisher's interval; the difference is how far the feature moves
    with a standard deviation of the outcome. The slope is what the outcome gains with a standard
    deviation of the feature, with its interval by Student's t, and the test is that of both.
    """
    n, spread, own, r = (moments[name] for name in MOMENTS)
    with np.errstate(invalid="ignore", divide="ignore"):
        free = np.where(n > 2, n - 2, np.nan)
        error = np.sqrt((1 - r**2) / free)
        p = 2 * stats.t.sf(np.abs(r) / error, free)
        half = stats.t.ppf(0.975, free) * error
        wide = stats.norm.ppf(0.975) / np.sqrt(np.where(n > 3, n - 3, np.nan))
        z = np.arctanh(r)
        low, high = np.tanh(z - wide), np.tanh(z + wide)
    slopes = {"slope per SD": r, "slope low": r - half, "slope high": r + half}
    return Effects(
        columns={name: value * own for name, value in slopes.items()},
        direction=directions(r, "falls", "rises"),
        difference=r * spread,
        effect=r,
        effect_low=low,
        effect_high=high,
        p_value=p,
    )


def concordance(target: NumberTarget, values: Floats) -> Floats:
    """Return how often rows are ordered alike by a column, in its better direction, and outcome."""
    rows = some_rows(np.ones(len(target), dtype=bool))
    values, y = filled_in(values[rows]), target.values[rows]
    order = np.sign(np.subtract.outer(y, y))
    n_pairs = np.abs(order).sum()
    if not n_pairs:
        return np.full(values.shape[1], 0.5)
    agree = [(np.sign(np.subtract.outer(x, x)) * order).sum() / n_pairs for x in values.T]
    return 0.5 + np.abs(np.array(agree)) / 2


def association_with_numbers(target: NumberTarget, column: NDArray[Any]) -> Association:
    """Return Spearman's ρ of numbers; of texts η² of the ranks and Kruskal and Wallis' test."""
    y = target.values
    if column.dtype.kind == "f":
        if not np.ptp(column) or not np.ptp(y):
            return Association("Spearman's ρ", 0.0, 1.0, strong=False)
        rho, p = stats.spearmanr(column, y)
        share = float(concordance(target, column[:, None])[0])
        return Association("Spearman's ρ", float(rho), float(p), strong=share >= target.nearly)
    kinds = np.unique(column, return_inverse=True)[1]
    parts = [y[kinds == kind] for kind in range(int(kinds.max()) + 1)]
    if len(parts) < 2 or not np.ptp(y):
        return Association("η²", 0.0, 1.0, strong=False)
    test = stats.kruskal(*parts)
    # Kruskal and Wallis' H is (n − 1)·η² of the ranks.
    share = float(test.statistic / (len(y) - 1))
    return Association("η²", share, float(test.pvalue), strong=share >= STRONG)
