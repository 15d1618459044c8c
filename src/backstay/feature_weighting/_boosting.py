"""Gain of gradient boosted trees as a ranking [Friedman 2001]."""

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from backstay._scaling import near_one
from backstay._validation import NOT_NEGATIVE, POSITIVE, SHARE, param, positive_int
from backstay.base import Array, FeatureRanker, one_thread
from backstay.feature_weighting._rows import counted, standard_numbers


def total_gains(model: Any, n_features: int) -> Array:
    """Return how much the splits on each feature lowered the loss.

    scikit-learn keeps this in the nodes of its trees but has no public name for it.
    """
    gains = np.zeros(n_features)
    for tree in (tree for trees in model._predictors for tree in trees):
        inner = tree.nodes[tree.nodes["is_leaf"] == 0]
        np.add.at(gains, inner["feature_idx"], inner["gain"])
    return gains


@dataclass(eq=False, repr=False)
class BoostingImportance(FeatureRanker):
    """Total gain of a feature's splits in gradient boosted trees.

    The trees are scikit-learn's ``HistGradientBoostingClassifier``, or, for numbers,
    ``HistGradientBoostingRegressor``. Features that no tree splits
    on have importance 0. With a few dozen rows, that is nearly every feature.

    Parameters
    ----------
    max_iter : int, default=100
        Rounds of boosting.
    learning_rate : float, default=0.1
        Factor of every tree.
    max_features : float, default=0.1
        Share of the features that are tried at each split. Below 1, each of several features
        that say the same gets its turn.
    max_leaf_nodes : int or None, default=31
        Most leaves of a tree.
    max_depth : int or None, default=None
        Greatest depth of a tree; None does not limit it.
    min_samples_leaf : int or None, default=None
        Least rows in a leaf. None is 20, or a quarter of the rows if that is less.
    l2_regularization : float, default=0.0
        Penalty on the values of leaves.
    n_features_to_select : int, float or None, default=None
        How many features ``transform`` keeps; None is half.
    random_state : int, RandomState instance or None, default=None
        Draws the features to try.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        Total gain, over that of all features; exactly 0 for a feature without a split.
    n_ranked_ : int
        Features that some tree splits on. The others are not ranked.
    model_ : HistGradientBoostingClassifier or HistGradientBoostingRegressor
        The fitted trees, on class numbers 0..C-1, or on standardised numbers.
    n_iter_ : int
        Rounds of boosting that were made.

    See Also
    --------
    ForestImportance : Trees side by side instead of one after the other.
    PermutationImportance : Judges any model by rows that it has not seen.

    Notes
    -----
    ``sample_weight`` weighs rows in the loss; only proportions matter. Rows of weight 0 are left
    out.

    References
    ----------
    Friedman (2001), The Annals of Statistics 29: 1189.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from backstay.feature_weighting import BoostingImportance
    >>> X, y = load_iris(return_X_y=True)
    >>> BoostingImportance(20, max_features=1.0, random_state=0).fit(X, y).ranking_
    array([4, 3, 1, 2])
    """

    max_iter: int = param(100, positive_int())
    _: KW_ONLY
    learning_rate: float = param(0.1, POSITIVE)
    max_features: float = param(0.1, SHARE)
    max_leaf_nodes: int | None = param(31, positive_int(minimum=2), None)
    max_depth: int | None = param(None, positive_int())
    min_samples_leaf: int | None = param(None, positive_int())
    l2_regularization: float = param(0.0, NOT_NEGATIVE)
    random_state: Any = None

    _zero_is_unranked = True
    outcomes = ("classes", "numbers")

    def _score(self, X: Any, y: Any, sample_weight: Array | None) -> Array:
        rows, y, omega = counted(self, y, sample_weight)
        options = self.get_params(deep=False)  # all others are the trees' own
        del options["n_features_to_select"]
        if options["min_samples_leaf"] is None:
            options["min_samples_leaf"] = max(1, min(20, len(y) // 4))
        kind: Any = HistGradientBoostingClassifier
        if self._has_numbers():
            kind, y = HistGradientBoostingRegressor, standard_numbers(y, omega)
        self.model_ = kind(early_stopping=False, **options)
        weights = None if sample_weight is None else omega / omega.mean()
        with one_thread():  # the order in which it sums depends on the number of threads
            self.model_.fit(near_one(X[rows]), y, sample_weight=weights)
        self.n_iter_ = int(self.model_.n_iter_)
        gains = total_gains(self.model_, X.shape[1])
        total = gains.sum()
        return gains / total if total > 0.0 else gains
