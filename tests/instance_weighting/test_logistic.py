import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from backstay import LogisticWeighting
from reference import instance_weighting as reference
from strategies import continuous_tables, tables

pytestmark = pytest.mark.filterwarnings("ignore:class .* has a single member:UserWarning")


def test_reference_by_hand():
    # Row 0 of 0, 1 | 3: miss at 3, hit at 1 → θ = 1; row 2 has no hit: the lowest θ, ½(2 − 1).
    X, y = [[0.0], [1.0], [3.0]], ["a", "a", "b"]
    assert reference.hypothesis_margins(X, y) == [1.0, 0.5, 0.5]
    # One standard deviation above the mean: 0.954, which [Prat 8.2] says of two.
    assert reference.logistic_weights([-1.0, 0.0, 1.0])[2] == pytest.approx(0.954, abs=5e-4)


@given(st.one_of(tables(), continuous_tables()), st.sampled_from([None, 1, 3]))
def test_equals_reference(table, k):
    X, y = table
    weighter = LogisticWeighting(n_neighbors=k).fit(X, y)
    margins = reference.hypothesis_margins(reference.minmax(X), y, k)
    assert_allclose(weighter.margins_, margins, atol=1e-9)
    raw = np.array(reference.logistic_weights(margins))
    assert_allclose(weighter.sample_weight_, raw / raw.mean(), rtol=1e-7)


def test_single_member_class_is_named():
    X, y = [[0.0], [1.0], [3.0]], ["a", "a", "b"]
    with pytest.warns(UserWarning, match="class 'b' has a single member"):
        weighter = LogisticWeighting(scaling=None).fit(X, y)
    assert weighter.margins_.tolist() == [1.0, 0.5, 0.5]


def test_every_row_alone_in_its_class():
    weights = LogisticWeighting().fit_weight([[0.0], [1.0], [3.0]], ["a", "b", "c"])
    assert_allclose(weights, 1.0)


def test_equal_margins_give_equal_weights():
    X, y = np.arange(6)[:, None] * 0.1, [0, 1] * 3
    weighter = LogisticWeighting(n_neighbors=1, scaling=None).fit(X, y)
    assert 0 < np.ptp(weighter.margins_) < 1e-15  # equal but for rounding
    assert_allclose(weighter.sample_weight_, 1.0)


def test_alpha_zero_is_uniform():
    weights = LogisticWeighting(alpha=0.0).fit_weight([[0.0], [1.0], [2.0], [5.0]], [0, 0, 1, 1])
    assert_allclose(weights, 1.0)
