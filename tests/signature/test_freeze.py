"""Freezing repeats what a task does, on all rows, and refuses what it cannot repeat."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer, StandardScaler
from sklearn.svm import SVC

from backstay import DoublyWeightedKNeighborsClassifier, Study, TTest
from backstay.results import Results
from backstay.signature import Signature, SignatureError, freeze
from backstay.study import Subsampling
from signature.conftest import CLASSIFIERS, rows, run


def by_hand(results, X, y, name, **parameters):
    """The study's model, fitted by scikit-learn on the most frequent features."""
    columns = np.sort(results.signature("t", 4).frame()["feature"].to_numpy())
    model = clone(CLASSIFIERS[name]).set_params(**parameters)
    return model.fit(X.to_numpy()[:, columns], y), columns


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_two_classes_equal_a_pipeline_built_by_hand(name, two):
    results, X, y = two
    if name == "forest":
        pytest.importorskip("skops")
    signature = results.freeze(X, y, ("t", 4, name), include_rows=True)
    seed = {"random_state": 0} if name == "forest" else {}
    model, columns = by_hand(results, X, y, name, **seed)
    fresh, _ = rows(7)
    new = fresh.to_numpy()[:, columns]
    assert_array_equal(signature.predict(fresh), model.predict(new))
    scores = getattr(model, "decision_function", None)
    wanted = scores(new) if scores else model.predict_proba(new)[:, 1]
    if name != "bayes":  # whose score is the difference of log probabilities
        assert_allclose(signature.decision_function(fresh), wanted, rtol=0, atol=1e-9)
    if hasattr(model, "predict_proba"):
        found = signature.predict_proba(fresh)
        assert_allclose(found, model.predict_proba(new), rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", ["svm", "logistic", "centroid", "bayes", "3nn", "lda"])
def test_three_classes_equal_a_pipeline_built_by_hand(name, three):
    results, X, y = three
    signature = results.freeze(X, y, ("t", 4, name), include_rows=True)
    model, columns = by_hand(results, X, y, name)
    fresh, _ = rows(8, 90, classes=("a", "b", "c"))
    new = fresh.to_numpy()[:, columns]
    assert_array_equal(signature.predict(fresh), model.predict(new))
    if hasattr(model, "decision_function"):
        wanted = model.decision_function(new)
        assert_allclose(signature.decision_function(fresh), wanted, rtol=0, atol=1e-9)
    if hasattr(model, "predict_proba"):
        wanted = model.predict_proba(new)
        assert_allclose(signature.predict_proba(fresh), wanted, rtol=0, atol=1e-9)
    else:
        assert not hasattr(signature, "predict_proba")
        assert "two classes" in signature.document["probabilities"]


def test_preprocessing_is_fitted_on_all_rows_and_all_columns():
    X, y = rows(2)
    X.iloc[3, 0] = X.iloc[5, 2] = np.nan
    steps = [SimpleImputer(strategy="median"), StandardScaler()]
    svm = {"svm": SVC(kernel="linear")}
    results = run(X, y, preprocess=steps, models=svm)
    signature = results.freeze(X, y, ("t", 4, "svm"))
    columns = [feature["column"] for feature in signature.document["features"]]
    before = make_pipeline(*map(clone, steps)).fit(X, y)
    model = SVC(kernel="linear").fit(before.transform(X)[:, columns], y)
    fresh, _ = rows(9)
    fresh.iloc[0, 0] = np.nan
    wanted = model.decision_function(before.transform(fresh)[:, columns])
    assert_allclose(signature.decision_function(fresh), wanted, rtol=0, atol=1e-9)


def test_the_features_are_the_most_frequent_ones(two, signature):
    results, *_ = two
    wanted = results.signature("t", 4).frame()
    assert set(signature.feature_names_in_) == set(wanted["name"])
    frequency = {one["name"]: one["frequency"] for one in signature.document["features"]}
    assert frequency == dict(zip(wanted["name"], wanted["frequency"], strict=True))


def test_answers_bring_their_corrected_scores(two):
    results, X, y = two
    found = results.recommend()
    for name, answer in found.answers.items():
        if answer.model not in ("1nn", "3nn", "forest"):
            expected = results.freeze(X, y, name).document["expected"][0]
            assert expected["value"] == answer.score.value
            assert expected["corrected"]
            assert expected["spread"] >= 0
    given = results.freeze(X, y, ("t", 4, "lda")).document["expected"][0]
    assert not given["corrected"]


def test_other_data_are_refused(two):
    results, X, y = two
    with pytest.raises(SignatureError, match="X is not what the study was run on"):
        results.freeze(X + 1, y)
    with pytest.raises(SignatureError, match="y is not what the study was run on"):
        results.freeze(X, y[::-1])


def test_choices_that_are_not_there_are_refused(two):
    results, X, y = two
    with pytest.raises(ValueError, match="'best' must be one of trusted, short, accurate"):
        results.freeze(X, y, "best")
    with pytest.raises(ValueError, match="the size 5; the study has 4"):
        results.freeze(X, y, ("t", 5, "svm"))


def test_nothing_is_frozen_where_nothing_is_recommended():
    X, y = rows(3, effect=0.0)
    results = run(X, y, models={"svm": CLASSIFIERS["svm"]})
    with pytest.raises(SignatureError, match="recommends nothing"):
        results.freeze(X, y)
    assert isinstance(results.freeze(X, y, ("t", 4, "svm")), Signature)


def test_rows_are_kept_only_if_allowed(two):
    results, X, y = two
    with pytest.raises(SignatureError, match="rows of the data themselves"):
        results.freeze(X, y, ("t", 4, "1nn"))
    kinds = [results.freeze(X, y, ("t", 4, name)).document["model"]["kind"] for name in
             ("svm", "centroid", "bayes")]  # fmt: skip
    assert kinds == ["linear", "centroids", "gaussian"]


def _halved(X):
    return X / 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"preprocess": Normalizer()}, "Normalizer cannot be frozen"),
        ({"models": {"d": DoublyWeightedKNeighborsClassifier()}}, "anew on every split"),
    ],
)
def test_what_cannot_be_repeated_is_refused(options, message):
    X, y = rows(4)
    options = {"models": {"d": CLASSIFIERS["lda"]}} | options
    results = run(X, y, **options)
    with pytest.raises(SignatureError, match=message):
        results.freeze(X, y, ("t", 4, "d"))


@pytest.mark.parametrize(
    "model",
    [
        make_pipeline(FunctionTransformer(_halved), LinearDiscriminantAnalysis()),
        LogisticRegression(class_weight={"ill": 2.0, "well": 1.0}),
    ],
)
def test_what_a_store_cannot_describe_is_frozen_where_it_was_run(model, tmp_path):
    if isinstance(model, Pipeline):
        pytest.importorskip("skops")
    X, y = rows(4)
    results = run(X, y, models={"d": model})
    signature = results.freeze(X, y, ("t", 4, "d"))
    columns = [feature["column"] for feature in signature.document["features"]]
    values = X.to_numpy()[:, columns]
    wanted = clone(model).fit(values, y).decision_function(values)
    assert_allclose(signature.decision_function(X), wanted, rtol=0, atol=1e-9)
    results.save(tmp_path / "study.db")
    with pytest.raises(SignatureError, match=r"describes model, .* give it to freeze"):
        Results.load(tmp_path / "study.db").freeze(X, y, ("t", 4, "d"))


def test_a_loaded_study_freezes_the_same(two, tmp_path):
    results, X, y = two
    results.save(tmp_path / "study.db")
    loaded = Results.load(tmp_path / "study.db")
    for choice in ("trusted", ("t", 4, "liblinear"), ("t", 4, "shrunken")):
        new, old = (one.freeze(X, y, choice, include_rows=True) for one in (loaded, results))
        assert new.document == old.document


def test_learned_weights_of_rows_are_not_frozen():
    X, y = rows(4)
    results = run(X, y, models={"svm": CLASSIFIERS["svm"]}, weight_models=True)
    with pytest.raises(SignatureError, match="freeze a study with weight_models=False"):
        results.freeze(X, y, ("t", 4, "svm"))


@pytest.mark.parametrize("positive", ["ill", "well"])
def test_the_positive_class_may_be_named(positive):
    X, y = rows(4)
    study = Study({"t": TTest()}, Subsampling(4), sizes=[4], random_state=0, verbose=0)
    results = study.run(X, y, positive=positive)
    signature = results.freeze(X, y, ("t", 4, "svm"))
    assert signature.classes_[1] == positive
    assert (signature.predict(X) == y).mean() > 0.6
    assert signature.decision_function(X)[y == positive].mean() > 0
    assert signature.validate(X, y).main.found.value > 0.7


def test_a_classifier_that_cannot_be_rebuilt_may_be_given():
    X, y = rows(4)
    own = LogisticRegression(class_weight={"ill": 2.0, "well": 1.0})
    results = run(X, y, models={"own": own})
    signature = freeze(results, X, y, ("t", 4, "own"), models={"own": own})
    columns = [feature["column"] for feature in signature.document["features"]]
    wanted = clone(own).fit(X.to_numpy()[:, columns], y).decision_function(X.to_numpy()[:, columns])
    assert_allclose(signature.decision_function(X), wanted, rtol=0, atol=1e-9)
    with pytest.raises(SignatureError, match="model is not the one of the study"):
        freeze(results, X, y, ("t", 4, "own"), models={"own": LogisticRegression(C=2.0)})


def test_calibration_uses_tested_rows_and_rises(two, signature):
    results, X, _ = two
    calibration = signature.document["calibration"]
    assert calibration["kind"] == "platt"
    assert calibration["slope"] > 0
    chances, scores = signature.predict_proba(X), signature.decision_function(X)
    assert_allclose(chances.sum(axis=1), 1)
    assert_array_equal(np.argsort(scores, kind="stable"), np.argsort(chances[:, 1], kind="stable"))
    # Of tested rows probabilities are right on average: Platt's targets apart.
    tested = results.predictions.rows("t", 4, "svm").frame()
    weight = 1 / tested.groupby("row")["row"].transform("size")
    log_odds = calibration["slope"] * tested["score"] + calibration["intercept"]
    said = float((weight / (1 + np.exp(-log_odds))).sum())
    seen = float((weight * (tested["class"] == 1)).sum())
    assert said == pytest.approx(seen, abs=1.1)


def test_too_few_rows_have_no_calibration():
    X, y = rows(5, n=18)
    results = run(X, y, models={"svm": CLASSIFIERS["svm"]})
    signature = results.freeze(X, y, ("t", 4, "svm"))
    assert signature.document["calibration"] is None
    assert not hasattr(signature, "predict_proba")
    assert "needs scores of 10 tested rows" in signature.document["probabilities"]


@pytest.mark.parametrize(
    ("unit", "name"),
    [(2.0**-17, "3nn"), (1e-5, "lda"), (1e-17, "svm"), (1e-17, "centroid"), (1e15, "bayes")],
)
def test_the_unit_of_the_table_does_not_matter(unit, name):
    X, y = rows(6)
    fresh, labels = rows(7)
    models = {name: CLASSIFIERS[name]}
    wanted, found = (
        run(table, y, models=models).freeze(table, y, ("t", 4, name), include_rows=True)
        for table in (X, X * unit)
    )
    features = found.document["features"]
    columns = [feature["column"] for feature in features]
    assert columns == [feature["column"] for feature in wanted.document["features"]]
    # Described as given, and predicted as the models of the study did.
    assert_allclose([one["mean"] for one in features], (X * unit).iloc[:, columns].mean())
    assert_array_equal(found.predict(fresh * unit), wanted.predict(fresh))
    scores = (wanted.decision_function(fresh), found.decision_function(fresh * unit))
    if name in ("svm", "3nn"):  # scaled to [0, 1]
        assert_allclose(*scores, rtol=1e-6, atol=1e-9)
    else:  # in proportion, or apart by a constant
        assert_array_equal(*(np.argsort(one, kind="stable") for one in scores))
    validation = found.validate(fresh * unit, labels)
    assert validation.main.found.value == wanted.validate(fresh, labels).main.found.value
    assert not [one for one in validation.shifts if one.moved]


def test_small_numbers_keep_their_unit_from_file_to_file(tmp_path):
    X, y = rows(6)
    X = X * 1e-17  # far below what scikit-learn's scalers tell from constants
    signature = run(X, y, models={"svm": CLASSIFIERS["svm"]}).freeze(X, y, ("t", 4, "svm"))
    loaded = Signature.load(signature.save(tmp_path / "signature.json"))
    assert loaded.document["steps"][0]["scale"][0] > 1e15
    assert (loaded.predict(X) == y).mean() > 0.6
