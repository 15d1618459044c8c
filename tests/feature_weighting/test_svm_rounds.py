"""The elimination in the kernel is the elimination in Python, to the last bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.datasets import load_breast_cancer, load_wine

from backstay.datasets import make_han_yu
from backstay.feature_weighting import SVMRFE
from backstay.feature_weighting._elimination import smallest


def wide(load):
    """More features than rows, copies among them."""
    X, y = load(return_X_y=True)
    rows = np.r_[0:10, len(y) - 12 : len(y), 60:70]
    return np.hstack([X[rows], X[rows] ** 2, X[rows][:, ::-1]]), y[rows]


def han_yu():
    return make_han_yu(30, n_features=300, random_state=3)[:2]


@pytest.mark.parametrize("step", [0.1, 0.6, 1, 7])
@pytest.mark.parametrize(
    "data", [han_yu, lambda: wide(load_wine), lambda: wide(load_breast_cancer)]
)
def test_same_ranking_with_and_without_a_path(data, step):
    X, y = data()
    with_path = SVMRFE(step=step, record_path=True).fit(X, y)  # round by round in Python
    without = SVMRFE(step=step).fit(X, y)
    np.testing.assert_array_equal(without.feature_importances_, with_path.feature_importances_)


def test_same_with_weights():
    X, y = han_yu()
    weights = np.random.default_rng(0).random(len(y))
    with_path = SVMRFE(record_path=True).fit(X, y, sample_weight=weights)
    without = SVMRFE().fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(without.feature_importances_, with_path.feature_importances_)


ODD = [0.0, 0.5, 1.0, 2.0, np.nan]  # of rows too large to be multiplied, weights are nan


@given(
    arrays(np.float64, st.integers(1, 60), elements=st.sampled_from(ODD)),
    st.data(),
)
def test_the_smallest_are_marked_and_of_equal_ones_the_later_columns(weights, data):
    count = data.draw(st.integers(1, len(weights)))
    features = np.array(data.draw(st.permutations(range(len(weights)))), dtype=np.intp)
    marked = smallest(weights, features, count)
    expected = np.lexsort((-features, weights))[:count]
    assert np.flatnonzero(marked).tolist() == sorted(expected.tolist())
