"""Which features are more than luck? Scores of features beside those of decoys."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import false_discovery_control

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
        """Return (1 + #{decoys with at least the mean score})/(1 + N), N decoys of all draws."""
        pooled = np.sort(self.decoys, axis=None)
        above = len(pooled) - np.searchsorted(pooled, self.means, side="left")
        return np.asarray((1 + above) / (1 + len(pooled)))

    def qvalues(self) -> Array:
        """Return Benjamini and Hochberg's q-value of every feature."""
        return np.asarray(false_discovery_control(self.pvalues()))

    def expected_false(self, features: int | ArrayLike) -> ExpectedFalse:
        """Return how many of the so many best, or of given features, are expected to be false.

        Every decoy counts against the best feature whose score it reaches. ``value`` is (1 + count
        against these features)/draws, at most their number; ``low`` and ``high`` hold 95 % of the
        draws' counts between them.
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
