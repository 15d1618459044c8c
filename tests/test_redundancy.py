from itertools import pairwise, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from backstay.datasets import make_corral, make_modulo
from backstay.redundancy import (
    feature_importance_bayes,
    feature_relevance,
    redundancy_level,
    subset_relevance,
)
from reference import redundancy as reference

PAIRS = np.array(list(product([0, 1], repeat=2)))


@st.composite
def distributions(draw, max_features=4):
    """Few different rows with whole weights, some 0: a small joint distribution."""
    n, d = draw(st.integers(1, 9)), draw(st.integers(1, max_features))
    table = st.lists(st.integers(0, 2), min_size=n * d, max_size=n * d)
    X = np.array(draw(table)).reshape(n, d)
    y = np.array(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    weights = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n).filter(any))
    return X, y, weights


@given(distributions(), st.booleans())
@settings(deadline=None, max_examples=25)
def test_levels_are_those_of_the_definition(data, possible):
    X, y, weights = data
    levels, blankets = redundancy_level(
        X,
        y,
        sample_weight=weights,
        configurations="possible" if possible else "observed",
    )
    expected = reference.redundancy_level(X.tolist(), y.tolist(), weights, possible)
    assert_allclose(levels, [float(level) for level, _ in expected], atol=1e-12)
    for blanket, (_, best) in zip(blankets, expected, strict=True):
        assert tuple(blanket.tolist()) == best[0]


@given(distributions(), st.permutations(range(4)), st.booleans())
@settings(deadline=None, max_examples=25)
def test_more_features_to_choose_from_never_lower_the_level(data, order, possible):
    """R'(α, U) is monotone in U: the rest stays, and S has more to choose from [Prat 4.2.2]."""
    X, y, weights = data
    options = {
        "sample_weight": weights,
        "configurations": "possible" if possible else "observed",
    }
    growing = [j for j in order if j < X.shape[1]]
    found = [redundancy_level(X, y, among=growing[:n], **options) for n in range(len(growing) + 1)]
    for smaller, larger in pairwise(found):
        assert (smaller.levels <= larger.levels + 1e-12).all()
    for n, (_, blankets) in enumerate(found):
        assert all(set(blanket) <= set(growing[:n]) for blanket in blankets)
    assert_array_equal(found[-1].levels, redundancy_level(X, y, **options).levels)


def test_leaving_columns_out_is_another_thing_and_not_monotone():
    """With f3 unknown f1 and f2 are independent of the class; f3 = f1 xor f2 xor class."""
    X = np.array(list(product([0, 1], repeat=3)))
    y = X.sum(axis=1) % 2
    assert_allclose(redundancy_level(X[:, :2], y).levels, 1.0)
    assert (redundancy_level(X, y).levels < 0.6).all()
    with pytest.raises(ValueError, match="from 0 to 2"):
        redundancy_level(X, y, among=[3])


@given(distributions(), st.lists(st.integers(0, 3), min_size=4, max_size=4))
@settings(deadline=None, max_examples=25)
def test_importances_are_those_of_the_definition(data, cost):
    X, y, weights = data
    cost = cost[: X.shape[1]]
    importances, subset = feature_importance_bayes(
        X, y, sample_weight=weights, cost=cost, normalize=False
    )
    kept = np.array(weights) > 0
    table = X[kept].tolist(), y[kept].tolist(), np.array(weights)[kept].tolist()
    expected, chosen = reference.importance(*table, cost)
    assert tuple(subset.tolist()) == chosen
    assert_allclose(importances, [float(value) for value in expected], atol=1e-12)
    assert (importances[subset] > 0).all()


def test_the_thesis_example():
    """C = f1 ∧ f2 and fr its negation [Prat table 4.1]: fr has the blanket {f1, f2}.

    As fr is the class turned round, {f2, fr} is a blanket of f1 too.
    """
    X = np.column_stack([PAIRS, 1 - PAIRS.prod(axis=1)])
    levels, blankets = redundancy_level(X, PAIRS.prod(axis=1))
    assert_allclose(levels, 1.0)
    assert [b.tolist() for b in blankets] == [[1, 2], [0, 2], [0, 1]]
    assert_array_equal(feature_importance_bayes(X, PAIRS.prod(axis=1)).importances, [0, 0, 1])


def test_two_features_by_hand():
    # Exclusive or: P(f1) and P(f1|f2) are ½, and P(f1|f2, class) is 1: 1 − ½.
    assert_allclose(redundancy_level(PAIRS, PAIRS.sum(axis=1) % 2).levels, 0.5)
    # And: contexts (f2, class) of f1 are (0,0) with f1 = 0 or 1, (1,0) with 0, (1,1) with 1.
    # |½ − ½| twice and |½ − 1| twice: 1 − ¼. As "possible", contexts (1,0) and (1,1) count
    # for both values of f1: (2·0 + 4·½)/6, 1 − ⅓.
    y = PAIRS.prod(axis=1)
    assert_allclose(redundancy_level(PAIRS, y).levels, 0.75)
    assert_allclose(redundancy_level(PAIRS, y, configurations="possible").levels, 2 / 3)
    # Pe(f1) = Pe(f2) = ¼ and together 0.
    assert_allclose(feature_importance_bayes(PAIRS, y, normalize=False).importances, 0.25)
    # Independent of the class and of each other: the empty S is a blanket.
    X = np.repeat(PAIRS, 2, axis=0)
    levels, blankets = redundancy_level(X, np.tile([0, 1], 4))
    assert_allclose(levels, 1.0)
    assert [len(b) for b in blankets] == [0, 0]
    importances, subset = feature_importance_bayes(X, np.tile([0, 1], 4))
    assert_array_equal(importances, 0.0)
    assert len(subset) == 0


def test_three_values_tell_observed_from_possible():
    X = np.array([[0, 5], [1, 5], [2, 5]])
    y = [0, 1, 2]
    # |⅓ − 1| in each row; with the values never met there also |⅓ − 0| twice each.
    assert redundancy_level(X, y).levels[0] == pytest.approx(1 / 3)
    assert redundancy_level(X, y, configurations="possible").levels[0] == pytest.approx(5 / 9)


def test_noisy_copy_is_between_copy_and_stranger():
    """A copy of a fair coin that errs with probability e, the class being the coin.

    S = {coin} is a blanket of the copy. For the coin S = {copy} is best: |(1 − e) − 1| in the
    two rows with a right copy, |e − 1| in the two others: 1 − ½.
    """
    rows = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    e = 0.125
    weights = [1 - e, e, e, 1 - e]
    levels = redundancy_level(rows, rows[:, 0], sample_weight=weights).levels
    assert_allclose(levels, [0.5, 1.0])
    # Whatever falls on rows that never happen says nothing.
    exact = redundancy_level(rows, rows[:, 0], sample_weight=[1, 0, 0, 1]).levels
    assert_allclose(exact, [1.0, 1.0])


def test_known_concepts():
    X, y, _ = make_corral(5000, random_state=0)
    importances, subset = feature_importance_bayes(X, y)
    assert subset.tolist() == [0, 1, 2, 3]  # not the correlated feature
    assert_allclose(importances[:4], 0.25, atol=0.03)
    X, y, _ = make_modulo(3000, n_features=4, n_relevant=3, random_state=0)
    levels = redundancy_level(X, y).levels
    assert levels[:3].max() < 0.4
    assert levels[3] > 0.9  # the irrelevant one: nothing tells about it


def test_costs_choose_between_copies():
    X = np.column_stack([PAIRS, PAIRS[:, 0]])
    y = PAIRS.prod(axis=1)
    assert feature_importance_bayes(X, y).importances[0] > 0
    cheap = feature_importance_bayes(X, y, cost=[3, 1, 2]).importances
    assert_allclose(cheap, [0, 0.5, 0.5])


def test_names_of_values_frames_and_order_do_not_matter():
    X, y, _ = make_corral(200, random_state=1)
    frame = pd.DataFrame(X).astype(int).astype(str).astype("category")
    labels = np.where(y == 1, "yes", "no")
    for measure in (redundancy_level, feature_importance_bayes):
        expected = measure(X, y)[0]
        assert_allclose(measure(frame, labels)[0], expected, atol=1e-12)
        assert_allclose(measure(X[::-1], y[::-1])[0], expected, atol=1e-12)
        weights = np.full(200, 0.3)
        assert_allclose(measure(X, y, sample_weight=weights)[0], expected, atol=1e-12)


@pytest.mark.parametrize(
    ("X", "parameters", "message"),
    [
        (np.zeros(4), {}, r"X has shape \(4,\)"),
        (np.zeros((3, 2)), {}, r"X has shape \(3, 2\), and y has shape \(4,\)"),
        (np.zeros((4, 0)), {}, "at least one feature"),
        (np.array([[0], [1], [np.nan], [0]]), {}, "column 0 of X has no value in row 2"),
        (np.zeros((4, 1)), {"sample_weight": [1, -1, 0, 0]}, "Negative values"),
    ],
)
@pytest.mark.parametrize("measure", [redundancy_level, feature_importance_bayes])
def test_refusals(measure, X, parameters, message):
    with pytest.raises(ValueError, match=message):
        measure(X, [0, 1, 0, 1], **parameters)


def test_further_refusals():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match=r"column 1 of X holds 30 different numbers.*discretise"):
        redundancy_level(np.column_stack([np.arange(30.0), rng.normal(size=30)]), np.zeros(30))
    with pytest.raises(ValueError, match="y holds 30 different numbers"):
        redundancy_level(np.zeros((30, 1)), rng.normal(size=30))
    with pytest.raises(ValueError, match="configurations='all'"):
        redundancy_level(PAIRS, [0, 1, 0, 1], configurations="all")
    with pytest.raises(ValueError, match=r"cost=\[1\] must hold one number"):
        feature_importance_bayes(PAIRS, [0, 1, 0, 1], cost=[1])
    with pytest.raises(ValueError, match="at least one"):
        redundancy_level(np.zeros((0, 2)), [])


@given(distributions())
@settings(deadline=None, max_examples=25)
def test_relevance_is_that_of_the_definitions(data):
    X, y, weights = data
    found = feature_relevance(X, y, sample_weight=weights)
    assert found.tolist() == reference.relevance(X.tolist(), y.tolist(), weights)


def test_relevance_by_hand():
    rows = np.array(list(product([0, 1], repeat=3)))
    parity = rows[:, 0] ^ rows[:, 1]
    # Parity: neither is relevant alone, both are strong; the third is noise.
    assert feature_relevance(rows, parity).tolist() == ["strong", "strong", "irrelevant"]
    # With a copy of the first, the first is weak, and so is its copy.
    copied = np.column_stack([rows, rows[:, 0]])
    assert feature_relevance(copied, parity).tolist() == ["weak", "strong", "irrelevant", "weak"]
    assert reference.relevance(copied.tolist(), parity.tolist(), [1] * 8) == [
        "weak", "strong", "irrelevant", "weak",
    ]  # fmt: skip


def test_relevance_of_a_sample_needs_a_tolerance():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(2000, 3))
    y = np.where(rng.random(2000) < 0.9, X[:, 0], 1 - X[:, 0])
    assert feature_relevance(X, y).tolist() == ["strong"] * 3
    assert feature_relevance(X, y, tol=0.05).tolist() == ["strong", "irrelevant", "irrelevant"]


@pytest.mark.parametrize("ask", [redundancy_level, feature_importance_bayes, feature_relevance])
def test_too_many_features_to_try_all_subsets(ask):
    with pytest.raises(ValueError, match="17 features have 131072 subsets"):
        ask(np.zeros((2, 17)), [0, 1])


@given(distributions())
@settings(deadline=None, max_examples=30)
def test_relevance_over_all_subsets_is_the_printed_sum(data):
    X, y, _ = data
    ones = [1] * len(y)

    def score(S):
        return 1 - reference.bayes_error(X.tolist(), y.tolist(), ones, S)

    expected = reference.subset_relevance(score, X.shape[1])
    assert_allclose(subset_relevance(X, y), [float(r) for r in expected], atol=1e-12)


def test_relevance_over_all_subsets_by_hand():
    # The class is f1, and f2 copies it. J(∅) = 1/2, otherwise 1: each gains 1/2 at ∅ and 0 later.
    assert_allclose(subset_relevance([[0, 0], [1, 1]], [0, 1]), [0.25, 0.25])


def test_relevance_over_all_subsets_of_an_inducer():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), np.arange(40) % 2
    X[:, 0] += 4 * y

    def score(S):
        return cross_val_score(KNeighborsClassifier(3), X[:, list(S)], y).mean() if len(S) else 0.5

    found = subset_relevance(X, y, score)
    assert_allclose(found, reference.subset_relevance(score, 3), atol=1e-12)
    assert found.argmax() == 0


def test_random_subsets_come_near_all_of_them():
    X, y, _ = make_corral(random_state=0)
    exact = subset_relevance(X, y)
    drawn = subset_relevance(X, y, n_subsets=60, random_state=0)
    assert_allclose(drawn, exact, atol=0.03)
    assert (drawn != exact).any()
