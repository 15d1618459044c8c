"""Bias and variance of subsets."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backstay.stability import subset_bias_variance
from reference import stability as ref

subsets_of_five = st.lists(st.sets(st.integers(0, 4)), min_size=2, max_size=6)


def test_subset_error_by_hand():
    # 4 runs, feature 0 relevant and found in 3, feature 1 relevant and found in 1 (biased), 2 not
    # relevant and selected in 1, 3 never. Errors ¼, ¾, ¼, 0; main decisions yes, no, no, no.
    sets = [{0, 1}, {0}, {0, 2}, set()]
    rows = ref.subset_bias_variance(sets, {0, 1}, 4)
    quarter = Fraction(1, 4)
    assert rows == [
        (quarter, 0, quarter),
        (3 * quarter, 1, quarter),
        (quarter, 0, quarter),
        (0, 0, 0),
    ]
    found = subset_bias_variance([sorted(s) for s in sets], [0, 1], n_features=4)
    assert (found.error, found.bias, found.variance) == (5 / 16, 1 / 4, 3 / 16)
    assert (found.unbiased_variance, found.biased_variance) == (2 / 16, 1 / 16)


@settings(max_examples=25)
@given(subsets_of_five, st.sets(st.integers(0, 4)))
def test_subset_error_equals_the_oracle_and_adds_up(sets, truth):
    found = subset_bias_variance([sorted(s) for s in sets], sorted(truth), n_features=5)
    expected = np.array(ref.subset_bias_variance(sets, truth, 5), dtype=float)
    np.testing.assert_allclose(found.frame(), expected, atol=1e-12)
    parts = found.bias + found.unbiased_variance - found.biased_variance
    assert found.error == pytest.approx(parts, abs=1e-12)
    assert found.variance == pytest.approx(found.unbiased_variance + found.biased_variance)
    masks = np.array([[f in s for f in range(5)] for s in sets])
    same = subset_bias_variance(masks, np.isin(np.arange(5), sorted(truth)))
    assert same.frame().equals(found.frame())


@pytest.mark.parametrize(
    ("relevant", "words"),
    [
        ([5], "relevant must hold indices from 0 to 3 for n_features=4; got 5"),
        ([True], "relevant must be a mask over 4 features; got 1"),
        ([0.5], "relevant must be one-dimensional feature indices or a boolean mask"),
        ("gene", "relevant must be feature indices, a boolean mask or a fitted selector"),
    ],
)
def test_relevant_features_must_exist(relevant, words):
    with pytest.raises(ValueError, match=words):
        subset_bias_variance([[0], [1]], relevant, n_features=4)
