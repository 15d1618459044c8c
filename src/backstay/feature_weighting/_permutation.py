"""What a forest loses on rows it has not seen when a feature is shuffled [Breiman 2001]."""

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from backstay._scaling import near_one
from backstay._validation import check_random_state, param, positive_int
from backstay.base import Array, FeatureRanker
from backstay.feature_weighting._rows import standard_numbers

LARGEST_SEED = 2**31 - 1


def out_of_bag_losses(forest: Any, X: Any, y: Any, omega: Array, n_repeats: int, rng: Any) -> Array:
    """Return the mean over the trees of the right answers, or squared error, that shuffling costs.

    Each tree is asked about the rows that its bootstrap left out, and only the features that it
    splits on are shuffled: others change nothing.
    """
    X = np.ascontiguousarray(X, dtype=np.float32)  # as trees read them
    lost = np.zeros(X.shape[1])
    for tree, bag in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        out = np.setdiff1d(np.arange(len(y)), bag)
        mass = omega[out].sum()
        if mass == 0.0:
            continue
        rows, labels, weights = X[out], y[out], omega[out] / mass

        def right(rows: Any, tree: Any = tree, labels: Any = labels, weights: Any = weights) -> Any:
            outputs = tree.tree_.predict(rows).reshape(len(rows), -1)
            if labels.dtype.kind == "f":
                return -weights @ (outputs[:, 0] - labels) ** 2
            return weights @ (outputs.argmax(axis=1) == labels)

        whole = right(rows)
        for feature in np.unique(tree.tree_.feature[tree.tree_.feature >= 0]):
            values = rows[:, feature].copy()
            for _ in range(n_repeats):
                rows[:, feature] = rng.permutation(values)
                lost[feature] += whole - right(rows)
            rows[:, feature] = values
    return lost / (n_repeats * len(forest.estimators_))


@dataclass(eq=False, repr=False)
class PermutationImportance(FeatureRanker):
    """Loss of a random forest, on rows it has not seen, when the values of a feature are shuffled.

    Each tree is asked about the rows that its bootstrap left out, as published. Trees lose right
    answers, or, for numbers, gain squared error.

    Parameters
    ----------
    n_estimators : int, default=500
        Trees of the forest.
    n_repeats : int, default=5
        How often a feature is shuffled in each tree.
    n_features_to_select, n_jobs, random_state
        As in :class:`FeatureRanker`.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        Mean loss; 0 where it is negative, and exactly 0 for features that no tree uses.
    n_ranked_ : int
        Features whose shuffling costs anything. The others are not ranked.

    Notes
    -----
    Features that say the same rank low: without one of them, the forest uses another.
    ``sample_weight`` weighs rows in the fit and in the loss.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from backstay.feature_weighting import PermutationImportance
    >>> X, y = load_iris(return_X_y=True)
    >>> PermutationImportance(50, random_state=0).fit(X, y).get_support(indices=True)
    array([2, 3])
    """

    n_estimators: int = param(500, positive_int())
    _: KW_ONLY
    n_repeats: int = param(5, positive_int())
    n_jobs: int | None = None
    random_state: Any = None

    _zero_is_unranked = True
    outcomes = ("classes", "numbers")

    def _score(self, X: Any, y: Any, sample_weight: Array | None) -> Array:
        rng = check_random_state(self.random_state)
        X = near_one(X)
        omega = np.ones(len(y)) if sample_weight is None else sample_weight
        options = {"n_jobs": self.n_jobs, "random_state": rng.randint(LARGEST_SEED)}
        if self._has_numbers():
            y = standard_numbers(y)
            forest = RandomForestRegressor(self.n_estimators, max_features="sqrt", **options)
        else:
            forest = RandomForestClassifier(self.n_estimators, **options)
        forest.fit(X, y, sample_weight=sample_weight)
        losses = out_of_bag_losses(forest, X, y, omega, self.n_repeats, rng)
        return np.maximum(losses, 0.0)
