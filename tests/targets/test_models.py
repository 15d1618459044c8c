"""Outputs of models of classes; the direct way gives what scikit-learn's pipelines give."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from backstay.targets import as_target, find_metric

MODELS = [
    KNeighborsClassifier(1),
    SVC(kernel="linear"),
    SVC(kernel="linear", C=0.1),
    SVC(kernel="linear", class_weight="balanced"),
]


def both_ways(pipeline, target, X, train, test, keep):
    """Outputs by the shortcut and by scikit-learn's pipeline."""
    scaler = MinMaxScaler().fit(X[train])
    coded = target.coded(target.values[train])
    shortcut = target.shortcut(pipeline, keep)
    direct = shortcut(scaler.transform(X[train]), coded, scaler.transform(X[test]))
    pipeline.fit(X[train], target.values[train])
    return direct, target.outputs(pipeline, X[test], keep, target.values[train])


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer, load_digits])
@pytest.mark.parametrize("model", MODELS)
def test_same_predictions_and_scores(load, model):
    X, y = load(return_X_y=True)
    rng = np.random.default_rng(0)
    X = X + 1e-6 * rng.random(X.shape)  # digits have equally near rows, which may be any
    rows = rng.permutation(len(y))
    train, test = rows[:60], rows[60:200]
    pipeline, target = make_pipeline(MinMaxScaler(), model), as_target(y)
    direct, general = both_ways(pipeline, target, X, train, test, "scores")
    np.testing.assert_array_equal(direct, general)
    assert direct.shape == (len(test), target.n_columns("scores"))
    np.testing.assert_array_equal(target.names, np.unique(y))
    predicted = np.array(target.names)[direct[:, 0].astype(int)]
    np.testing.assert_array_equal(predicted, pipeline.predict(X[test]))
    theirs = getattr(pipeline, "decision_function", None) or pipeline.predict_proba
    scores = theirs(X[test]).reshape(len(test), -1)
    if scores.shape[1] == 2:  # of two classes, the column of the second
        scores = scores[:, 1:]
    assert len(np.unique(y[train])) == len(target.names)
    np.testing.assert_array_equal(direct[:, 1:], scores)
    labels, same = both_ways(pipeline, target, X, train, test, "predictions")
    np.testing.assert_array_equal(labels, direct[:, :1])
    np.testing.assert_array_equal(same, labels)


@pytest.mark.parametrize("balanced", [False, True])
def test_unequal_classes_are_weighed_as_by_scikit_learn(balanced):
    rng = np.random.default_rng(0)
    rows, classes = rng.random((60, 4)), np.repeat([0, 1, 2], [40, 15, 5])
    test, target = rng.random((200, 4)), as_target(classes)

    def shortened(balanced):
        svc = SVC(kernel="linear", class_weight="balanced" if balanced else None)
        shortcut = target.shortcut(make_pipeline(MinMaxScaler(), svc), "scores")
        return shortcut(rows, target.coded(classes), test), svc.fit(rows, classes)

    found, svc = shortened(balanced)
    np.testing.assert_array_equal(found[:, 0], svc.predict(test))
    np.testing.assert_array_equal(found[:, 1:], svc.decision_function(test))
    other, _ = shortened(not balanced)
    assert (other[:, 0] != found[:, 0]).any()


@pytest.mark.parametrize(
    "other",
    [
        SVC(kernel="linear"),
        make_pipeline(StandardScaler(), SVC(kernel="linear")),
        make_pipeline(MinMaxScaler(clip=True), SVC(kernel="linear")),
        make_pipeline(MinMaxScaler(), SVC(kernel="linear", class_weight={0: 2})),
        make_pipeline(MinMaxScaler(), SVC()),
        make_pipeline(MinMaxScaler(), KNeighborsClassifier(3)),
        make_pipeline(MinMaxScaler(), KNeighborsClassifier(1, metric="manhattan")),
    ],
)
def test_others_go_the_general_way(other):
    assert as_target([0, 1]).shortcut(other, "scores") is None


def test_probabilities_go_the_general_way():
    target = as_target([0, 1])
    for model in target.default_models().values():
        assert target.shortcut(model, "scores") is not None
        assert target.shortcut(model, "probabilities") is None


def test_a_class_without_training_rows_gets_the_least_score():
    X, y = load_wine(return_X_y=True)
    target = as_target(y)
    train, test = np.flatnonzero((y != 1) & (np.arange(len(y)) % 2 == 0)), np.arange(1, len(y), 2)
    for model in target.default_models().values():
        direct, general = both_ways(model, target, X, train, test, "scores")
        np.testing.assert_array_equal(direct, general)
        assert (direct[:, 2] == -np.inf).all()
        assert set(direct[:, 0]) == {0.0, 2.0}


def test_many_rows_get_models_whose_time_grows_with_the_rows():
    few, many = as_target(np.arange(5000) % 2), as_target(np.arange(5001) % 2)
    assert list(few.default_models()) == ["svm", "1nn"]
    assert list(many.default_models()) == ["svm"]
    models, words = many.models_for(find_metric("roc_auc"))
    assert list(models) == ["svm"]
    assert "more than 5,000 rows, without 1-NN" in words
    X = np.random.default_rng(0).normal(size=(5001, 2)) + np.arange(5001)[:, None] % 2
    model = many.default_models()["svm"].fit(X, many.values)
    assert many.outputs(model, X, "scores", many.values).shape == (5001, 2)
    numbers = as_target(np.linspace(0, 1, 5001))
    assert list(numbers.default_models()) == ["ridge"]
    assert "more than 5,000 rows, without 5-NN" in numbers.models_for(find_metric("r2"))[1]
