"""Stability of the first k features of repeated rankings, for every size k."""

import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay.stability._intervals import (
    PairMatrix,
    check_source,
    least_variance,
    quantile,
    spread_over_runs,
)
from backstay.stability._measures import Measure, get_measure
from backstay.stability._overlaps import Placements, pair_overlaps
from backstay.stability._runs import Runs, read_orders
from backstay.stability._score import MeasuredRuns, measure_arguments
from backstay.stability._stability_result import UndefinedStabilityWarning, warn_undefined
from backstay.stability._subsets import somol_bounds

Floats = NDArray[np.float64]
# Value and variance for sizes 1..K.
Curve = tuple[Floats, Floats]


def _chance_corrected(k: Floats, p: int, m: int) -> tuple[Floats, Floats]:
    """Return offset and slope of (r − k²/p)/(k − k²/p); nan at k = p."""
    span = np.where(k < p, k * (p - k) / p, np.nan)
    return -(k**2) / p / span, 1 / span


def _lustgarten(k: Floats, p: int, m: int) -> tuple[Floats, Floats]:
    span = np.where(k < p, k - np.maximum(0, 2 * k - p), np.nan)
    return -(k**2) / p / span, 1 / span


def _relative(k: Floats, p: int, m: int) -> tuple[Floats, Floats]:
    """Return CW rescaled by its bounds; equal sizes make CWmax 1."""
    low, _ = somol_bounds(m * k, m, p)
    span = np.where(low < 1, 1 - low, 1)
    return np.where(low < 1, -low / span, 0), 1 / (k * span)


# Measures that, at equal sizes, are offset + slope · (mean overlap of two runs).
_LINEAR: dict[str, Callable[[Floats, int, int], tuple[Floats, Floats]]] = {
    **dict.fromkeys(("kuncheva", "nogueira", "wald", "phi", "kappa"), _chance_corrected),
    "lustgarten": _lustgarten,
    "dunne": lambda k, p, m: (1 - 2 * k / p, np.full_like(k, 2 / p)),
    **dict.fromkeys(("dice", "ochiai", "somol_weighted"), lambda k, p, m: (0 * k, 1 / k)),
    "somol_relative": _relative,
}


def stability_curve(
    rankings: Any,
    measure: str = "kuncheva",
    sizes: Iterable[int] | None = None,
    *,
    kind: str = "auto",
    n_features: int | None = None,
    confidence: float = 0.95,
    variance_from: str = "jackknife",
    similarity: Any = None,
    **options: Any,
) -> pd.DataFrame:
    """Measure the stability of the best k features, for every subset size k.

    Parameters
    ----------
    rankings : array-like of shape (n_runs, n_features), or fitted rankers
        At least two rankings without ties; a fitted ranker gives its ``ranking_``.
    measure : str, default="kuncheva"
        Name of a measure on subsets, see `list_measures`.
    sizes : iterable of int, optional
        Subset sizes, one row each; None for all of them.
    kind : {"auto", "order", "ranks", "scores"}, default="auto"
        What a row holds: "order", feature indices from 0, best first; "ranks", the rank
        of each feature, 1 is best; "scores", higher is better, ties to the lower column.
        "auto" takes rows with a 0 for orders and rows from 1 on for ranks.
    n_features : int, optional
        Number of features, if the rankings are orders cut after the first few.
    confidence : float, default=0.95
        Coverage of the interval at each single size (not of the whole curve).
    variance_from : {"jackknife", "analytic"}, default="jackknife"
        As in `stability_score`.
    similarity, **options
        As in `stability_score`.

    Returns
    -------
    DataFrame
        Columns ``size``, ``value``, ``low``, ``high``, ``variance``, ``n_runs``; measure,
        confidence and variance_from are in its ``attrs``.

    Warns
    -----
    UndefinedStabilityWarning
        If a size in `sizes` has no value, such as Kuncheva's index of all features. With
        ``sizes=None`` that row is simply nan.

    Notes
    -----
    Kuncheva, nogueira, wald, phi, kappa, lustgarten, dunne, dice, ochiai, somol_weighted,
    somol_relative and kalousis are computed at all sizes at once, other measures size by size.

    Neighbouring sizes share most of their features: compare procedures at a size chosen
    beforehand, or per run, never by a test over sizes.

    Examples
    --------
    >>> orders = [[0, 1, 2, 3, 4], [0, 2, 1, 3, 4], [1, 0, 2, 4, 3], [0, 1, 2, 4, 3]]
    >>> stability_curve(orders, sizes=[1, 2, 3])[["size", "value", "n_runs"]].round(4)
       size   value  n_runs
    0     1  0.3750       4
    1     2  0.5833       4
    2     3  1.0000       4
    """
    entry = get_measure(measure, "subsets")
    check_source(variance_from)
    order, p = read_orders(rankings, kind, n_features)
    chosen = _read_sizes(sizes, order.shape[1])
    arguments = measure_arguments(entry, options, similarity, p)
    order = order[:, : int(chosen.max())]
    if measure in _LINEAR or measure == "kalousis":
        at_once = _linear if measure in _LINEAR else _jaccard
        value, variance = at_once(entry, order, p, variance_from)
        variance = np.maximum(variance, _least_variance(entry, order, p, value))
        value, variance = value[chosen - 1], variance[chosen - 1]
    else:
        value, variance = _size_by_size(entry, order, p, chosen, arguments, variance_from)
    if sizes is not None and np.isnan(value).any():
        size = chosen[np.isnan(value)][0]
        warn_undefined(measure, f"at size {size} out of {p} features")
    m = order.shape[0]
    half = quantile(confidence, m) * np.sqrt(variance)
    bounds = entry.bounds(m, p)
    frame = pd.DataFrame(
        {
            "size": chosen,
            "value": value,
            "low": np.clip(value - half, *bounds),
            "high": np.clip(value + half, *bounds),
            "variance": variance,
            "n_runs": m,
        }
    )
    frame.attrs = {"measure": measure, "confidence": confidence, "variance_from": variance_from}
    return frame


def _read_sizes(sizes: Iterable[int] | None, most: int) -> NDArray[np.int64]:
    """Return the given sizes, or all of them."""
    if sizes is None:
        return np.arange(1, most + 1)
    chosen = np.asarray(list(sizes))
    if not chosen.size or chosen.dtype.kind not in "iu" or chosen.min() < 1 or chosen.max() > most:
        raise ValueError(f"sizes={chosen.tolist()} must be integers from 1 to {most}.")
    return chosen.astype(np.int64)


def _least_variance(entry: Measure, order: NDArray[Any], p: int, value: Floats) -> Floats:
    m, placements = order.shape[0], Placements.of(order, p)
    count = np.arange(m + 1)
    w = count * (m - count)
    spread, squares = placements.sum_over_features(w), placements.sum_over_features(w**2)
    return least_variance(entry.best(m, p) - value, spread, squares, m)


def _linear(entry: Measure, order: NDArray[Any], p: int, variance_from: str) -> Curve:
    """Return offset + slope · mean overlap, and its variance from each run's overlap."""
    m, most = order.shape
    k = np.arange(1.0, most + 1)
    offset, slope = _LINEAR[entry.name](k, p, m)
    totals = Placements.of(order, p).overlap_totals()
    variance = np.full(most, np.nan)
    if variance_from == "jackknife":
        variance = PairMatrix.jackknife(totals)
    elif entry.analytic_variance and m > 2:
        # Nogueira's Theorem 7 at equal sizes: φ_i − φ̄ = slope·(G_i − Ḡ)/m.
        variance = 4 / m**4 * spread_over_runs(totals)
    mean = totals.sum(axis=0, dtype=np.int64) / (m * (m - 1))
    return offset + slope * mean, slope**2 * variance


def _jaccard(entry: Measure, order: NDArray[Any], p: int, variance_from: str) -> Curve:
    """Return the mean Jaccard index, r/(2k − r) for every pair."""
    m, most = order.shape
    twice = 2.0 * np.arange(1, most + 1)
    totals = np.zeros((m, most))
    for run, others, overlap in pair_overlaps(order, p):
        index = overlap / (twice - overlap)
        totals[run] += index.sum(axis=0)
        totals[others] += index
    variance = np.full(most, np.nan)
    if variance_from == "jackknife":
        variance = PairMatrix.jackknife(totals)
    return totals.sum(axis=0) / (m * (m - 1)), variance


def _size_by_size(
    entry: Measure,
    order: NDArray[Any],
    p: int,
    sizes: NDArray[np.int64],
    arguments: dict[str, Any],
    variance_from: str,
) -> Curve:
    """Return value and variance, one size after the other."""
    value, variance = np.empty(sizes.size), np.empty(sizes.size)
    for index, size in enumerate(sizes):
        features, inverse = np.unique(order[:, :size], return_inverse=True)
        selected = np.zeros((order.shape[0], features.size), dtype=np.bool_)
        np.put_along_axis(selected, inverse.reshape(-1, size), True, axis=1)
        with warnings.catch_warnings():
            # The caller warns once for the whole curve.
            warnings.simplefilter("ignore", UndefinedStabilityWarning)
            measured = MeasuredRuns(entry, Runs(selected, features, p), arguments)
        value[index] = measured.value
        variance[index] = measured.variance(variance_from)
    return value, variance
