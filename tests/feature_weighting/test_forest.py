"""Forest importances are those of scikit-learn's forests."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from backstay import InstanceWeighted, MarginWeighting
from backstay.datasets import make_han_yu
from backstay.feature_weighting import ForestImportance


@pytest.mark.parametrize(
    ("forest", "kind"),
    [("random_forest", RandomForestClassifier), ("extra_trees", ExtraTreesClassifier)],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_equals_the_forest_itself(forest, kind, weighted):
    X, y = load_iris(return_X_y=True)
    omega = np.linspace(0.1, 2.0, len(y)) if weighted else None
    ours = ForestImportance(20, forest=forest, max_features=3, random_state=7).fit(X, y, omega)
    theirs = kind(20, max_features=3, random_state=7).fit(X, y, omega)
    np.testing.assert_array_equal(ours.feature_importances_, theirs.feature_importances_)
    assert isinstance(ours.forest_, kind)


def test_does_not_depend_on_n_jobs():
    X, y = load_iris(return_X_y=True)
    one, two = (ForestImportance(10, n_jobs=k, random_state=0).fit(X, y) for k in (1, 2))
    np.testing.assert_array_equal(one.feature_importances_, two.feature_importances_)


@pytest.mark.parametrize("strategy", ["native", "sample", "order"])
def test_under_instance_weighting(strategy):
    X, y, relevance = make_han_yu(80, n_features=60, n_relevant=10, shift=1.0, random_state=1)
    found = InstanceWeighted(
        ForestImportance(50, random_state=0, n_features_to_select=10),
        MarginWeighting(),
        strategy=strategy,
        random_state=0,
    ).fit(X, y)
    assert relevance[found.get_support()].astype(bool).mean() >= 0.8


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"n_estimators": 0}, "n_estimators"),
        ({"forest": "boosted"}, "forest"),
        ({"max_features": 2.5}, "max_features"),
        ({"n_jobs": "all"}, "n_jobs"),
    ],
)
def test_bad_parameters_are_named(parameters, named):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=named):
        ForestImportance(**parameters).fit(X, y)
