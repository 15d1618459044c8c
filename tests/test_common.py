"""Contracts that hold for every public estimator."""

import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from sklearn import config_context
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import backstay
from backstay import (
    DoubleReliefF,
    DoublyWeightedKNeighborsClassifier,
    InstanceWeighted,
    JointWeighting,
    LogisticWeighting,
    MarginWeighting,
    Relief,
    ReliefF,
    Simba,
    UniformWeighting,
)
from backstay.datasets import make_xor

WEIGHTERS = [
    MarginWeighting(),
    LogisticWeighting(),
    UniformWeighting(),
    JointWeighting(ReliefF(), MarginWeighting()),
]
RANKERS = [
    Relief(),
    ReliefF(),
    DoubleReliefF(),
    Simba(),
    Simba(strategy="sample", delta=True),
    Simba(solver="batch"),
    InstanceWeighted(ReliefF(), MarginWeighting()),
    InstanceWeighted(SVC(kernel="linear"), LogisticWeighting(), strategy="order"),
]
ESTIMATORS = [*WEIGHTERS, *RANKERS, DoublyWeightedKNeighborsClassifier()]

COPIES = (
    "copies of a row become each other's nearest hits, so repeating a row is not the same as "
    "weighting it"
)


def expected_failed_checks(estimator):
    """The one contract of scikit-learn that nearest hits cannot honour."""
    reasons = {}
    if isinstance(estimator, RANKERS_WITH_HITS):
        reasons = {
            "check_sample_weight_equivalence_on_dense_data": COPIES,
            "check_sample_weight_equivalence_on_sparse_data": COPIES,
        }
    return reasons


RANKERS_WITH_HITS = (Relief, ReliefF, DoubleReliefF, Simba, InstanceWeighted)


@pytest.mark.filterwarnings(
    # The checks draw tiny data: lonely classes and ignored weights are said, rightly.
    "ignore:class .* has a single member:UserWarning",
    "ignore:sample_weight has no effect:UserWarning",
)
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failed_checks)
def test_scikit_learn(estimator, check):
    check(estimator)


def data():
    X, y, _ = make_xor(n_samples=60, n_features=4, random_state=0)
    return X, np.array(["ill", "well"])[y]


ids = [f"{i}-{type(e).__name__}" for i, e in enumerate(ESTIMATORS)]
every = pytest.mark.parametrize("estimator", ESTIMATORS, ids=ids)
BAD = [
    (lambda X, y: (X, np.full(len(y), "ill")), "1 class \\('ill'\\).*at least 2 classes"),
    (lambda X, y: (X, X[:, 0]), "y is continuous.*class labels"),
    (lambda X, y: (np.where(X > 0.9, np.inf, X), y), "infinity"),
    (lambda X, y: (X, y[:-1]), "inconsistent numbers of samples"),
    (lambda X, y: (X[:, :0], y), "0 feature"),
    (lambda X, y: (X[:1], y[:1]), "1 sample"),
    (lambda X, y: (X, None), "y"),
]


@every
@pytest.mark.parametrize(("spoil", "message"), BAD)
def test_bad_data_is_named(estimator, spoil, message):
    X, y = spoil(*data())
    with pytest.raises(ValueError, match=message):
        clone(estimator).fit(X, y)


@every
def test_missing_values_are_refused_unless_defined(estimator):
    X, y = data()
    X[3, 1] = np.nan
    if estimator.__sklearn_tags__().input_tags.allow_nan:
        fitted = clone(estimator).fit(X, y)
        outcome = fitted.sample_weight_ if estimator in WEIGHTERS else fitted.feature_importances_
        assert np.isfinite(outcome).all()
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
    lambda X: X.assign(c=pd.Categorical(["u", "v"] * 30)),
    lambda X: X.assign(c=["u", "v"] * 30),
    lambda X: pl.DataFrame(X).with_columns(pl.Series("c", ["u", "v"] * 30)),
]


@every
@pytest.mark.parametrize(("spoil", "message"), FRAMES)
def test_bad_columns_are_named(estimator, spoil, message):
    X, y = data()
    with pytest.raises(ValueError, match=message):
        clone(estimator).fit(spoil(pd.DataFrame(X, columns=list("abcd"))), y)


@every
@pytest.mark.parametrize("with_text", TEXT)
def test_text_is_nominal_or_refused(estimator, with_text):
    X, y = data()
    frame = with_text(pd.DataFrame(X, columns=list("abcd")))
    if estimator.__sklearn_tags__().input_tags.categorical:
        clone(estimator).fit(frame, y)
    else:
        with pytest.raises(ValueError, match="categories or text in column c"):
            clone(estimator).fit(frame, y)


@pytest.mark.parametrize("estimator", [*RANKERS, DoublyWeightedKNeighborsClassifier()])
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.full(60, -1.0), "Negative values in sample_weight: row 0 has"),
        (np.zeros(60), "sample_weight is zero for every row"),
        (np.ones(59), "sample_weight"),
        (np.full(60, np.nan), "NaN"),
    ],
)
def test_bad_weights_are_named(estimator, weights, message):
    X, y = data()
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
def test_fit_is_deterministic_and_survives_pickling(estimator):
    X, y = data()
    estimator = clone(estimator)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    outcome = "sample_weight_" if hasattr(estimator, "fit_weight") else "feature_importances_"
    if not hasattr(estimator.fit(X, y), outcome):
        outcome = "feature_weights_"
    first = getattr(estimator, outcome)
    assert_array_equal(getattr(pickle.loads(pickle.dumps(estimator)), outcome), first)
    assert_array_equal(getattr(clone(estimator).fit(X, y), outcome), first)


@pytest.mark.parametrize("estimator", RANKERS, ids=lambda e: type(e).__name__)
def test_weights_are_routed(estimator):
    X, y = data()
    if isinstance(estimator, Simba) and estimator.strategy == "normal":
        estimator = clone(estimator).set_params(delta=True)
    estimator = clone(estimator).set_params(n_features_to_select=2)
    weights = np.random.default_rng(0).uniform(size=60)
    with config_context(enable_metadata_routing=True):
        ranker = estimator.set_fit_request(sample_weight=True)
        model = make_pipeline(ranker, SVC().set_fit_request(sample_weight=False))
        model.fit(X, y, sample_weight=weights)
    assert model[0].ranking_.shape == (4,)


def test_everything_public_is_there():
    for name in backstay.__all__:
        assert hasattr(backstay, name)


def test_import_is_light():
    code = "import sys, backstay; print({'matplotlib', 'dask', 'typer'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"
