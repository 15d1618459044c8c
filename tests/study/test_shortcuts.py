"""A study is the same by shortcuts and without them, with names of columns and without them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import load_digits, load_wine
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from backstay import InstanceWeighted, ReliefF, SequentialSelector
from backstay.ensemble import BaggedRanker
from backstay.feature_weighting import TTest
from backstay.study import Study, Subsampling, list_methods, make_methods
from backstay.study._predict import unit_range
from backstay.study._rows import numbers_of, reads_numbers
from backstay.targets import as_target
from reference.study import contents


def test_scaled_as_scikit_learn_does():
    X, _ = load_digits(return_X_y=True)  # some columns are constant
    scaler = MinMaxScaler().fit(X[:50])
    for ours, theirs in zip(unit_range(X[:50], X[50:]), (X[:50], X[50:]), strict=True):
        np.testing.assert_array_equal(ours, scaler.transform(theirs))


def both_ways(monkeypatch, X, y, **options):
    """The records of a study by shortcuts and of the same study without them."""
    study = Study({"relieff": ReliefF()}, sizes=[2, 5], random_state=0, verbose=0, **options)
    direct = study.run(X, y)
    asked = []
    monkeypatch.setattr(type(as_target(y)), "shortcut", lambda self, *how: asked.append(how))
    general = study.run(X, y)
    assert len(asked) == len(general.data.models)
    return direct, general


def test_a_study_is_the_same_either_way(monkeypatch):
    X, y = load_wine(return_X_y=True)
    study = Study({"relieff": ReliefF()}, Subsampling(4), sizes=[2, 5], random_state=0, verbose=0)
    named = study.run(pd.DataFrame(X), y).runs.scores().frame()
    direct, general = both_ways(monkeypatch, X, y, resampling=Subsampling(4))
    assert set(named["metric"]) == {"roc_auc", "balanced_accuracy", "accuracy"}
    assert direct.runs.scores().frame().equals(named)
    assert direct.runs.scores().frame().equals(general.runs.scores().frame())
    assert contents(direct) == contents(general)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_are_the_same_either_way(monkeypatch, n_classes):
    X, y = load_wine(return_X_y=True)
    X, y = X[y < n_classes], y[y < n_classes]
    both = {
        str(weight): make_pipeline(MinMaxScaler(), SVC(kernel="linear", class_weight=weight))
        for weight in (None, "balanced")
    }
    both["1nn"] = make_pipeline(MinMaxScaler(), KNeighborsClassifier(1))
    options = {"models": both, "scoring": ["average_precision", "roc_auc", "mcc"]}
    direct, general = both_ways(monkeypatch, X, y, resampling=Subsampling(3), **options)
    assert contents(direct) == contents(general)
    ((_, outputs), *_) = direct._parts["data"].outputs("relieff")
    assert outputs.shape[-1] == 1 + (1 if n_classes == 2 else 3)


def test_a_class_that_is_missing_from_the_training_rows_is_never_preferred(monkeypatch):
    X, y = load_wine(return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(y))
    half = rows[: len(y) // 2]
    splits = [(half[y[half] != 1], np.setdiff1d(rows, half))]  # trained on classes 0 and 2
    direct, general = both_ways(monkeypatch, X, y, resampling=splits)
    assert contents(direct) == contents(general)
    ((_, outputs),) = direct._parts["data"].outputs("relieff")
    predicted, scores = outputs[..., 0], outputs[..., 1:]
    assert (scores[..., 1] == -np.inf).all()
    np.testing.assert_array_equal(scores[0, ..., 0], -scores[0, ..., 2])  # the machine's two sides
    np.testing.assert_array_equal(scores[1, ..., 0], 1 - scores[1, ..., 2])  # one has all votes
    np.testing.assert_array_equal(predicted, scores.argmax(axis=-1))


def test_a_frame_of_numbers_is_an_array():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    np.testing.assert_array_equal(numbers_of(frame), frame.to_numpy())
    assert numbers_of(frame.astype({"a": "category"})) is None
    assert numbers_of(frame.astype({"a": int})) is None
    assert numbers_of(frame.to_numpy()) is None


class Marked(TTest):
    """A user's ranker that looks for its columns by name, once the base has checked them."""

    def _score(self, X, y, sample_weight):
        return np.array([name.startswith("gene") for name in self.feature_names_in_], dtype=float)


class Counted(BaseEstimator):
    """A user's weighting that is given the frame as it is."""

    def fit_weight(self, X, y):
        return 1.0 + X["gene"].to_numpy()


def test_every_method_of_the_panel_is_given_numbers():
    assert all(reads_numbers(method) for method in make_methods(list_methods()["name"]).values())
    everyone = Study({"odd": InstanceWeighted(TTest(), Counted())}).all_methods()
    assert [name for name in everyone if reads_numbers(everyone[name])] == ["TTest"]


@pytest.mark.parametrize(
    "method",
    [
        BaggedRanker(SVC(kernel="linear")),
        ReliefF(categorical_features=["a"]),
        BaggedRanker(ReliefF(categorical_features=["a"])),
        Marked(),
        BaggedRanker(Marked()),
        InstanceWeighted(TTest(), Counted()),
        SequentialSelector("1nn", scoring=make_scorer(accuracy_score)),
    ],
)
def test_methods_that_may_ask_for_names_get_the_frame(method):
    assert not reads_numbers(method)


def test_a_study_hands_columns_with_names_to_those_who_ask_for_them():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((30, 4)), columns=["a", "gene", "b", "c"])
    study = Study(
        {"marked": Marked(), "counted": InstanceWeighted(TTest(), Counted())},
        Subsampling(3),
        sizes=[1],
        random_state=0,
        verbose=0,
    )
    results = study.run(frame, np.tile([0, 1], 15))
    assert len(results.runs.errors()) == 0
    assert results.signature("marked", 1).frame()["name"].tolist()[0] == "gene"
