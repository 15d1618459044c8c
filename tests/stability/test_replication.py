"""What another sample would choose, against the definition, by hand and by simulation."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backstay.stability import Standings
from reference import replication as reference


def test_the_reference_by_hand():
    # Of ten features three are always chosen, and two of the other seven, all alike:
    # 3 + 7·(2/7)² shared, 2.5 at random, 5 at most.
    chances = [1.0] * 3 + [2 / 7] * 7
    assert reference.overlap(chances, 10, 5) == pytest.approx(3 / 7)
    assert reference.overlap([0.5] * 10, 10, 5) == pytest.approx(0)
    # A feature at the threshold of a one-sided choice is chosen by half of the samples, and every
    # number of runs is as likely as any other if its noise is that of the runs.
    assert reference.chosen_elsewhere(0.0, 1.0, 0.0, two_sided=False) == pytest.approx(0.5)
    for count in range(5):
        found = reference.count_probability(count, 4, 0.0, 1.0, math.inf)
        assert found == pytest.approx(1 / 5)


@st.composite
def selections(draw):
    n_runs = draw(st.integers(4, 25))
    chosen = draw(st.lists(st.integers(0, n_runs), min_size=6, max_size=25))
    counts = np.array([*chosen, n_runs, 0, 0, 0, 1])
    return counts, n_runs, draw(st.sampled_from([0.5, 1.0, 2.0, 9.0]))


@given(selections())
@settings(max_examples=10, deadline=None)
def test_fit_is_the_most_likely_distribution(case):
    counts, n_runs, noise = case
    found = Standings.fit(counts, n_runs, noise)
    assert found.mass.sum() == pytest.approx(1)
    assert found.size == pytest.approx(counts.sum() / n_runs)
    slopes = reference.likelihood_slopes(found.histogram, found.mass, found.likelihood)
    assert slopes.max() < 1 + 1e-3
    place = len(found.grid) // 2
    for count in (0, n_runs // 2, n_runs):
        expected = reference.count_probability(
            count, n_runs, found.grid[place], noise, found.threshold
        )
        assert found.likelihood[place, count] == pytest.approx(expected, abs=2e-4)


@given(selections(), st.sampled_from([0.5, 1.0, 3.0]))
@settings(max_examples=25, deadline=None)
def test_overlap_is_the_definition(case, rows):
    counts, n_runs, noise = case
    found = Standings.fit(counts, n_runs, noise)
    chosen = found._chosen(found.mass[None], float(len(counts)), found.size, rows)[0]
    # The threshold lets as many features through as the runs choose.
    assert len(counts) * (found.mass @ chosen) == pytest.approx(found.size, rel=1e-4)
    shared = len(counts) * (found.mass @ chosen**2)
    at_random = found.size**2 / len(counts)
    expected = (shared - at_random) / (found.size - at_random)
    assert found.overlap(rows) == pytest.approx(expected, abs=1e-6)
    again = found.again(rows)
    for count in np.unique(counts):
        weight = found.mass * found.likelihood[:, count]
        assert again[count] == pytest.approx(weight @ chosen / weight.sum(), abs=1e-6)
    assert -0.2 < found.overlap(rows) <= 1


def simulated(standing, size, share, n_runs, rng, two_sided=True):
    """Draw two samples of features with these standings, and runs on a share of the first's rows.

    Statistics of samples have variance 1.
    """
    size_of = np.abs if two_sided else (lambda statistic: statistic)

    def best(statistic):
        return np.argsort(-size_of(statistic))[:size]

    first, second = standing + rng.normal(size=(2, len(standing)))
    spread = math.sqrt(1 / share - 1)
    runs = [best(first + spread * rng.normal(size=len(standing))) for _ in range(n_runs)]
    shared = len(np.intersect1d(best(first), best(second)))
    at_random = size**2 / len(standing)
    counts = np.bincount(np.concatenate(runs), minlength=len(standing))
    return counts, (shared - at_random) / (size - at_random)


@pytest.mark.parametrize("two_sided", [True, False])
@pytest.mark.parametrize(("n_true", "size"), [(0, 50), (100, 50), (20, 20), (300, 50)])
def test_what_a_second_sample_shares_is_foretold(n_true, size, two_sided):
    rng = np.random.default_rng(0)
    standing = np.zeros(1000)
    standing[:n_true] = np.linspace(0.5, 4.5, n_true)
    said, found = [], []
    for _ in range(12):
        counts, overlap = simulated(standing, size, 2 / 3, 50, rng, two_sided)
        said.append(Standings.fit(counts, 50, 2.0).overlap())
        found.append(overlap)
    assert np.mean(said) == pytest.approx(np.mean(found), abs=0.08)


def test_thresholds_are_fine_enough_for_more_features_than_differ():
    # Fifty of 1000 are chosen, twenty stand out: the threshold is 5 % above that of noise.
    rng = np.random.default_rng(0)
    standing = np.concatenate([np.linspace(1.2, 4.6, 20), np.zeros(980)])
    pairs = [simulated(standing, 50, 2 / 3, 50, rng) for _ in range(25)]
    said = [Standings.fit(counts, 50, 2.0).overlap() for counts, _ in pairs]
    assert np.mean(said) == pytest.approx(np.mean([overlap for _, overlap in pairs]), abs=0.025)


def test_the_share_of_the_rows_does_not_matter():
    standing = np.concatenate([np.linspace(0.5, 4.5, 80), np.zeros(720)])
    said = []
    for share in (0.5, 2 / 3, 0.8, 0.9):
        rng = np.random.default_rng(1)
        fits = [
            Standings.fit(simulated(standing, 40, share, 60, rng)[0], 60, share / (1 - share))
            for _ in range(8)
        ]
        said.append(np.mean([fit.overlap() for fit in fits]))
    assert np.ptp(said) < 0.1


def test_more_rows_share_more():
    standing = np.concatenate([np.linspace(0.5, 4.5, 80), np.zeros(720)])
    rng = np.random.default_rng(2)
    found = Standings.fit(simulated(standing, 40, 2 / 3, 50, rng)[0], 50, 2.0)
    said = [found.overlap(rows) for rows in (0.25, 0.5, 1, 2, 4)]
    assert said == sorted(said)
    again = found.again()
    assert (np.diff(again) > -1e-9).all()
    assert 0 <= again.min() <= again.max() <= 1


def test_other_features_drawn_give_the_same_overlap():
    standing = np.concatenate([np.linspace(0.5, 4.5, 80), np.zeros(720)])
    rng = np.random.default_rng(3)
    found = Standings.fit(simulated(standing, 40, 2 / 3, 50, rng)[0], 50, 2.0)
    drawn = found.overlaps_of(np.repeat(found.histogram[None], 3, axis=0) * [[1], [2], [3]])
    assert drawn == pytest.approx(found.overlap(), abs=0.03)


def test_counts_without_a_choice_are_refused():
    with pytest.raises(ValueError, match="some of the features"):
        Standings.fit([5, 5, 5], 5, 2.0)
