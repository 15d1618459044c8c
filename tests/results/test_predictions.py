"""Mistakes on test rows, against plain loops, and areas under the curves of scores."""

import numpy as np
import pytest
from scipy import integrate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from backstay import FStatistic
from backstay.study import Study, Subsampling
from backstay.targets import as_target
from reference import stability as reference


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
    table = results.predictions.table("confusion", "f", 4, "1nn").frame()
    for line in table.to_dict("records"):
        shares = [
            said.count(line["predicted"]) / len(said)
            for (_, own), said in tests.items()
            if own == line["true"]
        ]
        assert line["rows"] == pytest.approx(sum(shares))
        assert line["share"] == pytest.approx(np.mean(shares))
    samples = results.predictions.table("misclassified", "f", 4, "1nn").frame()
    assert samples["share"].is_monotonic_decreasing
    for line in samples.to_dict("records"):
        said = tests[line["row"], line["class"]]
        assert line["n_runs"] == len(said)
        assert line["share"] == pytest.approx(1 - said.count(line["class"]) / len(said))
        if line["share"]:
            wrong = [name for name in said if name != line["class"]]
            assert wrong.count(line["taken_for"]) == max(map(wrong.count, wrong))
    recalls = results.predictions.table("recalls", "f", 4, "1nn").frame()
    own = table[table["true"] == table["predicted"]]
    assert recalls["recall"].tolist() == pytest.approx(own["share"].tolist())
    assert (recalls["low"] <= recalls["recall"]).all()
    assert (recalls["recall"] <= recalls["high"]).all()
    assert recalls["rows"].sum() == len(samples)


def test_the_area_under_the_mean_curve_is_the_mean_score(results):
    for kind, metric in (("roc", "roc_auc"), ("precision_recall", "average_precision")):
        scores = results.runs.scores(metric).frame()
        here = (scores["size"] == 4) & (scores["model"] == "svm")
        curves = results.predictions.table(kind, "f", 4, "svm").frame()
        areas = [integrate.trapezoid(one["y"], one["x"]) for _, one in curves.groupby("class")]
        assert len(areas) == (1 if len(results.data.target.names) == 2 else 3)
        assert np.mean(areas) == pytest.approx(scores[here]["value"].mean(), abs=1e-9)
        assert (curves["low"] <= curves["y"] + 1e-12).all()


def test_without_scores_there_is_no_curve():
    labels = study(2, metric="balanced_accuracy", scoring=["accuracy"])
    assert len(labels.predictions.table("roc", "f", 4)) == 0
    assert len(labels.predictions.table("confusion")) == 4  # of what a report is about
    with pytest.raises(ValueError, match="has no table 'lift'; it has confusion"):
        labels.predictions.table("lift", "f", 4)


PARTS = ["error", "bias", "variance", "net_variance"]


def test_bias_and_variance_by_hand():
    # Four runs on rows a, a, b, c. Row 0: aaab, right. Row 1: bbba, wrong though one run is right.
    # Row 2: cca-, wrong and never right; row 3 was tested once and does not count.
    votes = np.array([[0, 1, 2, 2], [0, 1, 2, 0], [0, 1, 0, 0], [1, 0, 0, 0]])
    tested = [[0, 1, 2, 3], [0, 1, 2], [0, 1, 2], [0, 1]]
    runs = [
        (np.array(t), v[: len(t), None]) for t, v in zip(tested, votes.astype(float), strict=True)
    ]
    (found,) = as_target(list("aabc")).table("bias_variance", runs)
    assert found.pop("rows") == 3
    expected = [
        (1 / 4 + 3 / 4 + 1) / 3,
        2 / 3,
        (1 / 4 + 1 / 4 + 1 / 3) / 3,
        (1 / 4 - 1 / 4 + 0) / 3,
    ]
    assert list(found.values()) == pytest.approx(expected)
    oracle = reference.model_bias_variance(["aaab", "bbba", "cca"], "aab")
    assert np.mean(np.array(oracle, float), axis=0) == pytest.approx(expected)


def test_bias_and_variance_of_models_equal_the_oracle_and_add_up(results):
    tests = {}
    for row, own, said in predictions(results, 4, "1nn"):
        tests.setdefault((row, own), []).append(said)
    again = {key: votes for key, votes in tests.items() if len(votes) > 1}
    oracle = reference.model_bias_variance(again.values(), [own for _, own in again])
    table = results.predictions.bias_variance().frame()
    assert len(table) == 4
    assert table["error"].tolist() == pytest.approx(
        (table["bias"] + table["net_variance"]).tolist()
    )
    line = table.query("model == '1nn' and size == 4").iloc[0]
    assert line["rows"] == len(again)
    assert line[PARTS].tolist() == pytest.approx(np.mean(np.array(oracle, float), axis=0))
    stability = results.stability().frame().query("size == 4")["value"].item()
    assert line["stability"] == stability
