"""Importances of scikit-learn's forests as a ranking [Breiman 2001; Geurts et al. 2006]."""

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

from backstay._scaling import near_one
from backstay._validation import SHARE, StrOptions, param, positive_int
from backstay.base import Array, FeatureRanker
from backstay.feature_weighting._rows import standard_numbers

FORESTS = {"random_forest": RandomForestClassifier, "extra_trees": ExtraTreesClassifier}
REGRESSION_FORESTS = {"random_forest": RandomForestRegressor, "extra_trees": ExtraTreesRegressor}


@dataclass(eq=False, repr=False)
class ForestImportance(FeatureRanker):
    """Mean decrease of impurity over the trees of a forest.

    Parameters
    ----------
    n_estimators : int, default=500
        Trees. Fewer are quicker, but on thousands of features the ranking is then that of chance
        draws: each tree looks at few of them.
    forest : {"random_forest", "extra_trees"}, default="random_forest"
        Best cuts on bootstrap samples, or random cuts on all rows.
    max_features : {"sqrt", "log2"}, int, float or None, default="sqrt"
        Features tried at each split, as in scikit-learn.
    n_features_to_select, n_jobs, random_state
        As in :class:`FeatureRanker`.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        Importances that sum to 1, or all 0 where no tree could split. Features that no tree uses
        have 0 and are not ranked.
    forest_ : forest of scikit-learn
        The fitted forest, on class numbers 0..C-1, or on standardised numbers. Features whose
        largest value is below 0.0005 are divided by a power of two first, because trees see no
        differences below 1e-7.

    Notes
    -----
    ``sample_weight`` weighs the rows in the impurities; with "random_forest" the bootstrap
    draws rows regardless of it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from backstay.feature_weighting import ForestImportance
    >>> X, y = load_iris(return_X_y=True)
    >>> ForestImportance(n_features_to_select=2, random_state=0).fit(X, y).get_support()
    array([False, False,  True,  True])
    """

    n_estimators: int = param(500, positive_int())
    _: KW_ONLY
    forest: str = param("random_forest", StrOptions(set(FORESTS)))
    max_features: Any = param("sqrt", StrOptions({"sqrt", "log2"}), positive_int(), SHARE, None)
    n_jobs: int | None = None
    random_state: Any = None

    _zero_is_unranked = True
    outcomes = ("classes", "numbers")

    def _score(self, X: Any, y: Any, sample_weight: Array | None) -> Array:
        options = self.get_params(deep=False)  # all others are the forest's own
        del options["n_features_to_select"]
        forests: Any = FORESTS
        if self._has_numbers():
            forests, y = REGRESSION_FORESTS, standard_numbers(y)
        self.forest_ = forests[options.pop("forest")](**options)
        self.forest_.fit(near_one(X), y, sample_weight=sample_weight)
        return np.asarray(self.forest_.feature_importances_)
