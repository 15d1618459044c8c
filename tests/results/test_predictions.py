"""Mistakes on test rows, against plain loops, and areas under the curves of scores."""

import numpy as np
import pytest
from scipy import integrate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from backstay import FStatistic
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
    names = results.data.target.names
    frame = results.predictions.rows("f", size, model).frame()
    for row, own, said in zip(frame["row"], frame["class"], frame["predicted"], strict=True):
        yield row, names[own], names[said]


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
        areas = [integrate.trapezoid(one["y"], one["x"]) for _, one in curves.groupby("class")]
        assert len(areas) == (1 if len(results.data.target.names) == 2 else 3)
        assert np.mean(areas) == pytest.approx(scores[here]["value"].mean(), abs=1e-9)
        assert (curves["low"] <= curves["y"] + 1e-12).all()


def test_without_scores_there_is_no_curve():
    labels = study(2, metric="balanced_accuracy", scoring=["accuracy"])
    assert len(labels.predictions.roc("roc", "f", 4)) == 0
    assert len(labels.predictions.confusion()) == 4  # of what a report is about
    with pytest.raises(ValueError, match="'lift' must be 'roc' or 'precision_recall'"):
        labels.predictions.roc("lift", "f", 4)
