"""Are the features measured as they were? Each one's mean and spread against the training rows.

Where outcomes are known, like is compared with like, so that other class proportions, or higher
numbers, do not look like another platform. An outcome of numbers is compared in the same way.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from backstay.signature._cohort import Cohort
from backstay.targets import Alike, Target

Array = NDArray[np.float64]
# Number, mean and deviation of training rows, and of a cohort's that should be like them.
Pairs = list[tuple[tuple[int, float, float], tuple[int, float, float]]]
# A feature has moved if the difference is beyond chance at this level, for all features
# together, and this large: in standard deviations, or as a ratio of two of them.
LEVEL, LARGE_SHIFT, LARGE_RATIO = 0.01, 0.25, 1.25


@dataclass(frozen=True)
class FeatureShift:
    """One feature, or an outcome of numbers, in a cohort against the training rows."""

    feature: str  # its name; "outcome" for the outcome
    shift: float  # difference of the means, in standard deviations of the training rows
    shift_p: float  # Welch's test of it, not corrected for the number of features
    ratio: float  # standard deviation in the cohort over that of the training rows
    ratio_p: float  # test of its logarithm, for distributions of any kurtosis
    moved: bool  # whether either is large, and beyond chance for all features together


def feature_shifts(
    document: Mapping[str, Any], cohort: Cohort, target: Target | None = None
) -> list[FeatureShift]:
    """Return the shift of every feature that the cohort has; `target` holds its outcomes."""
    absent = {one.feature for one in cohort.stand_ins}
    present = [j for j, one in enumerate(document["features"]) if one["name"] not in absent]
    level = LEVEL / max(2 * len(present), 1)
    return [_shift_of(document, j, cohort.raw[:, j], target, level) for j in present]


def _shift_of(
    document: Mapping[str, Any], j: int, column: Array, target: Target | None, level: float
) -> FeatureShift:
    """Compare a feature with the training rows, kind by kind where outcomes are known."""
    feature, known = document["features"][j], ~np.isnan(column)
    x = column[known]
    if target is None:
        whole = Alike(feature["count"], feature["mean"], feature["sd"], x)
        alike, residual = [whole] if len(x) > 1 and whole.n > 1 else [], x - x.mean()
    else:
        own = target.take(known)
        alike, residual = own.alike(document["target"]["moments"], j, x), own.residuals(x)
    if not alike:
        return FeatureShift(feature["name"], math.nan, math.nan, math.nan, math.nan, False)
    tails = max(kurtosis(residual), feature["kurtosis"])
    return _judged(feature["name"], alike, tails, feature["sd"], level)


def outcome_shift(document: Mapping[str, Any], target: Target) -> FeatureShift | None:
    """Return how the outcome lies against that of the training rows; None where it is no number."""
    alike = target.outcome_alike(document["target"]["moments"], document["training"]["rows"])
    if alike is None:
        return None
    return _judged("outcome", [alike], alike.kurtosis, alike.sd, LEVEL / 2)


def _judged(
    name: str, alike: list[Alike], kurtosis: float, unit: float, level: float
) -> FeatureShift:
    """Return a shift in a unit, and whether it is large and beyond chance."""
    pairs = [one.sides for one in alike]
    share = np.array([one.n for one in alike], dtype=float)
    share /= share.sum()
    difference = sum(w * (b[1] - a[1]) for w, (a, b) in zip(share, pairs, strict=True))
    shift_p = _welch(float(difference), share, pairs)
    ratio, ratio_p = _spread(pairs, kurtosis)
    shift = float(difference) / unit if unit > 0 else (math.inf if difference else 0.0)
    large = abs(shift) >= LARGE_SHIFT and shift_p < level
    wide = not 1 / LARGE_RATIO < ratio < LARGE_RATIO and ratio_p < level
    return FeatureShift(name, float(shift), shift_p, ratio, ratio_p, bool(large or wide))


def _welch(difference: float, share: Array, pairs: Pairs) -> float:
    """Return the p-value of a mean of differences, with Welch and Satterthwaite's freedom."""
    terms = [
        (w**2 * (sd**2 / n), n - 1)
        for w, pair in zip(share, pairs, strict=True)
        for n, _, sd in pair
    ]
    variance = sum(v for v, _ in terms)
    if variance == 0:
        return 0.0 if difference else 1.0
    freedom = variance**2 / sum(v**2 / n for v, n in terms)
    return float(2 * stats.t.sf(abs(difference) / math.sqrt(variance), freedom))


def _spread(pairs: Pairs, kurtosis: float) -> tuple[float, float]:
    """Return the ratio of the spreads and its p-value.

    The logarithm of a standard deviation has variance (κ − 1)/4n for the kurtosis κ.
    """
    spreads, freedoms = [], []
    for parts in zip(*pairs, strict=True):
        freedom = sum(n - 1 for n, _, _ in parts)
        spreads.append(math.sqrt(sum((n - 1) * sd**2 for n, _, sd in parts) / freedom))
        freedoms.append(freedom)
    before, here = spreads
    if 0 in spreads:
        return (1.0, 1.0) if before == here else (here / before if before else math.inf, 0.0)
    variance = sum(max(kurtosis - 1, 1.0) / (4 * n) for n in freedoms)
    z = math.log(here / before) / math.sqrt(variance)
    return here / before, float(2 * stats.norm.sf(abs(z)))


def kurtosis(residual: Array) -> float:
    """Return the kurtosis; a constant has no shape, so it gets 3, as a normal distribution."""
    variance = float((residual**2).mean())
    return float((residual**4).mean() / variance**2) if variance > 0 else 3.0
