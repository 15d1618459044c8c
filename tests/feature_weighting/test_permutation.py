"""Importances of forests on rows that their trees have not seen."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from backstay import PermutationImportance
from backstay.datasets import make_han_yu
from backstay.feature_weighting._permutation import out_of_bag_losses
from tests.reference import permutation as reference


@pytest.fixture(scope="module")
def rows():
    X, y, relevance = make_han_yu(40, n_features=20, n_relevant=10, shift=1.5, random_state=0)
    return X, y, np.asarray(relevance, dtype=bool)


def test_trees_are_asked_about_rows_outside_their_bootstrap(rows):
    X, y, _ = rows
    forest = RandomForestClassifier(10, random_state=0).fit(X, y)
    found = out_of_bag_losses(forest, X, y, np.ones(40), 1, np.random.RandomState(5))
    expected = reference.tree_losses(forest, X, y, np.random.RandomState(5).permutation)
    assert found == pytest.approx(expected, abs=1e-12)


def test_the_forest_finds_what_is_relevant_and_leaves_the_unused_at_zero(rows):
    X, y, relevant = rows
    X = np.column_stack([X, np.zeros(40)])
    ranker = PermutationImportance(60, n_features_to_select=5, random_state=0).fit(X, y)
    assert relevant[ranker.get_support(indices=True)].all()
    assert ranker.feature_importances_[-1] == 0
    assert ranker.n_ranked_ == np.count_nonzero(ranker.feature_importances_) <= 20
    again = PermutationImportance(60, random_state=0, n_jobs=2).fit(X, y)
    assert (again.feature_importances_ == ranker.feature_importances_).all()
