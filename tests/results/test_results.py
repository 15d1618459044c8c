"""Tables and decisions: what they say is what slow computations say."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from backstay import InstanceWeighted, MarginWeighting, ReliefF
from backstay.datasets import make_han_yu
from backstay.feature_weighting import TTest
from backstay.results import Configuration, Results, Table
from backstay.results._comparisons import stability_difference
from backstay.stability import bias_variance, list_measures
from backstay.study import Study, Subsampling
from reference.study import agreement, kuncheva

D, M = 60, 12
HARD = {"n_features": D, "n_relevant": 10, "correlation": 0.3, "shift": 0.1}
X, y, TRUTH = make_han_yu(50, **HARD, random_state=0)


class AnyColumns(BaseEstimator):
    """The columns in a random order that does not look at the labels."""

    def fit(self, X, y):
        self.feature_importances_ = np.random.default_rng(int(abs(X).sum())).random(X.shape[1])
        return self


def study(**options):
    return Study(
        {"t": TTest(), "mbiw": InstanceWeighted(ReliefF(), MarginWeighting())},
        Subsampling(M),
        sizes=[3, 10],
        scoring=["accuracy", "balanced_accuracy", "f1_macro", "roc_auc"],
        random_state=0,
        **options,
    )


@pytest.fixture(scope="module")
def results():
    return study().run(X, y, truth=TRUTH)


@pytest.fixture(scope="module")
def part(results):
    return results._parts["data"]


@pytest.fixture(scope="module")
def many():
    data = {}
    for seed in range(4):
        rows, labels, _ = make_han_yu(40, **HARD, random_state=seed)
        data[f"d{seed}"] = (rows, labels)
    methods = {"t": TTest(), "relieff": ReliefF(), "other": TTest(n_features_to_select=3)}
    one = {"1nn": KNeighborsClassifier(1)}
    chosen = Study(methods, Subsampling(6), models=one, sizes=[3, 8], random_state=0)
    return chosen.run_many(data)


# Tables.


def test_stability_is_that_of_the_subsets(results, part):
    frame = results.stability("kuncheva").frame()
    for row in frame.itertuples():
        _, orders = part.orders(row.method)
        assert row.value == pytest.approx(kuncheva(orders[:, : row.size].tolist(), D))
        assert row.low < row.value < row.high
    assert results.stability().frame()["value"].tolist() == pytest.approx(frame["value"].tolist())


def test_stability_by_any_measure(results):
    table = list_measures()
    plain = table[~table.needs_similarity & (table.input == "subsets")]
    for name in plain["name"]:
        frame = results.stability(name).frame()
        assert np.isfinite(frame["value"]).all(), name
    with_partners = results.stability("pogr", similarity=np.eye(D, k=1) + np.eye(D, k=-1) > 0)
    assert len(with_partners) == 3 * 2 + 2
    assert len(results.stability(sizes="all")) == 4 * D


def test_all_features_are_no_selection():
    found = Study({"t": TTest()}, Subsampling(3), models={}, sizes=[2, 5], random_state=0).run(
        X[:, :5], y
    )
    frame = found.stability().frame()
    assert frame["value"].isna().tolist() == [False, True]
    assert found.compare("t", "t").stability.difference == 0  # over the sizes that select


def test_accuracy_intervals_are_corrected(results, part):
    frame = results.scores("accuracy", confidence=0.9).frame()
    row = frame.query("method == 'mbiw' and model == '1nn' and size == 10").iloc[0]
    runs = part.scores("mbiw", "accuracy")[1][:, 1, 1]
    from scipy import stats

    error = np.sqrt((1 / M + 17 / 33) * runs.var(ddof=1))
    half = stats.t.ppf(0.95, M - 1) * error
    assert (row.value, row.low, row.high) == pytest.approx(
        (runs.mean(), runs.mean() - half, min(runs.mean() + half, 1.0))
    )
    assert list(results.scores().frame()["metric"].unique()) == results.data.scoring


def test_scores_are_those_of_classifiers_trained_by_hand(results, part):
    table = results.runs.scores("accuracy").frame()
    resamples, orders = part.orders("t")
    for resample, order in zip(resamples[:3], orders[:3], strict=True):
        train, test = part.train(resample), part.test(resample)
        chosen = np.sort(order[:10])
        low, high = X[train].min(axis=0), X[train].max(axis=0)
        Z = ((X - low) / (high - low))[:, chosen]
        model = SVC(kernel="linear").fit(Z[train], y[train])
        row = table.query("method == 't' and resample == @resample and size == 10")
        value = row.loc[row.model == "svm", "value"].item()
        assert value == pytest.approx(model.score(Z[test], y[test]))


def test_frequencies_and_signatures(results, part):
    _, orders = part.orders("t")
    counts = np.bincount(orders[:, :10].ravel(), minlength=D) / M
    frame = results.selections.frequency(10).frame().query("method == 't'")
    assert frame["frequency"].is_monotonic_decreasing
    assert dict(zip(frame["feature"], frame["frequency"], strict=True)) == pytest.approx(
        {j: f for j, f in enumerate(counts) if f > 0}
    )
    signature = results.signature("t", 10).frame()
    assert len(signature) == 10
    least = signature["frequency"].min()
    assert set(np.flatnonzero(counts > least)) <= set(signature["feature"])
    assert set(signature.loc[signature["core"], "feature"]) == set(np.flatnonzero(counts > 0.5))
    assert signature["name"].tolist() == [f"x{j}" for j in signature["feature"]]


def test_weights_bias_and_variance(results, part):
    frame = results.weights.bias_variance().frame()
    row = frame[frame.method == "t"].iloc[0]
    _, weights = part.weights("t")
    expected = bias_variance(weights, TRUTH, normalize=True)
    assert (row.error, row.variance) == pytest.approx((expected.error, expected.variance))
    assert row.error == pytest.approx(row.bias_squared + row.variance)
    variance = results.weights.variance().frame().query("method == 't' and measure == 'variance'")
    assert variance["value"].item() == pytest.approx(expected.variance)
    without = study(models={}).run(X, y)
    with pytest.raises(ValueError, match="truth is not known"):
        without.weights.bias_variance()


def test_prediction_stability_is_that_of_all_pairs(results, part):
    frame = results.predictions.stability().frame()
    models = [
        dict(zip(rows.tolist(), outputs[0, 1, :, 0].tolist(), strict=True))
        for rows, outputs in part.tested("mbiw")
    ]
    rows = frame.query("method == 'mbiw' and model == 'svm' and size == 10")
    found = dict(zip(rows["measure"], rows["value"], strict=True))
    assert (found["agreement"], found["pooled_kappa"]) == pytest.approx(agreement(models))
    assert (frame["low"] <= frame["value"]).all()


def test_instance_weights_show_the_outlying_row():
    clear, labels, _ = make_han_yu(50, n_features=D, shift=1, random_state=0)
    labels[0] = 1 - labels[0]  # on the wrong side, so its margins are unlike all others
    frame = study(models={}).run(clear, labels).samples.weights().frame()
    weighted = frame[frame.method == "mbiw"]
    assert weighted.loc[weighted["weight"].idxmin(), "row"] == 0
    uniform = frame[frame.method.str.contains("control")]
    assert np.allclose(uniform["weight"], 1)
    assert set(frame["method"]) == {"mbiw", "ReliefF (control, mean 1)"}


def test_times_and_similarity(results, part):
    times = results.runs.times().frame()
    assert (times["total_seconds"] >= times["method_seconds"] + times["model_seconds"]).all()
    frame = results.selections.similarity(10).frame()
    assert (frame.query("first == second")["kuncheva"] == 1).all()
    row = frame.query("first == 't' and second == 'ReliefF'").iloc[0]
    a, b = part.orders("t")[1][:, :10], part.orders("ReliefF")[1][:, :10]
    shared = np.mean([len(set(one) & set(two)) for one, two in zip(a, b, strict=True)])
    assert row.shared == pytest.approx(shared)
    assert row.kuncheva == pytest.approx((shared - 100 / D) / (10 - 100 / D))


def test_everything_has_a_frame_and_a_repr(results):
    tables = [
        results.stability(), results.scores(), results.runs.scores("accuracy"),
        results.selections.frequency(3), results.signature("t", 3), results.weights.variance(),
        results.weights.bias_variance(), results.predictions.stability(), results.samples.weights(),
        results.runs.times(), results.selections.similarity(3), results.runs.errors(),
        results.weights.gains(), results.comparisons.summary(), results.comparisons.pareto(),
    ]  # fmt: skip
    for table in tables:
        assert isinstance(table, Table)
        assert table.title in repr(table)
        assert table.title in table._repr_html_()
        frame = table.frame()
        frame["new"] = 1
        assert "new" not in table.frame()
    for other in (results.compare("t", "mbiw"), results.recommend(n_bootstrap=20)):
        assert isinstance(other.frame(), pd.DataFrame)
        assert repr(other)
    frame = results.frame()
    assert {"stability", "stability_low", "accuracy", "roc_auc_high"} <= set(frame)
    assert len(frame) == 4 * 2 * 2


def test_results_stay_few_and_the_rest_is_grouped(results):
    public = {name for name in dir(results) if not name.startswith("_")}
    assert len(public) <= 27
    assert len(Results.__mro__) == 3  # one base, which the accessors share
    for name in ("runs", "selections", "predictions", "samples", "weights", "comparisons"):
        assert name in public
        assert getattr(results, name)._parts is results._parts


def test_a_notebook_names_the_metric():
    few = Study({"t": TTest()}, Subsampling(3), scoring="roc_auc", sizes=[2], random_state=0)
    page = few.run(X, y)._repr_html_()
    assert "stability and AUC" in page
    assert "<th>AUC</th>" in page
    assert "accuracy" not in page


def test_empty_tables_have_the_columns_of_full_ones(results):
    few = Study({"t": TTest()}, Subsampling(3), models={}, sizes=[2], random_state=0)
    empty = few.run(X, y)
    assert (
        len(empty.weights.gains()) == len(empty.samples.weights()) == len(empty.runs.errors()) == 0
    )
    assert list(empty.weights.gains().frame()) == list(results.weights.gains().frame())
    assert list(empty.samples.weights().frame()) == list(results.samples.weights().frame())
    assert list(empty.runs.errors().frame()) == ["dataset", "method", "resample", "stage", "error"]
    once = Study({"t": TTest()}, Subsampling(1), models={}, sizes=[2], random_state=0)
    nobody = once.run(X, y).signature("t", 2).frame()
    assert nobody.empty
    assert list(nobody) == list(results.signature("t", 10).frame())


def test_a_study_without_classifiers_has_no_accuracy():
    found = study(models={}).run(X, y)
    with pytest.raises(ValueError, match="no models"):
        found.scores()
    with pytest.raises(ValueError, match="no models"):
        found.recommend()
    with pytest.raises(ValueError, match="no models"):
        _ = found.compare("t", "mbiw").accuracy
    assert len(found.frame()) == 8
    assert found.weights.gains().frame()["quantity"].unique().tolist() == ["stability"]


# Gains and comparisons.


def test_gains_are_paired_differences(results, part):
    frame = results.weights.gains().frame()
    assert set(frame["method"]) == {"mbiw"}
    assert set(zip(frame["over"], frame["reference"], strict=True)) == {
        ("control", "ReliefF (control, mean 1)"),
        ("plain", "ReliefF"),
    }
    row = frame.query("over == 'plain' and size == 10 and model == 'svm'").iloc[0]
    a, b = (part.scores(m, "accuracy")[1][:, 0, 1] for m in ("ReliefF", "mbiw"))
    assert row.gain == pytest.approx((b - a).mean())
    row = frame.query("over == 'control' and size == 3 and quantity == 'stability'").iloc[0]
    a, b = (
        kuncheva(part.orders(m)[1][:, :3].tolist(), D)
        for m in ("ReliefF (control, mean 1)", "mbiw")
    )
    assert row.gain == pytest.approx(b - a)


def test_compare_is_first_minus_second(results, part):
    found = results.compare("t", "mbiw", size=10)
    a, b = (part.scores(m, "accuracy")[1][:, 0, 1] for m in ("t", "mbiw"))
    assert found.accuracy.difference == pytest.approx((a - b).mean())
    a, b = (kuncheva(part.orders(m)[1][:, :10].tolist(), D) for m in ("t", "mbiw"))
    assert found.stability.difference == pytest.approx(a - b)
    assert repr(found).startswith("t minus mbiw\n  data, accuracy: ")
    assert found.frame()["quantity"].tolist() == ["accuracy", "stability"]
    by_area = results.compare("t", "mbiw", metric="roc_auc")
    assert "\n  data, AUC: " in repr(by_area)
    assert by_area.frame()["quantity"].tolist() == ["roc_auc", "stability"]


def test_rivals_are_compared_with_the_method_given(results):
    chosen = Configuration("t", 10)
    rivals = results.comparisons.rivals(chosen)
    assert [found.first for found in rivals] == [m for m in results.methods if m != "t"]
    for found in rivals:
        assert found.second == "t"
        assert found.stability == results.compare(found.first, "t", size=10).stability


def test_intervals_of_few_runs_are_students(results):
    found = results.compare("t", "mbiw").stability
    half = stats.t.ppf(0.975, M - 1) * found.difference / found.statistic
    assert (found.low, found.high) == pytest.approx(
        (found.difference - half, found.difference + half)
    )
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(found.statistic), M - 1))


def test_compare_is_antisymmetric(results):
    one, two = results.compare("t", "mbiw"), results.compare("mbiw", "t")
    for quantity in ("accuracy", "stability"):
        a, b = getattr(one, quantity), getattr(two, quantity)
        assert a.difference == pytest.approx(-b.difference)
        assert a.p_value == pytest.approx(b.p_value)
        assert (a.low, a.high) == pytest.approx((-b.high, -b.low))


def test_compare_by_other_tests(results):
    assert results.compare("t", "mbiw", test="signed_rank").accuracy.test == "signed_rank"
    with pytest.raises(ValueError, match="needs the 10 resamples of FiveByTwo"):
        results.compare("t", "mbiw", test="five_by_two_t")


def test_a_method_does_not_differ_from_itself(results):
    found = results.compare("t", "t")
    assert found.accuracy.p_value == found.stability.p_value == 1


def test_type_one_error_of_the_stability_test():
    """Two procedures that select alike: correlated by run, equally stable."""

    class Fake:
        n_features, sizes, methods = 40, [5], ["a", "b"]
        check_method = staticmethod(lambda name: name)
        check_size = staticmethod(lambda size: 0)

        def __init__(self, rng):
            shared = rng.normal(size=(20, 40)) + np.linspace(2, 0, 40)
            self.rank = {m: shared + 0.7 * rng.normal(size=(20, 40)) for m in "ab"}

        def once(self, key, compute):
            return compute()

        def orders(self, method):
            return np.arange(20), np.argsort(-self.rank[method], axis=1)

    rng = np.random.default_rng(0)
    found = [
        stability_difference(Fake(rng), Configuration("b", 5), Configuration("a", 5)).p_value
        for _ in range(500)
    ]
    assert 0.02 <= np.mean(np.array(found) < 0.05) <= 0.09


def test_summary_counts_data_sets(many):
    frame = many.comparisons.summary().frame()
    assert len(frame) == 3
    assert (frame["n_datasets"] == 4).all()
    counts = frame[["accuracy_better", "accuracy_equal", "accuracy_worse"]].sum(axis=1)
    assert (counts == 4).all()
    row = frame.query("first == 't' and second == 'relieff'").iloc[0]
    tests = [part["accuracy"] for part in many.compare("t", "relieff").parts.values()]
    assert row.accuracy_difference == pytest.approx(np.mean([t.difference for t in tests]))
    assert row.accuracy_better == sum(t.p_value < 0.05 and t.difference > 0 for t in tests)
    same = frame.query("first == 't' and second == 'other'").iloc[0]
    assert (same.accuracy_equal, same.stability_equal) == (4, 4)
    assert same.accuracy_p == 1


def test_across_data_sets(many):
    found = many.compare("t", "relieff")
    assert list(found.parts) == ["d0", "d1", "d2", "d3"]
    assert found.across["accuracy"].n == 4
    assert found.frame()["dataset"].tolist()[-2:] == ["all", "all"]
    with pytest.raises(ValueError, match="several data sets"):
        _ = found.accuracy
    ranks = many.comparisons.friedman("stability", size=8)
    assert sum(ranks.mean_ranks.values()) == pytest.approx(6)
    with pytest.raises(ValueError, match=r"choose one with results\[name\]"):
        many.recommend()
    assert many["d1"].recommend(n_bootstrap=20).chance >= 0.5


def test_low_losses_are_better():
    data = {}
    for seed in range(3):
        rows, labels, _ = make_han_yu(100, n_features=60, n_relevant=10, random_state=seed)
        data[f"d{seed}"] = (rows, labels)
    methods = {"t": TTest(), "noise": AnyColumns(), "relieff": ReliefF()}
    model = {"lr": LogisticRegression()}
    found = Study(
        methods, Subsampling(10), models=model, sizes=[3], metric="log_loss", random_state=0
    ).run_many(data)
    row = found.comparisons.summary().frame().query("first == 't' and second == 'noise'").iloc[0]
    assert row.accuracy_difference < 0
    assert row.accuracy_better > row.accuracy_worse == 0
    ranks = found.comparisons.friedman("accuracy").mean_ranks
    assert ranks["t"] < ranks["noise"]
    assert (
        "noise" in found["d0"].comparisons.pareto().frame().query("not on_front")["method"].tolist()
    )


def test_data_sets_judged_by_different_metrics_are_not_compared(tmp_path):
    for name, metric in (("a", "accuracy"), ("b", "roc_auc")):
        methods = {"t": TTest(), "relieff": ReliefF()}
        few = Study(methods, Subsampling(3), sizes=[3], metric=metric, store=tmp_path / name)
        few.run(X, y, dataset=name)
    both = Results.load(tmp_path / "a", tmp_path / "b")
    with pytest.raises(ValueError, match=r"accuracy in a, roc_auc in b\); give metric="):
        both.compare("t", "relieff")
    assert both.compare("t", "relieff", metric="accuracy").metric == "accuracy"


def test_pareto(results):
    frame = results.comparisons.pareto(size=10).frame().set_index("method")
    for name, row in frame.iterrows():
        better = frame.query("stability >= @row.stability and accuracy >= @row.accuracy")
        strictly = (better["stability"] > row.stability) | (better["accuracy"] > row.accuracy)
        assert row.on_front == (not strictly.any()), name
        assert row.dominated_by == ", ".join(m for m in results.methods if strictly.get(m, False))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r: r.compare("t", "x"), "method='x' is not in the study; there are t, mbiw"),
        (lambda r: r.compare("t", "mbiw", size=4), "size=4 was not studied; there are 3, 10"),
        (lambda r: r.compare("t", "mbiw", model="rf"), "model='rf' was not studied"),
        (lambda r: r.compare("t", "mbiw", metric="brier"), "metric='brier' is not available"),
        (lambda r: r.compare("t", "mbiw", test="z"), "test='z' must be one of corrected_t"),
        (lambda r: r.stability("nonsense"), "measure='nonsense' must be one"),
        (lambda r: r.stability(sizes="some"), "sizes='some' must be 'all'"),
        (lambda r: r.signature("t", 61), "size=61 must lie between 1 and 60"),
        (lambda r: r.scores(confidence=1.0), r"confidence=1\.0 must lie between"),
        (lambda r: r.comparisons.summary(alpha=0), "alpha=0 must lie between"),
        (lambda r: r.comparisons.friedman("speed"), "quantity='speed'"),
        (lambda r: r.recommend(metric="log_loss"), "metric='log_loss' is not available"),
        (lambda r: r.recommend(n_bootstrap=1), "n_bootstrap=1 must be at least 10"),
    ],
)
def test_bad_input_is_named(results, call, message):
    with pytest.raises(ValueError, match=message):
        call(results)


def test_loaded_results_say_the_same(results, tmp_path):
    results.save(tmp_path / "s.db")
    loaded = Results.load(tmp_path / "s.db")
    pd.testing.assert_frame_equal(loaded.frame(), results.frame())
    assert repr(loaded.recommend()) == repr(results.recommend())
    assert loaded.data.n_samples == 50
