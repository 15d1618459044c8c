"""Direction and size of effects, against a slow reference."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from backstay.targets import as_target
from reference.effects import effects, q_values

NUMBERS = ("difference", "effect", "effect_low", "effect_high", "p_value")


def effects_of(X, codes):
    """Effects from what a store keeps of the table; those of the table itself are the same."""
    target = as_target(codes)
    found, direct = target.effects(target.moments(X)), target.effects(X)
    for name in (*NUMBERS, "q_value"):
        np.testing.assert_array_equal(getattr(found, name), getattr(direct, name))
    assert direct.direction.tolist() == found.direction.tolist()
    return found


def means_of(found, n_classes):
    assert list(found.columns) == [f"mean in {c}" for c in range(n_classes)]
    return np.array(list(found.columns.values()))


def test_the_reference_on_a_case_worked_by_hand():
    # Means 2 and 5, variances 1 and 1, so g = (1 - 3/15) * 3 = 2.4, its error sqrt(2/3 + 0.48).
    found = effects([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], list("aaabbb"))
    assert found["means"] == [2, 5]
    assert found["high_in"] == "b"
    assert (found["difference"], found["effect"]) == (3, pytest.approx(2.4))
    half = 1.959964 * math.sqrt(2 / 3 + 0.48)
    assert found["effect_low"] == pytest.approx(2.4 - half)
    assert found["effect_high"] == pytest.approx(2.4 + half)
    # t = 3 / sqrt(2/3) with 4 degrees of freedom.
    assert found["p_value"] == pytest.approx(0.0213, abs=1e-4)
    assert q_values([0.01, 0.04, 0.03, 0.5]) == pytest.approx([0.04, 0.16 / 3, 0.16 / 3, 0.5])


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.booleans())
def test_effects_are_those_of_the_reference(seed, n_classes, gaps):
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(n_classes), rng.integers(4, 9, n_classes))
    X = rng.normal(size=(len(codes), 5)) * 10.0 ** rng.integers(-3, 4, 5) + codes[:, None]
    if gaps:
        X[rng.integers(len(X)), rng.integers(5)] = np.nan
    found = effects_of(X, codes)
    means = means_of(found, n_classes)
    expected = [effects(X[:, j].tolist(), codes.tolist()) for j in range(5)]
    for j, one in enumerate(expected):
        np.testing.assert_allclose(means[:, j], one["means"], rtol=1e-9, atol=1e-12)
        assert found.direction[j] == str(one["high_in"])
        for name in NUMBERS:
            assert getattr(found, name)[j] == pytest.approx(one[name], rel=1e-6, abs=1e-12), name
    q = q_values([one["p_value"] for one in expected])
    np.testing.assert_allclose(found.q_value, q, rtol=1e-6)


def test_what_is_undefined_is_nan_and_does_no_harm():
    codes = np.repeat([0, 1], 4)
    X = pd.DataFrame({"constant": np.ones(8), "apart": codes * 1.0, "text": list("abcdabcd"),
                      "fine": [1.0, 2, 3, 4, 3, 4, 5, 6]})  # fmt: skip
    found = effects_of(X, codes)
    assert np.isnan(found.effect[:3]).all()
    assert found.difference[:2].tolist() == [0, 1]
    assert found.direction.tolist() == ["0", "1", None, "1"]
    assert math.isnan(found.q_value[0])
    assert found.p_value[1] == found.q_value[1] == 0  # apart without any spread
    assert 0 < found.q_value[3] < 1


def test_sparse_tables_have_the_same_effects():
    rng = np.random.default_rng(0)
    X = rng.poisson(0.6, (30, 6)).astype(float)
    codes = np.arange(30) % 3
    dense, thin = effects_of(X, codes), effects_of(sparse.csr_matrix(X), codes)
    np.testing.assert_allclose(means_of(thin, 3), means_of(dense, 3), rtol=1e-9)
    for name in (*NUMBERS, "q_value"):
        np.testing.assert_allclose(getattr(thin, name), getattr(dense, name), rtol=1e-9)


def test_without_moments_there_are_no_effects():
    assert as_target([0, 1]).effects({}) is None
