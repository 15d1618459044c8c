"""Are the features measured as they were? Each one's mean and spread against the training rows.

Where labels are known, classes are compared with themselves, so that other class proportions do
not look like another platform.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Array = NDArray[np.float64]
# A feature has moved if the difference is beyond chance at this level, for all features
# together, and so large: in standard deviations, or as a ratio of two of them.
LEVEL, LARGE_SHIFT, LARGE_RATIO = 0.01, 0.25, 1.25


@dataclass(frozen=True)
class FeatureShift:
    """One feature in a cohort against the training rows.

    Attributes
    ----------
    feature : str
        Its name.
    shift : float
        Difference of the means, in standard deviations of the training rows.
    shift_p : float
        Welch's test of it, not corrected for the number of features.
    ratio : float
        Standard deviation in the cohort over that of the training rows.
    ratio_p : float
        Test of its logarithm, for distributions of any kurtosis.
    moved : bool
        Whether either is large, and beyond chance for all features together.
    """

    feature: str
    shift: float
    shift_p: float
    ratio: float
    ratio_p: float
    moved: bool


def feature_shifts(
    features: list[dict[str, Any]], found: Array, absent: set[str], codes: NDArray[np.intp] | None
) -> list[FeatureShift]:
    """Return the shift of every feature that the cohort has; `codes` are its rows' classes."""
    present = [j for j, feature in enumerate(features) if feature["name"] not in absent]
    level = LEVEL / max(2 * len(present), 1)
    return [_shift_of(features[j], found[:, j], codes, level) for j in present]


@dataclass(frozen=True)
class _Part:
    """Rows of one class, or all of them: how many, their mean and their standard deviation."""

    n: int
    mean: float
    sd: float

    @property
    def error(self) -> float:
        return self.sd**2 / self.n


def _part(values: Array) -> _Part:
    return _Part(len(values), float(values.mean()), float(values.std(ddof=1)))


def _pairs(
    feature: dict[str, Any], x: Array, codes: NDArray[np.intp] | None
) -> list[tuple[_Part, _Part]]:
    """Return training rows and cohort, class by class where both have two rows of it."""
    counts = feature["class_counts"]
    if codes is None:
        whole = _Part(sum(counts), feature["mean"], feature["sd"])
        return [(whole, _part(x))] if len(x) > 1 and whole.n > 1 else []
    pairs = []
    for c, n in enumerate(counts):
        if n > 1 and (codes == c).sum() > 1:
            train = _Part(n, feature["class_means"][c], feature["class_sds"][c])
            pairs.append((train, _part(x[codes == c])))
    return pairs


def _shift_of(
    feature: dict[str, Any], column: Array, codes: NDArray[np.intp] | None, level: float
) -> FeatureShift:
    known = ~np.isnan(column)
    pairs = _pairs(feature, column[known], None if codes is None else codes[known])
    if not pairs:
        return FeatureShift(feature["name"], math.nan, math.nan, math.nan, math.nan, False)
    share = np.array([train.n for train, _ in pairs], dtype=float)
    share /= share.sum()
    difference = sum(w * (b.mean - a.mean) for w, (a, b) in zip(share, pairs, strict=True))
    shift_p = _welch(float(difference), share, pairs)
    ratio, ratio_p = _spread(feature, pairs, column[known], codes, known)
    unit = feature["sd"]
    shift = float(difference) / unit if unit > 0 else (math.inf if difference else 0.0)
    large = abs(shift) >= LARGE_SHIFT and shift_p < level
    wide = not 1 / LARGE_RATIO < ratio < LARGE_RATIO and ratio_p < level
    return FeatureShift(feature["name"], float(shift), shift_p, ratio, ratio_p, bool(large or wide))


def _welch(difference: float, share: Array, pairs: list[tuple[_Part, _Part]]) -> float:
    """Return the p-value of a mean of differences, with Welch and Satterthwaite's freedom."""
    terms = [
        (w**2 * part.error, part.n - 1)
        for w, pair in zip(share, pairs, strict=True)
        for part in pair
    ]
    variance = sum(v for v, _ in terms)
    if variance == 0:
        return 0.0 if difference else 1.0
    freedom = variance**2 / sum(v**2 / n for v, n in terms)
    return float(2 * stats.t.sf(abs(difference) / math.sqrt(variance), freedom))


def _spread(
    feature: dict[str, Any],
    pairs: list[tuple[_Part, _Part]],
    x: Array,
    codes: NDArray[np.intp] | None,
    known: NDArray[np.bool_],
) -> tuple[float, float]:
    """Return the ratio of the spreads within classes and its p-value.

    The logarithm of a standard deviation has variance (κ − 1)/4n for the kurtosis κ.
    """
    sides = [[pair[side] for pair in pairs] for side in (0, 1)]
    spreads, freedoms = [], []
    for parts in sides:
        freedom = sum(part.n - 1 for part in parts)
        spreads.append(math.sqrt(sum((part.n - 1) * part.sd**2 for part in parts) / freedom))
        freedoms.append(freedom)
    if 0 in spreads:
        return (
            (1.0, 1.0) if spreads[0] == spreads[1] else (spreads[1] / (spreads[0] or 1e-300), 0.0)
        )
    kurtosis = max(_kurtosis(x, None if codes is None else codes[known]), feature["kurtosis"])
    variance = sum(max(kurtosis - 1, 1.0) / (4 * n) for n in freedoms)
    z = math.log(spreads[1] / spreads[0]) / math.sqrt(variance)
    return spreads[1] / spreads[0], float(2 * stats.norm.sf(abs(z)))


def _kurtosis(x: Array, codes: NDArray[np.intp] | None) -> float:
    residual = x - x.mean()
    if codes is not None:
        for c in np.unique(codes):
            residual[codes == c] = x[codes == c] - x[codes == c].mean()
    variance = float((residual**2).mean())
    return float((residual**4).mean() / variance**2) if variance > 1e-300 else 3.0
