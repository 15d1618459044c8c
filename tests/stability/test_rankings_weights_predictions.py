"""Rankings, weights and predictions against the oracle."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from backstay.stability import (
    UndefinedStabilityWarning,
    bias_variance,
    prediction_stability,
    ranking_stability,
    weight_stability,
)
from reference import numbers
from reference import stability as ref
from reference.stability_strategies import rankings


def rows(values, min_size=1, max_size=6):
    """M rows of one length."""
    return st.integers(min_size, max_size).flatmap(
        lambda d: st.lists(st.lists(values, min_size=d, max_size=d), min_size=2, max_size=5)
    )


def agrees(expected, call, rel=1e-10):
    if expected is None:
        with pytest.warns(UndefinedStabilityWarning, match="0/0"):
            assert math.isnan(call().value)
        return
    assert call().value == pytest.approx(float(expected), rel=rel, abs=1e-12)


ORACLES = {"spearman": ref.pearson, "kendall": ref.kendall, "canberra": ref.canberra}


@pytest.mark.parametrize("measure", list(ORACLES))
@settings(max_examples=25, deadline=None)
@given(scores=rows(st.integers(0, 4)))
def test_tied_rankings_equal_the_oracle(measure, scores):
    ranks = [ref.mid_ranks([-score for score in row]) for row in scores]
    expected = ref.mean_over_rows(ORACLES[measure], ranks)
    agrees(expected, lambda: ranking_stability(scores, measure, kind="scores"))


@settings(max_examples=25, deadline=None)
@given(orders=rankings(max_features=7), data=st.data())
def test_top_of_the_ranking(orders, data):
    p = len(orders[0])
    top = data.draw(st.integers(1, p))
    ranks = [[order.index(f) + 1 for f in range(p)] for order in orders]
    expected = ref.mean_over_rows(ref.canberra, ranks, top=top)
    agrees(expected, lambda: ranking_stability(orders, "canberra", top=top))


@pytest.mark.parametrize(("p", "top"), [(2, 2), (9, 9), (9, 4), (30, 1), (31, 30)])
def test_canberra_expectation_is_the_double_sum(p, top):
    cut = np.minimum(np.arange(1, p + 1), top + 1)
    expected = (abs(cut[:, None] - cut) / (cut[:, None] + cut)).sum() / p
    orders = [np.arange(p), np.arange(p)[::-1]]
    distance = (abs(cut - cut[::-1]) / (cut + cut[::-1])).sum()
    found = ranking_stability(orders, "canberra", top=top).value
    assert found == pytest.approx(distance / expected)


def test_random_rankings_are_at_chance():
    rng = np.random.default_rng(0)
    orders = np.array([rng.permutation(200) for _ in range(40)])
    assert ranking_stability(orders, "canberra").value == pytest.approx(1, abs=0.02)
    for measure in ("spearman", "kendall"):
        assert ranking_stability(orders, measure).value == pytest.approx(0, abs=0.02)


def test_orders_ranks_and_scores_agree():
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(6, 15))
    order = np.argsort(-scores, axis=1)
    ranks = np.argsort(order, axis=1) + 1
    for measure in ORACLES:
        expected = ranking_stability(order, measure)
        assert ranking_stability(ranks, measure) == expected
        assert ranking_stability(scores, measure, kind="scores") == expected
        low, high = expected.confidence_interval
        assert low < expected.value < high


def test_identical_rankings():
    same = [[2, 0, 1, 3]] * 3
    assert ranking_stability(same, "spearman").value == pytest.approx(1)
    assert ranking_stability(same, "kendall").value == pytest.approx(1)
    assert ranking_stability(same, "canberra").value == 0


def test_bad_rankings():
    orders = [[0, 1, 2], [0, 2, 1]]
    with pytest.raises(TypeError, match="takes no option 'top'"):
        ranking_stability(orders, "spearman", top=2)
    with pytest.raises(ValueError, match="top=4 must lie between 1 and 3"):
        ranking_stability(orders, "canberra", top=4)
    with pytest.raises(ValueError, match="number of features, 3"):
        ranking_stability([[1, 2, 4], [1, 2, 3]])
    with pytest.raises(ValueError, match="measure='pearson' must be one for rankings"):
        ranking_stability(orders, "pearson")
    with pytest.raises(ValueError, match="at least 2 runs"):
        ranking_stability(orders[:1])


# Weights

FRACTIONS = st.fractions(-3, 3, max_denominator=16)


@settings(max_examples=25, deadline=None)
@given(weights=rows(FRACTIONS), data=st.data())
def test_bias_variance_equals_the_oracle_and_adds_up(weights, data):
    truth = data.draw(st.lists(FRACTIONS, min_size=len(weights[0]), max_size=len(weights[0])))
    result = bias_variance([[float(w) for w in row] for row in weights], [float(r) for r in truth])
    exact = np.array(ref.bias_variance(weights, truth), dtype=float)
    np.testing.assert_allclose(result.frame().to_numpy(), exact, rtol=1e-12, atol=1e-14)
    means = result.error, result.bias, result.variance
    np.testing.assert_allclose(means, exact.mean(axis=0), rtol=1e-12, atol=1e-14)
    assert result.error == pytest.approx(result.bias + result.variance, rel=1e-12)


@pytest.mark.parametrize("offset", [0.0, 1e8, -1e12])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_error_is_bias_squared_plus_variance(offset, scale):
    rng = np.random.default_rng(0)
    weights = offset + scale * rng.normal(size=(500, 200))
    result = bias_variance(weights, np.full(200, offset))
    gap = result.error - result.bias - result.variance
    assert abs(gap) <= 1e-12 * result.error
    feature = result.frame()
    gaps = (feature.error - feature.bias - feature.variance).abs()
    assert (gaps <= 1e-12 * feature.error).all()


def test_normalised_weights_sum_to_one():
    weights, truth = [[2.0, -3.0], [3.0, 1.0]], [5.0, 5.0]
    result = bias_variance(weights, truth, normalize=True)
    plain = bias_variance([[0.4, 0.6], [0.75, 0.25]], [0.5, 0.5])
    assert result.error == plain.error
    stable = weight_stability(weights, "variance", normalize=True)
    assert stable.value == pytest.approx(plain.frame().variance.mean(), rel=1e-7)


@settings(max_examples=25, deadline=None)
@given(weights=rows(st.integers(-4, 4)))
def test_mean_pearson_equals_the_oracle(weights):
    agrees(ref.mean_over_rows(ref.pearson, weights), lambda: weight_stability(weights))


def test_mean_variance_is_that_of_bias_variance():
    weights = np.random.default_rng(0).normal(size=(20, 7))
    split = bias_variance(weights, np.zeros(7))
    assert weight_stability(weights, "variance").value == pytest.approx(split.variance)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([[1.0, 2.0]], "at least 2 runs; got 1"),
        ([1.0, 2.0], "runs × features; got 1 dimension"),
        ([[1.0, np.nan], [1.0, 2.0]], "finite; got nan in run 0, feature 1"),
        ([[1.0, 2.0], [np.inf, 2.0]], "finite; got inf in run 1, feature 0"),
        (np.empty((3, 0)), "at least one feature"),
    ],
)
def test_bad_weights(weights, message):
    with pytest.raises(ValueError, match=message):
        weight_stability(weights)
    with pytest.raises(ValueError, match=message):
        bias_variance(weights, [1.0, 0.0])


def test_bad_truth():
    weights = [[1.0, 2.0], [2.0, 1.0]]
    with pytest.raises(ValueError, match=r"shape \(2,\); got \(3,\)"):
        bias_variance(weights, [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="true_relevance must be finite"):
        bias_variance(weights, [1.0, np.nan])
    with pytest.raises(ValueError, match="cannot be normalised"):
        bias_variance([[0.0, 0.0], [1.0, 2.0]], [1.0, 0.0], normalize=True)


# Predictions


@settings(max_examples=25, deadline=None)
@given(predictions=rows(st.sampled_from("abc")))
def test_agreement_and_kappa_equal_the_oracle(predictions):
    agrees(
        ref.mean_over_rows(ref.agreement, predictions), lambda: prediction_stability(predictions)
    )
    agrees(
        ref.mean_over_rows(ref.cohen, predictions),
        lambda: prediction_stability(predictions, "kappa"),
    )


@settings(max_examples=25, deadline=None)
@given(predictions=rows(st.integers(0, 1)))
def test_phi_equals_the_oracle(predictions):
    agrees(
        ref.mean_over_rows(ref.pearson, predictions),
        lambda: prediction_stability(predictions, "phi"),
    )


def masked(predictions):
    """None as a gap; the value below it must not matter."""
    gaps = [[label is None for label in row] for row in predictions]
    labels = [[7 if label is None else label for label in row] for row in predictions]
    return np.ma.array(labels, mask=gaps)


@settings(max_examples=25, deadline=None)
@given(predictions=rows(st.sampled_from([None, 0, 1, 2])))
def test_predictions_with_gaps_equal_the_oracle(predictions):
    for measure, kappa in (("agreement", False), ("pooled_kappa", True)):
        agrees(
            ref.pooled(predictions, kappa),
            lambda measure=measure: prediction_stability(masked(predictions), measure),
        )
    agrees(
        ref.mean_over_rows(ref.cohen_of_common, predictions),
        lambda: prediction_stability(masked(predictions), "kappa"),
    )


@settings(max_examples=25, deadline=None)
@given(predictions=rows(st.sampled_from([None, 0, 1])))
def test_phi_with_gaps_equals_the_oracle(predictions):
    agrees(
        ref.mean_over_rows(ref.phi_of_common, predictions),
        lambda: prediction_stability(masked(predictions), "phi"),
    )


@settings(max_examples=25, deadline=None)
@given(predictions=rows(st.sampled_from("abc")))
def test_without_gaps_the_pooled_kappa_is_that_of_fleiss(predictions):
    expected = ref.fleiss(predictions)
    agrees(expected, lambda: prediction_stability(predictions, "pooled_kappa"))


@pytest.mark.parametrize("measure", ["agreement", "pooled_kappa"])
@settings(max_examples=25, deadline=None)
@given(predictions=rows(st.sampled_from([None, 0, 1, 2]), min_size=3))
def test_pooled_variance_leaves_each_run_out(measure, predictions):
    kappa = measure == "pooled_kappa"
    left_out = [
        ref.pooled(predictions[:i] + predictions[i + 1 :], kappa) for i in range(len(predictions))
    ]
    assume(len(predictions) > 2 and ref.pooled(predictions, kappa) is not None)
    found = prediction_stability(masked(predictions), measure)
    if None in left_out:
        assert math.isnan(found.variance)
        return
    exact = ref.jackknife(lambda rows, _: ref.pooled(rows, kappa), predictions, None)
    assert found.variance == pytest.approx(float(exact), rel=1e-9, abs=1e-14)


def test_alpha_of_a_case_by_hand():
    # Within samples (1 − 2)²; over all predictions 1, 2, 4 and 4 squares of 1, 9, 9, 4, 4 and 0.
    runs = [[1.0, 4.0], [2.0, 4.0]]
    assert numbers.alpha(runs) == pytest.approx(1 - (1 / 2) / (27 / 6))
    assert prediction_stability(runs, "alpha").value == pytest.approx(1 - (1 / 2) / (27 / 6))


@settings(max_examples=25, deadline=None)
@given(predictions=rows(st.sampled_from([None, -1.5, 0.0, 0.25, 7.0])))
def test_alpha_of_numbers_equals_the_oracle(predictions):
    expected = numbers.alpha(predictions)
    expected = None if math.isnan(expected) else expected
    agrees(expected, lambda: prediction_stability(masked(predictions), "alpha"), rel=1e-9)


def test_the_variance_of_alpha_leaves_each_run_out():
    rng = np.random.default_rng(0)
    said = rng.normal(size=20) + rng.normal(size=(12, 20)) * rng.uniform(0.2, 1, size=(12, 1))
    found = prediction_stability(said, "alpha")
    left_out = [numbers.alpha(np.delete(said, i, axis=0).tolist()) for i in range(12)]
    assert found.variance == pytest.approx(11 * np.var(left_out))


def test_gaps_may_be_in_masked_rows_or_everywhere():
    labels = np.ma.array([[0, 1, 1], [0, 1, 0], [1, 1, 0]], mask=[[1, 0, 0], [0, 0, 1], [0, 0, 0]])
    expected = prediction_stability(labels)
    assert prediction_stability(list(labels)) == expected
    # Pairs of runs that both predicted a sample: one, three and one; none, three and none agree.
    assert expected.value == pytest.approx((0 + 3 + 0) / (1 + 3 + 1))
    with pytest.warns(UndefinedStabilityWarning, match="no sample was predicted twice"):
        nothing = prediction_stability(np.ma.masked_all((3, 2), dtype=int))
    assert math.isnan(nothing.value)
    assert math.isnan(nothing.variance)


@settings(max_examples=30, deadline=None)
@given(predictions=rows(st.integers(0, 2)), data=st.data())
def test_names_of_classes_do_not_matter(predictions, data):
    assume(len({label for row in predictions for label in row}) > 1)
    names = data.draw(st.permutations(["x", "y", "z"]))
    renamed = [[names[label] for label in row] for row in predictions]
    expected = prediction_stability(predictions).value
    assert prediction_stability(renamed).value == pytest.approx(expected)


def test_bad_predictions():
    with pytest.raises(ValueError, match="two classes; got 3, so use 'kappa'"):
        prediction_stability([[0, 1, 2], [0, 1, 2]], "phi")
    with pytest.raises(ValueError, match="at least 2 runs"):
        prediction_stability([[0, 1, 2]])
    with pytest.raises(ValueError, match="runs × samples"):
        prediction_stability([[0, 1, 2], [0, 1]])
    with pytest.raises(ValueError, match="class labels, masked where there is none; got nan"):
        prediction_stability([[0.0, np.nan], [0.0, 1.0]])
    result = prediction_stability([["a", "b"], ["a", "a"], ["b", "b"]])
    assert "3 runs, 2 predictions" in repr(result)
