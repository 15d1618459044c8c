"""Bagged rankings [Saeys et al. 2008; Han 5.2.3]."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from backstay._validation import StrOptions, check_random_state, resolve_n_features
from backstay.base import Array, Indices
from backstay.ensemble._aggregate import AGGREGATES
from backstay.ensemble._ensemble import Ensemble


@dataclass(eq=False, repr=False)
class BaggedRanker(Ensemble):
    """Rank on many resamples of the rows and aggregate the rankings.

    Parameters
    ----------
    estimator : FeatureRanker or scikit-learn estimator
        Anything that exposes ``feature_importances_``, ``coef_`` or
        ``ranking_`` after fit.
    n_resamples : int, default=20
        Members, each fitted on a resample of its own; an even number for
        complementary pairs.
    resample : {"bootstrap", "subsample", "complementary_pairs"}, default="bootstrap"
        Rows of a member, drawn within each class so that every member sees
        every class in proportion: as many as there are, with replacement; a
        share `max_samples`, without; or the two halves of a random split, one
        row of an odd class left out, a single row in both.
    max_samples : float, default=0.5
        Share of the rows of each class for ``resample="subsample"``.
    aggregate : str, default="rank_sum"
        How the members' rankings become one score per feature, d features,
        ranks from 1:

        - "rank_sum": complete linear aggregation, Σ (d + 1 − rank);
        - "rank_median": d + 1 − median rank;
        - "weight_mean": mean of the members' importances, as they are;
        - "frequency": share of the members with the feature among their k best;
        - "borda": k points for a member's best, 1 for its k-th, 0 beyond;
        - "rra": −log10 ρ of robust rank aggregation, ρ Bonferroni-corrected.

        k is the number of features to select. Equal scores are ranked by the
        sum of ranks, then by column.
    n_features_to_select : int, float or None, default=None
        None takes the estimator's own setting, or half where it has none.
    n_jobs : int, default=None
        Members fitted at the same time, in threads unless ``joblib.parallel_config`` names
        another backend.
    random_state : int, RandomState instance or None, default=None
        Draws the rows, and a seed for every member.

    Attributes
    ----------
    rankings_ : ndarray of shape (n_resamples, n_features)
        The members' rankings, 1 is best; d for all features that a member does not rank, or that
        share its last place.
    weights_ : ndarray of shape (n_resamples, n_features)
        The members' importances.
    selection_frequency_ : ndarray of shape (n_features,)
        Share of the members with the feature among their k best.
    estimators_samples_ : list of ndarray
        The rows of every member.

    Notes
    -----
    Members get the ``sample_weight`` of the rows drawn; draws do not depend on it. Features that
    share a member's last place (equal importances, or one rank of a ``ranking_`` such as that of
    scikit-learn's RFE) have no order and are not selected: a member whose importances are all equal
    has no vote. Other ties are broken at random. RFE itself eliminates the first columns among
    features of equal weight, so each such member gets the columns in random order.

    References
    ----------
    Saeys, Abeel & Van de Peer (2008); for "rra" Kolde, Laur, Adler & Vilo (2012).

    Examples
    --------
    >>> from backstay import ReliefF
    >>> from backstay.datasets import make_xor
    >>> from backstay.ensemble import BaggedRanker
    >>> X, y, relevance = make_xor(n_samples=200, random_state=0)
    >>> ranker = BaggedRanker(ReliefF(n_features_to_select=3), random_state=0).fit(X, y)
    >>> ranker.get_support(indices=True)
    array([0, 1, 2])
    """

    _: KW_ONLY
    aggregate: str = "rank_sum"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Ensemble._parameter_constraints,
        "aggregate": [StrOptions(set(AGGREGATES))],
    }

    def _score(self, X: Any, y: Indices, sample_weight: Array | None) -> Array:
        rng = check_random_state(self.random_state)
        members = self._fit_runs(X, y, sample_weight, rng, self.n_resamples)
        k = resolve_n_features(self._n_requested(), self.n_features_in_)
        self.weights_ = np.array([member.importances for member in members])
        self.selection_frequency_ = np.mean([member.selected(k) for member in members], axis=0)
        scores = AGGREGATES[self.aggregate](self.rankings_, self.weights_, k)
        return np.asarray(scores, dtype=np.float64)
