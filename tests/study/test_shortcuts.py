"""The default classifiers' direct way gives what scikit-learn's pipelines give."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from backstay import ReliefF
from backstay.ensemble import BaggedRanker
from backstay.study import Study, Subsampling
from backstay.study import _study as module
from backstay.study._classify import numbers_of, reads_numbers, shortcuts_of, unit_range

MODELS = [KNeighborsClassifier(1), SVC(kernel="linear"), SVC(kernel="linear", C=0.1)]


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer, load_digits])
@pytest.mark.parametrize("model", MODELS)
def test_same_predictions(load, model):
    X, y = load(return_X_y=True)
    rng = np.random.default_rng(0)
    X = X + 1e-6 * rng.random(X.shape)  # digits have equally near rows, which may be any
    rows = rng.permutation(len(y))
    train, test = rows[:60], rows[60:200]
    pipeline = make_pipeline(MinMaxScaler(), model)
    classes, codes = np.unique(y[train], return_inverse=True)
    direct = shortcuts_of({"it": pipeline})["it"](*_scaled(X, train, test, codes))
    np.testing.assert_array_equal(
        classes[direct], pipeline.fit(X[train], y[train]).predict(X[test])
    )


def test_scaled_as_scikit_learn_does():
    X, _ = load_digits(return_X_y=True)  # some columns are constant
    scaler = MinMaxScaler().fit(X[:50])
    for ours, theirs in zip(unit_range(X[:50], X[50:]), (X[:50], X[50:]), strict=True):
        np.testing.assert_array_equal(ours, scaler.transform(theirs))


def _scaled(X, train, test, codes):
    first, second = unit_range(X[train], X[test])
    return first, codes, second


@pytest.mark.parametrize(
    "other",
    [
        SVC(kernel="linear"),
        make_pipeline(StandardScaler(), SVC(kernel="linear")),
        make_pipeline(MinMaxScaler(clip=True), SVC(kernel="linear")),
        make_pipeline(MinMaxScaler(), SVC(kernel="linear", class_weight="balanced")),
        make_pipeline(MinMaxScaler(), SVC()),
        make_pipeline(MinMaxScaler(), KNeighborsClassifier(3)),
        make_pipeline(MinMaxScaler(), KNeighborsClassifier(1, metric="manhattan")),
    ],
)
def test_others_go_the_general_way(other):
    assert shortcuts_of({"other": other}) == {}


def test_a_study_is_the_same_either_way(monkeypatch):
    X, y = load_wine(return_X_y=True)
    study = Study({"relieff": ReliefF()}, Subsampling(4), sizes=[2, 5], random_state=0, verbose=0)
    direct = study.run(X, y).scores().frame()
    named = study.run(pd.DataFrame(X), y).scores().frame()
    assert direct.equals(named)
    monkeypatch.setattr(module, "shortcuts_of", lambda classifiers: {})
    general = study.run(X, y).scores().frame()
    assert direct.equals(general)
    assert len(direct) > 0


def test_a_frame_of_numbers_is_an_array():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    np.testing.assert_array_equal(numbers_of(frame), frame.to_numpy())
    assert numbers_of(frame.astype({"a": "category"})) is None
    assert numbers_of(frame.astype({"a": int})) is None
    assert numbers_of(frame.to_numpy()) is None


def test_methods_that_may_ask_for_names_get_the_frame():
    assert reads_numbers(BaggedRanker(ReliefF()))
    assert not reads_numbers(BaggedRanker(SVC(kernel="linear")))
    assert not reads_numbers(ReliefF(categorical_features=["a"]))
