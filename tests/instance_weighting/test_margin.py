import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from backstay import MarginWeighting
from backstay.datasets import make_han_yu
from reference import instance_weighting as reference
from strategies import continuous_tables, tables

pytestmark = pytest.mark.filterwarnings("ignore:class .* has a single member:UserWarning")


def test_reference_by_hand():
    # x = 0, 1 | 3: misses − hits per row, then mean distances in margin space.
    X, y = [[0.0], [1.0], [3.0]], ["a", "a", "b"]
    assert [reference.margin_vector(X, y, i) for i in range(3)] == [[3 - 1], [2 - 1], [3 + 2]]
    omega, _ = reference.margin_weights(X, y)
    raw = np.array([1 / ((1 + 3) / 2), 1 / ((1 + 4) / 2), 1 / ((3 + 4) / 2)])
    assert_allclose(omega, raw / raw.mean(), rtol=1e-12)


@given(tables(), st.sampled_from([None, 1, 2, 5]), st.sampled_from(["uniform", "distance"]))
def test_equals_reference(table, k, neighbor_weights):
    X, y = table
    weighter = MarginWeighting(k, neighbor_weights=neighbor_weights).fit(X, y)
    omega, vectors = reference.margin_weights(reference.minmax(X), y, k, neighbor_weights)
    assert_allclose(weighter.margin_vectors_, vectors, atol=1e-9)
    assert_allclose(weighter.sample_weight_, omega, rtol=1e-9)


@given(continuous_tables(), st.sampled_from([None, 2]), st.sampled_from(["uniform", "distance"]))
def test_iterated_equals_reference(table, k, neighbor_weights):
    X, y = table
    weighter = MarginWeighting(
        k, neighbor_weights=neighbor_weights, max_iter=4, tol=1e9, scaling=None
    )
    one = weighter.fit_weight(X, y)  # any change is within tol: stops after one round
    assert weighter.n_iter_ == 1
    expected, _ = reference.margin_weights(X, y, k, neighbor_weights)
    assert_allclose(one, expected, rtol=1e-9)
    with pytest.warns(ConvergenceWarning, match="max_iter=3"):
        three = weighter.set_params(max_iter=3, tol=0.0).fit_weight(X, y)
    expected, _ = reference.margin_weights(X, y, k, neighbor_weights, max_iter=3, tol=0.0)
    assert_allclose(three, expected, rtol=1e-8)


def test_iteration_converges_quickly():
    X, y, _ = make_han_yu(n_samples=60, n_features=200, random_state=0)
    weighter = MarginWeighting(max_iter=50).fit(X, y)
    assert 1 < weighter.n_iter_ < 50
    # Han 4.4: the iterated weights differ little from the first ones.
    first = MarginWeighting().fit_weight(X, y)
    assert np.corrcoef(weighter.sample_weight_, first)[0, 1] > 0.95


def test_far_origin_keeps_its_digits():
    X, y, _ = make_han_yu(n_samples=30, n_features=50, random_state=1)
    near = MarginWeighting(scaling=None).fit_weight(X, y)
    far = MarginWeighting(scaling=None).fit_weight(X + 2.0**20, y)
    assert_allclose(far, near, rtol=1e-9)


def test_weights_stay_near_uniform_on_han_yu():
    # Why the uniform control of equal mass matters: docs/control-finding.md.
    for seed in range(5):
        X, y, _ = make_han_yu(random_state=seed)
        omega = MarginWeighting().fit_weight(X, y)
        assert 0.8 < omega.min() < 1 < omega.max() < 1.2


def test_scales():
    X, y, _ = make_han_yu(n_samples=20, n_features=50, random_state=0)
    mean = MarginWeighting().fit_weight(X, y)
    total = MarginWeighting(scale="sum").fit_weight(X, y)
    assert mean.mean() == pytest.approx(1)
    assert total.sum() == pytest.approx(1)
    assert_allclose(mean, total * 20, rtol=1e-12)


def test_identical_rows_are_uniform():
    X, y = np.ones((6, 3)), [0, 0, 0, 1, 1, 1]
    assert_allclose(MarginWeighting().fit_weight(X, y), 1.0)


def test_float32_is_close():
    X, y, _ = make_han_yu(n_samples=40, n_features=50, random_state=0)
    assert_allclose(
        MarginWeighting().fit_weight(X.astype(np.float32), y),
        MarginWeighting().fit_weight(X, y),
        rtol=1e-5,
    )
