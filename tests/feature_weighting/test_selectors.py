"""Filters that other tools have, against loops over pairs, features and classes."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score

from backstay.feature_weighting import MRMR, EffectRanker, TTest, Wilcoxon
from tests.reference import selectors as reference


@st.composite
def tables(draw, n_classes=3, values=6):
    """Small tables with ties, class sizes of at least two, and weights in quarters."""
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    n_classes = draw(st.integers(2, n_classes))
    n, d = draw(st.integers(2 * n_classes + 1, 12)), draw(st.integers(2, 6))
    y = np.concatenate([np.repeat(np.arange(n_classes), 2), rng.integers(n_classes, size=n)])[:n]
    X = rng.integers(values, size=(n, d)) if draw(st.booleans()) else rng.normal(size=(n, d))
    omega = np.ones(n) if draw(st.booleans()) else rng.integers(1, 9, size=n) / 4
    return X.astype(float), y, omega * max(1.0, n / omega.sum())


def test_the_auc_by_hand():
    x, y = np.array([1.0, 2, 2, 3]), np.array([0, 0, 1, 1])
    # Pairs: 2 > 1, 2 = 2, 3 > 1, 3 > 2: 3.5 of 4.
    assert reference.weighted_auc(x, y == 1, np.ones(4)) == pytest.approx(3.5 / 4)
    assert Wilcoxon().fit(x[:, None], y).feature_importances_[0] == pytest.approx(0.75)


@given(tables())
@settings(max_examples=40)
def test_wilcoxon_is_the_share_of_pairs(case):
    X, y, omega = case
    found = Wilcoxon().fit(X, y, sample_weight=omega).feature_importances_
    expected = [reference.rank_separation(x, y, omega) for x in X.T]
    assert found == pytest.approx(expected, abs=1e-12)


def test_wilcoxon_is_scikit_learns_auc_and_scipys_statistic():
    rng = np.random.default_rng(0)
    X, y = rng.integers(5, size=(40, 8)).astype(float), np.tile([0, 1], 20)
    ranker = Wilcoxon().fit(X, y)
    assert ranker.auc_[1] == pytest.approx([roc_auc_score(y, x) for x in X.T])
    u = stats.mannwhitneyu(X[y == 1], X[y == 0]).statistic
    assert ranker.auc_[1] == pytest.approx(u / 400)
    assert (ranker.auc_.sum(axis=0) == 1).all()


def test_wilcoxon_does_not_see_monotone_transformations():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(30, 2000)), np.repeat([0, 1, 2], 10)
    assert (Wilcoxon().fit(np.exp(X), y).ranking_ == Wilcoxon().fit(X, y).ranking_).all()


def test_class_effects_by_hand():
    X, y = np.array([[0.0], [2], [4], [6]]), np.array([0, 0, 1, 1])
    # Deviation √(4/2) = √2, doubled by its median; √(1/2 − 1/4) = 1/2; means 2 from the mean.
    effects, shrunken = reference.class_effects(X, y, np.ones(4))
    assert shrunken == pytest.approx([2 * np.sqrt(2)])
    assert effects[:, 0] == pytest.approx([-np.sqrt(2), np.sqrt(2)])


@given(tables(), st.sampled_from([0.0, 0.5, 1.0]))
@settings(max_examples=30)
@pytest.mark.filterwarnings("ignore:scale_power")
def test_effects_are_those_of_the_definition(case, power):
    X, y, omega = case
    effects, shrunken = reference.class_effects(X, y, omega)
    if (shrunken == 0).any():
        return
    expected = np.abs(effects).max(axis=0) * shrunken**power
    ranker = EffectRanker(power).fit(X, y, sample_weight=omega)
    assert ranker.feature_importances_ == pytest.approx(expected, rel=1e-7, abs=1e-9)


def test_the_dial_starts_at_the_shrunken_t_and_passes_the_difference_of_means():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(20, 50)) * rng.uniform(0.5, 2, size=50), np.tile([0, 1], 10)
    t = TTest(moderation="shrunken").fit(X, y).feature_importances_
    assert EffectRanker().fit(X, y).feature_importances_ == pytest.approx(t)
    apart = np.abs(X[y == 0].mean(axis=0) - X[y == 1].mean(axis=0))
    plain = EffectRanker(1.0).fit(X, y).feature_importances_
    assert plain / plain.max() == pytest.approx(apart / apart.max())


def test_different_units_are_warned_about():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(20, 50)) * np.logspace(-3, 3, 50), np.tile([0, 1], 10)
    with pytest.warns(UserWarning, match="as if features had different units"):
        EffectRanker(0.5).fit(X, y)


def test_mutual_information_by_hand():
    a, b = np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1])
    assert reference.mutual_information(a, b, np.ones(4)) == pytest.approx(np.log(2))
    assert reference.mutual_information(a, np.array([0, 1, 0, 1]), np.ones(4)) == pytest.approx(0)


@given(tables(values=4), st.sampled_from(["difference", "quotient"]), st.booleans())
@settings(max_examples=40)
def test_mrmr_is_the_greedy_search(case, form, information):
    X, y, omega = case
    if information:
        # A value on a cut, to rounding, may fall either way.
        scaled = X + 1e-9 * np.abs(X).max()
        for part in (scaled, 2 * X - scaled):
            cuts = [reference.three_states(np.r_[x, moved], np.r_[omega, omega * 0])
                    for x, moved in zip(X.T, part.T, strict=True)]  # fmt: skip
            assume(all((c[: len(X)] == c[len(X) :]).all() for c in cuts))
        states = np.array([reference.three_states(x, omega) for x in X.T])
        relevance = [reference.mutual_information(s, y, omega) for s in states]

        def redundancy(i, j):
            return reference.mutual_information(states[i], states[j], omega)
    else:
        relevance = MRMR("f_ratio").fit(X, y, sample_weight=omega).relevance_.tolist()

        def redundancy(i, j):
            return reference.correlation(X[:, i], X[:, j], omega)

    n_ranked = 3
    measure = "mutual_information" if information else "f_ratio"
    ranker = MRMR(measure, form=form, n_searched=n_ranked).fit(X, y, sample_weight=omega)
    order = np.argsort(ranker.ranking_).tolist()
    # Ties within rounding may fall either way: compare the values of what was chosen.
    chosen = []
    for feature in order[: ranker.n_searched_]:
        expected = reference.minimum_redundancy(relevance, redundancy, 1, form)[0]
        if chosen:
            left = [j for j in range(len(relevance)) if j not in chosen]
            means = {j: np.mean([redundancy(i, j) for i in chosen]) for j in left}
            if form == "difference":
                value = {j: relevance[j] - means[j] for j in left}
            else:
                value = {j: relevance[j] / max(means[j], 1e-12) for j in left}
            expected = max(left, key=value.get)
            assert value[feature] == pytest.approx(value[expected], rel=1e-6, abs=1e-9)
        else:
            assert relevance[feature] == pytest.approx(relevance[expected])
        chosen.append(feature)


def test_mrmr_takes_a_copy_last():
    rng = np.random.default_rng(4)
    y = np.tile([0, 1], 50)
    strong, weak = y + rng.normal(0, 0.5, 100), y + rng.normal(0, 0.55, 100)
    X = np.column_stack([strong, strong + rng.normal(0, 0.01, 100), weak])
    for measure in ("mutual_information", "f_ratio"):
        assert MRMR(measure).fit(X, y).ranking_[2] == 2


def test_mrmr_says_how_far_it_ranked():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(30, 40)), np.tile([0, 1], 15)
    ranker = MRMR(n_searched=10).fit(X, y)
    assert ranker.n_searched_ == 10
    rest = ranker.relevance_[np.argsort(ranker.ranking_)[10:]]
    assert (np.diff(rest) <= 0).all()
