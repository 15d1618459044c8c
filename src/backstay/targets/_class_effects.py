"""Where is a feature high? By how much? Does one give the classes away? From moments.

Only the moments are kept in a store, so a corrected formula corrects old studies.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, stats

from backstay._columns import column_chunks, numeric_columns
from backstay._units import pair_sides
from backstay.targets._target import Arrays, Association, Effects, Floats, filled_in

if TYPE_CHECKING:
    from backstay.targets._classes import ClassTarget

MOMENTS = ("count", "mean", "deviation")
# Standard deviations below that share of the mean are rounding.
ROUNDING = 1e-10
# Features really differ by many standard deviations, but not one by this many and by so many times
# what the next does: Gordon's lung cancers have genes of 5.0, 4.8, 3.4, 3.4, ...
HUGE, TIMES = 6.0, 1.5
# A column that is no feature and the classes are nearly the same above this V of Cramér.
STRONG_V = 0.9


def moments_of_classes(target: ClassTarget, X: Any) -> Arrays:
    """Return number, mean and deviation of every class in columns of numbers; without gaps."""
    shape = (target.n_classes, X.shape[1])
    counts, means, deviations = np.zeros(shape), np.full(shape, np.nan), np.full(shape, np.nan)
    chunks = (
        [(np.arange(X.shape[1]), X.tocsr())]
        if sparse.issparse(X)
        else column_chunks(X, numeric_columns(X))
    )
    for columns, table in chunks:
        for c in range(target.n_classes):
            n, mean, deviation = _moments(table[np.flatnonzero(target.codes == c)])
            counts[c, columns], means[c, columns], deviations[c, columns] = n, mean, deviation
    return {"class count": counts, "class mean": means, "class deviation": deviations}


def moments_of_pairs(target: ClassTarget, X: Any, pairs: NDArray[Any]) -> Arrays:
    """Return the moments of both classes and of the differences, over pairs that have both."""
    sides = pair_sides(X, target.on_second_side(pairs), pairs)
    first, second = (side.toarray() if sparse.issparse(side) else side for side in sides)
    parts = [_moments(first), _moments(second), _moments(second - first)]
    classes = zip(MOMENTS, zip(*parts[:2], strict=True), strict=True)
    within = zip(MOMENTS, parts[2], strict=True)
    return {
        **{f"class {name}": np.array(part) for name, part in classes},
        **{f"pair {name}": part for name, part in within},
    }


def _moments(rows: Any) -> tuple[Floats, Floats, Floats]:
    """Return number, mean and standard deviation (n - 1) of columns; nan where undefined."""
    with np.errstate(invalid="ignore", divide="ignore"):
        if sparse.issparse(rows):
            n = np.full(rows.shape[1], float(rows.shape[0]))
            mean = np.asarray(rows.sum(axis=0)).ravel() / n
            squares = np.asarray(rows.multiply(rows).sum(axis=0)).ravel() - n * mean**2
        else:
            known = np.isfinite(rows)
            n = known.sum(axis=0).astype(float)
            mean = np.where(known, rows, 0).sum(axis=0) / n
            squares = (np.where(known, rows - mean, 0) ** 2).sum(axis=0)
        deviation = np.sqrt(np.maximum(squares, 0) / (n - 1))
    return n, mean, np.where(deviation > ROUNDING * np.abs(mean), deviation, 0 * deviation)


def effects_of_classes(target: ClassTarget, moments: Mapping[str, NDArray[Any]]) -> Effects:
    """Return what sets the classes apart.

    With two classes the difference is the mean of the second minus that of the first, and the
    test is Welch's, and the direction the class with the higher mean; with more it is the mean of
    the class that is furthest from all other rows minus theirs, the test the analysis of variance,
    and the direction says whether that class is high or low. The effect is Hedges' g. Of pairs,
    difference, effect and test (the paired t) are of the differences within them.
    """
    names = list(map(str, target.classes))
    n, means, deviations = (moments[f"class {key}"] for key in MOMENTS)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        known = np.isfinite(means).all(axis=0)
        high = np.where(known, np.argmax(np.where(known, means, 0), axis=0), -1)
        ours = np.ones(len(high), dtype=np.intp)
        if len(means) > 2:
            sides = [_against_the_rest(n, means, deviations, ours * c) for c in range(len(means))]
            apart = np.abs([_hedges(*pair)[0] for pair in sides])
            none = ~np.isfinite(apart).any(axis=0)
            ours = np.where(none, np.maximum(high, 0), np.argmax(np.nan_to_num(apart), axis=0))
        one, rest = _against_the_rest(n, means, deviations, ours)
        difference = one[1] - rest[1]
        if "pair mean" in moments:
            difference = moments["pair mean"]
            effect, error, p = _within(*(moments[f"pair {key}"] for key in MOMENTS))
        else:
            effect, error = _hedges(one, rest)
            p = _welch(n, means, deviations) if len(means) == 2 else _anova(n, means, deviations)
        # The means of a constant column may differ in their last digit, which is no difference.
        spread = np.maximum(np.ptp(means, axis=0), deviations.max(axis=0))
        p = np.where(spread <= ROUNDING * np.abs(means).max(axis=0), np.nan, p)
    direction = np.array([*names, None], dtype=object)[high]
    if len(means) > 2:
        pairs = zip(known, difference, ours, strict=True)
        said = [f"{'low' if d < 0 else 'high'} in {names[c]}" if k else None for k, d, c in pairs]
        direction = np.array(said, dtype=object)
    half = stats.norm.ppf(0.975) * error
    return Effects(
        columns={f"mean in {name}": mean for name, mean in zip(names, means, strict=True)},
        direction=direction,
        difference=difference,
        effect=effect,
        effect_low=effect - half,
        effect_high=effect + half,
        p_value=p,
    )


def _against_the_rest(
    n: Floats, means: Floats, deviations: Floats, ours: NDArray[np.intp]
) -> tuple[tuple[Floats, Floats, Floats], tuple[Floats, Floats, Floats]]:
    """Return number, mean and sum of squares of one class and of all other rows, per feature."""
    squares = np.where(n > 1, deviations**2 * (n - 1), 0)
    mine = np.arange(len(n))[:, None] == ours
    others = np.where(mine, 0, n)
    n_rest = others.sum(axis=0)
    mean = np.where(mine, 0, n * np.where(n > 0, means, 0)).sum(axis=0) / n_rest
    spread = (np.where(mine, 0, squares) + others * (means - mean) ** 2).sum(axis=0)

    def own(table: Floats) -> Floats:
        return np.where(mine, table, 0).sum(axis=0)

    return (own(n), own(means), own(squares)), (n_rest, mean, spread)


def _hedges(
    one: tuple[Floats, Floats, Floats], rest: tuple[Floats, Floats, Floats]
) -> tuple[Floats, Floats]:
    """Return Hedges' g and its standard error (Hedges and Olkin 1985, large samples)."""
    (n, mean, squares), (m, other, others) = one, rest
    free = n + m - 2
    pooled = np.sqrt((squares + others) / free)
    g = (1 - 3 / (4 * free - 1)) * (mean - other) / pooled
    g = np.where(np.isfinite(g) & (free > 0), g, np.nan)
    return g, np.sqrt((n + m) / (n * m) + g**2 / (2 * (n + m)))


def _within(n: Floats, mean: Floats, deviation: Floats) -> tuple[Floats, Floats, Floats]:
    """Return Hedges' g of differences within pairs, its standard error, and p of the paired t."""
    free = np.where(n > 1, n - 1, np.nan)
    g = (1 - 3 / (4 * free - 1)) * mean / np.where(deviation > 0, deviation, np.nan)
    p = 2 * stats.t.sf(np.abs(mean) * np.sqrt(n) / deviation, free)
    return g, np.sqrt(1 / n + g**2 / (2 * n)), p


def _welch(n: Floats, means: Floats, deviations: Floats) -> Floats:
    first, second = zip(means, deviations, n, strict=True)
    test = stats.ttest_ind_from_stats(*second, *first, equal_var=False)
    return np.asarray(np.where((n > 1).all(axis=0), test.pvalue, np.nan))


def _anova(n: Floats, means: Floats, deviations: Floats) -> Floats:
    """Return p of the one-way analysis of variance."""
    total, k = n.sum(axis=0), len(n)
    centre = (n * means).sum(axis=0) / total
    between = (n * (means - centre) ** 2).sum(axis=0) / (k - 1)
    within = np.where(n > 1, deviations**2 * (n - 1), 0).sum(axis=0) / (total - k)
    return np.asarray(np.where(total > k, stats.f.sf(between / within, k - 1, total - k), np.nan))


def separation_of_classes(target: ClassTarget, values: Floats) -> Floats:
    """Return every column's AUC of two classes, at least 0.5, averaged over pairs of classes."""
    values, codes, areas = filled_in(values), target.codes, []
    for first, second in combinations(range(target.n_classes), 2):
        rows = np.flatnonzero((codes == first) | (codes == second))
        ours = codes[rows] == second
        n, m = int(ours.sum()), int((~ours).sum())
        if n and m:
            ranks = stats.rankdata(values[rows], axis=0)[ours].sum(axis=0)
            area = (ranks - n * (n + 1) / 2) / (n * m)
            areas.append(np.maximum(area, 1 - area))
    return np.asarray(np.mean(areas, axis=0)) if areas else np.full(values.shape[1], 0.5)


def association_with_classes(target: ClassTarget, column: NDArray[Any]) -> Association:
    """Return AUC and Kruskal and Wallis' test of numbers, Cramér's V and the χ² test of texts."""
    codes = np.unique(target.codes, return_inverse=True)[1]
    k = int(codes.max()) + 1
    if k < 2:  # only rows of one class have a value
        return Association("AUC", 0.5, 1.0, strong=False)
    if column.dtype.kind == "f":
        p = float(stats.kruskal(*(column[codes == c] for c in range(k))).pvalue)
        area = float(separation_of_classes(target, column[:, None])[0])
        return Association("AUC", area, p, strong=area >= target.nearly)
    counts = stats.contingency.crosstab(column, codes).count
    test = stats.chi2_contingency(counts, correction=False)
    v = float(np.sqrt(test.statistic / (len(codes) * (min(counts.shape) - 1))))
    return Association("Cramér's V", v, float(test.pvalue), strong=v >= STRONG_V)
