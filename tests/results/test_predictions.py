"""Mistakes on test rows, and curves of scores, against loops and against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from backstay import FStatistic
from backstay.results import curve_area, mean_curve
from backstay.study import Study, Subsampling


def study(n_classes, **options):
    rng = np.random.default_rng(n_classes)
    y = np.arange(20 * n_classes) % n_classes
    X = rng.normal(size=(len(y), 8)) + 0.8 * (y[:, None] == np.arange(8) % n_classes)
    models = {"svm": SVC(kernel="linear"), "1nn": KNeighborsClassifier(1)}
    made = Study({"f": FStatistic()}, Subsampling(5), sizes=[2, 4], models=models,
                 random_state=0, verbose=0, **options)  # fmt: skip
    return made.run(X, np.array(list("abcd"))[y])


@pytest.fixture(scope="module", params=[2, 3])
def results(request):
    return study(request.param)


def predictions(results, size, model):
    """Yield true and predicted class of every test row of every run, one by one."""
    records = results._one()
    by, at = records.models.index(model), records.sizes.index(size)
    for resample, predicted in records.predicted("f"):
        for row, code in zip(records.test(resample), predicted[by, at], strict=True):
            yield int(row), records.classes[records.codes[row]], records.classes[code]


def test_every_row_counts_once(results):
    tests = {}
    for row, own, said in predictions(results, 4, "1nn"):
        tests.setdefault((row, own), []).append(said)
    table = results.predictions.confusion("f", 4, "1nn").frame()
    for line in table.to_dict("records"):
        shares = [
            said.count(line["predicted"]) / len(said)
            for (_, own), said in tests.items()
            if own == line["true"]
        ]
        assert line["rows"] == pytest.approx(sum(shares))
        assert line["share"] == pytest.approx(np.mean(shares))
    samples = results.predictions.misclassified("f", 4, "1nn").frame()
    assert samples["share"].is_monotonic_decreasing
    for line in samples.to_dict("records"):
        said = tests[line["row"], line["class"]]
        assert line["n_runs"] == len(said)
        assert line["share"] == pytest.approx(1 - said.count(line["class"]) / len(said))
        if line["share"]:
            wrong = [name for name in said if name != line["class"]]
            assert wrong.count(line["taken_for"]) == max(map(wrong.count, wrong))
    recalls = results.predictions.recalls("f", 4, "1nn").frame()
    own = table[table["true"] == table["predicted"]]
    assert recalls["recall"].tolist() == pytest.approx(own["share"].tolist())
    assert (recalls["low"] <= recalls["recall"]).all()
    assert (recalls["recall"] <= recalls["high"]).all()
    assert recalls["rows"].sum() == len(samples)


def test_the_area_under_the_mean_curve_is_the_mean_score(results):
    for kind, metric in (("roc", "roc_auc"), ("precision_recall", "average_precision")):
        scores = results.runs.scores(metric).frame()
        here = (scores["size"] == 4) & (scores["model"] == "svm")
        curves = results.predictions.roc(kind, "f", 4, "svm").frame()
        areas = [curve_area(curve) for _, curve in curves.groupby("class")]
        assert len(areas) == (1 if len(results.data.classes) == 2 else 3)
        assert np.mean(areas) == pytest.approx(scores[here]["value"].mean(), abs=1e-9)
        assert (curves["low"] <= curves["y"] + 1e-12).all()


def test_without_scores_there_is_no_curve():
    labels = study(2, metric="balanced_accuracy", scoring=["accuracy"])
    assert len(labels.predictions.roc("roc", "f", 4)) == 0
    assert len(labels.predictions.confusion()) == 4  # of what a report is about
    with pytest.raises(ValueError, match="'lift' must be 'roc' or 'precision_recall'"):
        mean_curve("lift", [])


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_a_single_curve_is_scikit_learns(seed, ties):
    rng = np.random.default_rng(seed)
    positive = rng.permutation(np.arange(int(rng.integers(4, 30))) % 3 == 0)
    scores = rng.normal(size=len(positive)) + positive
    scores = scores.round() if ties else scores
    curve = mean_curve("roc", [(positive, scores)])
    assert curve_area(curve) == pytest.approx(roc_auc_score(positive, scores))
    alarms, hits, _ = roc_curve(positive, scores, drop_intermediate=False)
    inside = np.linspace(0, 1, 101)[1:-1] + 1e-4
    inside = inside[np.abs(inside[:, None] - alarms).min(axis=1) > 1e-3]
    x, y = curve["x"].to_numpy(), curve["y"].to_numpy()
    np.testing.assert_allclose(np.interp(inside, x, y), np.interp(inside, alarms, hits), atol=1e-9)
    curve = mean_curve("precision_recall", [(positive, scores)])
    # As the metric of a study has it: precision at each positive row, ties as high as itself.
    expected = average_precision_score(positive, scores)
    assert curve_area(curve) == pytest.approx(expected)
    assert (curve["low"] <= curve["high"]).all()


def test_a_run_without_both_classes_has_no_curve():
    assert len(mean_curve("roc", [(np.ones(3, bool), np.arange(3.0))])) == 0
