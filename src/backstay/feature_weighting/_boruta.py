"""Boruta: which features beat shuffled ones in a forest [Kursa & Rudnicki 2010]."""

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from backstay._scaling import near_one
from backstay._validation import PROPER_SHARE, check_random_state, param, positive_int
from backstay.base import Array, FeatureRanker, Indices
from backstay.feature_weighting._forest import ForestImportance

FEWEST_SHADOWS = 5
LARGEST_SEED = 2**31 - 1


def decisions(hits: NDArray[Any], n_rounds: int, alpha: float) -> tuple[Any, Any]:
    """Return who is hit more often than every second time, and who less, by corrected tests."""
    level = alpha / len(hits)
    more = stats.binom.sf(hits - 1, n_rounds, 0.5) < level
    less = stats.binom.cdf(hits, n_rounds, 0.5) < level
    return more, less


@dataclass(eq=False, repr=False)
class BorutaRanker(FeatureRanker):
    """How often a feature beats the best of all shuffled features in a random forest.

    Every round adds a shuffled copy, a shadow, of every feature that is not rejected yet, and
    grows a forest. A feature scores a hit if its importance exceeds that of the best shadow.
    Features with more hits than luck explains are confirmed; those with fewer are rejected, and
    take no further part [Kursa & Rudnicki 2010].

    Parameters
    ----------
    n_estimators : int, default=500
        Trees of every forest.
    alpha : float, default=0.01
        Level of the tests, corrected for the number of features.
    max_iter : int, default=100
        Most rounds; features without a decision by then are tentative.
    n_features_to_select : int, float or None, default=None
        How many features ``transform`` keeps; None keeps the confirmed ones.
    n_jobs, random_state
        As in :class:`FeatureRanker`.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        Hits, plus the mean importance in the rounds that a feature was part of, which is at most 1.
    ranking_ : ndarray of shape (n_features,)
        The confirmed before the others, each by importance.
    hits_ : ndarray of shape (n_features,)
        Rounds in which a feature beat the shadows.
    decision_ : ndarray of shape (n_features,)
        "confirmed", "tentative" or "rejected".
    n_iter_ : int
        Rounds that were made.

    Notes
    -----
    Decisions are those of the authors' R package: both tests one-sided, with Bonferroni's
    correction over all features in every round, and no further correction for testing in every
    round. The R package measures importance as a z-score of permutation losses; this, like the
    Python package ``boruta``, as decrease of impurity. ``sample_weight`` weighs rows in it.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from backstay.feature_weighting import BorutaRanker
    >>> X, y = load_iris(return_X_y=True)
    >>> X = np.column_stack([X, np.arange(len(y)) % 7])  # the last says nothing
    >>> BorutaRanker(20, max_iter=20, random_state=0).fit(X, y).decision_[2:].tolist()
    ['confirmed', 'confirmed', 'rejected']
    """

    n_estimators: int = param(500, positive_int())
    _: KW_ONLY
    alpha: float = param(0.01, PROPER_SHARE)
    max_iter: int = param(100, positive_int())
    n_jobs: int | None = None
    random_state: Any = None

    _zero_is_unranked = True
    outcomes = ("classes", "numbers")

    def _score(self, X: Any, y: Any, sample_weight: Array | None) -> Array:
        rng = check_random_state(self.random_state)
        X = near_one(X).astype(np.float32)  # as trees read it
        d = X.shape[1]
        self.hits_ = np.zeros(d, dtype=np.intp)
        self.decision_ = np.full(d, "tentative", dtype="<U9")
        total, n_rounds = np.zeros(d), np.zeros(d)
        self.n_iter_ = 0
        while self.n_iter_ < self.max_iter and (self.decision_ == "tentative").any():
            self.n_iter_ += 1
            kept = np.flatnonzero(self.decision_ != "rejected")
            importances, shadows = self._round(X[:, kept], y, sample_weight, rng)
            total[kept] += importances
            n_rounds[kept] += 1
            self.hits_[kept] += importances > shadows.max()
            more, less = decisions(self.hits_, self.n_iter_, self.alpha)
            tentative = self.decision_ == "tentative"
            self.decision_[tentative & more] = "confirmed"
            self.decision_[tentative & less] = "rejected"
        return self.hits_ + total / n_rounds

    def _round(self, X: Any, y: Any, sample_weight: Array | None, rng: Any) -> tuple[Any, Any]:
        """Return the importances of the features left and of their shadows in one forest."""
        copies = X
        while copies.shape[1] < FEWEST_SHADOWS:
            copies = np.hstack([copies, copies])
        shadows = np.random.default_rng(rng.randint(LARGEST_SEED)).permuted(copies, axis=0)
        forest = ForestImportance(
            self.n_estimators,
            n_jobs=self.n_jobs,
            random_state=rng.randint(LARGEST_SEED),
        ).fit(np.hstack([X, shadows]), y, sample_weight=sample_weight)
        return forest.feature_importances_[: X.shape[1]], forest.feature_importances_[X.shape[1] :]

    def _rank(self, importances: Array) -> Indices:
        return np.argsort(np.lexsort((-importances, self.decision_ != "confirmed"))) + 1

    def _n_kept(self, n_selected: int) -> int:
        confirmed = int((self.decision_ == "confirmed").sum())
        return n_selected if self.n_features_to_select is not None else confirmed
