"""Bounds on the expected number of falsely selected features of stability selection.

Notation of Shah & Samworth (2013): q features selected per run out of d, θ = q/d,
τ the threshold on the selection frequency, B complementary pairs (2B runs).
"""

from bisect import bisect_right
from functools import partial

import numpy as np
from scipy.optimize import minimize_scalar

from backstay.base import Array


def grid_threshold(threshold: float, n_runs: int) -> float:
    """Return the smallest multiple of 1/n_runs, as frequencies are, not below the threshold."""
    return float(np.ceil(threshold * n_runs - 1e-9) / n_runs)


def worst_case(q: float, d: int, threshold: float, n_pairs: int) -> float:
    """q²/((2τ − 1)d): Meinshausen & Bühlmann 2010, Theorem 1; Shah & Samworth, Theorem 1."""
    return q**2 / ((2 * threshold - 1) * d)


def unimodal(q: float, d: int, threshold: float, n_pairs: int) -> float:
    """Shah & Samworth, Theorem 2; where its conditions on θ and τ fail, their Theorem 1."""
    tau, theta = grid_threshold(threshold, 2 * n_pairs), q / d
    lowest = min(0.5 + theta**2, 0.5 + 0.5 / n_pairs + 0.75 * theta**2)
    if theta > 1 / np.sqrt(3) or tau <= lowest:
        return worst_case(q, d, tau, n_pairs)
    if tau <= 0.75:
        factor = 1 / (2 * (2 * tau - 1 - 0.5 / n_pairs))
    else:
        factor = 4 * (1 - tau + 0.5 / n_pairs) / (1 + 1 / n_pairs)
    return factor * q**2 / d


def r_concave(q: float, d: int, threshold: float, n_pairs: int) -> float:
    """Shah & Samworth, eq. 8: min{D(θ², 2τ − 1, B, −1/2), D(θ, τ, 2B, −1/4)} · d."""
    # −1/2-concave distributions are unimodal, so where θ is large and D says little, the unimodal
    # bound holds.
    n_runs = 2 * n_pairs
    # In whole numbers of runs: X ≥ τ means at least `needed` of 2B runs; the share of pairs
    # selected by both runs is then at least 2τ − 1.
    needed = round(grid_threshold(threshold, n_runs) * n_runs)
    theta = q / d
    pairs = largest_tail(theta**2 * n_pairs, max(0, needed - n_pairs), n_pairs, -0.5)
    runs = largest_tail(theta * n_runs, needed, n_runs, -0.25)
    return min(min(pairs, runs) * d, unimodal(q, d, threshold, n_pairs))


def largest_tail(mean: float, t: int, B: int, r: float) -> float:
    """Return max P(X ≥ t) over r-concave X on 0..B with E X ≤ mean, for r < 0."""
    # f is r-concave if f^r is convex on its support. For t > 2·mean even the uniform distribution
    # of that mean ends before t, so f must fall, and among f with f(0) and f(t) given the linear
    # f^r is the one that puts least mass between them. So f(i) ∝ (a + i)^(1/r) up to a cut, the
    # last point holding at most its share. Given a, the mean fixes the cut; what remains is a
    # search over one number. For t ≤ 2·mean the bound is 1.
    if mean <= 0:
        return 0.0 if t > 0 else 1.0
    if t <= 2 * mean:
        return 1.0
    log_a = np.linspace(np.log(1e-8), np.log(1e8), 321)
    tails = _tail(np.exp(log_a), mean, t, B, r)
    best = int(np.argmax(tails))
    low, high = log_a[max(best - 1, 0)], log_a[min(best + 1, len(log_a) - 1)]
    finer = minimize_scalar(
        lambda x: -_tail(np.exp(np.array([x])), mean, t, B, r)[0],
        bounds=(low, high),
        method="bounded",
        options={"xatol": 1e-10},
    )
    return float(min(1.0, max(tails[best], -finer.fun)))


def _tail(a: Array, mean: float, t: int, B: int, r: float) -> Array:
    """P(X ≥ t) for f(i) ∝ (a + i)^(1/r), cut where E X = mean (or uncut if it stays below)."""
    i = np.arange(B + 1)
    # Scaled by f(0): for small a the other terms are tiny, never the first.
    f = ((a[:, None] + i) / a[:, None]) ** (1.0 / r)
    mass, moment = np.cumsum(f, axis=1), np.cumsum(i * f, axis=1)
    within = moment <= mean * mass  # the mean grows with the cut: True, …, True, False, …
    last = within.sum(axis=1) - 1  # the last whole point; at least 0
    rows = np.arange(len(a))
    total, held = mass[rows, last], moment[rows, last]
    nxt = np.minimum(last + 1, B)
    # x of mass at the next point with (held + nxt·x)/(total + x) = mean
    x = np.where(last < B, (mean * total - held) / np.maximum(nxt - mean, 1e-300), 0.0)
    below_t = np.where(last >= t, mass[:, t - 1], total)
    tail_mass = total - below_t + np.where(nxt >= t, x, 0.0)
    return np.asarray(tail_mass / (total + x))


ASSUMPTIONS = {"none": worst_case, "unimodal": unimodal, "r_concave": r_concave}


def largest_q(pfer: float, d: int, threshold: float, n_pairs: int, assumption: str) -> int:
    """Return the largest q whose bound does not exceed `pfer`; 0 if there is none."""
    # Every bound grows with q.
    bound = partial(ASSUMPTIONS[assumption], d=d, threshold=threshold, n_pairs=n_pairs)
    return bisect_right(range(1, d + 1), pfer, key=bound)


def smallest_threshold(
    pfer: float, q: float, d: int, n_pairs: int, assumption: str
) -> float | None:
    """Return the smallest threshold above 1/2, on the grid of frequencies, that keeps `pfer`."""
    grid = (needed / (2 * n_pairs) for needed in range(n_pairs + 1, 2 * n_pairs + 1))
    return next((t for t in grid if ASSUMPTIONS[assumption](q, d, t, n_pairs) <= pfer), None)
