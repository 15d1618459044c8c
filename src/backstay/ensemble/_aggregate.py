"""From many rankings to one score per feature [Han 5.2.3; Kolde et al. 2012]."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

Scores = NDArray[np.float64]
Ranks = NDArray[np.intp]


def robust_rank_scores(rankings: Ranks) -> Scores:
    """−log10 of robust rank aggregation's ρ, Bonferroni-corrected [Kolde et al. 2012]."""
    # Were a feature's ranks uniform, the i-th smallest of its m normalised ranks would be
    # Beta(i, m − i + 1); ρ is m times the smallest of the m lower tail probabilities, at most 1.
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


# What BaggedRanker documents, from the members' ranks, their importances, and k.
AGGREGATES: dict[str, Callable[[Ranks, Scores, int], NDArray[Any]]] = {
    "rank_sum": lambda ranks, weights, k: (ranks.shape[1] + 1 - ranks).sum(axis=0),
    "rank_median": lambda ranks, weights, k: ranks.shape[1] + 1 - np.median(ranks, axis=0),
    "weight_mean": lambda ranks, weights, k: weights.mean(axis=0),
    "frequency": lambda ranks, weights, k: (ranks <= k).mean(axis=0),
    "borda": lambda ranks, weights, k: np.maximum(0, k + 1 - ranks).sum(axis=0),
    "rra": lambda ranks, weights, k: robust_rank_scores(ranks),
}


def break_ties(scores: Scores, rankings: Ranks | None) -> Ranks:
    """Rank by score; equal scores by the sum of ranks, then by column."""
    # Frequencies over m members take m + 1 values only: by column order alone the first columns of
    # a table would be preferred.
    d = len(scores)
    totals = np.zeros(d) if rankings is None else rankings.sum(axis=0)
    order = np.lexsort((np.arange(d), totals, -scores))
    return np.argsort(order) + 1
