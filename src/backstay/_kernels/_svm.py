"""The dual of the linear soft-margin SVM with a cost per row, from its Gram matrix."""

import numpy as np
from numba import njit

TAU = 1e-12  # stands in for a curvature that is not positive
MAX_ITER = 10_000_000
LANES = 4


@njit(cache=True, nogil=True)
def _highest(values):
    """Return the largest value, by four chains of comparisons that need not wait for another."""
    a = b = c = d = -np.inf
    for t in range(0, len(values), LANES):
        a = values[t] if values[t] > a else a
        b = values[t + 1] if values[t + 1] > b else b
        c = values[t + 2] if values[t + 2] > c else c
        d = values[t + 3] if values[t + 3] > d else d
    return max(max(a, b), max(c, d))


@njit(cache=True, nogil=True)
def _last(values, value):
    """Return the last position of a value."""
    t = len(values) - 1
    while t > 0 and values[t] != value:
        t -= 1
    return t


@njit(cache=True, nogil=True, error_model="numpy")
def _working_set(K, diagonal, pull, rise, fall, tol, gains, falls):
    """Return the pair of rows to move, or (-1, -1) when none gains more than `tol`.

    i is pulled up most; j lowers the objective most together with i (second order).
    `gains` and `falls` are scratch.
    """
    for t in range(len(pull)):
        gains[t] = pull[t] + rise[t]
    best = _highest(gains)
    if best == -np.inf:
        return -1, -1
    i = _last(gains, best)
    K_i, at_i = K[i], diagonal[i]
    # Loops with few arrays each: the compiler has to prove that they do not overlap.
    for t in range(len(pull)):
        falls[t] = best - pull[t] + fall[t]
    for t in range(len(pull)):
        gain = falls[t] if falls[t] > 0.0 else 0.0
        curvature = at_i + diagonal[t] - 2.0 * K_i[t]
        gains[t] = gain * gain / (curvature if curvature > 0.0 else TAU)
    most = _highest(gains)
    if _highest(falls) < tol or most <= 0.0:
        return -1, -1
    return i, _last(gains, most)


@njit(cache=True, nogil=True)
def _set_bars(t, active, sign, alpha, cost, rise, fall):
    """0 where a row may still rise or fall along its sign, −∞ where it may not."""
    up = alpha[t] < cost[t] if sign[t] > 0.0 else alpha[t] > 0.0
    down = alpha[t] > 0.0 if sign[t] > 0.0 else alpha[t] < cost[t]
    rise[t] = 0.0 if up and active[t] else -np.inf
    fall[t] = 0.0 if down and active[t] else -np.inf


@njit(cache=True, nogil=True)
def _set_all_bars(active, sign, alpha, cost, rise, fall):
    for t in range(len(sign)):
        _set_bars(t, active, sign, alpha, cost, rise, fall)


@njit(cache=True, nogil=True)
def _shrink(active, sign, alpha, cost, pull, rise, fall, tol, restored):
    """Set aside rows at a bound that point further out than any row can move.

    When the gap first falls to ten times `tol` all rows come back before that; returns
    whether they have.
    """
    highest = lowest = -np.inf
    for t in range(len(sign)):
        highest = max(highest, pull[t] + rise[t])
        lowest = max(lowest, fall[t] - pull[t])
    if not restored and highest + lowest <= 10.0 * tol:
        restored = True
        for t in range(len(sign)):
            active[t] = cost[t] > 0.0
    for t in range(len(sign)):
        if alpha[t] >= cost[t]:
            outside = pull[t] > highest if sign[t] > 0.0 else -pull[t] > lowest
        elif alpha[t] <= 0.0:
            outside = -pull[t] > lowest if sign[t] > 0.0 else pull[t] > highest
        else:
            outside = False
        if outside:
            active[t] = False
    _set_all_bars(active, sign, alpha, cost, rise, fall)
    return restored


@njit(cache=True, nogil=True)
def _joint_step(curvature, sign, alpha, cost, pull, i, j):
    """Move alpha_i and alpha_j to the minimum along Σ sign·alpha = const, inside the box."""
    step = (pull[i] - pull[j]) / (curvature if curvature > 0.0 else TAU)
    a, b = alpha[i] + sign[i] * step, alpha[j] - sign[j] * step
    if sign[i] != sign[j]:
        difference = alpha[i] - alpha[j]
        if difference > 0.0:
            if b < 0.0:
                a, b = difference, 0.0
        elif a < 0.0:
            a, b = 0.0, -difference
        if difference > cost[i] - cost[j]:
            if a > cost[i]:
                a, b = cost[i], cost[i] - difference
        elif b > cost[j]:
            a, b = cost[j] + difference, cost[j]
    else:
        total = alpha[i] + alpha[j]
        if total > cost[i]:
            if a > cost[i]:
                a, b = cost[i], total - cost[i]
        elif b < 0.0:
            a, b = total, 0.0
        if total > cost[j]:
            if b > cost[j]:
                a, b = total - cost[j], cost[j]
        elif a < 0.0:
            a, b = 0.0, total
    return a, b


@njit(cache=True, nogil=True)
def solve_dual(K, diagonal, sign, cost, tol, alpha):
    """Sequential minimal optimisation from alpha = 0; returns the number of steps.

    min ½ Σ sign_i sign_j K_ij α_i α_j − Σα under Σ sign·α = 0 and 0 ≤ α_i ≤ cost_i, with
    the working sets of Fan, Chen & Lin (2005) and the shrinking and stopping rule of Chang
    & Lin (2011). K is in single and the rest in double precision, the first class comes
    first, and of equal candidates the last is taken: so does libsvm, hence both walk the same
    path and stop at the same point. At the usual tolerance that point, not the optimum,
    decides which of two features with nearly the same weight is dropped; for the same
    reason there is shrinking here, although it saves no time.

    Lengths are multiples of LANES; rows of cost 0 fill up and never move. `pull` is minus
    the gradient along the sign.
    """
    n = len(sign)
    pull = sign.copy()
    active = np.ones(n, np.bool_)
    rise, fall, gains, falls = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    alpha[:] = 0.0
    n_rows = 0
    for t in range(n):
        n_rows += cost[t] > 0.0
        active[t] = cost[t] > 0.0
    filled = active.copy()
    _set_all_bars(active, sign, alpha, cost, rise, fall)
    restored = False
    period = min(n_rows, 1000)
    countdown = period + 1
    for step in range(MAX_ITER):
        countdown -= 1
        if countdown == 0:
            countdown = period
            restored = _shrink(active, sign, alpha, cost, pull, rise, fall, tol, restored)
        i, j = _working_set(K, diagonal, pull, rise, fall, tol, gains, falls)
        if i < 0:
            active[:] = filled
            _set_all_bars(active, sign, alpha, cost, rise, fall)
            i, j = _working_set(K, diagonal, pull, rise, fall, tol, gains, falls)
            if i < 0:
                return step
            countdown = 1
        curvature = diagonal[i] + diagonal[j] - 2.0 * K[i, j]
        a, b = _joint_step(curvature, sign, alpha, cost, pull, i, j)
        by_i, by_j = sign[i] * (a - alpha[i]), sign[j] * (b - alpha[j])
        alpha[i], alpha[j] = a, b
        _set_bars(i, active, sign, alpha, cost, rise, fall)
        _set_bars(j, active, sign, alpha, cost, rise, fall)
        K_i, K_j = K[i], K[j]
        for t in range(n):
            pull[t] -= K_i[t] * by_i + K_j[t] * by_j
    return MAX_ITER


@njit(cache=True, nogil=True)
def one_vs_one_duals(K, starts, cost, tol, out):
    """Signed dual coefficients of every pair of classes; returns the most steps taken.

    K and cost are ordered by class, class c in rows starts[c]:starts[c+1]. Row m of
    `out` belongs to the m-th pair (a, b), a < b, and is 0 outside the two classes.
    """
    out[:] = 0.0
    most = 0
    m = 0
    n_classes = len(starts) - 1
    for a in range(n_classes):
        for b in range(a + 1, n_classes):
            n_a = starts[a + 1] - starts[a]
            n = n_a + starts[b + 1] - starts[b]
            size = -(-n // LANES) * LANES
            rows = np.empty(n, np.intp)
            sign = np.ones(size)
            diagonal, costs, alpha = np.ones(size), np.zeros(size), np.empty(size)
            block = np.zeros((size, size), np.float32)
            for t in range(n):
                rows[t] = starts[a] + t if t < n_a else starts[b] + t - n_a
                sign[t] = 1.0 if t < n_a else -1.0
                diagonal[t] = K[rows[t], rows[t]]
                costs[t] = cost[rows[t]]
            for t in range(n):
                for u in range(n):
                    block[t, u] = K[rows[t], rows[u]]
            most = max(most, solve_dual(block, diagonal, sign, costs, tol, alpha))
            for t in range(n):
                out[m, rows[t]] = sign[t] * alpha[t]
            m += 1
    return most


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def squared_weights(columns, duals, out):
    """out[j] = Σ over machines of w_j², w_j = Σ_i dual_i x_ij; equal columns get equal sums.

    A BLAS product would sum the last rows of a table in another order than the first,
    and so tell copies of a feature apart by rounding.
    """
    for j in range(len(out)):
        total = 0.0
        column = columns[j]
        for m in range(duals.shape[0]):
            w = 0.0
            dual = duals[m]
            for i in range(len(column)):
                w += dual[i] * column[i]
            total += w * w
        out[j] = total


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def add_products(columns, factor, K):
    """K += factor · Σ_j x_j x_jᵀ over features j, eight at a time; K stays symmetric.

    For products so small that BLAS threads cost more to wake than they save, above all
    while other processes hold the cores.
    """
    d, n = columns.shape
    whole = d - d % 8
    for j in range(0, whole, 8):
        c0, c1, c2, c3 = columns[j], columns[j + 1], columns[j + 2], columns[j + 3]
        c4, c5, c6, c7 = columns[j + 4], columns[j + 5], columns[j + 6], columns[j + 7]
        for i in range(n):
            x0, x1, x2, x3 = factor * c0[i], factor * c1[i], factor * c2[i], factor * c3[i]
            x4, x5, x6, x7 = factor * c4[i], factor * c5[i], factor * c6[i], factor * c7[i]
            row = K[i]
            for t in range(i, n):
                first = x0 * c0[t] + x1 * c1[t] + x2 * c2[t] + x3 * c3[t]
                row[t] += first + x4 * c4[t] + x5 * c5[t] + x6 * c6[t] + x7 * c7[t]
    for j in range(whole, d):
        column = columns[j]
        for i in range(n):
            x = factor * column[i]
            row = K[i]
            for t in range(i, n):
                row[t] += x * column[t]
    for i in range(n):
        for t in range(i):
            K[i, t] = K[t, i]


@njit(cache=True, nogil=True)
def _mark_smallest(weights, features, count, marked):
    """Mark the `count` smallest weights; of equal ones the later columns."""
    cut = np.partition(weights, count - 1)[count - 1]
    left = count
    for t in range(len(weights)):
        marked[t] = weights[t] < cut
        left -= marked[t]
    while left > 0:
        latest = -1
        for t in range(len(weights)):
            tied = weights[t] == cut and not marked[t]
            if tied and (latest < 0 or features[t] > features[latest]):
                latest = t
        marked[latest] = True
        left -= 1


@njit(cache=True, nogil=True)
def _move_behind(columns, features, marked, left):
    """Exchange marked features with the last unmarked ones, so that the first `left` remain."""
    mover = left
    for hole in range(left):
        if marked[hole]:
            while marked[mover]:
                mover += 1
            for i in range(columns.shape[1]):
                kept = columns[mover, i]
                columns[mover, i] = columns[hole, i]
                columns[hole, i] = kept
            features[hole], features[mover] = features[mover], features[hole]
            mover += 1


@njit(cache=True, nogil=True)
def eliminate_rounds(
    columns, features, gram, starts, costs, duals, tol, most_steps, step, fall, rounds, weights_then
):
    """Eliminate features round by round, as far as nothing is out of the ordinary.

    The arrays are left as after the last finished round; returns the number of rounds, the
    number of features left, and the trace of the Gram matrix when it was last computed anew.
    A round that takes `most_steps`, or whose weights are not finite, is left to the
    caller. `step` below 1 is the share of the remaining features to drop, else their number;
    `rounds` and `weights_then` get when each feature was dropped, and its weight in that round.
    """
    d = len(columns)
    remaining, number = d, 0
    trace = np.trace(gram)
    weights, marked = np.empty(d), np.empty(d, np.bool_)
    while remaining > 1:
        now = weights[:remaining]
        if one_vs_one_duals(gram, starts, costs, tol, duals) >= most_steps:
            break
        squared_weights(columns[:remaining], duals, now)
        finite = True
        for t in range(remaining):
            finite &= np.isfinite(now[t])
            now[t] = np.sqrt(now[t])
        count = int(step) if step >= 1.0 else max(1, int(step * remaining))
        count = min(count, remaining - 1)
        left = remaining - count
        if not finite:
            break
        _mark_smallest(now, features[:remaining], count, marked[:remaining])
        for t in range(remaining):
            if marked[t]:
                rounds[features[t]] = number
                weights_then[features[t]] = now[t]
        _move_behind(columns, features, marked, left)
        anew = count >= left
        if not anew:
            add_products(columns[left:remaining], -1.0, gram)
            anew = np.trace(gram) * fall <= trace
        if anew:
            gram[:] = 0.0
            add_products(columns[:left], 1.0, gram)
            trace = np.trace(gram)
        remaining = left
        number += 1
    return number, remaining, trace
