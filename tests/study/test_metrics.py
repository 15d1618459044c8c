"""Which metrics a study takes, which one decides, and what models must have for them."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    average_precision_score,
    balanced_accuracy_score,
    brier_score_loss,
    log_loss,
    matthews_corrcoef,
    roc_auc_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC, LinearSVC

from backstay.datasets import make_han_yu
from backstay.feature_weighting import TTest
from backstay.study import Study, Subsampling

X, y, _ = make_han_yu(60, n_features=30, n_relevant=5, block_size=5, random_state=0)
LOGIT = {"logit": LogisticRegression(), "bayes": GaussianNB()}


class LabelsOnly(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.repeat(self.classes_[:1], len(X))


def small(**options):
    defaults = {"resampling": Subsampling(3), "sizes": [3], "random_state": 0, "verbose": 0}
    return Study({"t": TTest()}, **{**defaults, **options})


@pytest.mark.parametrize(
    ("options", "metric", "scoring"),
    [
        ({}, "roc_auc", ["roc_auc", "balanced_accuracy", "accuracy"]),
        ({"metric": "accuracy"}, "accuracy", ["accuracy", "balanced_accuracy"]),
        ({"scoring": "mcc"}, "mcc", ["mcc"]),
        ({"scoring": ("f1_macro", "accuracy")}, "f1_macro", ["f1_macro", "accuracy"]),
        (
            {"metric": "accuracy", "scoring": iter(["roc_auc", "accuracy"])},
            "accuracy",
            ["accuracy", "roc_auc"],
        ),
        ({"scoring": iter(["mcc", "accuracy"])}, "mcc", ["mcc", "accuracy"]),
        ({"metric": "mcc", "scoring": []}, "mcc", ["mcc"]),
        (
            {"models": {"x": LabelsOnly()}},
            "balanced_accuracy",
            ["balanced_accuracy", "accuracy"],
        ),
        ({"models": {}}, "roc_auc", ["roc_auc", "balanced_accuracy", "accuracy"]),
        ({"models": LOGIT, "metric": "brier", "scoring": ["mcc"]}, "brier", ["brier", "mcc"]),
    ],
)
def test_which_metric_decides(options, metric, scoring):
    results = small(**options).run(X, y)
    assert results.data.metric == metric
    assert results.data.scoring == scoring


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "auc"}, "metric='auc' is unknown; did you mean 'roc_auc'"),
        ({"metric": "accuracy", "scoring": ["f1"]}, "scoring='f1' is unknown"),
        ({"metric": ["accuracy"]}, r"metric=\['accuracy'\] is unknown"),
        ({"scoring": [None]}, "scoring=None is unknown"),
        ({"scoring": []}, "scoring is empty; give at least one of accuracy"),
        (
            {"metric": "log_loss"},
            r"metric='log_loss' needs predict_proba; models\['svm'\] has none, so leave it",
        ),
        (
            {"scoring": ["accuracy", "brier"], "models": {"a": LinearSVC()}},
            r"scoring='brier' needs predict_proba; models\['a'\] has none",
        ),
        (
            {"metric": "average_precision", "models": {"a": LabelsOnly()}},
            "metric='average_precision' needs decision_function or predict_proba; models",
        ),
        ({"null": -1}, "null=-1 must be an integer of at least 0"),
        ({"null": 2.0}, r"null=2\.0 must be an integer"),
        ({"null": True}, "null=True must be an integer"),
    ],
)
def test_bad_metrics_are_named_before_anything_runs(options, message, monkeypatch):
    monkeypatch.setattr("backstay.study._study.finished_tasks", None)
    with pytest.raises(ValueError, match=message) as caught:
        small(**options).run(X, y)
    assert "\n" not in str(caught.value)


def test_every_metric_of_labels_and_scores_is_scikit_learns():
    models = {"svm": SVC(kernel="linear", class_weight="balanced")}
    scoring = ["roc_auc", "average_precision", "balanced_accuracy", "mcc"]
    results = small(models=models, scoring=scoring).run(X, y)
    part = results._parts["data"]
    theirs = {
        "roc_auc": lambda truth, labels, scores: roc_auc_score(truth, scores),
        "average_precision": lambda truth, labels, scores: average_precision_score(truth, scores),
        "balanced_accuracy": lambda truth, labels, scores: balanced_accuracy_score(truth, labels),
        "mcc": lambda truth, labels, scores: matthews_corrcoef(truth, labels),
    }
    for i, order in zip(*part.orders("t"), strict=True):
        train, test = part.train(i), part.test(i)
        best = np.sort(order[:3])
        svm = SVC(kernel="linear", class_weight="balanced").fit(X[train][:, best], y[train])
        shown = y[test], svm.predict(X[test][:, best]), svm.decision_function(X[test][:, best])
        for metric, value in theirs.items():
            frame = results.runs.scores(metric).frame()
            ours = frame.loc[frame["resample"] == i, "value"].item()
            assert ours == pytest.approx(value(*shown), abs=1e-12), metric


@pytest.mark.parametrize("n_classes", [2, 3])
def test_losses_are_scikit_learns(n_classes):
    labels = np.digitize(X[:, 0], np.quantile(X[:, 0], np.arange(1, n_classes) / n_classes))
    models = {**LOGIT, "1nn": KNeighborsClassifier(1)}
    scoring = ["log_loss", "brier", "roc_auc"]
    results = small(models=models, scoring=scoring, sizes=[4]).run(X, labels)
    part = results._parts["data"]
    for i, order in zip(*part.orders("t"), strict=True):
        train, test = part.train(i), part.test(i)
        best = np.sort(order[:4])
        for name, model in models.items():
            model.fit(X[train][:, best], labels[train])
            shares = model.predict_proba(X[test][:, best])
            hits = labels[test][:, None] == np.arange(n_classes)
            theirs = {
                "log_loss": log_loss(labels[test], shares),
                "brier": brier_score_loss(labels[test], shares[:, 1])
                if n_classes == 2
                else ((shares - hits) ** 2).sum(axis=1).mean(),
                "roc_auc": roc_auc_score(labels[test], shares[:, 1])
                if n_classes == 2
                else roc_auc_score(labels[test], shares, multi_class="ovr"),
            }
            for metric, value in theirs.items():
                frame = results.runs.scores(metric).frame()
                ours = frame[(frame["resample"] == i) & (frame["model"] == name)]["value"]
                assert ours.item() == pytest.approx(value, abs=1e-9), (name, metric)


def test_a_class_without_training_rows_has_probability_nought():
    labels = np.digitize(X[:, 0], np.quantile(X[:, 0], [0.3, 0.6]))
    rows = np.arange(60)
    train = rows[(rows % 2 == 0) & (labels != 2)]
    splits = [(train, rows[rows % 2 == 1])]
    results = small(models=LOGIT, scoring=["log_loss"], resampling=splits).run(X, labels)
    ((_, outputs),) = results._parts["data"].outputs("t")
    shares = outputs[..., 1:]
    assert (shares[..., 2] == 0).all()
    np.testing.assert_allclose(shares.sum(axis=-1), 1)
    assert np.isfinite(results.runs.scores("log_loss").frame()["value"]).all()


def test_the_default_machine_sees_class_sizes():
    rng = np.random.default_rng(0)
    rare = np.repeat([0, 1], [54, 6])
    table = rng.normal(size=(60, 5)) + rare[:, None]
    blind = {"svm": make_pipeline(MinMaxScaler(), SVC(kernel="linear"))}
    default, unweighted = (
        small(resampling=Subsampling(20), sizes=[2], models=models).run(table, rare)
        for models in (None, blind)
    )
    ours, theirs = (
        results.scores("balanced_accuracy").frame().set_index("model")["value"]["svm"]
        for results in (default, unweighted)
    )
    assert theirs < 0.55
    assert ours > theirs + 0.1
