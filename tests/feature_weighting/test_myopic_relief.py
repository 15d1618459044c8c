"""Myopic ReliefF against a loop over all pairs of rows, and against ReliefF with all neighbours."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backstay import GiniGain, MyopicReliefF, ReliefF
from reference.univariate import myopic_relieff


def test_reference_on_a_hand_worked_case():
    # Classes aab, values 0, 1, 1. Of the 5 ordered pairs of one class, (0,0), (1,1) and (2,2)
    # have equal values; of the 4 of two classes, (1,2) and (2,1).
    assert myopic_relieff([0, 1, 1], "aab", [1.0] * 3) == pytest.approx(3 / 5 - 2 / 4)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(1, 5), st.booleans())
def test_it_is_the_probability_of_equal_values_within_less_that_across(
    seed, n_classes, n_values, weighted
):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(20) % n_classes)
    X = rng.integers(0, n_values, size=(20, 4)).astype(float)
    X[:, 0] = y
    omega = rng.uniform(0.2, 3.0, size=20) if weighted else np.ones(20)
    found = MyopicReliefF(discretizer=None).fit(X, y, omega).feature_importances_
    np.testing.assert_allclose(
        found, [myopic_relieff(x, y, omega) for x in X.T.tolist()], atol=1e-12
    )


def two_features():
    """600 rows: a binary feature right for 72 % of them, and a 16-valued one right for 74 %."""
    y, number = np.repeat([0, 1], 300), np.tile(np.arange(300), 2)
    binary, side = np.where(number < 216, y, 1 - y), np.where(number < 222, y, 1 - y)
    return np.column_stack([binary, side + 2 * (number % 8)]), y


def test_relieff_with_all_neighbours_is_its_limit_and_the_gini_gain_is_not():
    X, y = two_features()
    relieff = ReliefF(n_neighbors=600, categorical_features=[0, 1]).fit(X, y).feature_importances_
    myopic = MyopicReliefF(discretizer=None).fit(X, y).feature_importances_
    gini = GiniGain(discretizer=None).fit(X, y).feature_importances_
    # Every class has 300 rows, of which a row is not its own hit: the rest is rounding.
    ties = [np.mean(X[:, j, None] == X[None, :, j], where=y[:, None] == y) for j in (0, 1)]
    hits = (1 - np.array(ties)) * 300 / 299
    np.testing.assert_allclose(relieff, myopic + (1 - np.array(ties)) - hits, atol=1e-12)
    np.testing.assert_allclose(myopic, [0.1936, 0.0288], atol=5e-5)  # quoted in docs/rankers.md
    np.testing.assert_allclose(gini, [0.0968, 0.1152], atol=5e-4)


def test_constant_and_independent_features_tie_at_zero():
    y = np.repeat([0, 1, 2], 6)
    X = np.column_stack([np.zeros(18), np.tile([0, 1, 2], 6), y])
    found = MyopicReliefF(discretizer=None).fit(X, y).feature_importances_
    assert found[:2].tolist() == [0, 0]
    assert found[2] == pytest.approx(1)
