"""A signature of numbers: frozen, applied with intervals, tested elsewhere."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.linear_model import Lasso, LinearRegression
from sklearn.metrics import get_scorer, r2_score
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from backstay import SlopeTest, Study
from backstay.cli import main
from backstay.report import ValidationReport
from backstay.results import Estimate, Results
from backstay.signature import ScoreComparison, Signature, SignatureError
from backstay.signature._document import checksum
from backstay.study import Subsampling
from backstay.targets import as_target
from backstay.targets._door import KINDS
from backstay.targets._number_signature import conformal_width, observed_on_predicted
from tests.reference import intervals as reference

MODELS = {
    **as_target(np.linspace(0, 1.1, 12)).default_models(),
    "plain": LinearRegression(),
    "lasso": make_pipeline(MinMaxScaler(), Lasso(alpha=0.1)),
    "3nn": make_pipeline(StandardScaler(), KNeighborsRegressor(3, weights="distance")),
    "tree": DecisionTreeRegressor(max_depth=3),
}


def rows(seed, n=60, d=10, noise=1.0):
    """Rows whose outcome, around 50, is the sum of three features."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = 50 + 10 * (X[:, :3].sum(axis=1) + noise * rng.normal(size=n))
    return pd.DataFrame(X, columns=[f"gene {j}" for j in range(d)]), y


def study(X, y, store=None, groups=None, **options):
    settings = {"sizes": [3], "random_state": 0, "verbose": 0, "store": store} | options
    return Study({"slope": SlopeTest()}, Subsampling(6), **settings).run(X, y, groups=groups)


@pytest.fixture(scope="module")
def frozen(tmp_path_factory):
    X, y = rows(0)
    store = tmp_path_factory.mktemp("numbers") / "study.db"
    return study(X, y, store, models=MODELS), X, y, store


@pytest.fixture(scope="module")
def signature(frozen):
    results, X, y, _ = frozen
    return results.freeze(X, y, ("slope", 3, "ridge"))


FRESH, OUTCOME = rows(1, 150)


# Intervals.


@settings(max_examples=25, deadline=None)
@given(
    st.integers(2, 14), st.integers(1, 4), st.integers(0, 10**6), st.sampled_from([0.5, 0.8, 0.9])
)
def test_the_width_is_the_smallest_that_holds_enough(n_rows, n_units, seed, level):
    rng = np.random.default_rng(seed)
    tested = np.repeat(np.arange(n_rows), rng.integers(1, 4, size=n_rows))
    units = rng.integers(n_units, size=n_rows)[tested] if n_units > 1 else tested
    errors = rng.integers(0, 9, size=len(tested)) / 4
    wanted = reference.conformal_width(errors, tested, units, level)
    assert conformal_width(errors, tested, units, level) == wanted


def test_the_width_of_rows_by_hand():
    errors, each = np.arange(1.0, 10.0), np.arange(9)
    # (n + 1)·0.8 = 8: the eighth of nine; 0.9 takes the ninth, and 0.95 would need a tenth.
    assert [conformal_width(errors, each, each, p) for p in (0.8, 0.9, 0.95)] == [8, 9, math.inf]
    # Two groups, one of eight small errors: it counts as one, so half of the mass is beyond 4.
    groups = np.array([0] * 8 + [1])
    errors = np.array([1.0] * 8 + [4.0])
    assert conformal_width(errors, each, groups, 1 / 3) == 1
    assert conformal_width(errors, each, groups, 0.5) == 4
    assert conformal_width(errors, each, groups, 0.7) == math.inf


def test_groups_count_as_units():
    X, y = rows(2, 60)
    groups = np.repeat(np.arange(20), 3)
    frozen = study(X, y, groups=groups).freeze(X, y, ("slope", 3, "ridge"))
    known = frozen.document["calibration"]
    assert known["n"] <= 20
    assert known["levels"] == [0.5, 0.8, 0.9]
    assert "tested groups" in frozen.document["probabilities"]


def test_intervals_are_around_predictions_and_wider_for_higher_levels(frozen, signature):
    results, *_ = frozen
    predicted = signature.predict(FRESH)
    widths = []
    for level in (0.5, 0.8, 0.9, 0.95):
        low, high = signature.predict_interval(FRESH, level).T
        assert np.allclose((low + high) / 2, predicted)
        widths.append(high[0] - predicted[0])
    assert widths == sorted(widths)
    tested = results.predictions.rows("slope", 3, "ridge").frame()
    errors = (tested["outcome"] - tested["predicted"]).abs().to_numpy()
    each = tested["row"].to_numpy()
    assert np.isclose(widths[2], reference.conformal_width(errors, each, each, 0.9))
    with pytest.raises(ValueError, match=r"level=0.7 must be one of 0.5, 0.8, 0.9, 0.95\."):
        signature.predict_interval(FRESH, 0.7)
    shown = signature.predictions(FRESH)
    assert list(shown) == ["predicted", "low 90%", "high 90%"]
    assert "on average" in signature.intervals_said


# Freezing.


@pytest.mark.parametrize("model", [name for name in MODELS if name != "tree"])
def test_a_frozen_model_predicts_as_the_fitted_one(frozen, model):
    results, X, y, _ = frozen
    signature = results.freeze(X, y, ("slope", 3, model), include_rows=True)
    names = signature.feature_names_in_.tolist()
    wanted = clone(MODELS[model]).fit(X[names], y).predict(FRESH[names])
    assert np.allclose(signature.predict(FRESH), wanted)
    # Nothing is cut off, however far away a row is.
    assert signature.predict(FRESH.abs() * 1e6).max() > 1e3 or "nn" in model
    again = Signature(json.loads(json.dumps(signature.document)))
    assert (again.predict(FRESH) == signature.predict(FRESH)).all()


def test_a_neighbour_needs_leave_to_keep_rows(frozen):
    results, X, y, _ = frozen
    with pytest.raises(SignatureError, match="KNeighborsRegressor predicts from the rows"):
        results.freeze(X, y, ("slope", 3, "5nn"))


def test_other_models_go_through_skops(frozen):
    pytest.importorskip("skops")
    results, X, y, _ = frozen
    signature = results.freeze(X, y, ("slope", 3, "tree"))
    names = signature.feature_names_in_.tolist()
    assert np.isfinite(signature.predict(FRESH[names])).all()
    assert not signature.has_probabilities
    assert signature.has_intervals


def test_the_store_freezes_the_same_bytes(frozen, tmp_path):
    results, X, y, store = frozen
    paths = [tmp_path / "a.json", tmp_path / "b.json"]
    for path, source in zip(paths, (results, Results.load(store)), strict=True):
        source.freeze(X, y).save(path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert Signature.load(paths[0]).document["choice"]["metric"] == "r2"


def test_scikit_learn_sees_a_regressor(signature):
    assert is_regressor(signature)
    assert not is_classifier(signature)
    assert get_tags(signature).classifier_tags is None
    assert clone(signature) is signature
    for name in ("decision_function", "predict_proba", "classes_"):
        assert not hasattr(signature, name)
    assert np.isclose(signature.score(FRESH, OUTCOME), r2_score(OUTCOME, signature.predict(FRESH)))
    errors = get_scorer("neg_mean_absolute_error")(signature, FRESH, OUTCOME)
    assert np.isclose(-errors, np.abs(OUTCOME - signature.predict(FRESH)).mean())
    check_is_fitted(signature)
    assert repr(signature) == "Signature(3 features, numbers, slope with ridge)"


@pytest.mark.parametrize(
    ("part", "value", "message"),
    [
        ("calibration", {"kind": "platt", "slope": 1.0, "intercept": 0.0}, "do not fit together"),
        ("model", {"kind": "pairs", "coef": [[1.0] * 3], "intercept": [0.0]}, "model.kind must be"),
        ("model", {"kind": "linear", "coef": [[1.0] * 2], "intercept": [0.0], "link": "none"},
         "do not fit together"),
    ],
)  # fmt: skip
def test_a_file_that_contradicts_itself_is_refused(signature, part, value, message, tmp_path):
    document = {**signature.document, part: value}
    document["checksum"] = checksum(document)
    path = Signature(document).save(tmp_path / "signature.json")
    with pytest.raises(SignatureError, match=message):
        Signature.load(path)


# Validation.


@settings(max_examples=20, deadline=None)
@given(st.integers(5, 30), st.integers(0, 10**6), st.floats(-100, 100))
def test_the_line_is_that_of_leaving_rows_out(n, seed, middle):
    rng = np.random.default_rng(seed)
    predicted = middle + rng.normal(size=n)
    y = 2 + 0.7 * predicted + rng.normal(size=n) * (1 + np.abs(predicted - middle))
    (intercept, slope), errors = reference.line(y, predicted)
    found = {row["key"]: row for row in observed_on_predicted(y, predicted)}
    quantile = stats.t.ppf(0.975, n - 2)
    for key, value, error in zip(("intercept", "slope"), (intercept, slope), errors, strict=True):
        ends = [found[key][end] for end in ("value", "low", "high")]
        wanted = [value, value - quantile * error, value + quantile * error]
        assert np.allclose(ends, wanted, rtol=1e-6, atol=1e-6)
    assert np.isclose(found["bias"]["value"], (y - predicted).mean())


def test_a_line_by_hand():
    found = observed_on_predicted(np.array([1.0, 3.0, 5.0, 7.0]), np.array([0.0, 1.0, 2.0, 3.0]))
    assert [row["value"] for row in found] == [2, 1, 2.5]
    flat = observed_on_predicted(np.array([1.0, 2.0, 4.0, 9.0]), np.full(4, 3.0))
    assert [math.isnan(row["value"]) for row in flat] == [True, True, False]


def test_both_r2_are_named(signature):
    validation = signature.validate(FRESH, OUTCOME, n_bootstrap=50)
    predicted, mean = (
        signature.predict(FRESH),
        signature.document["target"]["moments"]["outcome"][0],
    )
    squares = ((OUTCOME - predicted) ** 2).sum()
    assert np.isclose(validation.main.found.value, 1 - squares / ((OUTCOME - mean) ** 2).sum())
    figures = validation.tables["figures"].set_index("key")
    assert np.isclose(figures.loc["own_r2", "value"], r2_score(OUTCOME, predicted))
    assert figures.loc["own_r2", "value"] < validation.main.found.value
    low, high = signature.predict_interval(FRESH).T
    inside = ((low <= OUTCOME) & (high >= OUTCOME)).mean()
    assert np.isclose(figures.loc["coverage", "value"], inside)
    assert [one.metric for one in validation.scores] == ["r2", "spearman", "mae", "rmse"]
    assert validation.main.verdict != "worse"
    assert validation.cautions == []
    assert list(validation.predictions)[:2] == ["outcome", "predicted"]
    assert "figures" in validation.to_dict()["tables"]


def test_every_metric_has_a_margin():
    metrics = [metric for kind in KINDS.values() for metric in kind.metrics.values()]
    assert all(math.isfinite(metric.best) for metric in metrics)
    error, expected = Estimate(11.0, 10.5, 11.5), Estimate(10.0, 9.5, 10.5)
    worse = ScoreComparison("mae", expected, error, corrected=True, chance=20.0)
    assert (worse.tolerance, worse.verdict) == (2.0, "worse")
    better = ScoreComparison("mae", error, expected, corrected=True, chance=20.0)
    assert better.verdict == "better"
    share = ScoreComparison("r2", Estimate(0.5, 0.4, 0.6), Estimate(0.5, 0.45, 0.55), True, 0.0)
    assert (share.tolerance, share.verdict) == (0.1, "cannot be told apart")


def test_another_world_is_noticed(signature):
    moved = signature.validate(FRESH + 1.0, OUTCOME, n_bootstrap=50)
    kinds = [one.kind for one in moved.cautions]
    assert "platform" in kinds
    assert "outcome" not in kinds
    higher = FRESH.copy()
    higher[["gene 0", "gene 1", "gene 2"]] += 0.5
    other = signature.validate(higher, OUTCOME + 15, n_bootstrap=50)
    kinds = [one.kind for one in other.cautions]
    assert "outcome" in kinds
    assert "platform" not in kinds
    wrong = signature.validate(FRESH, 50 + 3 * (OUTCOME - 50) + 60, n_bootstrap=50)
    words = dict(ValidationReport(wrong).cautions)
    assert "do not spread far enough" in words["Predictions do not mean what they say."]
    assert "too low by" in words["Predictions do not mean what they say."]
    assert "of the rows are inside" in words["Prediction intervals are too narrow here."]
    few = signature.validate(FRESH[:12], OUTCOME[:12], n_bootstrap=50)
    assert "fewer than 20 rows" in dict(ValidationReport(few).cautions)["The cohort is small."]


def test_stand_ins_lower_what_is_expected(signature):
    assert "gene 1" in signature.feature_names_in_
    whole = signature.validate(FRESH, OUTCOME, n_bootstrap=50)
    less = FRESH.drop(columns="gene 1")
    part = signature.validate(less, OUTCOME, n_bootstrap=50, allow_missing=True)
    by_metric = {one.metric: one for one in part.scores}
    for one in whole.scores:
        worse = one.expected.value - by_metric[one.metric].expected.value
        assert worse > 0 if one.metric in ("r2", "spearman") else worse < 0


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["high"] * 150, "predicts numbers, and the cohort's outcome holds 'high'"),
        (np.full(150, 2.0), "is the same in all rows"),
        (np.r_[np.nan, OUTCOME[1:]], "1 rows have no outcome, first row 0"),
        (np.r_[np.inf, OUTCOME[1:]], "is infinite in some rows"),
        (OUTCOME[:9], "y has 9 labels; the table has 150 rows"),
    ],
)
def test_what_is_no_number_is_refused(signature, y, message):
    with pytest.raises(SignatureError, match=message):
        signature.validate(FRESH, y)


def test_names_are_not_mapped(signature):
    with pytest.raises(SignatureError, match="which have no names"):
        signature.validate(FRESH, OUTCOME, mapping={"a": "b"})


def test_a_page_without_intervals(signature, tmp_path):
    document = {**signature.document, "calibration": None}
    document["checksum"] = checksum(document)
    bare = Signature(document)
    assert not hasattr(bare, "predict_interval")
    validation = bare.validate(FRESH, OUTCOME, n_bootstrap=50)
    assert list(validation.predictions) == ["outcome", "predicted"]
    assert "coverage" not in validation.tables["figures"]["key"].tolist()
    page = ValidationReport(validation).write(tmp_path / "page.html").read_text()
    assert "prediction interval" not in page


# The command line.


@pytest.fixture
def call(capsys):
    def run(*arguments):
        with pytest.raises(SystemExit) as stop:
            main([str(a) for a in arguments])
        captured = capsys.readouterr()
        return stop.value.code, captured.out, captured.err

    return run


def test_predict_and_validate_write_numbers(signature, call, tmp_path):
    path, table = signature.save(tmp_path / "signature.json"), tmp_path / "cohort.csv"
    FRESH.assign(age=OUTCOME).to_csv(table, index=False)
    code, out, err = call("predict", path, table, "-o", tmp_path / "predictions.csv")
    assert code == 0, err
    assert "on average" in " ".join(out.split())
    found = pd.read_csv(tmp_path / "predictions.csv")
    assert list(found) == ["row", "predicted", "low 90%", "high 90%"]
    assert np.allclose(found["predicted"], signature.predict(FRESH))
    code, out, err = call("validate", path, table, "-t", "age", "-o", tmp_path / "there")
    assert code == 0, err
    assert "slope of observed on predicted" in out
    known = json.loads((tmp_path / "there" / "validation.json").read_text())
    assert known["tables"]["figures"]["key"][:2] == ["own_r2", "slope"]
    page = (tmp_path / "there" / "validation.html").read_text()
    assert "Predicted and observed" in page
    assert "R² against the cohort" in page


@pytest.mark.parametrize(
    ("column", "message"), [("text", "predicts numbers"), ("flat", "same in all rows")]
)
def test_a_wrong_column_is_a_sentence(signature, call, tmp_path, column, message):
    path, table = signature.save(tmp_path / "signature.json"), tmp_path / "cohort.csv"
    FRESH.assign(text=["low", "high"] * 75, flat=1.5).to_csv(table, index=False)
    code, _, err = call("validate", path, table, "-t", column, "-o", tmp_path / "there")
    assert code == 2
    assert message in " ".join(err.split())


def test_freeze_gives_what_run_wrote(call, tmp_path):
    table, folder = tmp_path / "here.csv", tmp_path / "here"
    X, y = rows(0)
    X.round(4).assign(age=y.round(3)).to_csv(table, index=False)
    quick = ["-m", "slope", "--repeats", "4", "--sizes", "3", "--jobs", "1", "--null", "2", "-q"]
    code, _, err = call("run", table, "-t", "age", *quick, "-o", folder)
    assert code == 0, err
    code, out, err = call("freeze", folder, "-d", table, "-o", tmp_path / "again.json")
    assert code == 0, err
    assert "90 % intervals" in " ".join(out.split())
    assert (tmp_path / "again.json").read_bytes() == (folder / "signature.json").read_bytes()
