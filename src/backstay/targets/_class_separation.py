"""Whether a single column gives the classes away, or goes with them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from backstay._columns import columns_of
from backstay.targets._target import Association, Floats

if TYPE_CHECKING:
    from backstay.targets._classes import ClassTarget

# Of so many features with the smallest p-values the values are looked at; of more classes none.
CANDIDATES, MOST_CLASSES = 60, 20
# A feature gives the classes away above this AUC, if it stands out among the features by
# this much: in the distance of two normal distributions with this AUC, in standard deviations, ...
NEARLY, APART = 0.95, 1.0
# ... or if it differs by so many standard deviations and by so many times what the next does. Of
# features that really differ many do: Gordon's lung cancers have genes of 5.0, 4.8, 3.4, 3.4, ...
HUGE, TIMES = 6.0, 1.5
# Of many features on few rows one may separate the classes by chance: below this corrected p none.
CHANCE = 0.001
# A column that is no feature and the classes are nearly the same above this V of Cramér.
STRONG_V = 0.9
# A few at most; if there were more, they would not stand out.
MOST = 5


def separation_of_classes(values: Floats, codes: NDArray[Any], n_classes: int) -> Floats:
    """Return for every column the AUC between two classes, averaged over all pairs of classes.

    Of each pair the direction counts in which the AUC is above 0.5. Gaps are in the middle.
    """
    with np.errstate(all="ignore"):
        known = np.isfinite(values)
        values = np.where(known, values, np.nanmedian(np.where(known, values, np.nan), axis=0))
    areas = []
    for first, second in combinations(range(n_classes), 2):
        rows = np.flatnonzero((codes == first) | (codes == second))
        ours = codes[rows] == second
        n, m = int(ours.sum()), int((~ours).sum())
        if n and m:
            ranks = stats.rankdata(values[rows], axis=0)[ours].sum(axis=0)
            area = (ranks - n * (n + 1) / 2) / (n * m)
            areas.append(np.maximum(area, 1 - area))
    return np.asarray(np.mean(areas, axis=0)) if areas else np.full(values.shape[1], 0.5)


def giveaways_of_classes(
    target: ClassTarget, X: Any, moments: Mapping[str, Any]
) -> dict[int, float]:
    """Return features that alone nearly separate all classes and stand out, with their AUC."""
    effects = target.effects(moments)
    if effects is None or target.n_classes > MOST_CLASSES:
        return {}
    p = effects.p_value
    # Classes without any spread differ by infinitely many standard deviations.
    size = np.where(
        np.isfinite(effects.effect), np.abs(effects.effect), np.where(p == 0, np.inf, 0)
    )
    order = np.lexsort((-size, np.where(np.isnan(p), 2.0, p)))[:CANDIDATES]
    order = order[np.isfinite(p[order])]
    area = target.separation(columns_of(X, order))
    beyond_chance = p[order] * np.isfinite(p).sum() < CHANCE
    distance = np.sqrt(2) * stats.norm.ppf(np.clip(area, 0.5, 1 - 0.5 / len(target)))
    found: set[int] = set()
    for scale, stands_out in (
        (distance, lambda one, other: one - other >= APART),
        (size[order], lambda one, other: one >= max(HUGE, TIMES * other)),
    ):
        ranked = np.argsort(-scale, kind="stable")
        steps = [*scale[ranked], 0.0]
        for k in range(1, min(MOST, len(ranked)) + 1):
            first = ranked[:k]
            nearly = (area[first] >= NEARLY) & beyond_chance[first]
            if nearly.all() and stands_out(steps[k - 1], steps[k]):
                found |= set(first.tolist())
    return {int(order[j]): float(area[j]) for j in sorted(found)}


def association_with_classes(target: ClassTarget, column: NDArray[Any]) -> Association:
    """Return how a column goes with the classes.

    Numbers: AUC, and the test of Kruskal and Wallis. Texts: Cramér's V, and the χ² test.
    """
    codes = np.unique(target.codes, return_inverse=True)[1]
    k = int(codes.max()) + 1
    if k < 2:  # only rows of one class have a value
        return Association("AUC", 0.5, 1.0, strong=False)
    if column.dtype.kind == "f":
        p = float(stats.kruskal(*(column[codes == c] for c in range(k))).pvalue)
        area = float(separation_of_classes(column[:, None], codes, k)[0])
        return Association("AUC", area, p, strong=area >= NEARLY)
    counts = stats.contingency.crosstab(column, codes).count
    test = stats.chi2_contingency(counts, correction=False)
    v = float(np.sqrt(test.statistic / (len(codes) * (min(counts.shape) - 1))))
    return Association("Cramér's V", v, float(test.pvalue), strong=v >= STRONG_V)
