"""From many rankings to one score per feature [Han 5.2.3; Kolde et al. 2012]."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

Scores = NDArray[np.float64]
Ranks = NDArray[np.intp]


def total_points(rankings: Ranks, weights: Scores, k: int) -> Scores:
    """Complete linear aggregation: the sum over members of d + 1 − rank."""
    return np.asarray((rankings.shape[1] + 1 - rankings).sum(axis=0), dtype=np.float64)


def rank_mean(rankings: Ranks, weights: Scores, k: int) -> Scores:
    """d + 1 − the mean rank."""
    return total_points(rankings, weights, k) / len(rankings)


def rank_median(rankings: Ranks, weights: Scores, k: int) -> Scores:
    """d + 1 − the median rank."""
    return np.asarray(rankings.shape[1] + 1 - np.median(rankings, axis=0))


def weight_mean(rankings: Ranks, weights: Scores, k: int) -> Scores:
    """Mean of the members' importances, as they are."""
    return np.asarray(weights.mean(axis=0))


def frequency(rankings: Ranks, weights: Scores, k: int) -> Scores:
    """Share of the members that rank a feature among their k best."""
    return np.asarray((rankings <= k).mean(axis=0))


def borda(rankings: Ranks, weights: Scores, k: int) -> Scores:
    """Sum over members of k points for the best down to 1 for the k-th, none beyond."""
    return np.asarray(np.maximum(0, k + 1 - rankings).sum(axis=0), dtype=np.float64)


def rra(rankings: Ranks, weights: Scores, k: int) -> Scores:
    """−log10 of robust rank aggregation's ρ, Bonferroni-corrected [Kolde et al. 2012].

    Were a feature's ranks uniform, the i-th smallest of its m normalised ranks
    would be Beta(i, m − i + 1); ρ is m times the smallest of the m lower tail
    probabilities, at most 1.
    """
    m, d = rankings.shape
    normalised = np.sort(rankings, axis=0) / d
    i = np.arange(1, m + 1)[:, None]
    log_rho = np.log(m) + _log_beta_cdf(i, m - i + 1, normalised).min(axis=0)
    return np.asarray(np.maximum(0.0, -log_rho / np.log(10.0)))


def _log_beta_cdf(a: NDArray[Any], b: NDArray[Any], x: Scores) -> Scores:
    """Logarithm of the Beta(a, b) distribution function, also where the function underflows."""
    value = np.asarray(special.betainc(a, b, x))
    tiny = value < 1e-290
    with np.errstate(divide="ignore"):
        result = np.log(value)
    if tiny.any():
        # I_x(a, b) = x^a (1 − x)^b / (a B(a, b)) · ₂F₁(a + b, 1; a + 1; x)
        a, b, x = (np.broadcast_to(v, value.shape)[tiny] for v in (a, b, x))
        series = np.log(special.hyp2f1(a + b, 1.0, a + 1.0, x))
        result[tiny] = a * np.log(x) + b * np.log1p(-x) - np.log(a) - special.betaln(a, b) + series
    return np.asarray(result)


AGGREGATES: dict[str, Callable[[Ranks, Scores, int], Scores]] = {
    "rank_sum": total_points,
    **{f.__name__: f for f in (rank_median, rank_mean, weight_mean, frequency, borda, rra)},
}


def aggregate_scores(aggregate: Any, rankings: Ranks, weights: Scores, k: int) -> Scores:
    """Score the features by a named aggregate or by the caller's own function."""
    if isinstance(aggregate, str):
        return AGGREGATES[aggregate](rankings, weights, k)
    scores = np.asarray(aggregate(rankings, weights), dtype=np.float64)
    if scores.shape != rankings.shape[1:]:
        raise ValueError(
            f"aggregate={aggregate!r} returned an array of shape {scores.shape}; "
            f"it must return one score per feature, shape {rankings.shape[1:]}."
        )
    if not np.isfinite(scores).all():
        feature = int(np.flatnonzero(~np.isfinite(scores))[0])
        raise ValueError(
            f"aggregate={aggregate!r} returned {scores[feature]} for feature {feature}; "
            "scores must be finite."
        )
    return scores


def break_ties(scores: Scores, rankings: Ranks | None) -> Ranks:
    """Rank by score; equal scores by the sum of ranks, then by column.

    Frequencies over m members take m + 1 values only: by column order alone the
    first columns of a table would be preferred.
    """
    d = len(scores)
    totals = np.zeros(d) if rankings is None else rankings.sum(axis=0)
    order = np.lexsort((np.arange(d), totals, -scores))
    return np.argsort(order) + 1
