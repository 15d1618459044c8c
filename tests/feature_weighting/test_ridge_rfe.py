"""RidgeRFE against rounds from scratch, and against a loop over scikit-learn's Ridge."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler

from backstay import RidgeRFE
from reference import ridge as reference


def test_the_reference_on_a_case_worked_by_hand():
    # Centred: x = -1, 0, 1 and y = -1, 0, 1 of weight 1; Σxy = 2, Σx² = 2: 2/(2 + α).
    X, y, ones = np.array([[0.0], [1.0], [2.0]]), np.array([4.0, 5.0, 6.0]), np.ones(3)
    assert reference.ridge(X, y, 2.0, ones) == pytest.approx([0.5])
    assert reference.ridge(X, y, 2.0, 2 * ones) == pytest.approx([2 / 3])
    both = np.column_stack([X, -3 * X])  # the larger one needs the smaller coefficient
    assert reference.rounds(both, y, 1.0, ones, 1) == [[0, 1], [1]]


@settings(max_examples=30, deadline=None)
@given(
    st.integers(3, 30),
    st.integers(1, 40),
    st.sampled_from([0.1, 1.0, 30.0]),
    st.sampled_from([0.1, 0.5, 3]),
    st.booleans(),
    st.integers(0, 10**6),
)
def test_rounds_equal_the_reference(n, d, alpha, step, weighted, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, d)), rng.normal(size=n)
    omega = rng.exponential(size=n) if weighted else np.ones(n)
    ranker = RidgeRFE(alpha, step=step, scaling=None, record_path=True)
    ranker.fit(X, y, omega if weighted else None)
    expected = reference.rounds(X, y, alpha, omega, step)
    assert [r.features.tolist() for r in ranker.path_] == expected
    assert ranker.path_matrix().shape == (len(expected), d)


@pytest.mark.parametrize(("n", "d"), [(40, 600), (60, 50), (300, 20)])
@pytest.mark.parametrize("alpha", [1e-3, 1.0, 1e4])
def test_rounds_equal_a_loop_over_ridge(n, d, alpha):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)) * rng.uniform(0.1, 10, size=d) + 100
    y = X[:, :3] @ [1.0, -1.0, 0.5] + rng.normal(size=n)
    ranker = RidgeRFE(alpha, record_path=True).fit(X, y)
    features = np.arange(d)
    Z = StandardScaler().fit_transform(X)
    for found in ranker.path_:
        assert found.features.tolist() == features.tolist()
        weights = np.abs(Ridge(alpha).fit(Z[:, features], y).coef_)
        assert found.weights == pytest.approx(weights / weights.sum(), rel=1e-6, abs=1e-12)
        n_dropped = min(max(1, int(0.1 * len(features))), len(features) - 1)
        features = np.sort(features[np.argsort(weights, kind="stable")[n_dropped:]])
    assert ranker.ranking_[ranker.path_[-1].features[0]] == 1


def test_a_penalty_below_rounding_is_no_obstacle():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(15, 40)), rng.normal(size=15)
    ranker = RidgeRFE(1e-300).fit(X, y)
    assert sorted(ranker.ranking_) == list(range(1, 41))
