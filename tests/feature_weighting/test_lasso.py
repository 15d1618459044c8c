"""The lasso and the elastic net, against a general optimiser and scikit-learn's solver."""

import numpy as np
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.utils.fixes import parse_version

from backstay import ElasticNetRanker, FStatistic, InstanceWeighted, LassoPath, UniformWeighting
from backstay.base import ranking_from_importances
from backstay.datasets import make_han_yu
from tests.reference import lasso as reference


@st.composite
def cases(draw):
    """More rows than features, so that solutions are unique; weights in quarters."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_classes = draw(st.integers(2, 3))
    n, d = draw(st.integers(12, 24)), draw(st.integers(1, 5))
    y = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=n - n_classes)])
    X = rng.normal(size=(n, d)) + draw(st.sampled_from([0.0, 0.6])) * y[:, None]
    omega = np.ones(n) if draw(st.booleans()) else rng.integers(1, 9, size=n) / 4
    return X, y, omega, draw(st.sampled_from([1.0, 0.5, 0.2]))


def test_one_feature_of_two_values_by_hand():
    # z = ±1, and three quarters of the rows have the class of its sign. The derivative of the
    # loss is p − 3/4 with p = P(class of the sign), so that p = 3/4 − λ, and λ is at most 1/4.
    x, y = np.tile([-1.0, 1.0], 4), np.array([0, 1, 0, 1, 0, 1, 1, 0])
    ranker = LassoPath(lambdas=[0.3, 0.1], tol=1e-10).fit(x[:, None] * 5 + 3, y)
    assert ranker.coef_ == pytest.approx(np.log(0.65 / 0.35))
    assert ranker.selection_path_.tolist() == [[False], [True]]
    assert ranker.feature_importances_ == pytest.approx(0.1 / 0.25)
    intercept, coef = reference.solve(x[:, None], y, np.ones(8), 0.1, 1.0)
    assert coef == pytest.approx(np.log(0.65 / 0.35), abs=1e-5)
    assert intercept == pytest.approx(0, abs=1e-5)


@given(cases())
@settings(max_examples=15)
def test_the_path_is_that_of_a_general_optimiser(case):
    X, y, omega, l1_ratio = case
    Z = reference.standardise(X, omega)
    top = reference.largest_penalty(Z, y, omega, l1_ratio)
    lambdas = top * np.array([1.001, 0.7, 0.4, 0.15])
    ranker = ElasticNetRanker(l1_ratio, lambdas=lambdas).fit(X, y, sample_weight=omega)
    assert not ranker.selection_path_[0].any()
    assert conditions_hold(Z, y, omega, ranker, l1_ratio)
    penalty = ranker.lambdas_[-1]
    intercept, coef = reference.solve(Z, y, omega, penalty, l1_ratio)
    goal = reference.objective(Z, y, omega, intercept, coef, penalty, l1_ratio)
    ours = ranker.intercept_, ranker.coef_, penalty, l1_ratio
    assert reference.objective(Z, y, omega, *ours) == pytest.approx(goal, abs=1e-6)
    assert centred(ranker.coef_) == pytest.approx(centred(coef), abs=0.02)
    sizes = np.linalg.norm(centred(ranker.coef_), axis=0)
    assert order(ranker) == reference.entry_order(ranker.selection_path_, sizes)


def centred(coef):
    return coef - coef.mean(axis=0) if len(coef) > 1 else coef


def order(ranker):
    return np.argsort(ranker.ranking_)[: ranker.n_ranked_].tolist()


def conditions_hold(Z, y, omega, ranker, l1_ratio):
    """Slope −λ(α sign β + (1 − α)β) where β is not 0, and at most λα elsewhere."""
    penalty, top = ranker.lambdas_[-1], reference.largest_penalty(Z, y, omega, l1_ratio)
    coef = ranker.coef_
    balance, slope = reference.gradient(Z, y, omega, ranker.intercept_, coef)
    off = np.abs(slope + penalty * (l1_ratio * np.sign(coef) + (1 - l1_ratio) * coef))
    off = np.where(coef != 0, off, np.maximum(np.abs(slope) - penalty * l1_ratio, 0))
    return max(off.max(), np.abs(balance).max()) < 2e-6 * top * l1_ratio


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("l1_ratio", [1.0, 0.5])
def test_coefficients_are_those_of_scikit_learn(n_classes, l1_ratio):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 60)), np.arange(30) % n_classes
    X[:, :3] += y[:, None]
    Z = reference.standardise(X, np.ones(30))
    ranker = ElasticNetRanker(l1_ratio, lambda_min_ratio=0.2, n_lambdas=5, tol=1e-9).fit(X, y)
    C = 1 / (30 * ranker.lambdas_[-1])
    # Since scikit-learn 1.8 the ratio says by itself that it is meant.
    older = (
        {}
        if parse_version(sklearn.__version__) >= parse_version("1.8")
        else {"penalty": "elasticnet"}
    )
    model = LogisticRegression(
        C=C, l1_ratio=l1_ratio, solver="saga", tol=1e-8, max_iter=20000, **older
    )
    model.fit(Z, y)
    assert centred(ranker.coef_) == pytest.approx(centred(model.coef_), abs=2e-5)
    assert 5 < ranker.n_ranked_ < 60


def test_importances_tell_the_order_exactly():
    X, y, _ = make_han_yu(60, n_features=500, random_state=0)
    ranker = LassoPath(n_lambdas=8).fit(X, y)  # a coarse grid, so that many enter together
    sizes = np.abs(ranker.coef_[0])
    assert order(ranker) == reference.entry_order(ranker.selection_path_, sizes)
    assert (ranking_from_importances(ranker.feature_importances_) == ranker.ranking_).all()
    entered = ranker.selection_path_.any(axis=0)
    assert ((ranker.feature_importances_ > 0) == entered).all()
    assert ranker.feature_importances_.max() < 1
    assert ranker.n_ranked_ == entered.sum() < 60


def test_what_never_enters_is_not_kept():
    X, y, _ = make_han_yu(60, n_features=500, random_state=0)
    with pytest.warns(UserWarning, match=r"asks for 400 features, but LassoPath ranks \d\d;"):
        asked = LassoPath(n_features_to_select=400).fit(X, y)
    default = LassoPath().fit(X, y)
    for ranker in (asked, default):
        assert ranker.get_support().sum() == ranker.n_ranked_
        assert (ranker.feature_importances_[ranker.get_support()] > 0).all()
    weighted = InstanceWeighted(LassoPath(), UniformWeighting()).fit(X, y)
    assert weighted.n_ranked_ == weighted.get_support().sum() == default.n_ranked_
    assert FStatistic().fit(X, y).n_ranked_ == 500


def test_the_lasso_is_an_elastic_net():
    X, y, _ = make_han_yu(40, n_features=50, random_state=1)
    lasso, net = LassoPath().fit(X, y), ElasticNetRanker(1.0).fit(X, y)
    assert (lasso.feature_importances_ == net.feature_importances_).all()
    assert ElasticNetRanker(0.2).fit(X, y).n_ranked_ > lasso.n_ranked_


def test_constant_features_and_tables_never_enter():
    X, y, _ = make_han_yu(40, n_features=10, n_relevant=10, random_state=1)
    X[:, 2] = 0.1
    assert LassoPath().fit(X, y).feature_importances_[2] == 0
    nothing = LassoPath().fit(np.full((40, 3), 0.1), y)
    assert nothing.n_ranked_ == 0
    assert not nothing.feature_importances_.any()


@pytest.mark.parametrize("lambdas", [[], [0.1, 0.2], [0.1, 0.1], [0.1, 0.0], [[0.1]], [np.inf, 1]])
def test_a_grid_must_fall(lambdas):
    X, y, _ = make_han_yu(40, n_features=10, n_relevant=10, random_state=1)
    with pytest.raises(ValueError, match="must be positive numbers, each less than the one before"):
        LassoPath(lambdas=lambdas).fit(X, y)


def test_an_unreachable_tolerance_is_said():
    X, y, _ = make_han_yu(40, n_features=10, n_relevant=10, random_state=1)
    with (
        config_context(skip_parameter_validation=True),  # which refuses such a tolerance
        pytest.warns(ConvergenceWarning, match="not as exact as tol=1e-300"),
    ):
        LassoPath(tol=1e-300, n_lambdas=3).fit(X, y)
