"""Bounds of stability selection: by hand, against a search, in simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from backstay.ensemble._error_bounds import (
    ASSUMPTIONS,
    grid_threshold,
    largest_q,
    largest_tail,
    smallest_threshold,
)
from reference import ensemble as reference


def error_bound(q, d, threshold, n_pairs, assumption):
    return ASSUMPTIONS[assumption](q, d, threshold, n_pairs)


def test_by_hand():
    assert_allclose(error_bound(10, 100, 0.75, 50, "none"), 2.0)
    # τ ≤ ¾: 1/(2(2·0.7 − 1 − 0.01)) · 10²/1000; beyond: 4(1 − 0.9 + 0.01)/1.02 · 10²/1000.
    assert_allclose(error_bound(10, 1000, 0.7, 50, "unimodal"), 0.1 / 0.78)
    assert_allclose(error_bound(10, 1000, 0.9, 50, "unimodal"), 0.044 / 1.02)


def test_published_figure():
    """Set beside the output of R's stabs: cutoff 0.8, q 20 of 88, B 50 gives 3.743316."""
    assert_allclose(error_bound(20, 88, 0.8, 50, "unimodal"), 3.743316, atol=5e-7)


@given(st.integers(1, 60), st.integers(60, 300), st.floats(0.51, 1.0), st.sampled_from([5, 20, 50]))
def test_definitions(q, d, threshold, n_pairs):
    assert_allclose(
        error_bound(q, d, threshold, n_pairs, "none"),
        reference.meinshausen_buhlmann(q, d, threshold),
    )
    assert_allclose(
        error_bound(q, d, threshold, n_pairs, "unimodal"),
        reference.unimodal(q, d, threshold, n_pairs),
    )
    bounds = [error_bound(q, d, threshold, n_pairs, a) for a in ASSUMPTIONS]
    assert_allclose(bounds, sorted(bounds, reverse=True), rtol=1e-14)


@pytest.mark.parametrize("q", [1, 10, 50])
@pytest.mark.parametrize("threshold", [0.55, 0.6, 0.75, 0.76, 0.9, 1.0])
def test_stronger_assumptions_give_smaller_bounds(q, threshold):
    bounds = [error_bound(q, 1000, threshold, 50, a) for a in ASSUMPTIONS]
    assert bounds[0] > bounds[1] > bounds[2] > 0


def test_threshold_between_frequencies():
    assert grid_threshold(0.6, 100) == 0.6
    assert grid_threshold(0.601, 100) == 0.61
    assert_allclose(
        error_bound(10, 100, 0.601, 50, "r_concave"), error_bound(10, 100, 0.61, 50, "r_concave")
    )


def fraction(f, mean, t):
    """Tail of f where it keeps the mean; a lower value the more it breaks it."""
    i = np.arange(len(f))
    return f[t:].sum() - 50 * max(0.0, float(f @ i) - mean)


def pmf(parameters, r):
    """An r-concave distribution: f^r begins at 1 and has growing changes."""
    changes = np.cumsum(np.r_[parameters[0], np.exp(np.minimum(parameters[1:], 50))])
    g = np.r_[1.0, 1.0 + np.cumsum(changes)]
    if g.min() <= 0:
        return None
    f = g ** (1 / r)
    return f / f.sum()


@pytest.mark.parametrize("r", [-0.5, -0.25])
@pytest.mark.parametrize(("B", "t", "mean"), [(3, 2, 0.5), (4, 3, 1.4), (5, 4, 0.5)])
def test_largest_tail_is_the_maximum(r, B, t, mean):
    """A general optimiser over r-concave distributions finds no larger tail, and nearly this."""
    rng = np.random.default_rng(0)
    best = 0.0
    for _ in range(8):

        def loss(parameters):
            f = pmf(parameters, r)
            return 10.0 if f is None else -fraction(f, mean, t)

        start = np.r_[rng.normal(), 3 * rng.normal(size=B - 1)]
        found = minimize(loss, start, method="Nelder-Mead", options={"maxfev": 800})
        best = max(best, -found.fun)
    tail = largest_tail(mean, t, B, r)
    assert 0.99 * tail < best < tail + 1e-6


@pytest.mark.parametrize("r", [-0.5, -0.25])
def test_largest_tail_above_every_distribution_of_a_grid(r):
    steps = [np.r_[-0.9, -0.5, -0.2, 0.0, np.geomspace(0.01, 30, 12)].tolist()] * 4
    for t, mean in [(2, 0.3), (3, 1.0), (4, 1.5), (2, 0.95)]:
        assert largest_tail(mean, t, 4, r) >= reference.tail_by_search(mean, t, r, steps)


def test_largest_tail_at_the_ends():
    assert largest_tail(0.0, 1, 5, -0.5) == 0.0
    assert largest_tail(0.0, 0, 5, -0.5) == 1.0
    assert largest_tail(2.0, 4, 5, -0.5) == 1.0


@pytest.mark.parametrize("assumption", ASSUMPTIONS)
@pytest.mark.parametrize("pfer", [0.5, 1, 4.0])
def test_choices_are_tight(pfer, assumption):
    d, n_pairs = 200, 50
    q = largest_q(pfer, d, 0.7, n_pairs, assumption)
    assert error_bound(q, d, 0.7, n_pairs, assumption) <= pfer
    assert error_bound(q + 1, d, 0.7, n_pairs, assumption) > pfer
    threshold = smallest_threshold(pfer, 8, d, n_pairs, assumption)
    assert error_bound(8, d, threshold, n_pairs, assumption) <= pfer
    if threshold > 0.51:
        assert error_bound(8, d, threshold - 0.01, n_pairs, assumption) > pfer


def test_choices_that_do_not_exist():
    assert largest_q(0.001, 20, 0.6, 50, "none") == 0
    assert smallest_threshold(0.001, 10, 20, 50, "none") is None
    assert largest_q(1e6, 20, 0.6, 50, "none") == 20
