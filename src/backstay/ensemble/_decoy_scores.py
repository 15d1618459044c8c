"""Which features are more than luck? Scores of features beside those of decoys."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import false_discovery_control, rankdata

from backstay.base import Array, Indices

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
    """Rank columns from the best, 1; equal importances share the mean of their ranks.

    By column order they would not be treated alike.
    """
    return np.asarray(rankdata(-importances, method="average"))


def run_scores(ranks: Array) -> Array:
    """Return ln(m / rank) among m columns: as surprising as −ln p, and 0 for the last."""
    return np.log(len(ranks) / ranks)


def decoy_pvalues(scores: Array, decoy_scores: Array) -> Array:
    """(1 + #{decoys with at least that score}) / (1 + N), over all N decoys of all draws.

    A feature's score is its mean over draws. Those of decoys are not averaged: a decoy is
    lucky in its draw alone, so their mean would be luckier than none.
    """
    found = np.round(scores.mean(axis=0), DIGITS)
    pooled = np.sort(np.round(decoy_scores, DIGITS), axis=None)
    above = len(pooled) - np.searchsorted(pooled, found, side="left")
    return np.asarray((1 + above) / (1 + len(pooled)))


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


def decoy_qvalues(scores: ArrayLike, decoy_scores: ArrayLike) -> Array:
    """Return the q-value of every feature from its scores and those of decoys.

    Parameters
    ----------
    scores, decoy_scores : array-like of shape (n_draws, n_features)
        What features, and their decoys, scored in every draw; higher is better.

    Returns
    -------
    ndarray of shape (n_features,)
        Benjamini and Hochberg's q-values of p = (1 + #{decoys ≥ mean score})/(1 + N), N decoys
        in all draws.

    Examples
    --------
    >>> from backstay.ensemble import decoy_qvalues
    >>> decoy_qvalues([[5, 1], [4, 2]], [[1, 2], [3, 0]])
    array([0.4, 0.6])
    """
    p = decoy_pvalues(np.asarray(scores, np.float64), np.asarray(decoy_scores, np.float64))
    return np.asarray(false_discovery_control(p))


def expected_false(
    scores: ArrayLike, decoy_scores: ArrayLike, features: int | ArrayLike
) -> ExpectedFalse:
    """Return how many of some features are expected to be false, with a range over draws.

    Parameters
    ----------
    scores, decoy_scores : array-like of shape (n_draws, n_features)
        What features, and their decoys, scored in every draw; higher is better.
    features : int or array-like of int
        How many of the best, or which features.

    Returns
    -------
    ExpectedFalse
        Every decoy counts against the best feature whose score it reaches. ``value`` is
        (1 + count against these features)/draws, at most their number; ``low`` and ``high``
        hold 95 % of the draws' counts between them.

    Examples
    --------
    >>> from backstay.ensemble import expected_false
    >>> expected_false([[5, 1, 0], [4, 2, 0]], [[2, 2, 0], [3, 0, 1]], 2).value
    2.0
    """
    found = np.round(np.asarray(scores, np.float64).mean(axis=0), DIGITS)
    decoys = np.round(np.asarray(decoy_scores, np.float64), DIGITS)
    order = np.argsort(-found, kind="stable")
    chosen = order[:features] if isinstance(features, int | np.integer) else np.asarray(features)
    charged = np.zeros(len(found), dtype=bool)
    charged[chosen] = True
    counts = np.minimum([_against(found, row, charged) for row in decoys], len(chosen))
    value = min(float(1 + counts.sum()) / len(decoys), float(len(chosen)))
    low, high = np.quantile(counts, [0.025, 0.975])
    return ExpectedFalse(value, float(low), float(high))


def _against(found: Array, decoys: Array, charged: Indices) -> int:
    """Count the decoys that count against some features: the best that they reach is one of these.

    Among features with equal scores it is one of these if any is.
    """
    values = np.unique(found)
    place = np.searchsorted(values, decoys, side="right") - 1
    against = np.isin(values, found[charged])
    return int(against[place[place >= 0]].sum())
