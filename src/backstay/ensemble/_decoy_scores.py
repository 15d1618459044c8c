"""Which features are more than luck? Scores of features beside those of decoys."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import false_discovery_control, rankdata

from backstay.base import Array

# Mean scores are sums in some order: what differs beyond these digits is rounding.
DIGITS = 10


class ExpectedFalse(NamedTuple):
    """How many features of a list are expected to be false, and the range of 95 % of the draws."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.1f} [{self.low:.1f}, {self.high:.1f}]"


def run_ranks(importances: Array) -> Array:
    """Rank columns, 1 for the best; equal importances share the mean of their ranks.

    Ranked by column they would not be treated alike.
    """
    return np.asarray(rankdata(-importances, method="average"))


def log_rank_scores(ranks: Array) -> Array:
    """Return ln(m / rank) among m columns: like −ln p, and 0 for the last."""
    return np.log(len(ranks) / ranks)


def signed_maximum(scores: Array, decoy_scores: Array) -> Array:
    """Return the larger score of feature and knockoff, negative if it is the knockoff's.

    Differences of logarithms of ranks would be as large for two bad ranks as for two good ones.
    """
    return np.sign(scores - decoy_scores) * np.maximum(scores, decoy_scores)


def knockoff_evalues(contrasts: Array, alpha: float) -> Array:
    """Mean over draws of d·1{W ≥ T}/(1 + #{W ≤ −T}), T the threshold of knockoffs+ [Ren, Barber].

    Contrasts W (draws × features) change sign if feature and knockoff change places. A mean of
    e-values is one.
    """
    evalues = np.zeros(contrasts.shape[1])
    for w in np.round(contrasts, DIGITS):
        for t in np.unique(np.abs(w[w != 0])):
            n_against = 1 + (w <= -t).sum()
            if n_against <= alpha * max(1, (w >= t).sum()):
                evalues += len(w) * (w >= t) / n_against
                break
    return evalues / len(contrasts)


class DecoyScores:
    """Scores of features beside those of decoys.

    Parameters
    ----------
    scores, decoy_scores : array-like of shape (n_draws, n_features)
        What features, and their decoys, scored in every draw; higher is better.

    Examples
    --------
    >>> from backstay.ensemble import DecoyScores
    >>> DecoyScores([[5, 1], [4, 2]], [[1, 2], [3, 0]]).qvalues()
    array([0.4, 0.6])
    >>> DecoyScores([[5, 1, 0], [4, 2, 0]], [[2, 2, 0], [3, 0, 1]]).expected_false(2).value
    2.0
    """

    def __init__(self, scores: ArrayLike, decoy_scores: ArrayLike) -> None:
        # A feature's score is its mean over draws. Those of decoys are not averaged: a decoy is
        # lucky in its draw alone, and their mean would hide that.
        self.means = np.round(np.asarray(scores, np.float64).mean(axis=0), DIGITS)
        self.decoys = np.round(np.asarray(decoy_scores, np.float64), DIGITS)

    def pvalues(self) -> Array:
        """Return (1 + #{decoys with at least the mean score})/(1 + N) for every feature.

        The N decoys are those of all draws.
        """
        pooled = np.sort(self.decoys, axis=None)
        above = len(pooled) - np.searchsorted(pooled, self.means, side="left")
        return np.asarray((1 + above) / (1 + len(pooled)))

    def qvalues(self) -> Array:
        """Return Benjamini and Hochberg's q-value of every feature."""
        return np.asarray(false_discovery_control(self.pvalues()))

    def expected_false(self, features: int | ArrayLike) -> ExpectedFalse:
        """Return how many of some features are expected to be false, with a range over draws.

        Parameters
        ----------
        features : int or array-like of int
            How many of the best, or which features.

        Returns
        -------
        ExpectedFalse
            Every decoy counts against the best feature whose score it reaches. ``value`` is
            (1 + count against these features)/draws, at most their number; ``low`` and ``high``
            hold 95 % of the draws' counts between them.
        """
        order = np.argsort(-self.means, kind="stable")
        counted = isinstance(features, int | np.integer)
        chosen = order[:features] if counted else np.asarray(features)
        values = np.unique(self.means)
        charged = np.isin(values, self.means[chosen])
        reached = np.searchsorted(values, self.decoys, side="right") - 1  # -1: not even the lowest
        counts = ((reached >= 0) & charged[reached]).sum(axis=1)
        counts = np.minimum(counts, len(chosen))
        value = min(float(1 + counts.sum()) / len(self.decoys), float(len(chosen)))
        low, high = np.quantile(counts, [0.025, 0.975])
        return ExpectedFalse(value, float(low), float(high))
