"""The dual of the linear soft-margin SVM with a cost per row, in the steps of libsvm."""

import numpy as np

from backstay._kernels._compile import kernel

TAU = 1e-12  # stands in for a curvature that is not positive
MAGNITUDE = 0x7FFFFFFFFFFFFFFF  # all bits of a float64 but its sign


@kernel()
def _last(bits, wanted):
    """Return the last position of a value."""
    t = len(bits) - 1
    while t > 0 and bits[t] != wanted:
        t -= 1
    return t


@kernel(error_model="numpy")
def working_set(K, diagonal, pull, dual, low, high, tol, gains, falls):
    """Return the pair of rows to move, or (-1, -1) when none gains more than `tol`."""
    # i is pulled up most; j lowers the objective most together with i (second order). `gains` and
    # `falls` are scratch. Their largest elements are found among their bits: those of floats
    # without sign are ordered as the floats are, and unlike floats, of which any may be nan, the
    # compiler compares integers side by side.
    n = len(pull)
    gain_bits, fall_bits = gains.view(np.int64), falls.view(np.int64)
    for t in range(n):
        gains[t] = pull[t] if dual[t] < high[t] else -np.inf
    highest = np.int64(-MAGNITUDE)
    for t in range(n):
        key = gain_bits[t] ^ ((gain_bits[t] >> 63) & MAGNITUDE)
        highest = key if key > highest else highest
    i = _last(gain_bits, highest ^ ((highest >> 63) & MAGNITUDE))
    best, at_i = gains[i], diagonal[i]
    for t in range(n):
        fall = best - pull[t]
        falls[t] = fall if dual[t] > low[t] and fall > 0.0 else 0.0
    for t in range(n):
        curvature = at_i + diagonal[t] - 2.0 * K[i, t]
        gains[t] = falls[t] * falls[t] / (curvature if curvature > 0.0 else TAU)
    furthest = most = np.int64(0)
    for t in range(n):
        furthest = fall_bits[t] if fall_bits[t] > furthest else furthest
    for t in range(n):
        most = gain_bits[t] if gain_bits[t] > most else most
    if best == -np.inf or most == 0 or falls[_last(fall_bits, furthest)] < tol:
        return -1, -1
    return i, _last(gain_bits, most)


@kernel(error_model="numpy")
def move_pair(K, diagonal, low, high, pull, dual, i, j):
    """Move two rows to the minimum along β_i + β_j = const, inside the box."""
    curvature = diagonal[i] + diagonal[j] - 2.0 * K[i, j]
    total = dual[i] + dual[j]
    by = (pull[i] - pull[j]) / (curvature if curvature > 0.0 else TAU)
    a, b = dual[i] + by, dual[j] - by
    if total > high[i] + low[j]:
        if a > high[i]:
            a, b = high[i], total - high[i]
    elif b < low[j]:
        a, b = total - low[j], low[j]
    by_i, by_j = a - dual[i], b - dual[j]
    dual[i], dual[j] = a, b
    for t in range(len(pull)):
        pull[t] -= K[i, t] * by_i + K[j, t] * by_j


@kernel()
def _restore(bounds, low, high):
    for t in range(len(low)):  # numba takes two seconds to compile ``low[:] = bounds[0]``
        low[t], high[t] = bounds[0, t], bounds[1, t]


@kernel()
def _shrink(pull, dual, bounds, low, high, tol, restored):
    """Set aside rows at a bound that point further out than any row can move."""
    # When the gap first falls to ten times `tol` all rows come back before that; returns whether
    # they have.
    highest = lowest = -np.inf
    for t in range(len(pull)):
        highest = max(highest, pull[t] if dual[t] < high[t] else -np.inf)
        lowest = max(lowest, -pull[t] if dual[t] > low[t] else -np.inf)
    if not restored and highest + lowest <= 10.0 * tol:
        restored = True
        _restore(bounds, low, high)
    for t in range(len(pull)):
        beyond = dual[t] >= bounds[1, t] and pull[t] > highest
        beyond |= dual[t] <= bounds[0, t] and -pull[t] > lowest
        if beyond:
            low[t], high[t] = np.inf, -np.inf
    return restored


@kernel(error_model="numpy")
def solve_dual(K, diagonal, sign, cost, tol, most_steps, dual):
    """Sequential minimal optimisation from 0; returns the number of steps, at most `most_steps`.

    min ½ Σ K_ij β_i β_j − Σ sign·β over the signed coefficients β = sign·α, under Σβ = 0 and
    0 ≤ α_i ≤ cost_i, with the working sets of Fan, Chen & Lin (2005) and the shrinking and
    stopping rule of Chang & Lin (2011). Of equal candidates the last is taken, as by libsvm: both
    walk the same path and stop at the same point, which at its tolerance decides what is dropped.
    `pull` is minus the gradient. Rows of cost 0 fill up the last lanes.
    """
    n = len(sign)
    pull = sign.copy()
    bounds = np.empty((2, n))
    n_rows = 0
    for t in range(n):
        n_rows += cost[t] > 0.0
        bounds[0, t] = 0.0 if sign[t] > 0.0 else -cost[t]
        bounds[1, t] = cost[t] if sign[t] > 0.0 else 0.0
    low, high, gains, falls = bounds[0].copy(), bounds[1].copy(), np.empty(n), np.empty(n)
    dual[:] = 0.0
    restored = False
    period = min(n_rows, 1000)
    countdown = period + 1
    for step in range(most_steps):
        countdown -= 1
        if countdown == 0:
            countdown = period
            restored = _shrink(pull, dual, bounds, low, high, tol, restored)
        i, j = working_set(K, diagonal, pull, dual, low, high, tol, gains, falls)
        if i < 0:
            _restore(bounds, low, high)
            i, j = working_set(K, diagonal, pull, dual, low, high, tol, gains, falls)
            if i < 0:
                return step
            countdown = 1
        move_pair(K, diagonal, bounds[0], bounds[1], pull, dual, i, j)
    return most_steps
