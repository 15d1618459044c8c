"""Filters beside covariates: against ordinary least squares, and figures of limma and coxph."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline

from backstay import MRMR, ReliefF
from backstay._design import Covariates
from backstay.feature_weighting import (
    BetweenWithinRatio,
    CoxScore,
    FStatistic,
    SlopeTest,
    Spearman,
    TTest,
    Wilcoxon,
)
from tests.reference.covariates import partial_f, partial_t

STORED = json.loads((Path(__file__).parents[1] / "data" / "covariates.json").read_text())
ROWS, FIGURES = pd.DataFrame(STORED["rows"]), pd.DataFrame(STORED["figures"])
X = ROWS.filter(regex="^x").to_numpy()
Z = Covariates.of(ROWS[["age", "sex", "site"]]).Z


def test_the_case_worked_by_hand():
    x, y, z = np.array([0.0, 1, 2, 5]), np.array([0, 0, 1, 1]), np.array([[0.0], [1], [0], [1]])
    t, slope, df = partial_t(x, y, z)
    assert (t, slope, df) == pytest.approx((3, 3, 1))
    found = TTest().fit(x[:, None], y, covariates=z)
    assert found.feature_importances_ == pytest.approx([3])


@pytest.mark.parametrize(
    ("ranker", "outcome", "figure", "p"),
    [
        (TTest(moderation="moderated"), "ill", "t", "t_p"),
        (TTest(), "ill", "t_plain", None),
        (SlopeTest(moderation="moderated"), "dose", "slope", "slope_p"),
        (FStatistic(), "stage", "f", "f_p"),
    ],
    ids=repr,
)
def test_figures_of_limma(ranker, outcome, figure, p):
    ranker.fit(X, ROWS[outcome], covariates=Z)
    np.testing.assert_allclose(ranker.feature_importances_, FIGURES[figure].abs(), rtol=1e-9)
    if p is not None:
        np.testing.assert_allclose(ranker.pvalues_, FIGURES[p], rtol=1e-9)


def test_the_score_test_of_coxph():
    y = np.empty(len(ROWS), dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = ROWS["event"], ROWS["time"]
    ranker = CoxScore().fit(X, y, covariates=Z)
    np.testing.assert_allclose(ranker.feature_importances_**2, FIGURES["cox"], rtol=1e-8)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4), st.sampled_from([2, 3]))
def test_least_squares_of_every_feature(seed, n_covariates, n_classes):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(24, n_covariates)) * 10.0 ** rng.integers(-3, 4, n_covariates)
    X = rng.normal(size=(24, 5)) + Z[:, :1] / Z[:, :1].std()
    y, numbers = np.arange(24) % n_classes, rng.normal(size=24)
    weight = rng.integers(1, 4, 24)
    f = FStatistic().fit(X, y, covariates=Z)
    ratio = BetweenWithinRatio().fit(X, y, covariates=Z)
    slope = SlopeTest().fit(X, numbers, weight, covariates=Z)
    for j, x in enumerate(X.T):
        expected, p = partial_f(x, y, Z)
        assert f.feature_importances_[j] == pytest.approx(expected, rel=1e-6)
        assert f.pvalues_[j] == pytest.approx(p, rel=1e-6)
        assert ratio.pvalues_[j] == pytest.approx(p, rel=1e-6)
        t, _, _ = partial_t(x, numbers, Z, weight)
        assert slope.feature_importances_[j] == pytest.approx(abs(t), rel=1e-6)
    if n_classes == 2:
        t = TTest().fit(X, y, covariates=Z).feature_importances_
        np.testing.assert_allclose(t**2, f.feature_importances_, rtol=1e-6)


def test_of_more_classes_the_largest_t_counts():
    t = TTest().fit(X, ROWS["stage"], covariates=Z)
    kinds = [(ROWS["stage"] == c) * 1.0 for c in ("i", "ii", "iii")]
    each = [[abs(partial_t(x, kind, Z)[0]) for x in X.T] for kind in kinds]
    np.testing.assert_allclose(t.feature_importances_, np.max(each, axis=0), rtol=1e-9)


def test_what_covariates_explain_wholly_is_worth_nothing():
    made = np.column_stack([X[:, 0], Z @ [1.0, 2, 3, 4], np.full(len(X), 7.0)])
    for ranker in (TTest(), TTest(moderation="shrunken"), FStatistic()):
        found = ranker.fit(made, ROWS["ill"], covariates=Z).feature_importances_
        assert found[0] > 0
        assert (found[1:] == 0).all()


def test_covariates_that_say_the_same_count_once():
    twice = np.column_stack([Z, Z[:, 0] * 3 + 1])
    once = TTest().fit(X, ROWS["ill"], covariates=Z)
    again = TTest().fit(X, ROWS["ill"], covariates=twice)
    np.testing.assert_allclose(once.pvalues_, again.pvalues_, rtol=1e-8)


def test_covariates_that_tell_the_outcome_are_refused():
    with pytest.raises(ValueError, match="tell the outcome of these rows"):
        TTest().fit(X, ROWS["ill"], covariates=ROWS[["ill"]])


@pytest.mark.parametrize("ranker", [Wilcoxon(), ReliefF(), MRMR("f_ratio")], ids=repr)
def test_other_rankers_see_what_a_regression_leaves(ranker):
    both = np.column_stack([np.ones(len(Z)), Z])
    left = X - both @ np.linalg.lstsq(both, X, rcond=None)[0] + X.mean(axis=0)
    expected = ranker.fit(left, ROWS["ill"]).feature_importances_
    found = ranker.fit(X, ROWS["ill"], covariates=Z).feature_importances_
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("ranker", [Wilcoxon(), Spearman()], ids=repr)
def test_without_a_form_of_its_own_a_filter_has_no_p(ranker):
    y = ROWS["dose"] if isinstance(ranker, Spearman) else ROWS["ill"]
    with pytest.raises(AttributeError, match="no test with covariates"):
        _ = ranker.fit(X, y, covariates=Z).pvalues_


@pytest.mark.parametrize("wrong", [Z[:5], Z[:, 0], np.where(Z > 1, np.nan, Z)], ids=repr)
def test_covariates_must_fit_the_rows(wrong):
    with pytest.raises(ValueError, match="covariates must be a table of finite numbers"):
        TTest().fit(X, ROWS["ill"], covariates=wrong)


def test_metadata_routing_hands_covariates_on():
    with sklearn.config_context(enable_metadata_routing=True):
        filter_ = TTest().set_fit_request(covariates=True)
        chain = make_pipeline(filter_).fit(X, ROWS["ill"], covariates=Z)
    expected = TTest().fit(X, ROWS["ill"], covariates=Z).feature_importances_
    np.testing.assert_array_equal(chain[0].feature_importances_, expected)
