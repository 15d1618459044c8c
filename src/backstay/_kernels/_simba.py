"""Simba: nearest hit and miss under weighted norms, and steps along the margin's gradient."""

import numpy as np

from backstay._kernels._compile import kernel
from backstay._kernels._distances import FEATURE_CHUNK, SUM


@kernel(fastmath=SUM)
def _squared_norms(X, i, g, out):
    """out[j] = Σ_f g_f (x_if − x_jf)²; rows come in fours, all by the same instructions."""
    n, d = X.shape
    out[:] = 0.0
    zero = X.dtype.type(0)
    for f0 in range(0, d, FEATURE_CHUNK):
        f1 = min(f0 + FEATURE_CHUNK, d)
        x, weights = X[i, f0:f1], g[f0:f1]
        for j in range(0, n, 4):
            # Rows by themselves: as places in a table, AVX-512 compilers find no vectors in them.
            x0 = X[j, f0:f1]
            x1 = X[j + 1, f0:f1]
            x2 = X[j + 2, f0:f1]
            x3 = X[j + 3, f0:f1]
            s0 = s1 = s2 = s3 = zero
            for f in range(f1 - f0):
                z0 = x[f] - x0[f]
                z1 = x[f] - x1[f]
                z2 = x[f] - x2[f]
                z3 = x[f] - x3[f]
                s0 += weights[f] * z0 * z0
                s1 += weights[f] * z1 * z1
                s2 += weights[f] * z2 * z2
                s3 += weights[f] * z3 * z3
            out[j] += s0
            out[j + 1] += s1
            out[j + 2] += s2
            out[j + 3] += s3


@kernel()
def _nearest_hit_and_miss(X, y, i, g, squared):
    """Rows and norms of the nearest hit and miss under Σ g z²; ties by row."""
    # The hit is −1 where the instance makes no update: no hit, no miss, or one at distance 0.
    _squared_norms(X, i, g, squared)
    hit = miss = -1
    for j in range(len(y)):
        if j == i:
            continue
        if y[j] == y[i]:
            if hit < 0 or squared[j] < squared[hit]:
                hit = j
        elif miss < 0 or squared[j] < squared[miss]:
            miss = j
    if hit < 0 or miss < 0 or squared[hit] <= 0.0 or squared[miss] <= 0.0:
        return -1, -1, 0.0, 0.0
    return hit, miss, np.sqrt(squared[hit]), np.sqrt(squared[miss])


@kernel()
def _slope(margin, beta):
    """u'(θ): 1 for the linear utility (β = 0), β u (1 − u) for the sigmoid."""
    if beta == 0.0:
        return 1.0
    e = np.exp(-abs(beta * margin))
    return beta * e / (1.0 + e) ** 2


@kernel()
def _utility(margin, beta):
    if beta == 0.0:
        return margin
    return 1.0 / (1.0 + np.exp(-beta * margin))


@kernel()
def _add_step(X, i, hit, miss, hit_norm, miss_norm, scale, w, out):
    """out += scale · ½ ((x−m)²/‖x−m‖ − (x−h)²/‖x−h‖) w [PB alg. 1]."""
    to_miss = 0.5 * scale / miss_norm
    to_hit = 0.5 * scale / hit_norm
    for f in range(len(w)):
        m = float(X[i, f]) - X[miss, f]
        h = float(X[i, f]) - X[hit, f]
        out[f] += (to_miss * m * m - to_hit * h * h) * w[f]


@kernel()
def _square(w, blend, g):
    """Squared weights of the norm: w², or f(w)² of the progressive variant (blend ≥ 0)."""
    if blend < 0.0:
        for f in range(len(w)):
            g[f] = w[f] * w[f]
        return
    top = 0.0
    for f in range(len(w)):
        top = max(top, abs(w[f]))
    for f in range(len(w)):
        relative = abs(w[f]) / top if top > 0.0 else 1.0
        g[f] = (1.0 + (relative - 1.0) * blend) ** 2


@kernel()
def stochastic_ascent(X, y, visits, omega, blends, beta, w):
    """Visit the rows in turn and step along each one's own gradient, ω times as far."""
    squared = np.empty(X.shape[0])
    g = np.zeros(X.shape[1], X.dtype)
    step = np.empty(len(w))
    for t in range(len(visits)):
        i = visits[t]
        _square(w, blends[t], g)
        hit, miss, hit_norm, miss_norm = _nearest_hit_and_miss(X, y, i, g, squared)
        if hit < 0:
            continue
        scale = omega[i] * _slope(0.5 * (miss_norm - hit_norm), beta)
        step[:] = 0.0
        _add_step(X, i, hit, miss, hit_norm, miss_norm, scale, w, step)
        for f in range(len(w)):
            w[f] += step[f]


@kernel()
def evaluation(X, y, omega, beta, w, gradient):
    """e(w) = Σ ω u(θ(x)) and its gradient."""
    squared = np.empty(X.shape[0])
    g = np.zeros(X.shape[1], X.dtype)
    _square(w, -1.0, g)
    gradient[:] = 0.0
    total = 0.0
    for i in range(len(y)):
        hit, miss, hit_norm, miss_norm = _nearest_hit_and_miss(X, y, i, g, squared)
        if hit < 0:
            continue
        margin = 0.5 * (miss_norm - hit_norm)
        total += omega[i] * _utility(margin, beta)
        scale = omega[i] * _slope(margin, beta)
        _add_step(X, i, hit, miss, hit_norm, miss_norm, scale, w, gradient)
    return total


@kernel()
def hits_and_misses(X, y, w):
    """Rows that have a margin under w, and the nearest hit and miss of each."""
    squared = np.empty(X.shape[0])
    g = np.zeros(X.shape[1], X.dtype)
    _square(w, -1.0, g)
    rows = np.empty(len(y), np.intp)
    hits = np.empty(len(y), np.intp)
    misses = np.empty(len(y), np.intp)
    count = 0
    for i in range(len(y)):
        hit, miss, _, _ = _nearest_hit_and_miss(X, y, i, g, squared)
        if hit >= 0:
            rows[count], hits[count], misses[count] = i, hit, miss
            count += 1
    return rows[:count], hits[:count], misses[:count]


@kernel()
def adaptive_ascent(X, y, visits, omega, beta, w, rate):
    """Visit the rows in turn; step as far as the row's own utility rises; return the last rate.

    Weights are kept at max |w| = 1, so that a longer w alone does not count.
    """
    squared = np.empty(X.shape[0])
    g = np.zeros(X.shape[1], X.dtype)
    step, trial = np.empty(len(w)), np.empty(len(w))
    for t in range(len(visits)):
        i = visits[t]
        _square(w, -1.0, g)
        hit, miss, hit_norm, miss_norm = _nearest_hit_and_miss(X, y, i, g, squared)
        if hit < 0:
            continue
        margin = 0.5 * (miss_norm - hit_norm)
        step[:] = 0.0
        scale = omega[i] * _slope(margin, beta)
        _add_step(X, i, hit, miss, hit_norm, miss_norm, scale, w, step)
        moved = rate
        while moved >= 0.0009765625:
            top = 0.0
            for f in range(len(w)):
                trial[f] = w[f] + moved * step[f]
                top = max(top, abs(trial[f]))
            if top > 0.0:
                for f in range(len(w)):
                    trial[f] /= top
                _square(trial, -1.0, g)
                hit, miss, hit_norm, miss_norm = _nearest_hit_and_miss(X, y, i, g, squared)
                if hit >= 0 and 0.5 * (miss_norm - hit_norm) > margin:
                    w[:] = trial
                    rate = min(1.0, 2.0 * moved)
                    break
            moved /= 2.0
    return rate
