"""Learned instance weights handed to models: against fits by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from backstay import (
    InstanceWeighted,
    LogisticWeighting,
    MarginWeighting,
    ReliefF,
    Results,
    UniformWeighting,
)
from backstay.datasets import make_han_yu
from backstay.feature_weighting import TTest
from backstay.report import Report
from backstay.store import StoreError
from backstay.study import Study, Subsampling
from reference.instance_weighting import hypothesis_margins, logistic_weights, minmax
from reference.instance_weighting import margin_weights as weights_and_margins
from reference.study import contents

METHOD = InstanceWeighted(TTest(), LogisticWeighting(scale="sum"))
CLASSIFIERS = {
    "svm": make_pipeline(MinMaxScaler(), SVC(kernel="linear", C=10.0)),
    "1nn": make_pipeline(MinMaxScaler(), KNeighborsClassifier(1)),
    "logit": LogisticRegression(C=10.0),
}


@pytest.fixture(scope="module")
def data():
    X, y, _ = make_han_yu(60, n_features=30, n_relevant=10, block_size=5, random_state=1)
    flipped = np.random.default_rng(0).choice(60, 12, replace=False)
    y[flipped] = 1 - y[flipped]
    return X, y


def study(methods=None, **options):
    given = {
        "resampling": Subsampling(3), "sizes": [3, 8], "models": CLASSIFIERS,
        "metric": "accuracy", "random_state": 0, "verbose": 0, "weight_models": True,
    }  # fmt: skip
    return Study(methods or {"iw": METHOD}, **(given | options))


def predictions(results, method):
    """By resample, model, size and test row."""
    return [outputs[..., 0] for _, outputs in results._parts["data"].outputs(method)]


def by_hand(X, y, results, method, weighted):
    """Fit everything again on each split; scikit-learn's own pipelines."""
    records = results._parts["data"]
    for resample in range(records.n_resamples):
        train, test = records.train(resample), records.test(resample)
        ranker = METHOD if method == "iw" else TTest()
        fitted = ranker.fit(X[train], y[train])
        omega = fitted.sample_weight_ * len(train) if method == "iw" else None
        expected = np.empty((3, 2, len(test)), int)
        for i, (name, model) in enumerate(CLASSIFIERS.items()):
            for j, size in enumerate((3, 8)):
                best = np.flatnonzero(fitted.ranking_ <= size)
                takes = {"svm": "svc__sample_weight", "logit": "sample_weight"}.get(name)
                extra = {takes: omega} if takes and weighted and omega is not None else {}
                model = model.fit(X[np.ix_(train, best)], y[train], **extra)
                expected[i, j] = model.predict(X[np.ix_(test, best)])
        yield resample, expected


def test_weights_reach_every_classifier_that_takes_them(data):
    weighted, plain = study().run(*data), study(weight_models=False).run(*data)
    for results, on in ((weighted, True), (plain, False)):
        for method in ("iw", "TTest"):
            found = predictions(results, method)
            for resample, expected in by_hand(*data, results, method, on):
                np.testing.assert_array_equal(found[resample], expected)
    pairs = zip(predictions(weighted, "iw"), predictions(plain, "iw"), strict=True)
    changed = np.array([(a != b).any(axis=(1, 2)) for a, b in pairs]).any(axis=0)
    assert changed.tolist() == [True, False, True]  # 1-NN takes no weights


class Centroids(ClassifierMixin, BaseEstimator):
    """Class of the nearest weighted mean; rows without weights count 1."""

    def fit(self, X, y, sample_weight=None):
        weights = np.ones(len(y)) if sample_weight is None else sample_weight
        self.mass = float(np.sum(weights))
        self.classes_ = np.unique(y)
        self.means = [np.average(X[y == c], axis=0, weights=weights[y == c]) for c in self.classes_]
        return self

    def predict(self, X):
        away = [[np.abs(x - mean).sum() for mean in self.means] for x in X]
        return self.classes_[np.argmin(away, axis=1)]


class SumOfWeights(Centroids):
    """Class 1 if the weights add up to the number of rows, or there are none; else class 0."""

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.whole = bool(np.isclose(self.mass, len(y)))
        return self

    def predict(self, X):
        return self.classes_[np.full(len(X), int(self.whole))]


def logistic_omega(rows, y):
    return logistic_weights(hypothesis_margins(minmax(rows), y))


def margin_omega(rows, y):
    return weights_and_margins(minmax(rows), y)[0]


def plain_loop(X, y, train, test, models, sizes, weigh):
    """Weights from the training rows alone, for the ranker and, of mean 1, for the models."""
    omega = np.array(weigh(X[train].tolist(), y[train].tolist()))
    omega = omega * len(train) / omega.sum()
    importances = ReliefF(3).fit(X[train], y[train], sample_weight=omega).feature_importances_
    for model, takes in models:
        for size in sizes:
            best = sorted(sorted(range(X.shape[1]), key=lambda j: -importances[j])[:size])
            model = clone(model)
            model.fit(X[train][:, best], y[train], **({takes: omega} if takes else {}))
            yield model.predict(X[test][:, best])


@settings(max_examples=12, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from([(LogisticWeighting, logistic_omega), (MarginWeighting, margin_omega)]),
    st.sampled_from(["mean", "sum"]),
    st.integers(2, 3),
)
def test_equals_a_plain_loop(seed, weightings, scale, n_classes):
    weighting, weigh = weightings
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.minimum(np.arange(30) % 4, n_classes - 1))  # classes of unlike sizes
    X = rng.normal(size=(30, 6))
    X[:, :2] += y[:, None] * rng.random(30)[:, None]
    nested = make_pipeline(MinMaxScaler(), make_pipeline(LogisticRegression()))
    models = {
        "means": (Centroids(), "sample_weight"),
        "sum": (SumOfWeights(), "sample_weight"),
        "svm": (make_pipeline(MinMaxScaler(), SVC(kernel="linear")), "svc__sample_weight"),
        "1nn": (KNeighborsClassifier(1), None),
        "nested": (nested, "pipeline__logisticregression__sample_weight"),
        "scaled": (make_pipeline(MinMaxScaler(), KNeighborsClassifier(1)), None),
    }
    results = study(
        {"iw": InstanceWeighted(ReliefF(3), weighting(scale=scale))},
        models={name: model for name, (model, _) in models.items()},
        sizes=[1, 4], resampling=Subsampling(2), controls=False, random_state=seed,
    ).run(X, y)  # fmt: skip
    records, found = results._parts["data"], predictions(results, "iw")
    for resample in range(2):
        rows = records.train(resample), records.test(resample)
        expected = list(plain_loop(X, y, *rows, models.values(), [1, 4], weigh))
        np.testing.assert_array_equal(found[resample].reshape(12, -1), expected)
        assert (found[resample][1] == 1).all()  # weights of mean 1, whatever their sum was


def test_the_control_predicts_as_without_weights(data):
    """Equal weights of any sum are handed over as ones."""
    control = {"u": InstanceWeighted(TTest(), UniformWeighting(scale="sum"))}
    on = study(control, controls=False).run(*data)
    off = study(control, controls=False, weight_models=False).run(*data)
    for a, b in zip(predictions(on, "u"), predictions(off, "u"), strict=True):
        np.testing.assert_array_equal(a, b)


def test_without_learned_weights_nothing_changes(data):
    on = contents(study({"t": TTest()}).run(*data))
    off = contents(study({"t": TTest()}, weight_models=False).run(*data))
    assert on.pop("study") == {**off.pop("study"), "weight_models": True}
    assert on == off


def test_it_is_another_study(data, tmp_path):
    store = tmp_path / "study.db"
    study(store=store).run(*data)
    study(store=store).run(*data)
    with pytest.raises(StoreError, match="weight_models is True in the store and False now"):
        study(store=store, weight_models=False).run(*data)
    results = Results.load(store)
    assert results.facts.weight_models
    page = Report(results).write(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "trained with the instance weights of the method" in page


def test_margin_weights_reach_a_default_classifier(data):
    method = {"m": InstanceWeighted(TTest(), MarginWeighting())}
    results = study(method, models=None, metric=None).run(*data)
    assert not len(results.runs.errors())
