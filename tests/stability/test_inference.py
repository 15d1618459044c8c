"""Variances against exact oracles, coverage of intervals, and the comparison test."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from scipy import stats

from backstay.stability import (
    PairMatrix,
    UndefinedStabilityWarning,
    compare_stability,
    list_measures,
    stability_curve,
    stability_score,
)
from reference import stability as ref
from reference.stability_strategies import systems
from stability.test_subsets import bounds_of

PLAIN = {
    entry.name: entry
    for entry in list_measures().itertuples()
    if entry.input == "subsets" and not entry.needs_similarity
}

# Six subsets of 12 features, drawn with these chances: a procedure whose stability is known.
KNOWN = [[0, 1, 2], [0, 1, 3], [0, 2, 4], [0, 1, 5], [6, 7, 1], [8, 9, 10]]
CHANCES = np.array([0.35, 0.2, 0.15, 0.15, 0.1, 0.05])


def known_mask():
    mask = np.zeros((6, 12), dtype=bool)
    for row, chosen in zip(mask, KNOWN, strict=True):
        row[chosen] = True
    return mask


def least(sets, p, measure, value):
    """The oracle's least variance of a value."""
    entry = PLAIN[measure]
    best = bounds_of(entry, len(sets), p)[1] if math.isnan(entry.identical) else entry.identical
    return float(ref.least_variance(sets, p, best - value))


def population_nogueira(shares):
    return 1 - (shares * (1 - shares)).mean() / (shares.mean() * (1 - shares.mean()))


def coverage(draw, truth, n_repeats, **options):
    """Share of simulated studies whose interval holds the truth."""
    hits = 0
    for seed in range(n_repeats):
        runs = draw(np.random.default_rng(seed))
        low, high = stability_score(runs, **options).confidence_interval
        hits += low <= truth <= high
    return hits / n_repeats


@settings(max_examples=25, deadline=None)
@given(systems(proper=True))
def test_nogueiras_variance_equals_the_oracle(system):
    sets, p = system
    result = stability_score(sets, p, variance_from="analytic")
    if len(sets) == 2:
        assert math.isnan(result.variance)
        return
    expected = float(ref.nogueira_variance(sets, p))
    expected = max(expected, least(sets, p, "nogueira", result.value))
    assert result.variance == pytest.approx(expected, rel=1e-10, abs=1e-14)
    half = stats.t.ppf(0.975, len(sets) - 1) * math.sqrt(expected)
    low, high = result.confidence_interval
    assert low == pytest.approx(max(result.value - half, -1 / (len(sets) - 1)), abs=1e-6)
    assert high == pytest.approx(min(result.value + half, 1), abs=1e-6)


@settings(max_examples=25, deadline=None)
@given(systems(proper=True, equal=True))
def test_kunchevas_variance_is_nogueiras(system):
    sets, p = system
    kuncheva, nogueira = stability_score(sets, p, "kuncheva"), stability_score(sets, p)
    assert kuncheva.variance == pytest.approx(nogueira.variance, nan_ok=True, abs=1e-15)


@pytest.mark.parametrize("measure", PLAIN)
def test_jackknife_equals_leaving_out_each_run(measure):
    @settings(max_examples=30, deadline=None)
    @given(systems(proper=True, equal=measure == "kuncheva"))
    def check(system):
        sets, p = system
        result = stability_score(sets, p, measure)
        if len(sets) == 2:
            assert math.isnan(result.variance)
            return
        left_out = [sets[:i] + sets[i + 1 :] for i in range(len(sets))]
        values = [ref.SUBSETS[measure](rest, p) for rest in left_out]
        expected = (len(sets) - 1) * np.var([float(value) for value in values])
        expected = max(expected, least(sets, p, measure, result.value))
        assert result.variance == pytest.approx(expected, rel=1e-9, abs=1e-14)

    check()


@settings(max_examples=25, deadline=None)
@given(systems(max_features=5, proper=True))
def test_an_interval_has_no_width_only_if_all_runs_are_the_same(system):
    sets, p = system
    if len(sets) == 2:
        return
    for source in ("jackknife", "analytic"):
        result = stability_score(sets, p, variance_from=source)
        low, high = result.confidence_interval
        assert (low == high) == (len(set(sets)) == 1)


def test_runs_that_agree_equally_with_each_other_have_an_interval():
    for sizes in (3, 10):
        result = stability_score([[0, 1, 2 + run] for run in range(sizes)], 50, "kuncheva")
        low, high = result.confidence_interval
        assert low < result.value < high
        curve = stability_curve(
            [[0, 1, 2 + run] for run in range(sizes)], "kuncheva", [3], kind="order", n_features=50
        )
        assert curve["low"].tolist() == pytest.approx([low])


@pytest.mark.parametrize("measure", PLAIN)
def test_theory_or_nan(measure):
    result = stability_score(KNOWN, 12, measure, variance_from="analytic")
    has_theory = measure in ("nogueira", "kuncheva")
    assert math.isnan(result.variance) != has_theory
    assert math.isnan(result.confidence_interval.low) != has_theory


def test_two_runs_give_no_interval_from_any_source():
    for source in ("analytic", "jackknife"):
        result = stability_score([[0, 1], [1, 2]], 5, variance_from=source)
        assert math.isnan(result.variance)


def test_coverage_with_independent_features():
    """Sizes vary: every feature is selected on its own, as in Nogueira's simulations."""
    shares = np.random.default_rng(7).beta(0.4, 0.9, size=40)
    rate = coverage(lambda rng: rng.random((100, 40)) < shares, population_nogueira(shares), 500)
    assert 0.93 <= rate <= 0.97


def test_coverage_with_equal_sizes():
    mask = known_mask()
    truth = population_nogueira(CHANCES @ mask)
    rate = coverage(lambda rng: mask[rng.choice(6, size=100, p=CHANCES)], truth, 500)
    assert 0.93 <= rate <= 0.97


def test_coverage_of_the_mean_jaccard_index():
    mask = known_mask()
    sets = [frozenset(chosen) for chosen in KNOWN]
    truth = sum(
        CHANCES[i] * CHANCES[j] * float(ref.jaccard(sets[i], sets[j], 12))
        for i, j in product(range(6), repeat=2)
    )
    rate = coverage(
        lambda rng: mask[rng.choice(6, size=100, p=CHANCES)], truth, 500, measure="kalousis"
    )
    assert 0.93 <= rate <= 0.97


@pytest.mark.parametrize("n_runs", [5, 10, 20])
def test_few_runs_are_covered(n_runs):
    shares = np.random.default_rng(7).beta(0.4, 0.9, size=40)
    truth = population_nogueira(shares)
    rate = coverage(lambda rng: rng.random((n_runs, 40)) < shares, truth, 600)
    assert 0.93 <= rate <= 0.99


def test_few_runs_are_covered_where_the_jackknife_sees_nothing():
    """Three features always, two of a thousand at random: most runs agree equally."""

    def draw(rng):
        return [[0, 1, 2, *rng.choice(np.arange(3, 1000), 2, replace=False)] for _ in range(5)]

    truth = population_nogueira(np.r_[np.ones(3), np.full(997, 2 / 997)])
    assert coverage(draw, truth, 200, n_features=1000) >= 0.95


@pytest.mark.parametrize("measure", PLAIN)
def test_intervals_stay_in_the_range_of_the_measure(measure):
    kept = np.arange(12) < 4
    steady, shaky = np.tile(kept, (2, 4, 1))
    steady[0] = np.roll(kept, 1)
    shaky[:] = [np.roll(kept, shift) for shift in (0, 4, 8, 0)]
    low, high = bounds_of(PLAIN[measure], 4, 12)
    for runs in (steady, shaky):
        result = stability_score(runs, measure=measure, variance_from="jackknife")
        half = stats.t.ppf(0.975, 3) * math.sqrt(result.variance)
        wide = result.value - half, result.value + half
        assert result.confidence_interval == pytest.approx(np.clip(wide, low, high))
        orders = np.argsort(~runs, axis=1, kind="stable")
        curve = stability_curve(orders, measure, [4], kind="order", variance_from="jackknife")
        assert low <= curve.loc[0, "low"] <= curve.loc[0, "high"] <= high
    apart = compare_stability(shaky, steady, measure=measure, random_state=0).confidence_interval
    assert low - high <= apart.low <= apart.high <= high - low


def test_p_values_and_intervals_agree_on_how_many_runs_are_few():
    for n_runs, law in ((10, stats.t(9)), (49, stats.t(48)), (50, stats.norm())):
        values = np.random.default_rng(n_runs).normal(0.1, 1, size=(n_runs, n_runs))
        pairs = PairMatrix(values + values.T)
        error = math.sqrt(pairs.variance())
        edge = law.ppf(0.975) * error
        assert pairs.interval(0.95) == pytest.approx([pairs.mean() - edge, pairs.mean() + edge])
        assert pairs.p_value() == pytest.approx(2 * law.sf(abs(pairs.mean()) / error))
    assert PairMatrix(np.ones((5, 5))).p_value() == 0


def test_pairs_that_differ_have_a_variance_though_runs_do_not():
    """Every run has the pairs 0, 0, 1: leaving one out never changes the mean."""
    values = np.zeros((4, 4))
    values[[0, 1, 2, 3], [1, 0, 3, 2]] = 1
    pairs = PairMatrix(values)
    assert PairMatrix.jackknife(values.sum(axis=1)) == 0
    # Six pairs of mean 1/3 and variance 2/9.
    assert pairs.variance() == pytest.approx(2 / 9 / 6)
    assert 0 < pairs.p_value() < 1


# Comparing two procedures


def two_procedures(seed, m=40):
    rng = np.random.default_rng(seed)
    return rng.random((m, 30)) < rng.beta(0.3, 0.6, 30), rng.random((m, 30)) < rng.beta(1, 2, 30)


def test_two_sample_test_is_nogueiras():
    a, b = two_procedures(0)
    first, second = stability_score(a), stability_score(b)
    result = compare_stability(a, b)
    statistic = (first.value - second.value) / math.sqrt(first.variance + second.variance)
    assert result.statistic == pytest.approx(statistic)
    assert result.p_value == pytest.approx(2 * stats.t.sf(abs(statistic), 39))
    many = compare_stability(*two_procedures(0, m=50))
    assert many.p_value == pytest.approx(2 * stats.norm.sf(abs(many.statistic)))
    assert result.difference == pytest.approx(first.value - second.value)
    assert result.variance_from == "jackknife"
    low, high = result.confidence_interval
    assert (low > 0 or high < 0) == (result.p_value < 0.05)


def test_swapping_the_two_changes_the_sign():
    a, b = two_procedures(1)
    forth, back = compare_stability(a, b), compare_stability(b, a)
    assert forth.difference == -back.difference
    assert forth.p_value == pytest.approx(back.p_value)


def test_level_of_the_two_sample_test():
    """Two samples of one procedure: about 5 % of p-values below 5 %.

    The analytic variance is some 4 % low at 80 runs, so the level is slightly above.
    """
    shares = np.random.default_rng(3).beta(0.4, 0.9, size=30)
    rejected = 0
    for seed in range(1000):
        rng = np.random.default_rng(seed)
        a, b = rng.random((2, 80, 30)) < shares
        rejected += compare_stability(a, b).p_value < 0.05
    assert 0.04 <= rejected / 1000 <= 0.08


def noisy_copies(seed, m=60, d=30):
    """Two procedures whose runs share a resample: b repeats a but for a few features."""
    rng = np.random.default_rng(seed)
    shares = rng.beta(0.4, 0.9, size=d)
    a = rng.random((m, d)) < shares
    b = np.where(rng.random((m, d)) < 0.1, rng.random((m, d)) < shares, a)
    return a, b


def test_pairing_cancels_what_the_runs_share():
    a, b = noisy_copies(0)
    paired = compare_stability(a, b, paired=True, random_state=0)
    independent = compare_stability(a, b)
    assert paired.difference == independent.difference
    assert paired.variance < 0.5 * independent.variance
    assert paired.variance_from == "bootstrap"
    again = compare_stability(a, b, paired=True, random_state=0)
    assert paired == again


def test_level_of_the_paired_bootstrap():
    """Same stability, runs in common: again about 5 %."""
    rejected = 0
    for seed in range(200):
        a, b = noisy_copies(seed)
        options = {"n_bootstrap": 200, "random_state": seed}
        rejected += compare_stability(a, b, paired=True, **options).p_value < 0.05
    assert 0.02 <= rejected / 200 <= 0.09


def test_other_measures_compare_by_bootstrap():
    a, b = two_procedures(0)
    for paired in (False, True):
        result = compare_stability(a, b, measure="kalousis", paired=paired, random_state=0)
        assert result.variance_from == "bootstrap"
        assert 0 <= result.p_value <= 1


def test_identical_procedures_without_variance_have_no_test():
    same = [[0, 1]] * 5
    with pytest.warns(UndefinedStabilityWarning, match="0/0"):
        result = compare_stability(same, same, 6)
    assert math.isnan(result.p_value)


@pytest.mark.parametrize("paired", [False, True])
def test_few_runs_are_never_certain(paired):
    one, other = [[0, 1]] * 3, [[0, 1], [0, 2], [0, 3]]
    result = compare_stability(one, other, 6, paired=paired, random_state=0)
    assert result.first == 1
    assert result.difference > 0
    assert 0.001 < result.p_value < 1
    assert (result.confidence_interval.low > 0) == (result.p_value < 0.05)


def test_difference_without_variance_is_certain():
    """Lustgarten's measure of identical runs depends on their size."""
    result = compare_stability([[0, 1]] * 4, [[0, 1, 2]] * 4, 6, measure="lustgarten")
    assert result.difference > 0
    assert result.p_value < 1e-9


def test_comparison_refuses_what_does_not_fit():
    with pytest.raises(ValueError, match="the same number of runs; got 3 and 2"):
        compare_stability([[0], [1], [0]], [[0], [1]], 4, paired=True)
    with pytest.raises(ValueError, match="same features; got 2 and 3"):
        compare_stability(np.eye(2, dtype=bool), np.eye(3, dtype=bool))


def test_results_are_readable():
    a, b = two_procedures(0)
    comparison = compare_stability(a, b)
    assert "StabilityComparison(nogueira:" in repr(comparison)
    score = stability_score(a)
    assert float(score) == score.value
    assert "no interval" in repr(stability_score(a, measure="dice", variance_from="analytic"))
