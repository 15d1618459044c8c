"""Filters for numbers against loops, and against scipy where it defines the same."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from backstay import SlopeTest, Spearman, TTest
from reference import slopes as reference


def test_the_references_on_cases_worked_by_hand():
    # y = 1, 2, 3 about 2; x = 0, 3, 3 about 2: slope (2 + 1)/2, left over 6 - 2 * 1.5².
    slope, variance, squares, df = reference.line([0.0, 3.0, 3.0], [1.0, 2.0, 3.0], [1.0] * 3)
    assert (slope, variance, squares, df) == pytest.approx((1.5, 1.5, 2, 1))
    found = reference.slope_test([[0.0, 3.0, 3.0]], [1.0, 2.0, 3.0], [1.0] * 3)
    assert found == pytest.approx([1.5 / np.sqrt(1.5 / 2)])
    found = reference.slope_test([[0.0, 3.0, 3.0]], [1.0, 2.0, 3.0], [1.0] * 3, "shrunken")
    assert found == pytest.approx([0.5 * 1.5 / np.sqrt(1.5 / 2)])
    # Ranks 0.5, 2, 2 and 0.5, 1.5, 2.5: 1.5 / sqrt(1.5 * 2).
    assert reference.spearman([0, 3, 3], [1, 2, 9], [1.0] * 3) == pytest.approx(1.5 / np.sqrt(3))


@st.composite
def tables(draw):
    n, d = draw(st.integers(3, 30)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    X, y = rng.normal(size=(n, d)), rng.normal(size=n)
    if draw(st.booleans()):
        X, y = X.round(), y.round()
        y[0] = y[1] + 1.0
    X[:, 0] = draw(st.sampled_from([X[:, 0], y - 2.0, 0.5]))
    weights = draw(st.sampled_from(["none", "fractions", "counts"]))
    if weights == "none":
        return X, y, None
    omega = rng.exponential(size=n) if weights == "fractions" else rng.integers(0, 4, n) * 1.0
    omega[:3] = 1.0
    return X, y, omega


@settings(max_examples=30, deadline=None)
@given(data=tables(), moderation=st.sampled_from([None, "shrunken", "moderated"]))
def test_filters_equal_loops(data, moderation):
    X, y, omega = data
    counts = np.ones(len(y)) if omega is None else omega * max(1.0, np.sum(omega > 0) / omega.sum())
    rows = counts > 0
    if counts.sum() <= 2.5:  # no degrees of freedom to speak of
        return
    part = (list(X[rows].T), y[rows], counts[rows])
    found = SlopeTest(moderation=moderation).fit(X, y, omega).feature_importances_
    line = np.abs([stats.pearsonr(x, y)[0] if np.ptp(x) else 0.0 for x in X.T]) > 1 - 1e-12
    usual = ~line & (np.ptp(X, axis=0) > 0)
    expected = np.array(reference.slope_test(*part, moderation))
    if not line.any():  # rounding of a perfect line would enter the prior of "moderated"
        assert found[usual] == pytest.approx(expected[usual], rel=1e-6)
    if moderation is None:
        assert (found[line] == np.inf).all()
    assert (found[np.ptp(X, axis=0) == 0] == 0).all()
    found = Spearman().fit(X, y, omega).feature_importances_
    expected = [reference.spearman(x, *part[1:]) for x in part[0]]
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("digits", [8, 0])
def test_statistics_and_p_values_are_scipys(digits):
    rng = np.random.default_rng(0)
    y = rng.normal(size=30).round(digits)
    X = (rng.normal(size=(30, 20)) + y[:, None] * np.linspace(0, 1, 20)).round(digits)
    lines = [stats.linregress(y, x) for x in X.T]
    ranker = SlopeTest().fit(X, y)
    t = [abs(line.slope) / line.stderr for line in lines]
    assert ranker.feature_importances_ == pytest.approx(t, rel=1e-9)
    assert ranker.pvalues_ == pytest.approx([line.pvalue for line in lines], rel=1e-7)
    assert ranker.qvalues_ == pytest.approx(stats.false_discovery_control(ranker.pvalues_))
    errors = np.array([line.stderr for line in lines])
    d = [abs(line.slope) for line in lines] / (errors + np.median(errors))
    ranker = SlopeTest(moderation="shrunken").fit(X, y)
    assert ranker.feature_importances_ == pytest.approx(d, rel=1e-9)
    ranks = [stats.spearmanr(x, y) for x in X.T]
    ranker = Spearman().fit(X, y)
    assert ranker.feature_importances_ == pytest.approx([abs(r.statistic) for r in ranks])
    assert ranker.pvalues_ == pytest.approx([r.pvalue for r in ranks])


@pytest.mark.parametrize("moderation", [None, "shrunken", "moderated"])
def test_with_two_numbers_it_is_the_t_test(moderation):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(20, 30)) * rng.uniform(0.5, 2, 30), np.repeat([0, 1], [8, 12])
    omega = rng.exponential(size=20)
    for weights in (None, omega):
        slope = SlopeTest(moderation=moderation).fit(X, 3.5 * y + 0.1, weights)
        t = TTest(moderation=moderation).fit(X, y, weights)
        assert slope.feature_importances_ == pytest.approx(t.feature_importances_, rel=1e-9)
        if moderation != "shrunken":
            assert slope.pvalues_ == pytest.approx(t.pvalues_, rel=1e-7)


@pytest.mark.parametrize("ranker", [SlopeTest(), SlopeTest(moderation="moderated"), Spearman()])
def test_units_do_not_matter(ranker):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(20, 10)), rng.normal(size=20)
    expected = ranker.fit(X, y).feature_importances_
    for of_x, of_y in ((1e-12, 1.0), (1e12, 1e250), (1.0, 1e-250)):
        found = ranker.fit(X * of_x, y * of_y).feature_importances_
        assert found == pytest.approx(expected, rel=1e-9)


def test_an_outcome_that_is_the_same_everywhere_is_refused():
    X = np.arange(8.0).reshape(4, 2)
    with pytest.raises(ValueError, match=r"y is 1.5 in all 4 rows; SlopeTest needs at least 2 di"):
        SlopeTest().fit(X, [1.5] * 4)
    with pytest.raises(ValueError, match="positive only for rows with the same y; Spearman needs"):
        Spearman().fit(X, [1.5, 1.5, 2, 3], [1, 1, 0, 0])
