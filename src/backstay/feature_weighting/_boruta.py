"""Boruta: which features beat shuffled ones in a forest [Kursa & Rudnicki 2010]."""

from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from backstay._scaling import near_one
from backstay._validation import (
    PROPER_SHARE,
    Interval,
    StrOptions,
    check_random_state,
    param,
    positive_int,
)
from backstay.base import Array, FeatureRanker, Indices
from backstay.feature_weighting._forest import FORESTS, ORDINARY, ForestImportance

FEWEST_SHADOWS = 5
LARGEST_SEED = 2**31 - 1


def decisions(hits: NDArray[Any], n_rounds: int, alpha: float) -> tuple[Any, Any]:
    """Return which features are hit more often than every second time, and which less often.

    Two binomial tests at `alpha`, each with Bonferroni's correction for all features.
    """
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
    take no further part.

    Parameters
    ----------
    n_estimators : int, default=500
        Trees of every forest.
    forest : {"random_forest", "extra_trees"}, default="random_forest"
        Kind of forest, as in :class:`ForestImportance`.
    max_depth : int or None, default=None
        Greatest depth of a tree; None grows them full.
    perc : float, default=100
        Percentile of the shadows' importances that a feature must exceed; 100 is the best shadow.
        A lower value confirms more features, and more false ones.
    alpha : float, default=0.01
        Level of the tests, corrected for the number of features.
    max_iter : int, default=100
        Most rounds; features without a decision by then are tentative.
    n_features_to_select : int, float or None, default=None
        How many features ``transform`` keeps; None keeps the confirmed ones.
    n_jobs : int, default=None
        Threads; the result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Shuffles, and seeds the forests.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        Hits, plus the mean importance in the rounds that a feature was part of, which is at most 1.
    n_ranked_ : int
        Features that some tree splits on. The others are not ranked.
    ranking_ : ndarray of shape (n_features,)
        The confirmed before the others, each by importance.
    hits_ : ndarray of shape (n_features,)
        Rounds in which a feature beat the shadows.
    decision_ : ndarray of shape (n_features,)
        "confirmed", "tentative" or "rejected".
    n_iter_ : int
        Rounds that were made.

    See Also
    --------
    ForestImportance : The importances of one forest.

    Notes
    -----
    Decisions are those of the authors' R package: both tests one-sided, with Bonferroni's
    correction over all features in every round, and no further correction for testing in every
    round. The R package measures importance as a z-score of permutation losses; this, like the
    Python package ``boruta``, as decrease of impurity.

    With d features, the first rejections take log2(d / alpha) rounds, 20 for 10,000 features; until
    then every forest sees all features and their shadows.

    ``sample_weight`` weighs rows in the impurities.

    References
    ----------
    Kursa and Rudnicki (2010), Journal of Statistical Software 36(11).

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
    forest: str = param("random_forest", StrOptions(set(FORESTS)))
    max_depth: int | None = param(None, positive_int())
    perc: float = param(100, Interval(Real, 0, 100, closed="right"))
    alpha: float = param(0.01, PROPER_SHARE)
    max_iter: int = param(100, positive_int())
    n_jobs: int | None = None
    random_state: Any = None

    _zero_is_unranked = True
    outcomes = ("classes", "numbers")

    def _score(self, X: Any, y: Any, sample_weight: Array | None) -> Array:
        rng = check_random_state(self.random_state)
        X = near_one(X, ordinary=ORDINARY).astype(np.float32)  # as trees read it
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
            self.hits_[kept] += importances > np.percentile(shadows, self.perc)
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
            forest=self.forest,
            max_depth=self.max_depth,
            n_jobs=self.n_jobs,
            random_state=rng.randint(LARGEST_SEED),
        ).fit(np.hstack([X, shadows]), y, sample_weight=sample_weight)
        return forest.feature_importances_[: X.shape[1]], forest.feature_importances_[X.shape[1] :]

    def _rank(self, importances: Array) -> Indices:
        return np.argsort(np.lexsort((-importances, self.decision_ != "confirmed"))) + 1

    def _n_kept(self, n_selected: int) -> int:
        confirmed = int((self.decision_ == "confirmed").sum())
        return n_selected if self.n_features_to_select is not None else confirmed
