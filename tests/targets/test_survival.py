"""Times until an event: what is taken, what is refused, splits, models, effects and tables."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize_scalar
from sklearn.base import clone

from backstay._kernels._cox import score_tests
from backstay._kernels._survival import kaplan_meier
from backstay.study import RepeatedStratifiedKFold, Study, Subsampling
from backstay.study._protocols import draw_splits
from backstay.targets import CoxRidge, as_target, from_store, survival
from reference import pooled_survival as slow


def simulated(n=90, seed=0, strength=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    time = rng.exponential(np.exp(-strength * X[:, 0]))
    end = rng.exponential(2.5, n)
    return X, survival(np.minimum(time, end).round(2) + 0.01, time <= end)


X, Y = simulated()
TARGET = as_target(Y)


@pytest.mark.parametrize(
    ("time", "event", "options", "message"),
    [
        ([1, 0.0], [1, 0], {}, "time is 0 or less in 1 row, first row 1; times are above 0"),
        ([-2, 3], [1, 0], {}, "0 or less in 1 row, first row 0"),
        ([1, np.nan], [1, 0], {}, "time is missing in 1 row"),
        ([np.inf, 2], [1, 0], {}, "time is infinite in 1 row"),
        (["a", "b"], [1, 0], {}, "time must hold numbers"),
        ([1, 2], [1, 0, 1], {}, "each needs one value per row"),
        ([1, 2, 3], [0, 1, 2], {}, "event holds 3 values, .0.*1.*2.; .*competing risks"),
        ([1, 2], [1, 2], {}, "event holds .1.*2.; say with event_is"),
        ([1, 2], ["dead", "alive"], {}, "say with event_is"),
        ([1, 2], ["dead", "alive"], {"event_is": "gone"}, "is no value of event"),
        ([1, 2], [1, None], {}, "event is missing in 1 row, first row 1"),
    ],
)
def test_bad_times_and_events_are_refused_in_a_sentence(time, event, options, message):
    with pytest.raises(ValueError, match=message):
        survival(time, event, **options)


def test_targets_are_refused_that_no_study_could_use():
    with pytest.raises(ValueError, match=r"y has no events in 50 rows .* needs 30: 20 to train"):
        as_target(survival(np.arange(1, 51), np.zeros(50)))
    with pytest.raises(ValueError, match="y has 12 events in 50 rows"):
        as_target(survival(np.arange(1, 51), np.arange(50) < 12))
    with pytest.raises(ValueError, match="all times in y are 3"):
        as_target(survival(np.full(50, 3), np.ones(50)))
    with pytest.raises(ValueError, match="is for two classes"):
        as_target(Y, positive=1)
    with pytest.raises(ValueError, match=r"horizon=1e\+09 must lie between"):
        as_target(Y, horizon=1e9)
    for other, options in (([0, 1] * 9, {"kind": "survival"}), ([0, 1] * 9, {"horizon": 2})):
        with pytest.raises(ValueError, match="need an array of both times and events"):
            as_target(other, **options)


def test_arrays_of_other_names_are_taken():
    other = np.empty(len(Y), dtype=[("months", "<f4"), ("dead", "?")])
    other["months"], other["dead"] = Y["time"], Y["event"]
    target = as_target(other)
    assert target.kind == "survival"
    assert_array_equal(target.event, Y["event"])
    assert_allclose(target.time, Y["time"], rtol=1e-6)


def test_follow_up_is_of_all_rows_and_travels():
    known = TARGET.follow_up
    deaths = Y["time"][Y["event"]]
    share = [slow.followed(Y["time"], Y["event"], t) for t in Y["time"]]
    assert_allclose(TARGET.followed, share)
    late = max(t for t in Y["time"] if slow.followed(Y["time"], Y["event"], t + 1e-9) >= 0.1)
    assert known.tau == min(np.quantile(deaths, 0.9), late)
    assert known.horizon == np.median(deaths)
    assert as_target(Y, horizon=0.5).follow_up.horizon == 0.5
    part = TARGET.take(np.arange(0, 90, 3))
    assert part.follow_up is known
    assert_array_equal(part.followed, TARGET.followed[::3])
    again = from_store(TARGET.to_json(), TARGET.arrays())
    assert (again.follow_up.tau, again.follow_up.horizon) == (known.tau, known.horizon)
    assert_array_equal(again.values, TARGET.values)
    assert_array_equal(again.followed, TARGET.followed)
    assert len(from_store(TARGET.to_json(), {})) == 0


def test_median_follow_up_counts_events_as_the_end_of_censoring():
    y = survival([1, 2, 3, 4, 5] * 20, [0, 0, 1, 0, 1] * 20)
    times = sorted(set(y["time"]))
    after = [slow.followed(y["time"], y["event"], t + 1e-9) for t in times]
    first = next(t for t, share in zip(times, after, strict=True) if share <= 0.5)
    assert as_target(y).follow_up.median == first


def test_rows_are_dealt_out_by_event_and_time():
    splits = draw_splits(Subsampling(5), TARGET, None, np.random.SeedSequence(0))
    n_events = [int(Y["event"][split.train].sum()) for split in splits]
    assert max(n_events) - min(n_events) <= 1
    thirds = TARGET.strata(3)
    for stratum in np.unique(thirds):
        assert len(np.unique(Y["event"][thirds == stratum])) == 1
    few = as_target(survival(np.arange(1, 51), np.arange(50) != 7))
    assert np.bincount(few.strata(3)).min() >= 3


def test_too_few_events_are_refused_before_a_run_with_their_number():
    n = int(Y["event"].sum())
    with pytest.raises(ValueError, match=rf"test parts have \d.\d events .*\({n} in all rows\)"):
        draw_splits(RepeatedStratifiedKFold(10, 1), TARGET, None, np.random.SeedSequence(0))
    with pytest.raises(ValueError, match="trains on fewer than 20 events"):
        draw_splits(Subsampling(2, 0.2), TARGET, None, np.random.SeedSequence(0))
    assert TARGET.can_train(np.flatnonzero(Y["event"])[:20])
    assert not TARGET.can_train(np.flatnonzero(Y["event"])[:19])


def test_shuffling_keeps_time_and_event_together():
    rng = np.random.default_rng(0)
    mixed = TARGET.shuffled(None, rng)
    assert not (mixed.values == Y).all()
    assert_array_equal(np.sort(mixed.values, order="time"), np.sort(Y, order="time"))
    groups = np.arange(90) // 3
    alike = as_target(Y[groups * 3])
    whole = alike.shuffled(groups, rng)
    assert_array_equal(whole.values, whole.values[groups * 3])
    unlike = TARGET.shuffled(groups, rng)
    assert_array_equal(np.sort(unlike.values, order="time"), np.sort(Y, order="time"))
    together = {tuple(np.sort(Y["time"][groups == g])) for g in range(30)}
    assert {tuple(np.sort(unlike.time[groups == g])) for g in range(30)} == together


def test_sizes_stop_at_the_number_of_events():
    table = np.random.default_rng(0).normal(size=(90, 300))
    results = Study({"first": First()}, Subsampling(2), random_state=0).run(table, Y)
    assert max(results.data.sizes) <= Y["event"].sum() < 100
    assert Study({"first": First()}, Subsampling(2), sizes=[200]).run(table, Y).data.sizes == [200]


class First(CoxRidge):
    """A method that ranks by the coefficients of one model."""


def test_the_model_minimises_what_it_says():
    rng = np.random.default_rng(1)
    model = CoxRidge(2.0).fit(X, Y)

    def loss(coef):
        alone = slow.cox_alone(Y["time"], Y["event"], X @ coef, 1.0)
        return -alone + (coef**2).sum()

    best = loss(model.coef_)
    assert all(loss(model.coef_ + rng.normal(size=5) / 50) > best for _ in range(20))
    assert_allclose(model.predict(X).mean(), 0, atol=1e-10)
    flat = CoxRidge(1e9).fit(X, Y)
    times, share, _, _ = kaplan_meier(Y["time"], Y["event"])
    at = times[len(times) // 2]
    # Breslow's curve of equal rows is exp(−Nelson and Aalen's sum), close to Kaplan and Meier's.
    assert_allclose(flat.predict_survival(X, at), share[len(times) // 2], atol=0.02)
    ahead = [model.predict_survival(X, t) for t in (0.001, 0.2, 1.0, 5.0, 1e9)]
    assert (np.diff(ahead, axis=0) <= 0).all()
    assert (ahead[0] == 1).all()


def test_outputs_are_the_same_by_the_short_way():
    model, train, test = TARGET.default_models()["cox"], np.arange(60), np.arange(60, 90)
    fitted = clone(model).fit(X[train], Y[train])
    said = TARGET.outputs(fitted, X[test], "predictions", Y[train])
    assert said.shape == (30, TARGET.n_columns("predictions"))
    low, high = X[train].min(axis=0), X[train].max(axis=0)
    short = TARGET.shortcut(model, "predictions")
    scaled = ((X[rows] - low) / (high - low) for rows in (train, test))
    assert_allclose(short(next(scaled), Y[train], next(scaled)), said, rtol=1e-6, atol=1e-9)
    assert_array_equal(np.unique(said[:, 3]), [0, 1, 2])
    assert TARGET.shortcut(CoxRidge(), "predictions") is None


def test_a_model_that_knows_no_survival_has_risks_alone():
    class Risk:
        def predict(self, X):
            return X[:, 0]

    said = TARGET.outputs(Risk(), X, "predictions", Y)
    assert_array_equal(said[:, 0], X[:, 0])
    assert_array_equal(said[:, 1], said[:, 2])
    assert np.isnan(said[:, 3]).all()
    assert TARGET.table("risk groups", [(np.arange(90), said)]) == []


def test_effects_are_those_of_cox_regression_on_each_feature():
    table = np.column_stack([X, np.ones(90), np.where(np.arange(90) % 4, X[:, 1], np.nan)])
    effects = TARGET.effects(table)
    for j in (0, 1, 6):
        known = np.isfinite(table[:, j])
        x = table[known, j]
        x = (x - x.mean()) / x.std(ddof=1)
        time, event = Y["time"][known], Y["event"][known]
        best = minimize_scalar(
            lambda slope, t=time, e=event, x=x: -slow.cox_alone(t, e, x, slope),
            bracket=(-0.5, 0.5),
            tol=1e-10,
        )
        assert_allclose(effects.effect[j], best.x, atol=1e-5)
        assert_allclose(effects.columns["hazard ratio"][j], np.exp(best.x), rtol=1e-4)
        near = [slow.cox_alone(time, event, x, best.x + d) for d in (-1e-3, 0, 1e-3)]
        error = 1 / np.sqrt(-(near[0] - 2 * near[1] + near[2]) / 1e-6)
        assert_allclose((effects.effect_high - effects.effect)[j] / 1.959964, error, rtol=1e-3)
    U, V = score_tests(X, Y["time"], Y["event"], np.ones(90), np.empty((90, 0)))
    z = (np.array(TARGET.moments(table)["cox score"]))[:5]
    assert_allclose(z, U / np.sqrt(V), rtol=1e-8)
    assert_allclose(effects.difference[:5], U / Y["event"].sum(), rtol=1e-8)
    assert effects.direction[0] == "higher"
    assert effects.direction[5] is None
    assert np.isnan([effects.effect[5], effects.p_value[5], effects.q_value[5]]).all()
    assert_allclose(TARGET.effects(TARGET.moments(table)).effect, effects.effect)


def test_a_feature_that_orders_all_rows_has_a_finite_effect():
    effects = TARGET.effects(-Y["time"][:, None])
    assert np.isfinite(effects.effect).all()
    assert effects.p_value[0] < 1e-6


def test_a_column_that_gives_the_time_away_is_found():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(90, 30))
    table[:, 3] = -np.log(Y["time"]) + rng.normal(size=90) / 50
    assert list(TARGET.giveaways(table, TARGET.moments(table))) == [3]
    found = TARGET.separation(table)
    one = [(np.array([*range(90)]), np.column_stack([table[:, 0]] * 3))]
    slowly = slow.concordance(Y["time"], Y["event"], one, np.ones(90))
    assert_allclose(found[0], max(slowly, 1 - slowly))
    assert found[3] > 0.97
    assert TARGET.association(table[:, 3]).strong
    assert not TARGET.association(table[:, 0]).strong
    kinds = np.where(Y["time"] > np.median(Y["time"]), "late", "early")
    assert TARGET.association(kinds).p_value < 1e-6
    assert TARGET.association(np.where(np.arange(90) % 2, "a", "b")).p_value > 0.01


def test_tables_of_one_run_are_the_plain_curves():
    fitted = TARGET.default_models()["cox"].fit(X, Y)
    said = TARGET.outputs(fitted, X, "predictions", Y)
    run = [(np.arange(90), said)]
    steps = TARGET.table("risk groups", run)
    for number, name in enumerate(("low", "middle", "high")):
        own = said[:, 3] == number
        times, share, at_risk, n_events = kaplan_meier(Y["time"][own], Y["event"][own])
        found = [step for step in steps if step["group"] == name][1:]
        assert_allclose([step["time"] for step in found], times)
        assert_allclose([step["survival"] for step in found], share, atol=1e-12)
        assert_allclose([step["at_risk"] for step in found], at_risk)
        assert_allclose([step["n_events"] for step in found], n_events)
        assert all(step["low"] <= step["survival"] <= step["high"] for step in found)
    bins = TARGET.table("calibration", run)
    assert sum(one["n"] for one in bins) == 90
    assert bins[0]["predicted"] < bins[-1]["predicted"]
    curve = TARGET.table("auc over time", run)
    for one in (curve[0], curve[-1]):
        slowly = slow.auc(Y["time"], Y["event"], run, np.ones(90), one["time"])
        assert_allclose(one["auc"], slowly)
        assert one["low"] <= one["auc"] <= one["high"]


def test_a_row_in_several_groups_counts_by_shares():
    low, high = np.tile([0.0, 0.9, 0.8, 0.0], (90, 1)), np.tile([1.0, 0.9, 0.8, 2.0], (90, 1))
    runs = [(np.arange(90), low), (np.arange(90), high), (np.arange(90), high)]
    steps = TARGET.table("risk groups", runs)
    first = {step["group"]: step for step in steps if step["time"] == 0}
    assert_allclose(first["low"]["at_risk"], 30)
    assert_allclose(first["high"]["at_risk"], 60)
    assert "middle" not in first


def test_a_whole_study_of_times_and_its_words():
    rng = np.random.default_rng(3)
    table = np.column_stack([X, rng.normal(size=(90, 15))])
    table[3, 2] = np.nan
    study = Study({"first": First()}, Subsampling(6), sizes=[1, 5], null=2, random_state=0)
    with pytest.raises(ValueError, match="1 missing cells in 1 columns, which the methods first"):
        study.run(table, Y)
    results = study.run(np.nan_to_num(table), Y)
    assert results.data.metric == "uno_c"
    assert results.scores("uno_c").frame()["value"].max() > 0.6
    words = results.data.target.words()
    assert words.described == f"times until an event, which {Y['event'].sum()} of 90 rows have"
    remarks = dict(results.data.target.remarks())
    assert "reverse Kaplan–Meier" in remarks["follow-up"]
    assert f"{TARGET.follow_up.horizon:.4g}: survival" in remarks["horizon"]
    assert f"τ = {TARGET.follow_up.tau:.4g}" in remarks["concordance"]
