"""How does a feature go with a number? Slopes, correlations, and columns that give it away.

Only the moments are kept in a store, so a corrected formula corrects old studies.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, stats

from backstay._columns import column_chunks, columns_of, numeric_columns
from backstay.targets._metric import some_rows
from backstay.targets._target import (
    Arrays,
    Association,
    Effects,
    Floats,
    Target,
    corrected_for_many,
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
# Of so many features with the smallest p-values the values are looked at; a few may stand out.
CANDIDATES, MOST = 60, 5
# A feature gives numbers away above this concordance (a correlation of about 0.95) if the next
# one is this much behind, as Fisher's z of the rank correlation, and below this corrected p.
NEARLY, APART, CHANCE = 0.9, 0.7, 0.001
# A column that is no feature and the outcome are nearly the same above this share.
STRONG = 0.9


def moments_with_numbers(target: NumberTarget, X: Any) -> Arrays:
    """Return what is known of every column and of the outcome in its rows; gaps are left out."""
    count, spread, own, r = (np.full(X.shape[1], np.nan) for _ in range(4))
    numeric = np.arange(X.shape[1]) if sparse.issparse(X) else numeric_columns(X)
    for columns, table in column_chunks(X, numeric):
        known = np.isfinite(table)
        n = known.sum(axis=0)
        x, xx, scale = _centred(table, known)
        z, zz, _ = _centred(np.broadcast_to(target.values[:, None], table.shape), known)
        with np.errstate(invalid="ignore", divide="ignore"):
            flat = np.sqrt(xx / (n - 1)) <= ROUNDING * scale
            count[columns], own[columns] = n, np.sqrt(zz / (n - 1))
            spread[columns] = np.where(flat, 0, np.sqrt(xx / (n - 1)))
            r[columns] = np.where(flat, np.nan, (x * z).sum(axis=0) / np.sqrt(xx * zz))
    return dict(zip(MOMENTS, (count, spread, own, np.clip(r, -1, 1)), strict=True))


def _centred(table: Floats, known: NDArray[np.bool_]) -> tuple[Floats, Floats, Floats]:
    """Return deviations from the columns' means, 0 for gaps, their squares' sums, and the means."""
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(known, table, 0).sum(axis=0) / known.sum(axis=0)
        deviation = np.where(known, table - mean, 0)
    return deviation, (deviation**2).sum(axis=0), np.abs(mean)


def effects_on_numbers(moments: Mapping[str, NDArray[Any]]) -> Effects | None:
    """Return how features go with the outcome, None where the moments are not known.

    The effect is Pearson's r with Fisher's interval; the difference is how far the feature moves
    with a standard deviation of the outcome. The slope is what the outcome gains with a standard
    deviation of the feature, with its interval by Student's t, and the test is that of both.
    """
    if MOMENTS[-1] not in moments:
        return None
    n, spread, own, r = (moments[name] for name in MOMENTS)
    with np.errstate(invalid="ignore", divide="ignore"):
        free = np.where(n > 2, n - 2, np.nan)
        error = np.sqrt((1 - r**2) / free)
        p = 2 * stats.t.sf(np.abs(r) / error, free)
        half = stats.t.ppf(0.975, free) * error
        wide = stats.norm.ppf(0.975) / np.sqrt(np.where(n > 3, n - 3, np.nan))
        z = np.arctanh(r)
        low, high = np.tanh(z - wide), np.tanh(z + wide)
    way = np.where(r < 0, "falls", "rises").astype(object)
    way[np.isnan(r)] = None
    slopes = {"slope per SD": r, "slope low": r - half, "slope high": r + half}
    return Effects(
        columns={name: value * own for name, value in slopes.items()},
        direction=way,
        difference=r * spread,
        effect=r,
        effect_low=low,
        effect_high=high,
        p_value=p,
        q_value=corrected_for_many(p),
    )


def concordance(values: Floats, y: Floats) -> Floats:
    """Return how often two rows of different outcomes are in the same order in a column.

    Ties in the column are halves, and the direction counts in which it is above 0.5. Gaps are in
    the middle. Of very many rows some are compared.
    """
    rows = some_rows(np.ones(len(y), dtype=bool))
    values, y = values[rows], y[rows]
    with np.errstate(all="ignore"):
        known = np.isfinite(values)
        values = np.where(known, values, np.nanmedian(np.where(known, values, np.nan), axis=0))
    order = np.sign(np.subtract.outer(y, y))
    n_pairs = np.abs(order).sum()
    if not n_pairs:
        return np.full(values.shape[1], 0.5)
    agree = [(np.sign(np.subtract.outer(x, x)) * order).sum() / n_pairs for x in values.T]
    return 0.5 + np.abs(np.array(agree)) / 2


def giveaways_of_numbers(target: Target, X: Any, moments: Mapping[str, Any]) -> dict[int, float]:
    """Return features that alone nearly give the outcome and stand out, with their concordance."""
    effects = target.effects(moments)
    if effects is None:
        return {}
    p = effects.p_value
    order = np.argsort(np.where(np.isnan(p), 2.0, p), kind="stable")[:CANDIDATES]
    order = order[np.isfinite(p[order])]
    share = target.separation(columns_of(X, order))
    # Kendall's τ = 2·share − 1, and of normal distributions r = sin(π τ/2).
    r = np.sin(np.pi / 2 * (2 * share - 1))
    z = np.arctanh(np.clip(r, 0, 1 - 1e-6))
    sure = (share >= NEARLY) & (p[order] * np.isfinite(p).sum() < CHANCE)
    ranked = np.argsort(-z, kind="stable")
    steps = [*z[ranked], 0.0]
    found = [
        k
        for k in range(1, min(MOST, len(ranked)) + 1)
        if sure[ranked[:k]].all() and steps[k - 1] - steps[k] >= APART
    ]
    first = sorted(ranked[: max(found, default=0)].tolist())
    return {int(order[j]): float(share[j]) for j in first}


def association_with_numbers(target: NumberTarget, column: NDArray[Any]) -> Association:
    """Return how a column goes with the outcome.

    Numbers: Spearman's ρ and its test. Texts: η² of the ranks, the share of their variance that
    lies between the kinds, and the test of Kruskal and Wallis.
    """
    y = target.values
    if column.dtype.kind == "f":
        if not np.ptp(column) or not np.ptp(y):
            return Association("Spearman's ρ", 0.0, 1.0, strong=False)
        rho, p = stats.spearmanr(column, y)
        share = float(concordance(column[:, None], y)[0])
        return Association("Spearman's ρ", float(rho), float(p), strong=share >= NEARLY)
    kinds = np.unique(column, return_inverse=True)[1]
    parts = [y[kinds == kind] for kind in range(int(kinds.max()) + 1)]
    if len(parts) < 2 or not np.ptp(y):
        return Association("η²", 0.0, 1.0, strong=False)
    test = stats.kruskal(*parts)
    # Kruskal and Wallis' H is (n − 1)·η² of the ranks.
    share = float(test.statistic / (len(y) - 1))
    return Association("η²", share, float(test.pvalue), strong=share >= STRONG)
