"""Aggregated scores against their definitions, one feature at a time."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.feature_selection import SelectFpr

from backstay.base import FeatureRanker
from backstay.ensemble import BaggedRanker, RepeatedSelector
from reference import ensemble as reference

NAMES = ("borda", "frequency", "rank_median", "rank_sum", "rra", "weight_mean")

# Three members, four features.
RANKINGS = np.array([[1, 2, 3, 4], [2, 1, 3, 4], [1, 3, 4, 2]])
WEIGHTS = np.array([[4.0, 3.0, 2.0, 1.0], [0.5, 1.0, 0.2, 0.0], [9.0, 2.0, 1.0, 3.0]])


class Told(FeatureRanker):
    """Says what it is told to say, one member after the other."""

    told = iter(())

    def __init__(self, n_features_to_select=None):
        self.n_features_to_select = n_features_to_select

    def _score(self, X, y, sample_weight):
        return next(Told.told)


def aggregated(aggregate, weights, k):
    """An ensemble of members with these importances, one row for each member."""
    Told.told = iter(np.asarray(weights, dtype=float))
    X = np.zeros((2, np.shape(weights)[1]))
    ranker = BaggedRanker(Told(), len(weights), aggregate=aggregate, n_features_to_select=k)
    return ranker.fit(X, [0, 1])


def scores_of(aggregate, weights, k):
    return aggregated(aggregate, weights, k).feature_importances_


@st.composite
def rankings(draw):
    d = draw(st.integers(1, 8))
    m = draw(st.integers(1, 7))
    return np.array([draw(st.permutations(range(1, d + 1))) for _ in range(m)])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("rank_sum", [11, 9, 5, 5]),
        ("rank_median", [4, 3, 2, 1]),
        ("weight_mean", [4.5, 2.0, 3.2 / 3, 4 / 3]),
        ("frequency", [1, 2 / 3, 0, 1 / 3]),
        ("borda", [5, 3, 0, 1]),
    ],
)
def test_by_hand(name, expected):
    fitted = aggregated(name, WEIGHTS, 2)
    assert_array_equal(fitted.rankings_, RANKINGS)
    assert_allclose(fitted.feature_importances_, expected)


def test_rra_by_hand():
    # Feature 0 has the normalised ranks ¼, ¼, ½. P(at least 1 of 3 ≤ ¼) = 1 − (¾)³ = 37/64,
    # P(at least 2 ≤ ¼) = 3(1/16)(3/4) + 1/64 = 10/64, P(all 3 ≤ ½) = 1/8: ρ = 3 · 1/8.
    scores = scores_of("rra", WEIGHTS, 2)
    assert_allclose(scores[0], -np.log10(3 / 8))
    # Feature 1: ¼, ½, ¾: 37/64, ½, 27/64, so 3ρ > 1.
    assert scores[1] == 0.0


@given(rankings(), st.integers(1, 8))
def test_definitions(ranks, k):
    k = min(k, ranks.shape[1])
    weights = np.cos(ranks / 3 + np.arange(len(ranks))[:, None] / 100)  # falls with the rank
    listed = ranks.tolist()
    expected = {
        "rank_sum": reference.rank_sum(listed),
        "rank_median": reference.rank_median(listed),
        "weight_mean": reference.weight_mean(weights.tolist()),
        "frequency": reference.frequency(listed, k),
        "borda": reference.borda(listed, k),
        "rra": reference.rra(listed),
    }
    assert sorted(expected) == list(NAMES)
    for name, scores in expected.items():
        fitted = aggregated(name, weights, k)
        got = fitted.feature_importances_
        assert_allclose(got, scores, rtol=1e-12, atol=1e-12)
        assert_array_equal(fitted.rankings_, ranks)
        assert_array_equal(fitted.ranking_, reference.ranking_by(got.tolist(), listed))


def test_other_names_are_refused_with_those_there_are():
    with pytest.raises(ValueError, match="aggregate") as refusal:
        scores_of("mean", WEIGHTS, 2)
    named = re.search(r"among \{(.*?)\}", str(refusal.value))[1]
    assert sorted(re.findall(r"'(\w+)'", named)) == list(NAMES)


def test_rra_beyond_the_smallest_float():
    """200 members agree on one of 10000 features: ρ = 200 · 10⁻⁸⁰⁰."""
    ranks = np.tile(np.arange(1, 10_001), (200, 1))
    scores = scores_of("rra", -ranks, 1)
    assert_allclose(scores[0], 800 - np.log10(200))
    assert_allclose(scores[1], 200 * np.log10(5000) - np.log10(200))


def test_rra_is_a_p_value_for_uniform_ranks():
    rng = np.random.default_rng(0)
    ranks = np.array([rng.permutation(2000) + 1 for _ in range(10)])
    rho = 10 ** -scores_of("rra", -ranks, 1)
    for level in (0.01, 0.05, 0.1):
        assert (rho <= level).mean() <= level


def test_ties_by_rank_sum_then_column():
    ranks = np.array([[3, 1, 2, 4], [4, 3, 1, 2]])
    fitted = aggregated("frequency", -ranks, 4)  # all are among the best four
    assert_array_equal(fitted.ranking_, [4, 2, 1, 3])
    everything = SelectFpr(alpha=1.0, score_func=lambda X, y: (np.ones(4), np.zeros(4)))
    runs = RepeatedSelector(everything, 2).fit(np.zeros((4, 4)), [0, 0, 1, 1])
    assert_array_equal(runs.selection_frequency_, 1)  # selected by all, ranked by none
    assert_array_equal(runs.ranking_, [1, 2, 3, 4])
