"""A target of numbers: rows, splits, shuffles, metrics, models, effects and what gives it away."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse, stats
from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVR

from backstay.targets import as_target, find_metric, from_store
from backstay.targets._number_effects import concordance
from backstay.targets._numbers import NumberTarget
from reference import numbers as reference

METRICS = ("r2", "spearman", "mae", "rmse")
RNG = np.random.default_rng(0)
Y = RNG.normal(size=40).round(2)


def numbers(y):
    """A target of any rows, also of too few to be a study's."""
    return from_store({"kind": "numbers"}, {"numbers": np.asarray(y, dtype=float)})


# The door.


@pytest.mark.parametrize(
    ("y", "kind"),
    [
        (Y, "numbers"),
        (Y.astype(np.float32), "numbers"),
        (pd.Series(Y.tolist(), dtype="Float64"), "numbers"),
        (np.arange(40), "classes"),
        (np.arange(40.0) % 4, "classes"),
        (["a", "b"] * 20, "classes"),
        (Y > 0, "classes"),
        ([0.0, 1.0, 2.0], "classes"),
    ],
)
def test_the_values_tell_the_kind(y, kind):
    assert as_target(y).kind == kind


def test_whole_numbers_of_many_values_are_what_one_says():
    y = np.arange(40.0)
    with pytest.raises(ValueError, match=r"40 different whole numbers .* target='classes' or"):
        as_target(y)
    for given_y in (y, y.astype(int), y % 5):
        assert as_target(given_y, "numbers").kind == "numbers"
        assert as_target(given_y, "classes").kind == "classes"
    with pytest.raises(ValueError, match="target='ranks' is unknown; there are classes, numbers"):
        as_target(y, "ranks")


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.full(20, 2.5), "y is 2.5 in all rows, so nothing can be predicted"),
        (np.r_[Y, np.nan], "y is None or nan in 1 of 41 rows, first in row 40"),
        (np.r_[Y, np.inf], "y is infinite in 1 of 41 rows, first in row 40"),
        (Y[:11], "y has 11 rows; numbers need 12 or more"),
    ],
)
def test_what_cannot_be_predicted_is_refused_in_one_sentence(y, message):
    with pytest.raises(ValueError, match=message):
        as_target(y)


def test_text_is_no_number_and_numbers_have_no_positive_class():
    with pytest.raises(ValueError, match="y must hold numbers"):
        as_target(["a", "b"] * 10, "numbers")
    with pytest.raises(ValueError, match="positive=1 is for two classes"):
        as_target(Y, positive=1)


# Rows, splits and shuffles.


def test_a_store_gives_back_what_it_was_given():
    target = as_target(Y)
    held = {key: array.copy() for key, array in target.arrays().items()}
    again = from_store(json.loads(json.dumps(target.to_json())), held)
    assert again.row_labels() == target.row_labels() == Y.tolist()
    assert (again.names, again.summary(), again.least_rows) == ([], [("rows", 40)], 40)
    assert again.unlike(target) is None
    assert "numbers, the other one of classes" in target.unlike(as_target(["a", "b"]))
    assert "classes, the other one of numbers" in as_target(["a", "b"]).unlike(target)
    assert target.row_facts(3, np.array([1.5, 0.25])) == {
        "outcome": Y[3], "predicted": 1.5, "training_mean": 0.25,
    }  # fmt: skip


@given(st.lists(st.integers(-5, 5), min_size=2, max_size=60), st.integers(1, 12))
def test_strata_are_neighbours_and_none_is_smaller_than_asked(y, n_dealt):
    strata = numbers(y).strata(n_dealt)
    sizes = np.bincount(strata)
    assert sizes.min() >= min(n_dealt, len(y))
    assert np.ptp(sizes) <= 1
    highest = [max(np.array(y)[strata == s]) for s in range(len(sizes))]
    lowest = [min(np.array(y)[strata == s]) for s in range(len(sizes))]
    assert all(a <= b for a, b in zip(highest, lowest[1:], strict=False))


def test_rows_that_can_be_trained_on():
    target = numbers(np.r_[np.zeros(20), 1.5])
    assert target.can_train(np.arange(9, 21))
    assert not target.can_train(np.arange(10, 21))
    assert not target.can_train(np.arange(20))
    assert target.rarer_than(30) == [("the outcome", 21)]
    assert target.rarer_than(20) == []


def test_shuffled_rows_are_the_same_numbers():
    target = as_target(Y)
    shuffled = target.shuffled(None, np.random.default_rng(0)).values
    assert sorted(shuffled) == sorted(Y)
    assert (shuffled != Y).any()


@given(st.lists(st.integers(0, 6), min_size=12, max_size=40), st.integers(0, 1000))
def test_groups_exchange_their_means_and_rows_their_deviations(groups, seed):
    groups, rng = np.array(groups), np.random.default_rng(seed)
    y = rng.normal(size=len(groups))
    constant = groups % 2 == 0
    y[constant] = groups[constant] / 7
    shuffled = numbers(y).shuffled(groups, rng).values

    def parts(values):
        means = {g: values[groups == g].mean() for g in np.unique(groups)}
        left = {g: np.sort(values[groups == g] - means[g]) for g in means}
        return sorted(means.values()), left

    (means, left), (new_means, new_left) = parts(y), parts(shuffled)
    assert_allclose(new_means, means, atol=1e-12)
    for g in left:
        assert_allclose(new_left[g], left[g], atol=1e-12)
    for g in np.unique(groups[constant]):
        assert len(np.unique(shuffled[groups == g])) == 1


def test_groups_of_one_number_exchange_it_exactly():
    y = np.repeat([0.1, 0.7, 1.3, 2.9], 5)
    shuffled = numbers(y).shuffled(np.repeat([3, 1, 2, 0], 5), np.random.default_rng(2)).values
    assert sorted(shuffled) == sorted(y)
    assert (shuffled != y).any()


# Metrics.


def outputs_of(predicted, mean):
    predicted = np.asarray(predicted, dtype=float)
    return np.stack([predicted, np.broadcast_to(mean, predicted.shape)], axis=-1)


def test_a_case_by_hand():
    target, out = numbers([1.0, 2.0, 6.0]), outputs_of([[[2.0, 2.0, 4.0]]], 3.0)
    found = {name: find_metric(name).score(target, out).item() for name in METRICS}
    # Squared errors 1, 0, 4; around the training mean 4, 1, 9.
    by_hand = {"r2": 1 - 5 / 14, "mae": 1.0, "rmse": math.sqrt(5 / 3), "spearman": 0.75**0.5}
    assert found == pytest.approx(by_hand)
    tests = [(np.arange(3), [2.0, 2.0, 4.0], 3.0)]
    for name in ("r2", "mae", "rmse"):
        assert reference.pooled(name, [1.0, 2.0, 6.0], tests, [1, 1, 1]) == pytest.approx(
            by_hand[name]
        )
    # The first row twice: errors 1, 1, 0, 4 around 4, 4, 1, 9, of means 3/2 and 9/2,
    # the variance of the second 33/4, the covariance 17/4.
    bias = (6 / 16 - 1 / 3) * (1.5 * 8.25 / 4.5**3 - 4.25 / 4.5**2)
    found = reference.pooled("r2", [1.0, 2.0, 6.0], tests, [2, 1, 1])
    assert found == pytest.approx(1 - 6 / 18 + bias)


def test_metrics_of_one_run_are_scikit_learns():
    said = RNG.normal(size=(2, 3, 40))
    out, target = outputs_of(said, Y.mean()), as_target(Y)
    found = {name: find_metric(name).score(target, out) for name in METRICS}
    for i, j in np.ndindex(2, 3):
        assert found["r2"][i, j] == pytest.approx(r2_score(Y, said[i, j]))
        assert found["mae"][i, j] == pytest.approx(mean_absolute_error(Y, said[i, j]))
        assert found["rmse"][i, j] == pytest.approx(root_mean_squared_error(Y, said[i, j]))
        rho = stats.spearmanr(Y, said[i, j]).statistic
        assert found["spearman"][i, j] == pytest.approx(rho)
    y, once = np.unique(Y), np.ones((1, len(np.unique(Y))))
    runs = [(np.arange(len(y)), out[..., : len(y), :])]
    spearman = find_metric("spearman")
    assert_allclose(
        spearman.pooled(numbers(y), runs, once)[0],
        spearman.score(numbers(y), runs[0][1]).ravel(),
    )


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_drawn_rows_are_scored_as_by_loops(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 12))
    y = rng.integers(-4, 5, size=n) / 2
    runs = []
    for _ in range(int(rng.integers(1, 5))):
        rows = np.sort(rng.choice(n, int(rng.integers(1, n)), replace=False))
        runs.append(
            (rows, outputs_of(rng.integers(-6, 7, size=(2, 2, len(rows))) / 3, rng.normal()))
        )
    copies = rng.integers(0, 3, size=(3, n)).astype(float)
    for name in METRICS:
        found = find_metric(name).pooled(numbers(y), runs, copies)
        for draw, i, j in np.ndindex(3, 2, 2):
            tests = [(rows, out[i, j, :, 0], out[i, j, 0, 1]) for rows, out in runs]
            expected = reference.pooled(name, y, tests, copies[draw])
            assert_allclose(found[draw, 2 * i + j], expected, atol=1e-9, err_msg=name)


def test_the_mean_of_runs_is_r2_of_all_of_them_and_not_of_small_parts():
    target, metric = as_target(Y), find_metric("r2")
    runs = [
        (rows, outputs_of(Y[rows] / 2 + RNG.normal(size=len(rows)) / 9, 0.1)[None, None])
        for rows in np.argsort(Y).reshape(8, 5)  # rows of a part lie close together
    ]
    together = metric.pooled(target, runs, np.ones((1, 40)))[0, 0]
    assert np.mean(metric.of_runs(target, runs)) == pytest.approx(together)
    alone = [metric.score(target.take(rows), out) for rows, out in runs]
    assert np.mean(alone) < together - 0.3


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.sampled_from(["mae", "rmse"]))
def test_smaller_errors_are_better_everywhere(seed, name):
    rng, metric = np.random.default_rng(seed), find_metric(name)
    error = rng.normal(size=40)
    better, worse = (outputs_of(Y + scale * error, 0.0)[None, None] for scale in (0.5, 1.0))
    target, rows = as_target(Y), np.arange(40)
    values = [metric.score(target, out).item() for out in (better, worse)]
    drawn = [metric.pooled(target, [(rows, o)], np.ones((1, 40))).item() for o in (better, worse)]
    for one, other in (values, drawn):
        assert one < other
        assert metric.gain(one) > metric.gain(other)
    assert (metric.best, metric.is_bounded) == (0.0, False)


def test_what_knowing_nothing_reaches():
    target = as_target(Y)
    constants = {"r2": Y.mean(), "rmse": Y.mean(), "mae": np.median(Y), "spearman": 0.0}
    for name, said in constants.items():
        out = outputs_of(np.full((1, 1, 40), said), Y.mean())
        metric = find_metric(name)
        assert metric.score(target, out).item() == pytest.approx(metric.chance(target))
    assert find_metric("r2").least_interval(0.5, 40) == (0.5, 0.5)
    low, high = find_metric("spearman").least_interval(0.0, 39)
    assert high == pytest.approx(-low) == pytest.approx(1.96 / math.sqrt(39 + 1.96**2))


# Models.


@pytest.mark.parametrize("shape", [(60, 5), (40, 1), (30, 120)])
@pytest.mark.parametrize("name", ["ridge", "5nn"])
def test_the_direct_way_says_what_scikit_learn_says(shape, name):
    rng = np.random.default_rng(1)
    X = rng.normal(size=shape) * rng.exponential(10, size=shape[1])
    X[:, -1] = X[0, -1] if shape[1] > 1 else X[:, -1]
    y = X[:, 0] + rng.normal(size=len(X))
    target, (train, test) = as_target(y), np.split(rng.permutation(len(X)), [len(X) * 2 // 3])
    model, scaler = target.default_models()[name], MinMaxScaler().fit(X[train])
    shortcut = target.shortcut(model, "predictions")
    direct = shortcut(*(scaler.transform(X[train]), y[train], scaler.transform(X[test])))
    model.fit(X[train], y[train])
    generally = target.outputs(model, X[test], "predictions", y[train])
    assert direct.shape == (len(test), target.n_columns("predictions"))
    assert_allclose(direct, generally)
    assert_allclose(direct[:, 1], y[train].mean())


def test_other_models_have_no_direct_way():
    target = as_target(Y)
    ridge, nearest = target.default_models().values()
    for model in (
        SVR(),
        make_pipeline(StandardScaler(), SVR()),
        make_pipeline(MinMaxScaler(), nearest[-1]),
        make_pipeline(StandardScaler(with_mean=False), ridge[-1]),
    ):
        assert target.shortcut(model, "predictions") is None


def test_a_ridge_for_exchanged_features_predicts_around_the_training_mean():
    target = as_target(Y)
    weights, aims = target.ridge_aims()
    assert weights.sum() == pytest.approx(1)
    assert_allclose(aims[:, 0], Y)
    out = target.from_leanings(np.array([[[0.5], [-1.0]]]))
    assert_allclose(out, [[[Y.mean() + 0.5, Y.mean()], [Y.mean() - 1, Y.mean()]]])


# Effects, and columns that give the outcome away.


def a_table():
    X = np.random.default_rng(3).normal(size=(40, 6))
    X[:, 0] += 2 * Y
    X[:, 1] -= Y
    X[:, 4] = 3.3
    X[::7, 2] = np.nan
    return X


@pytest.mark.parametrize("make", [np.asarray, pd.DataFrame])
def test_effects_are_scipys(make):
    X = a_table()
    effects = as_target(Y).effects(make(X))
    for j in (0, 1, 2, 3, 5):
        known = np.isfinite(X[:, j])
        x, y = X[known, j], Y[known]
        test = stats.pearsonr(x, y)
        assert effects.effect[j] == pytest.approx(test.statistic)
        assert effects.p_value[j] == pytest.approx(test.pvalue)
        ends = test.confidence_interval()
        assert (effects.effect_low[j], effects.effect_high[j]) == pytest.approx(
            (ends.low, ends.high)
        )
        line = stats.linregress((x - x.mean()) / x.std(ddof=1), y)
        half = stats.t.ppf(0.975, len(x) - 2) * line.stderr
        slope = [effects.columns[f"slope {end}"][j] for end in ("per SD", "low", "high")]
        assert slope == pytest.approx([line.slope, line.slope - half, line.slope + half])
        other_way = stats.linregress(y, x)
        assert effects.difference[j] == pytest.approx(other_way.slope * y.std(ddof=1))
        assert effects.direction[j] == ("rises" if line.slope > 0 else "falls")
    assert effects.direction[4] is None
    assert np.isnan([effects.effect[4], effects.p_value[4], effects.q_value[4]]).all()
    known = np.isfinite(effects.p_value)
    assert_allclose(effects.q_value[known], stats.false_discovery_control(effects.p_value[known]))


def test_effects_of_a_sparse_table_and_from_a_store_are_the_same():
    X, target = np.nan_to_num(a_table()), as_target(Y)
    dense = target.effects(X)
    for other in (target.effects(sparse.csr_matrix(X)), target.effects(target.moments(X))):
        assert_allclose(other.effect, dense.effect)
        assert_allclose(other.p_value, dense.p_value)
    assert target.effects({}) is None


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=15))
def test_concordance_by_loops(pairs):
    x, y = np.array(pairs, dtype=float).T
    assert concordance(NumberTarget(y), x[:, None]) == pytest.approx(reference.concordance(x, y))


def test_a_feature_that_is_the_outcome_gives_it_away_and_a_good_one_does_not():
    rng = np.random.default_rng(5)
    X, target = rng.normal(size=(40, 200)), as_target(Y)
    X[:, 3] = Y + rng.normal(size=40)
    assert target.giveaways(X, target.moments(X)) == {}
    X[:, 7] = np.exp(Y) + 0.02 * rng.normal(size=40)
    given_away = target.giveaways(X, target.moments(X))
    assert list(given_away) == [7]
    assert given_away[7] == pytest.approx(target.separation(X[:, [7]])[0])
    X[:, 5:60] = Y[:, None] + 0.02 * rng.normal(size=(40, 55))  # many do: none stands out
    assert target.giveaways(X, target.moments(X)) == {}


def test_columns_beside_the_table():
    rng, target = np.random.default_rng(6), as_target(Y)
    loose, strong = (target.association(Y + s * rng.normal(size=40)) for s in (3.0, 0.01))
    assert loose.measure == strong.measure == "Spearman's ρ"
    assert (loose.strong, strong.strong) == (False, True)
    halves = np.where(np.median(Y) < Y, "high", "low")
    found = target.association(halves)
    ranks = stats.rankdata(Y)
    between = sum(
        (halves == kind).sum() * (ranks[halves == kind].mean() - ranks.mean()) ** 2
        for kind in ("high", "low")
    )
    assert found.measure == "η²"
    assert found.value == pytest.approx(between / ((ranks - ranks.mean()) ** 2).sum())
    assert target.association(np.full(40, "same")).p_value == 1


# What a frozen signature asks.


def test_moments_bring_back_features_and_their_outcome():
    rng = np.random.default_rng(8)
    y = rng.normal(5, 2, size=400)
    X = np.column_stack([3 * y + rng.normal(size=400), rng.normal(size=400)])
    X[0, 1] = np.nan
    target = as_target(y)
    moments = json.loads(json.dumps(target.frozen_moments(X)))
    drawn, rows = target.drawn_like(moments, [400], 4000, np.random.default_rng(0))
    assert drawn.values.mean() == pytest.approx(y.mean(), abs=0.2)
    assert_allclose(rows.std(axis=0), np.nanstd(X, axis=0), rtol=0.1)
    assert np.corrcoef(drawn.values, rows[:, 0])[0, 1] == pytest.approx(
        np.corrcoef(y, X[:, 0])[0, 1], abs=0.02
    )
    # A cohort with other outcomes: what they leave of a feature is that of the training rows.
    high = target.of_cohort(y[:50] + 10, {})
    (pair,) = high.alike(moments, 0, X[:50, 0] + 30)
    assert abs(pair.values.mean()) < 0.5
    assert pair.sd == pytest.approx(1, rel=0.15)
    assert_allclose(np.corrcoef(high.residuals(X[:50, 0]), high.values)[0, 1], 0, atol=1e-9)
    assert high.alike(moments, 0, X[:1, 0]) == []


@pytest.mark.parametrize(
    ("y", "mapping", "message"),
    [
        ([1.0, None], {}, "1 rows have no outcome, first row 1"),
        ([1.0, "high"], {}, "the cohort's outcome holds 'high'"),
        ([1.0, np.inf], {}, "is infinite in some rows"),
        ([1.0, 2.0], {"a": "b"}, "'a' is mapped, but the signature predicts numbers"),
    ],
)
def test_a_cohort_without_numbers_is_refused(y, mapping, message):
    with pytest.raises(ValueError, match=message):
        as_target(Y).of_cohort(y, mapping)


def test_a_predicted_number_has_no_probability():
    target = as_target(Y)
    assert target.said(Y[:3]) is not None
    assert target.prediction_columns(np.zeros((3, 0)), None, None) == {}
    tested = pd.DataFrame({"row": [0, 1], "outcome": [1.0, 2.0], "predicted": [1.0, 1.0]})
    calibration, said = target.calibrated(tested)
    assert calibration is None
    assert said == "none: intervals need more than the 2 rows that were tested"
    with pytest.raises(ValueError, match="has no probabilities"):
        target.probabilities({}, Y)
    (reading,) = target.readings(np.arange(3))
    assert reading.values.dtype == np.float64


# Words.


def test_what_to_keep_in_mind_about_the_outcome():
    assert as_target(Y).concerns("r2") == []
    ((heading, text),) = as_target(np.r_[Y, 40.5]).concerns("r2")
    assert heading == "A single row decides."
    assert "outcome 40.5" in text
    assert as_target(np.r_[Y, 40.5]).concerns("spearman") == []
    tied = np.r_[Y, np.zeros(40)]
    ((heading, text),) = as_target(tied).concerns(None)
    assert heading == "Many rows have the same outcome."
    assert "of 80 rows have the outcome 0." in text
    ((about, where),) = as_target(Y).remarks()
    assert about == "outcome"
    assert where.startswith(f"mean {Y.mean():.4g}, standard deviation")
    words = as_target(Y).words()
    assert set(words.models) == set(as_target(Y).default_models())
    effects = as_target(Y).effects(a_table())
    assert set(words.columns.values()) <= set(effects.columns)


def test_every_metric_is_found_by_name_and_needs_predictions_only():
    target = as_target(Y)
    assert set(target.metrics) == set(METRICS)
    assert [target.default_metric({}), *target.beside] == list(METRICS)
    assert all(metric.needs == "predictions" for metric in target.metrics.values())
    models, described = target.models_for(find_metric("r2"))
    assert set(models) == {"ridge", "5nn"}
    assert "ridge" in described


def test_bias_and_variance_of_predictions_by_hand():
    # Predictions 1, 3 of 0 (bias² 4, variance 1), 2, 2 of 2; the row tested once is left out.
    runs = [
        (np.array([0, 1, 2]), np.array([[1.0], [2], [9]])),
        (np.array([0, 1]), np.array([[3.0], [2]])),
    ]
    (found,) = numbers([0, 2, 5]).table("bias_variance", runs)
    expected = {"error": 2.5, "bias": 2, "variance": 0.5, "net_variance": 0.5, "rows": 2}
    assert found == pytest.approx(expected)
