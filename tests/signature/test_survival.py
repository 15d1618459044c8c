"""A signature of times until an event: frozen, applied, tested elsewhere."""

import json
import math

import jsonschema
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import clone, is_classifier, is_regressor

from backstay import CoxScore, Study
from backstay.cli import main
from backstay.report import Report, ValidationReport
from backstay.results import Results
from backstay.signature import Signature, SignatureError
from backstay.signature._document import checksum
from backstay.study import Subsampling
from backstay.targets import CoxRidge, as_target, find_metric, survival
from tests.reference import survival as reference


def rows(seed, n=120, d=10, rate=0.2, effect=1.0):
    """Rows whose hazard depends on three features."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    time = rng.exponential(np.exp(-effect * (X[:, 0] + X[:, 1] - X[:, 2])) / rate)
    end = rng.uniform(1, 12, n)
    frame = pd.DataFrame(X, columns=[f"gene {j}" for j in range(d)])
    return frame, survival(np.minimum(time, end), time <= end)


@pytest.fixture(scope="module")
def frozen(tmp_path_factory):
    X, y = rows(0)
    store = tmp_path_factory.mktemp("survival") / "study.db"
    settings = {"sizes": [3], "random_state": 0, "verbose": 0, "store": store}
    return Study({"cox": CoxScore()}, Subsampling(6), **settings).run(X, y), X, y, store


@pytest.fixture(scope="module")
def signature(frozen):
    results, X, y, _ = frozen
    return results.freeze(X, y)


FRESH, OUTCOME = rows(1, 150)


def fitted(frozen, signature):
    """Return the study's model, fitted to all rows and the signature's features."""
    _, X, y, _ = frozen
    names = signature.feature_names_in_.tolist()
    return as_target(y).default_models()["cox"].fit(X[names], y), FRESH[names]


# Freezing and applying.


def test_a_frozen_model_says_what_the_fitted_one_says(frozen, signature):
    model, fresh = fitted(frozen, signature)
    target = as_target(frozen[2])
    wanted = target.outputs(model, fresh, "scores", frozen[2])
    found = signature.predicted(FRESH).outputs
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-14)
    shown = signature.predictions(FRESH)
    assert list(shown) == ["predicted", f"survival at {target.follow_up.horizon:g}", "group"]
    assert set(shown["group"]) == {"low", "middle", "high"}
    assert (
        (shown.groupby("group")["predicted"].max()["low"])
        <= shown[shown["group"] == "high"].predicted.min()
    )
    np.testing.assert_array_equal(signature.predict(FRESH), shown["predicted"])


def test_survival_falls_on_a_grid_that_ends_with_the_training_rows(frozen, signature):
    model, fresh = fitted(frozen, signature)
    grid = signature.document["model"]["times"]
    found = signature.predict_survival(FRESH, grid)
    wanted = np.column_stack(
        [model[-1].predict_survival(model[:-1].transform(fresh), t) for t in grid]
    )
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    assert (np.diff(found, axis=1) <= 0).all()
    events = frozen[2]["time"][frozen[2]["event"]]
    assert not set(grid[1:-1]) - {signature.document["target"]["horizon"]} & set(events)
    last = events.max()
    for wrong in (last * 1.01, -0.5, math.nan):
        with pytest.raises(SignatureError, match=f"is outside 0 to {last:g}, the last event"):
            signature.predict_survival(FRESH, [1.0, wrong])


def test_a_file_keeps_everything(frozen, signature, tmp_path):
    results, X, y, store = frozen
    paths = [tmp_path / "a.json", tmp_path / "b.json"]
    for path, source in zip(paths, (results, Results.load(store)), strict=True):
        source.freeze(X, y).save(path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    again = Signature.load(paths[0])
    np.testing.assert_array_equal(again.predict(FRESH), signature.predict(FRESH))
    assert again.document["target"]["tau"] == as_target(y).follow_up.tau
    jsonschema.validate(again.document, Signature.schema())
    with pytest.raises(SignatureError, match="y is not what the study was run on"):
        results.freeze(X, y[::-1])


def test_scikit_learn_has_no_name_for_it(signature):
    assert not is_regressor(signature)
    assert not is_classifier(signature)
    assert clone(signature) is signature
    for name in ("decision_function", "predict_proba", "predict_interval", "classes_"):
        assert not hasattr(signature, name)
    cohort = signature.target.of_cohort(OUTCOME, {})
    outputs = signature.predicted(FRESH).outputs
    wanted = find_metric("uno_c").score(cohort, outputs)
    assert signature.score(FRESH, OUTCOME) == wanted
    assert repr(signature) == "Signature(3 features, survival, cox with cox)"


@pytest.mark.parametrize(
    ("part", "changes", "message"),
    [
        ("model", {"cuts": [1.0, 0.0]}, "model.cuts are not in order"),
        ("model", {"hazard": [0.5]}, "do not fit together"),
        ("model", {"coef": [[1.0]]}, "do not fit together"),
        ("target", {"tau": None}, "target.tau must be of type number"),
        ("target", {"kind": "numbers"}, "target"),
    ],
)
def test_a_file_that_contradicts_itself_is_refused(signature, part, changes, message, tmp_path):
    document = json.loads(json.dumps(signature.document))
    document[part] |= changes
    document["checksum"] = checksum(document)
    path = Signature(document).save(tmp_path / "signature.json")
    with pytest.raises(SignatureError, match=message):
        Signature.load(path)


class Steeper(CoxRidge):
    """A model that signatures do not know: exact types only."""

    def predict(self, X):
        return 2 * super().predict(X)


def test_other_models_go_through_skops(tmp_path):
    pytest.importorskip("skops")
    X, y = rows(0)
    settings = {"sizes": [3], "random_state": 0, "verbose": 0, "models": {"steep": Steeper()}}
    results = Study({"cox": CoxScore()}, Subsampling(4), **settings).run(X, y)
    signature = results.freeze(X, y, ("cox", 3, "steep"))
    names = signature.feature_names_in_.tolist()
    wanted = Steeper().fit(X[names], y).predict(FRESH[names])
    np.testing.assert_allclose(signature.predict(FRESH), wanted)
    assert list(signature.predictions(FRESH)) == ["predicted"]
    assert not hasattr(signature, "predict_survival")
    validation = signature.validate(FRESH, OUTCOME, n_bootstrap=20)
    assert validation.tables["figures"]["key"].tolist() == ["slope"]
    ValidationReport(validation).write(tmp_path / "page.html")
    Report(results).write(tmp_path / "report.html")


# Validation.


def test_figures_of_a_cohort_by_the_slow_way(signature):
    X, y = FRESH[:70], OUTCOME[:70]
    validation = signature.validate(X, y, n_bootstrap=50)
    event = y["event"]
    pairs = list(zip(y["time"].tolist(), event.tolist(), strict=True))
    risk, said, _, group = signature.predicted(X).outputs.T
    tau, horizon = (signature.document["target"][key] for key in ("tau", "horizon"))
    assert validation.main.metric == "uno_c"
    assert validation.main.found.value == pytest.approx(reference.uno(pairs, risk, tau))
    figures = validation.tables["figures"].set_index("key")
    # The slope maximises the partial likelihood.
    near = figures.loc["slope", "value"] + np.array([-1e-3, 0.0, 1e-3])
    one, column = np.ones(len(risk)), risk[:, None]
    likelihood = [reference.log_likelihood(np.array([b]), column, pairs, one) for b in near]
    assert np.argmax(likelihood) == 1
    (free,) = [s for t, s, _, _ in reference.kaplan_meier(pairs) if t <= horizon][-1:]
    assert figures.loc["events", "value"] == pytest.approx((1 - free) / (1 - said).mean())
    statistic = reference.logrank(pairs, group.tolist())
    assert figures.loc["log_rank", "value"] == pytest.approx(stats.chi2.sf(statistic, 2))
    for key in ("slope", "events"):
        assert figures.loc[key, "low"] < figures.loc[key, "value"] < figures.loc[key, "high"]
    assert validation.main.verdict != "worse"
    assert validation.cautions == []
    frame = validation.predictions
    assert list(frame)[:2] == ["time", "predicted"]
    assert frame["event"].tolist() == event.tolist()
    groups = validation.tables["risk groups"]
    assert groups.groupby("group")["at_risk"].max().sum() == len(y)
    assert json.loads(json.dumps(validation.to_dict()))["tables"]["figures"]["key"][0] == "slope"


def test_draws_are_scored_as_rows_are(signature):
    cohort = signature.target.of_cohort(OUTCOME, {})
    outputs = signature.predicted(FRESH).outputs
    draws = cohort.draws(5, np.random.default_rng(0))
    for metric in ("uno_c", "harrell_c", "auc_t"):
        known = find_metric(metric)
        wanted = [known.score(cohort.take(one), outputs[one]) for one in draws]
        np.testing.assert_allclose(cohort.scores_of_draws(known, outputs, draws), wanted)


def test_another_world_is_noticed(signature):
    days = survival(OUTCOME["time"] * 365.25, OUTCOME["event"])
    said = dict(ValidationReport(signature.validate(FRESH, days, n_bootstrap=20)).cautions)
    assert "times that of the training rows" in said["Follow-up differs."]
    assert "same unit" in said["Follow-up differs."]
    rare, few = rows(2, 300, rate=0.05)
    said = dict(ValidationReport(signature.validate(rare, few, n_bootstrap=20)).cautions)
    assert "at the rate of the training rows" in said["Events come at another rate."]
    assert "Follow-up differs." not in said
    random = survival(OUTCOME["time"], OUTCOME["event"])[np.random.default_rng(0).permutation(150)]
    lost = signature.validate(FRESH, random, n_bootstrap=200)
    said = dict(ValidationReport(lost).cautions)
    assert (
        "They spread too far: the calibration slope"
        in said["Predictions do not mean what they say."]
    )
    assert "not shown to be better than guessing" in ValidationReport(lost).headline
    moved = signature.validate(FRESH + 1.0, OUTCOME, n_bootstrap=20)
    assert "platform" in [one.kind for one in moved.cautions]


def test_a_cohort_that_is_not_followed_long_enough(signature, tmp_path):
    horizon, end = signature.document["target"]["horizon"], 0.5
    assert end < horizon
    short = survival(np.minimum(OUTCOME["time"], end), OUTCOME["event"] & (OUTCOME["time"] <= end))
    validation = signature.validate(FRESH, short, n_bootstrap=50)
    by_metric = {one.metric: one for one in validation.scores}
    assert by_metric["ipa"].verdict == by_metric["auc_t"].verdict == "undefined"
    assert math.isfinite(by_metric["uno_c"].found.low)
    said = dict(ValidationReport(validation).cautions)
    assert f"survival at {horizon:.4g}" in said["Follow-up does not reach the horizon."]
    assert (
        "concordance compares events up to then"
        in said["Follow-up is too short for all of the comparison."]
    )
    assert validation.tables["calibration"].empty
    page = ValidationReport(validation).write(tmp_path / "page.html").read_text("utf-8")
    assert "Calibration at the horizon" not in page


def test_a_handful_of_events(signature, tmp_path):
    order = np.argsort(OUTCOME["time"])
    event = np.zeros(150, dtype=bool)
    event[order[20:50:10]] = True
    validation = signature.validate(FRESH, survival(OUTCOME["time"], event), n_bootstrap=50)
    assert validation.target.summary()[0] == ("with the event", 3)
    said = dict(ValidationReport(validation).cautions)
    assert "fewer than 20 rows with the event" in said["The cohort is small."]
    ValidationReport(validation).write(tmp_path / "page.html")
    one = signature.validate(
        FRESH[:30], survival(np.arange(1.0, 31.0), np.arange(30) == 4), n_bootstrap=20
    )
    assert one.main.metric == "uno_c"


def test_stand_ins_lower_what_is_expected(signature):
    assert {"gene 1", "gene 2"} <= set(signature.feature_names_in_)
    whole = signature.validate(FRESH, OUTCOME, n_bootstrap=20)
    less = FRESH.drop(columns="gene 1")
    with pytest.raises(SignatureError, match="gene 1"):
        signature.validate(less, OUTCOME)
    part = signature.validate(less, OUTCOME, n_bootstrap=20, allow_missing=True)
    assert 0.5 < part.main.expected.value < whole.main.expected.value - 0.02
    drawn, X = signature.target.drawn_like(
        signature.document["target"]["moments"], [1], 4000, np.random.default_rng(0)
    )
    assert drawn.event.mean() == pytest.approx(rows(0)[1]["event"].mean(), abs=0.05)
    outputs = signature.predicted(X).outputs
    assert find_metric("uno_c").score(drawn, outputs) > 0.65


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (OUTCOME["time"], "array with two fields"),
        (survival(OUTCOME["time"], np.zeros(150)), "none of the 150 rows of the cohort has the"),
        (OUTCOME[:9], "y has 9 labels; the table has 150 rows"),
    ],
)  # fmt: skip
def test_what_are_no_times_is_refused(signature, y, message):
    with pytest.raises(SignatureError, match=message):
        signature.validate(FRESH, y)
    with pytest.raises(SignatureError, match="times until an event; say which value"):
        signature.validate(FRESH, OUTCOME, mapping={"a": "b"})


# The command line.


@pytest.fixture
def call(capsys):
    def run(*arguments):
        with pytest.raises(SystemExit) as stop:
            main([str(a) for a in arguments])
        captured = capsys.readouterr()
        return stop.value.code, " ".join(captured.out.split()), " ".join(captured.err.split())

    return run


def test_predict_and_validate_from_files(signature, call, tmp_path):
    path, table = signature.save(tmp_path / "signature.json"), tmp_path / "cohort.csv"
    status = np.where(OUTCOME["event"], 2, 1)
    FRESH.assign(months=OUTCOME["time"], status=status, dead=0).to_csv(table, index=False)
    code, out, err = call("predict", path, table, "-o", tmp_path / "predictions.csv")
    assert code == 0, err
    assert "Probabilities: survival up to" in out
    found = pd.read_csv(tmp_path / "predictions.csv")
    assert list(found)[:2] == ["row", "predicted"]
    assert found["group"].tolist() == signature.predictions(FRESH)["group"].tolist()
    outcome = ["--time", "months", "--event", "status"]
    code, _, err = call("validate", path, table, *outcome, "-o", tmp_path / "there")
    assert code == 2
    assert "--event-is" in err
    for event_is in ("3", "2"):
        given = [*outcome, "--event-is", event_is, "-o", tmp_path / "there"]
        code, out, err = call("validate", path, table, *given)
        assert code == (2 if event_is == "3" else 0), err
    assert "calibration slope of the risk score" in out
    assert "p-value of the log-rank test" in out
    page = (tmp_path / "there" / "validation.html").read_text("utf-8")
    for words in ("Risk groups", "AUC over time", "log-rank test", "with the event: "):
        assert words in page
    there = ["-o", tmp_path / "nowhere"]
    code, _, err = call("validate", path, table, "--time", "months", "--event", "dead", *there)
    assert "none of the 150 rows" in err
    assert code == 2
    code, _, err = call("validate", path, table, "-t", "months", *there)
    assert code == 2
    assert "--time and --event" in err


def test_freeze_gives_what_run_wrote(call, tmp_path):
    table, folder = tmp_path / "here.csv", tmp_path / "here"
    X, y = rows(0)
    X.round(4).assign(months=y["time"], dead=y["event"].astype(int)).to_csv(table, index=False)
    quick = [
        "-m",
        "cox-score",
        "--repeats",
        "4",
        "--sizes",
        "3",
        "--jobs",
        "1",
        "--null",
        "2",
        "-q",
    ]
    outcome = ["--time", "months", "--event", "dead", "--horizon", "2.5"]
    code, _, err = call("run", table, *outcome, *quick, "-o", folder)
    assert code == 0, err
    code, out, err = call("freeze", folder, "-d", table, "-o", tmp_path / "again.json")
    assert code == 0, err
    assert "survival up to 2.5" in out
    assert (tmp_path / "again.json").read_bytes() == (folder / "signature.json").read_bytes()
