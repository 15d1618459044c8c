"""Methods with too few runs are not compared or recommended; too few runs altogether say so."""

import shutil
import warnings
from typing import ClassVar

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from backstay import FeatureRanker
from backstay.datasets import make_han_yu
from backstay.feature_weighting import TTest
from backstay.report import Report
from backstay.results import Results, TooFewRunsError
from backstay.study import Study, Subsampling
from reference.study import forget_tasks

RUNS = 20


class Sickly(FeatureRanker):
    """Always the same features, and good ones; but on a share of the resamples it fails."""

    def __init__(self, failing=0.9, value=None, n_features_to_select=None, random_state=None):
        self.failing = failing
        self.value = value
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _score(self, X, y, sample_weight):
        if np.random.default_rng(self.random_state).random() < self.failing:
            raise ArithmeticError("a bad day")
        if self.value is not None:
            return np.full(X.shape[1], self.value)
        return np.arange(X.shape[1], 0.0, -1)


def run(methods, store=None, **options):
    study = Study(
        methods,
        Subsampling(RUNS),
        models={"1nn": KNeighborsClassifier(1)},
        sizes=[2, 5],
        store=store,
        random_state=0,
        **options,
    )
    return study.run(*few_rows())


def few_rows():
    X, y, _ = make_han_yu(50, n_features=40, n_relevant=8, random_state=0)
    return X, y


class Until(FeatureRanker):
    """Fails on every resample after the first few."""

    def __init__(self, n_runs, n_features_to_select=None):
        self.n_runs = n_runs
        self.n_features_to_select = n_features_to_select

    def _score(self, X, y, sample_weight):
        Until.done[self.n_runs] = Until.done.get(self.n_runs, 0) + 1
        if Until.done[self.n_runs] > self.n_runs:
            raise ArithmeticError("enough")
        return np.arange(X.shape[1], 0.0, -1)

    done: ClassVar[dict] = {}


@pytest.fixture(scope="module")
def results():
    with pytest.warns(UserWarning, match="tasks on 'data' failed"):
        return run({"t": TTest(), "sickly": Sickly(), "frail": Sickly(0.1)})


def test_the_share_that_is_needed():
    def judged(*done, of):
        """Whether methods with so many runs are judged; one has them all."""
        Until.done.clear()
        methods = {str(n): Until(n) for n in (*done, of)}
        study = Study(methods, Subsampling(of), models={}, sizes=[2], random_state=0, verbose=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the runs that fail
            counts = study.run(*few_rows()).runs.counts().frame()
        assert counts["n_runs"].tolist() == [*done, of]
        assert (counts["of"] == of).all()
        return counts["judged"].tolist()

    assert judged(15, 16, of=20) == [False, True, True]
    assert judged(3, 4, of=5) == [False, True, True]
    assert judged(of=1) == [False]  # stability needs two


def test_a_method_that_mostly_fails_is_neither_recommended_nor_compared(results):
    runs = results.runs.counts().frame().set_index("method")
    few, most = runs.loc["sickly", "n_runs"], runs.loc["frail", "n_runs"]
    assert 2 <= few < 0.8 * RUNS <= most < RUNS
    assert runs["judged"].to_dict() == {"t": True, "sickly": False, "frail": True}
    # Where it did not fail it is stabler than all.
    stability = results.stability().frame().set_index(["method", "size"])
    assert stability.loc[("sickly", 2), "value"] == pytest.approx(1)
    assert stability.loc[("sickly", 2), "n_runs"] == few
    found = results.recommend(n_bootstrap=50)
    assert found.method == "frail"
    assert vars(found.considered.runs) == {"finished": most, "of": RUNS}
    (short,) = found.considered.not_judged.items()
    assert (short[0], vars(short[1])) == ("sickly", {"finished": few, "of": RUNS})
    assert found.considered.n_configurations == 4  # two methods at two sizes
    with pytest.raises(TooFewRunsError, match=f"'sickly' finished {few} of {RUNS} runs on 'data'"):
        results.compare("t", "sickly")
    assert [c.first for c in results.comparisons.rivals(results.choice().configuration)] == ["t"]
    summary = results.comparisons.summary().frame()
    assert summary[["first", "second"]].values.tolist() == [["t", "frail"]]
    front = results.comparisons.pareto(size=2).frame().set_index("method")
    assert not front.loc["sickly", "on_front"]
    assert "sickly" not in "".join(front["dominated_by"])
    assert front.loc["sickly", "n_runs"] == few


def test_the_table_of_everything_says_how_many_runs_there_are(results):
    frame = results.frame()
    assert list(frame)[:4] == ["dataset", "method", "size", "runs"]
    counted = results.runs.counts().frame().set_index("method")["n_runs"]
    assert frame["runs"].tolist() == counted[frame["method"]].tolist()
    assert frame["runs"].min() < RUNS == frame["runs"].max()


def test_the_report_says_so(results):
    (part,) = Report(results).parts
    said = {caveat.title: caveat.text for caveat in part.answer.caveats}
    few = results.runs.counts().frame().set_index("method").loc["sickly", "n_runs"]
    assert said["sickly could not be judged."].endswith(f"finished: sickly ({few} of {RUNS}).")
    finding = part.figures["stability"].finding()
    assert "highest is frail" in finding
    assert "sickly between 1.00 and 1.00 (too few runs to compare)" in finding
    assert "too few runs to compare" not in finding.split("frail between")[1]


def test_where_all_fail_too_often_nothing_can_be_said():
    with pytest.warns(UserWarning, match="tasks on 'data' failed"):
        results = run({"sickly": Sickly()})
    reason = r"no method finished 80% of its runs .* sickly finished \d of 20 runs\..* a bad day"
    for ask in (results.recommend, results.choice, results.runs.judged):
        with pytest.raises(TooFewRunsError, match=reason):
            ask()


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (np.inf, "gives no feature a finite importance"),
        (0.5, "gives all 40 features the importance 0.5, which is no ranking"),
    ],
)
def test_importances_that_rank_nothing_are_a_failure(value, reason):
    methods = {"t": TTest(), "flat": Sickly(0.0, value)}
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        results = run(methods, null=2)
    assert "20 of 40 tasks on 'data' failed" in str(seen[0].message)
    errors = results.runs.errors().frame()
    assert (errors["method"] == "flat").all()
    assert errors["error"].str.contains(reason).all()
    # With shuffled outcomes it is right to find nothing; but infinity is never an answer.
    failed_null = any("runs with shuffled outcomes" in str(w.message) for w in seen)
    assert failed_null == np.isinf(value)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("judged") / "study.db"
    run({"t": TTest(), "frail": Sickly(0.0)}, path, null=2)
    return path


@pytest.mark.parametrize("n_tasks", [1, 4])
def test_reports_of_studies_that_have_just_begun(tmp_path, store, call, n_tasks):
    path = shutil.copy(store, tmp_path)
    forget_tasks(path, f"id > {n_tasks}")
    for command in (["report", path], ["compare", path]):
        shown = call(*command)
        if n_tasks == 1:
            assert shown.code == 2
            assert shown.err == (
                f"backstay: {n_tasks} of 48 tasks on 'data' are finished, and no method has the "
                "two runs that stability needs; let the study go on first.\n"
            )
        else:
            assert shown.code == 0, shown.err
            assert shown.err == ""
    if n_tasks == 4:  # two of each method
        runs = Results.load(path).choice().recommendation.considered.runs
        assert vars(runs) == {"finished": 2, "of": 2}
