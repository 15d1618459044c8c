"""The dual of the linear soft-margin SVM with a cost per row, from its Gram matrix."""

import numpy as np
from numba import njit

TAU = 1e-12  # stands in for a curvature that is not positive
MAX_ITER = 10_000_000


@njit(cache=True, nogil=True)
def _most_violating(active, sign, alpha, cost, gradient):
    """Find the row that gains most by rising along its sign; ties to the last row."""
    best = -np.inf
    chosen = -1
    for t in range(len(sign)):
        free_to_rise = alpha[t] < cost[t] if sign[t] > 0.0 else alpha[t] > 0.0
        if active[t] and free_to_rise and -sign[t] * gradient[t] >= best:
            best = -sign[t] * gradient[t]
            chosen = t
    return chosen, best


@njit(cache=True, nogil=True)
def _best_partner(Q, diagonal, active, sign, alpha, cost, gradient, i, best):
    """Find the row whose joint step with i lowers the objective most, and the remaining gap."""
    lowest = np.inf
    partner = -1
    worst = -np.inf
    Q_i = Q[i]
    for t in range(len(sign)):
        free_to_fall = alpha[t] > 0.0 if sign[t] > 0.0 else alpha[t] < cost[t]
        if not (active[t] and free_to_fall):
            continue
        slope = sign[t] * gradient[t]
        worst = max(worst, slope)
        gain = best + slope
        if gain > 0.0:
            curvature = diagonal[i] + diagonal[t] - 2.0 * (sign[i] * sign[t]) * Q_i[t]
            change = -(gain * gain) / (curvature if curvature > 0.0 else TAU)
            if change <= lowest:
                lowest = change
                partner = t
    return partner, best + worst


@njit(cache=True, nogil=True)
def _working_set(Q, diagonal, active, sign, alpha, cost, gradient, tol):
    """Return the pair of rows to move, or (-1, -1) when none gains more than `tol`."""
    i, best = _most_violating(active, sign, alpha, cost, gradient)
    if i < 0:
        return -1, -1
    j, gap = _best_partner(Q, diagonal, active, sign, alpha, cost, gradient, i, best)
    if j < 0 or gap < tol:
        return -1, -1
    return i, j


@njit(cache=True, nogil=True)
def _shrink(active, sign, alpha, cost, gradient, tol, restored):
    """Set aside rows at a bound that point further out than any row can move.

    When the gap first falls to ten times `tol` all rows come back before that; returns
    whether they have.
    """
    rise = fall = -np.inf
    for t in range(len(sign)):
        slope = sign[t] * gradient[t]
        if active[t]:
            if alpha[t] < cost[t] if sign[t] > 0.0 else alpha[t] > 0.0:
                rise = max(rise, -slope)
            if alpha[t] > 0.0 if sign[t] > 0.0 else alpha[t] < cost[t]:
                fall = max(fall, slope)
    if not restored and rise + fall <= 10.0 * tol:
        restored = True
        active[:] = True
    for t in range(len(sign)):
        slope = sign[t] * gradient[t]
        if alpha[t] >= cost[t]:
            outside = -slope > rise if sign[t] > 0.0 else slope > fall
        elif alpha[t] <= 0.0:
            outside = slope > fall if sign[t] > 0.0 else -slope > rise
        else:
            outside = False
        if outside:
            active[t] = False
    return restored


@njit(cache=True, nogil=True)
def _joint_step(Q, diagonal, sign, alpha, cost, gradient, i, j):
    """Move alpha_i and alpha_j to the minimum along Σ sign·alpha = const, inside the box."""
    if sign[i] != sign[j]:
        curvature = diagonal[i] + diagonal[j] + 2.0 * Q[i, j]
        step = (-gradient[i] - gradient[j]) / (curvature if curvature > 0.0 else TAU)
        difference = alpha[i] - alpha[j]
        a, b = alpha[i] + step, alpha[j] + step
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
        curvature = diagonal[i] + diagonal[j] - 2.0 * Q[i, j]
        step = (gradient[i] - gradient[j]) / (curvature if curvature > 0.0 else TAU)
        total = alpha[i] + alpha[j]
        a, b = alpha[i] - step, alpha[j] + step
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
def solve_dual(Q, diagonal, sign, cost, tol, alpha):
    """Sequential minimal optimisation from alpha = 0; returns the number of steps.

    min ½ αᵀQα − Σα under Σ sign·α = 0 and 0 ≤ α_i ≤ cost_i, Q_ij = sign_i sign_j K_ij,
    with the working sets of Fan, Chen & Lin (2005) and the shrinking and stopping rule of
    Chang & Lin (2011). Q is in single and the rest in double precision, the first class
    comes first, and of equal candidates the last is taken: so does libsvm, hence both
    walk the same path and stop at the same point. At the usual tolerance that point, not
    the optimum, decides which of two features with nearly the same weight is dropped; for
    the same reason there is shrinking here, although it saves no time.
    """
    n = len(sign)
    gradient = np.full(n, -1.0)
    active = np.ones(n, np.bool_)
    restored = False
    alpha[:] = 0.0
    period = min(n, 1000)
    countdown = period + 1
    for step in range(MAX_ITER):
        countdown -= 1
        if countdown == 0:
            countdown = period
            restored = _shrink(active, sign, alpha, cost, gradient, tol, restored)
        i, j = _working_set(Q, diagonal, active, sign, alpha, cost, gradient, tol)
        if i < 0:
            active[:] = True
            i, j = _working_set(Q, diagonal, active, sign, alpha, cost, gradient, tol)
            if i < 0:
                return step
            countdown = 1
        a, b = _joint_step(Q, diagonal, sign, alpha, cost, gradient, i, j)
        rise_i, rise_j = a - alpha[i], b - alpha[j]
        alpha[i], alpha[j] = a, b
        Q_i, Q_j = Q[i], Q[j]
        for t in range(n):
            gradient[t] += Q_i[t] * rise_i + Q_j[t] * rise_j
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
            rows = np.empty(n, np.intp)
            sign = np.empty(n)
            for t in range(n):
                rows[t] = starts[a] + t if t < n_a else starts[b] + t - n_a
                sign[t] = 1.0 if t < n_a else -1.0
            Q = np.empty((n, n), np.float32)
            diagonal = np.empty(n)
            costs = np.empty(n)
            for t in range(n):
                diagonal[t] = K[rows[t], rows[t]]
                costs[t] = cost[rows[t]]
                for u in range(n):
                    Q[t, u] = sign[t] * sign[u] * K[rows[t], rows[u]]
            alpha = np.empty(n)
            most = max(most, solve_dual(Q, diagonal, sign, costs, tol, alpha))
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
