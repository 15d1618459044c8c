"""Contracts that hold for every public estimator: scikit-learn's, and our own."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from sklearn import config_context
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, SVR
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import has_fit_parameter

import backstay
from backstay import (
    DoublyWeightedKNeighborsClassifier,
    InstanceWeighted,
    LogisticWeighting,
    MarginWeighting,
    ReliefF,
    SequentialSelector,
    Simba,
)
from backstay.base import outcomes_of
from backstay.datasets import make_xor
from estimators import (
    ESTIMATORS,
    LIKE_OTHERS,
    checked,
    expected_failed_checks,
    public_estimators,
    refuses_text_inside,
    survival,
)


def test_every_public_estimator_is_tested():
    tested = {type(estimator) for estimator in ESTIMATORS}
    forgotten = [kind.__name__ for kind in public_estimators() if kind not in tested]
    assert not forgotten, (
        f"{', '.join(forgotten)} cannot be constructed without arguments; "
        "give instances in INSTEAD of tests/estimators.py."
    )
    assert {ReliefF, MarginWeighting, InstanceWeighted, SequentialSelector} <= tested
    assert len(tested) >= 30


@pytest.mark.filterwarnings(
    # The checks draw tiny data: lonely classes and ignored weights are said, rightly, and
    # nothing may be stable.
    "ignore:class .* has a single member:UserWarning",
    "ignore:sample_weight has no effect:UserWarning",
    "ignore:No features were selected:UserWarning",
)
@parametrize_with_checks(
    [checked(e) for e in ESTIMATORS if type(e) not in LIKE_OTHERS],
    expected_failed_checks=expected_failed_checks,
)
def test_scikit_learn(estimator, check):
    check(estimator)


def data(kind="classes"):
    X, y, _ = make_xor(n_samples=60, n_features=4, random_state=0)
    if kind == "survival":
        return X, survival(1.0 + y + X[:, 3], X[:, 2] < 0.6)
    return X, np.array(["ill", "well"])[y] if kind == "classes" else y + X[:, 3]


def each(estimators):
    """One test per estimator and kind of outcome that it takes."""
    cases = [(e, kind) for e in estimators for kind in outcomes_of(e)]
    ids = [f"{i}-{type(e).__name__}-{kind}" for i, (e, kind) in enumerate(cases)]
    return pytest.mark.parametrize(("estimator", "kind"), cases, ids=ids)


def seeded(estimator):
    """An unfitted copy that draws the same in every fit."""
    estimator = clone(estimator)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    return estimator


def outcome(fitted):
    """What a fit found, as one array."""
    names = ("feature_importances_", "ranking_", "sample_weight_", "feature_weights_", "coef_")
    for name in names:
        if hasattr(fitted, name):
            return getattr(fitted, name)
    return np.concatenate(fitted.cut_points_)


every = each(ESTIMATORS)
weighted = each([e for e in ESTIMATORS if has_fit_parameter(e, "sample_weight")])
BAD = [
    (
        lambda X, y: (X, np.full(len(y), y[0])),
        "1 class .*at least 2 classes|in all 60 rows; .* at least 2 different numbers|nobody left",
    ),
    (lambda X, y: (np.where(X > 0.9, np.inf, X), y), "infinity"),
    (lambda X, y: (X, y[:-1]), "inconsistent numbers of samples"),
    (lambda X, y: (X[:, :0], y), "0 feature"),
    (lambda X, y: (X[:1], y[:1]), "1 sample"),
    (lambda X, y: (X, None), "y"),
]


@every
@pytest.mark.parametrize(("spoil", "message"), BAD)
def test_bad_data_is_named(estimator, kind, spoil, message):
    X, y = spoil(*data(kind))
    with pytest.raises(ValueError, match=message):
        clone(estimator).fit(X, y)


@every
def test_the_other_kind_of_outcome_is_taken_or_refused_by_name(estimator, kind):
    if len(outcomes_of(estimator)) > 1:
        return
    words = {"classes": "classes", "numbers": "numbers", "survival": "times until an event"}
    for other in words.keys() - {kind}:
        X, y = data(other)
        refused = f"takes {words[kind]} as outcome, but y holds {words[other]}"
        with pytest.raises(ValueError, match=refused):
            clone(estimator).fit(X, y)


@every
def test_missing_values_are_refused_unless_defined(estimator, kind):
    X, y = data(kind)
    X[3, 1] = np.nan
    if estimator.__sklearn_tags__().input_tags.allow_nan:
        assert np.isfinite(outcome(clone(estimator).fit(X, y))).all()
    else:
        with pytest.raises(ValueError, match="NaN"):
            clone(estimator).fit(X, y)


FRAMES = [
    (
        lambda X: X.assign(b=pd.date_range("2026-01-01", periods=len(X))),
        "dates or times in column b",
    ),
    (lambda X: X.set_axis(["a", "a", "b", "c"], axis=1), "more than one column named a"),
]
TEXT = [
    lambda X: X.assign(c=pd.Series(["u", "v"] * 30, dtype=object)),
    lambda X: pl.DataFrame(X).with_columns(pl.Series("c", ["u", "v"] * 30)),
]


@every
@pytest.mark.parametrize(("spoil", "message"), FRAMES)
def test_bad_columns_are_named(estimator, kind, spoil, message):
    X, y = data(kind)
    with pytest.raises(ValueError, match=message):
        clone(estimator).fit(spoil(pd.DataFrame(X, columns=list("abcd"))), y)


@every
@pytest.mark.parametrize("with_text", TEXT)
def test_text_is_nominal_or_refused(estimator, kind, with_text):
    X, y = data(kind)
    frame = with_text(pd.DataFrame(X, columns=list("abcd")))
    if estimator.__sklearn_tags__().input_tags.categorical:
        clone(estimator).fit(frame, y)
        return
    errors, message = ValueError, "categories or text in column c"
    if refuses_text_inside(estimator):
        errors = (ValueError, RuntimeError)
        message = r"could not convert string|failed on the subset \[c\]"
    with pytest.raises(errors, match=message):
        clone(estimator).fit(frame, y)


@weighted
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.full(60, -1.0), "Negative values in sample_weight: row 0 has"),
        (np.zeros(60), "sample_weight is zero for every row"),
        (np.ones(59), "sample_weight"),
        (np.full(60, np.nan), "NaN"),
    ],
)
def test_bad_weights_are_named(estimator, kind, weights, message):
    X, y = data(kind)
    with pytest.raises(ValueError, match=message):
        clone(estimator).fit(X, y, sample_weight=weights)


@pytest.mark.parametrize(
    ("estimator", "parameter"),
    [
        (ReliefF(0), "n_neighbors"),
        (ReliefF(2.5), "n_neighbors"),
        (ReliefF(miss="each"), "miss"),
        (ReliefF(sigma=0), "sigma"),
        (ReliefF(n_draws=0), "n_draws"),
        (ReliefF(metric="cosine"), "metric"),
        (ReliefF(missing="skip"), "missing"),
        (ReliefF(categorical_features="all"), "categorical_features"),
        (ReliefF(n_jobs="two"), "n_jobs"),
        (ReliefF(n_features_to_select=0), "n_features_to_select"),
        (ReliefF(n_features_to_select=1.5), "n_features_to_select"),
        (ReliefF(n_features_to_select=5), "n_features_to_select=5"),
        (Simba(strategy="best"), "strategy"),
        (Simba(beta=0), "beta"),
        (Simba(n_epochs=0), "n_epochs"),
        (Simba(scaling="robust"), "scaling"),
        (MarginWeighting(0), "n_neighbors"),
        (MarginWeighting(scale="max"), "scale"),
        (MarginWeighting(max_iter=0), "max_iter"),
        (LogisticWeighting(-1.0), "alpha"),
        (InstanceWeighted(ReliefF(), MarginWeighting(), strategy="weigh"), "strategy"),
        (DoublyWeightedKNeighborsClassifier(0), "n_neighbors"),
        (DoublyWeightedKNeighborsClassifier(power=3), "power"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_bad_parameters_are_named(estimator, parameter):
    with pytest.raises(ValueError, match=parameter):
        estimator.fit(*data())


@every
def test_parameter_validation_can_be_skipped(estimator, kind, monkeypatch):
    validated = []
    monkeypatch.setattr(BaseEstimator, "_validate_params", lambda self: validated.append(self))
    with config_context(skip_parameter_validation=True):
        clone(estimator).fit(*data(kind))
    assert validated == []
    estimator = clone(estimator).fit(*data(kind))
    assert validated[0] is estimator
    assert not any(other is estimator for other in validated[1:])


def test_unvalidated_parameters_reach_the_algorithm():
    X, y = data()
    unknown = MarginWeighting(scale="max")
    with pytest.raises(ValueError, match="scale"):
        unknown.fit(X, y)
    with config_context(skip_parameter_validation=True):
        assert_array_equal(unknown.fit_weight(X, y), MarginWeighting().fit_weight(X, y))


@every
def test_fit_is_deterministic_and_survives_pickling(estimator, kind):
    X, y = data(kind)
    estimator = seeded(estimator).fit(X, y)
    first = outcome(estimator)
    assert_array_equal(outcome(pickle.loads(pickle.dumps(estimator))), first)
    assert_array_equal(outcome(clone(estimator).fit(X, y)), first)


class NoModel(BaseEstimator):
    """A last step for outcomes that no model of scikit-learn's takes."""

    def fit(self, X, y):
        return self


@weighted
def test_weights_are_routed(estimator, kind):
    X, y = data(kind)
    if isinstance(estimator, Simba) and estimator.strategy == "normal":
        estimator = clone(estimator).set_params(delta=True)
    weights = np.random.default_rng(0).uniform(size=60)
    with config_context(enable_metadata_routing=True):
        estimator = seeded(estimator).set_fit_request(sample_weight=True)
        model = (SVC() if kind == "classes" else SVR()).set_fit_request(sample_weight=False)
        model = NoModel() if kind == "survival" else model
        steps = ["passthrough", estimator] if is_classifier(estimator) else [estimator, model]
        make_pipeline(*steps).fit(X, y, sample_weight=weights)
    assert_array_equal(outcome(estimator), outcome(clone(estimator).fit(X, y, weights)))


def test_everything_public_is_there():
    for name in backstay.__all__:
        assert hasattr(backstay, name)
