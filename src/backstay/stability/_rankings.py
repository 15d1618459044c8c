"""Stability of full rankings."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.spatial import distance

from backstay.stability._measures import get_measure
from backstay.stability._runs import read_ranks
from backstay.stability._similarity import correlations
from backstay.stability._stability_result import StabilityResult, pairwise_result


def ranking_stability(
    rankings: Any,
    measure: str = "spearman",
    *,
    kind: str = "auto",
    top: int | None = None,
    confidence: float = 0.95,
) -> StabilityResult:
    """Measure how much repeated rankings of the same features agree.

    Parameters
    ----------
    rankings : array-like of shape (n_runs, n_features), or fitted rankers
        At least two rankings; a fitted ranker gives its ``ranking_``.
    measure : {"spearman", "kendall", "canberra"}, default="spearman"
        Spearman's ρ is Pearson's r of mid-ranks, Kendall's is τ-b; both allow ties.
        Canberra's distance gives more weight to the top of the ranking. It is divided by its
        expectation for random rankings: 0 is perfect, 1 is chance, *lower* is stabler.
    kind : {"auto", "order", "ranks", "scores"}, default="auto"
        What a row holds, as in `stability_curve`; ranks and scores may be tied.
    top : int, optional
        For "canberra" only: how many places count; all ranks beyond count as top + 1.
    confidence : float, default=0.95
        As in `stability_score`.

    Returns
    -------
    StabilityResult

    Examples
    --------
    >>> orders = [[0, 1, 2, 3], [1, 0, 2, 3], [0, 1, 3, 2]]
    >>> round(ranking_stability(orders).value, 4)
    0.7333
    """
    entry = get_measure(measure, "rankings")
    if top is not None and "top" not in entry.options:
        raise TypeError(f"measure={measure!r} takes no option 'top'; 'canberra' does.")
    ranks = read_ranks(rankings, kind)
    if measure == "canberra":
        pairs = _canberra(ranks, top)
    elif measure == "spearman":
        pairs = correlations(ranks)
    else:
        pairs = _kendall(ranks)
    return pairwise_result(
        pairs,
        measure,
        ranks.shape[1],
        "features",
        why_undefined="a ranking whose features are all tied (or a single feature)",
        confidence=confidence,
    )


def _kendall(ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return τ-b of every two rankings."""
    if ranks.shape[1] < 2:
        return np.full((len(ranks), len(ranks)), np.nan)
    tau_b = distance.pdist(ranks, lambda one, other: stats.kendalltau(one, other).statistic)
    return np.asarray(distance.squareform(tau_b))


def _canberra(ranks: NDArray[np.float64], top: int | None) -> NDArray[np.float64]:
    """Return Canberra distances divided by their expectation for random rankings."""
    p = ranks.shape[1]
    last = p if top is None else top
    if not 1 <= last <= p:
        raise ValueError(f"top={top!r} must lie between 1 and {p}.")
    cut = np.minimum(ranks, last + 1)
    distances = distance.squareform(distance.pdist(cut, "canberra"))
    expected = canberra_expectation(p, last)
    return np.asarray(distances / expected) if expected else np.full_like(distances, np.nan)


def canberra_expectation(n_features: int, top: int) -> float:
    """Return (1/p) Σ_ij |c_i − c_j|/(c_i + c_j), c_i = min(i, top + 1), in O(top)."""
    # Pairs i, j ≤ top with i + j = s have |i − j| = n−1, n−3, …, where n is how many there are:
    # their sum is ⌊n²/2⌋. Each of the p − top other ranks meets every i ≤ top.
    total = np.arange(2, 2 * top + 1)
    ways = np.minimum(total - 1, 2 * top + 1 - total)
    inside = (ways**2 // 2 / total).sum()
    place = np.arange(1, top + 1)
    across = 2 * (n_features - top) * ((top + 1 - place) / (top + 1 + place)).sum()
    return float((inside + across) / n_features)
