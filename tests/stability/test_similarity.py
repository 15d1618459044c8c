"""Which features are similar: the FDR, the tiles, the expectation."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse, stats

from backstay.stability import (
    UndefinedStabilityWarning,
    correlated_features,
    stability_score,
)
from backstay.stability._partners import _chance_of_partner, _closed_form
from reference import stability as ref


def blocks_of_features(seed, n=30, d=40, strength=1.5):
    """Groups of 5 features with a common part, half of them with the sign turned."""
    rng = np.random.default_rng(seed)
    common = np.repeat(rng.normal(size=(n, d // 5)), 5, axis=1)
    return strength * common * rng.choice([-1, 1], size=d) + rng.normal(size=(n, d))


def directly(X, fdr, sign):
    """All pairs' p-values through scipy."""
    first, second = np.triu_indices(X.shape[1], 1)
    test = stats.pearsonr(X[:, first], X[:, second], axis=0)
    found = stats.false_discovery_control(test.pvalue) <= fdr
    found &= (sign == "both") | (test.statistic > 0)
    similar = np.zeros((X.shape[1],) * 2, dtype=bool)
    similar[first[found], second[found]] = True
    return similar | similar.T


@pytest.mark.parametrize("sign", ["positive", "both"])
@pytest.mark.parametrize("fdr", [0.001, 0.05, 0.3, 0.9])
@pytest.mark.parametrize("strength", [0.0, 0.6, 1.5])
def test_equals_false_discovery_control(sign, fdr, strength):
    for seed in range(3):
        X = blocks_of_features(seed, strength=strength)
        expected = directly(X, fdr, sign)
        found = correlated_features(X, fdr=fdr, sign=sign)
        everything = np.arange(X.shape[1])
        np.testing.assert_array_equal(found.block(everything, everything) > 0, expected)
        np.testing.assert_array_equal(found.degrees, expected.sum(axis=1))
        assert found.n_pairs == expected.sum() // 2


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(4, 12), st.integers(2, 12), st.floats(0.01, 0.9))
def test_equals_false_discovery_control_on_few_rows(seed, n, d, fdr):
    """Small integers: many ties, |r| = 1 and |r| = 0 among them."""
    X = np.random.default_rng(seed).integers(0, 4, size=(n, d)).astype(float)
    X[0], X[1] = np.arange(d), -np.arange(d) - 1.0  # no constant column
    expected = directly(X, fdr, "positive")
    np.testing.assert_array_equal(correlated_features(X, fdr=fdr).degrees, expected.sum(axis=1))


def test_tiles_do_not_matter(monkeypatch):
    X = blocks_of_features(0)
    expected = correlated_features(X, fdr=0.05)
    for tile in (7, 16):
        monkeypatch.setattr("backstay.stability._similarity._TILE", tile)
        found = correlated_features(X, fdr=0.05)
        np.testing.assert_array_equal(found.degrees, expected.degrees)


def test_constant_features_are_like_nothing():
    X = blocks_of_features(1)
    X[:, 3] = 0.1
    found = correlated_features(X, fdr=0.05)
    assert found.degrees[3] == 0
    assert found.degrees.sum() > 0


def test_nothing_significant():
    X = np.random.default_rng(0).normal(size=(10, 6))
    found = correlated_features(X)
    assert found.cutoff == math.inf
    assert found.n_pairs == 0
    assert "0 pairs of 6 features" in repr(found)


@pytest.mark.parametrize("measure", ["pogr", "npogr", "yu"])
def test_correlations_and_their_matrix_give_one_value(measure):
    X = blocks_of_features(2)
    found = correlated_features(X, fdr=0.05)
    everything = np.arange(40)
    dense = found.block(everything, everything) > 0
    rng = np.random.default_rng(0)
    sets = [rng.choice(40, size=rng.integers(3, 12), replace=False) for _ in range(6)]
    expected = stability_score(sets, 40, measure, similarity=found).value
    for form in (dense, sparse.csr_array(dense), sparse.coo_array(dense)):
        assert stability_score(sets, 40, measure, similarity=form).value == pytest.approx(expected)
    r = np.corrcoef(X.T)
    by_threshold = stability_score(sets, 40, measure, similarity=r, threshold=found.cutoff)
    assert by_threshold.value == pytest.approx(expected)


@pytest.mark.parametrize("partners", ["anywhere", "unshared"])
def test_expectation_in_closed_form(partners):
    graph = frozenset(map(frozenset, [(0, 1), (1, 2), (2, 0), (3, 4)]))
    degrees = np.array([2, 2, 2, 1, 1, 0])
    for a in range(7):
        for b in range(7):
            exact = ref.expected_matched(a, b, 6, graph, partners)
            closed = _closed_form(_chance_of_partner(degrees, 6, 6), 6, partners, a, b)
            assert closed == pytest.approx(float(exact), rel=1e-12, abs=1e-14)


def test_everything_similar_leaves_nothing_to_gain():
    everything = np.ones((6, 6), dtype=bool)
    assert stability_score([[0], [3]], 6, "pogr", similarity=everything).value == 1
    for measure in ("npogr", "yu"):
        with pytest.warns(UndefinedStabilityWarning, match=measure):
            value = stability_score([[0, 1], [3, 4]], 6, measure, similarity=everything).value
        assert math.isnan(value)


@pytest.mark.parametrize(
    ("similarity", "options", "message"),
    [
        (None, {}, "similarity=None must be"),
        (np.ones((3, 3), dtype=bool), {}, "must be 4 × 4; got shape"),
        (np.ones((4, 4)), {}, "pass a boolean matrix, or the threshold="),
        (np.triu(np.ones((4, 4), dtype=bool)), {}, "symmetric"),
        (np.ones((4, 4)), {"threshold": 0.0}, "threshold=0.0 must be positive"),
        (np.ones((4, 4), dtype=bool), {"partners": "nearby"}, "partners='nearby' must be one of"),
    ],
)
def test_bad_similarity(similarity, options, message):
    with pytest.raises(ValueError, match=message):
        stability_score([[0, 1], [1, 2]], 4, "npogr", similarity=similarity, **options)


def test_similarity_over_other_features():
    found = correlated_features(blocks_of_features(0))
    with pytest.raises(ValueError, match=r"must cover 4 features, .*; got 40"):
        stability_score([[0, 1], [1, 2]], 4, "npogr", similarity=found)
    with pytest.raises(ValueError, match=r"threshold be None; got 40 and 0\.5"):
        stability_score([[0, 1], [1, 2]], 40, "npogr", similarity=found, threshold=0.5)


@pytest.mark.parametrize(
    ("X", "options", "message"),
    [
        (np.ones((2, 5)), {}, "at least 3 rows"),
        (np.ones((5, 1)), {}, "2 features"),
        (np.array([[1, np.nan], [1, 2], [3, 4]]), {}, "finite"),
        (np.eye(4), {"fdr": 0}, "fdr=0 must lie"),
        (np.eye(4), {"sign": "negative"}, "sign='negative' must be"),
    ],
)
def test_bad_data(X, options, message):
    with pytest.raises(ValueError, match=message):
        correlated_features(X, **options)
