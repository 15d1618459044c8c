"""SVM-RFE from a Gram matrix: machines of every two classes, their weights, and elimination."""

from itertools import combinations

import numpy as np

from backstay._kernels._compile import kernel
from backstay._kernels._smo import solve_dual
from backstay._kernels._svm_exact import solve_dual_exactly

LIBSVM_TOL = 1e-3  # its default; from here on the steps are its own
LANES = 16
CHUNK = 512  # features at a time, so that a few rows of them stay near the processor


@kernel()
def _machine(K, starts, a, b, cost, rounded):
    """Rows of two classes: their numbers, K, its diagonal, signs and costs, up to full lanes."""
    n_a = starts[a + 1] - starts[a]
    n = n_a + starts[b + 1] - starts[b]
    size = -(-n // LANES) * LANES
    rows = np.empty(n, np.intp)
    block = np.zeros((size, size))
    diagonal, sign, costs = np.ones(size), np.ones(size), np.zeros(size)
    for t in range(n):
        rows[t] = starts[a] + t if t < n_a else starts[b] + t - n_a
        sign[t] = 1.0 if t < n_a else -1.0
        diagonal[t] = K[rows[t], rows[t]]
        costs[t] = cost[rows[t]]
    for t in range(n):
        for u in range(n_a):
            block[t, u] = K[rows[t], starts[a] + u]
        for u in range(n - n_a):
            block[t, n_a + u] = K[rows[t], starts[b] + u]
        if rounded:
            for u in range(n):
                block[t, u] = np.float32(block[t, u])
    return rows, block, diagonal, sign, costs


def one_vs_one_duals(K, starts, cost, tol, most_steps, out):
    """Signed dual coefficients of every pair of classes; returns the most steps taken.

    K and cost are ordered by class, class c in rows starts[c]:starts[c+1]. Row m of `out` belongs
    to the m-th pair (a, b), a < b; below libsvm's tolerance the search starts there.

    libsvm rounds K, but not its diagonal, to single precision, and so do we at its tolerance.
    Below it, a rounded K, not quite positive semidefinite, may take millions of steps.
    """
    # In Python, so that neither solver is compiled again as a part of this.
    as_libsvm, most = tol >= LIBSVM_TOL, 0
    solver = solve_dual if as_libsvm else solve_dual_exactly
    for m, (a, b) in enumerate(combinations(range(len(starts) - 1), 2)):
        rows, block, diagonal, sign, costs = _machine(K, starts, a, b, cost, as_libsvm)
        dual = np.zeros(len(sign))
        if not as_libsvm:
            dual[: len(rows)] = out[m, rows]
        most = max(most, solver(block, diagonal, sign, costs, tol, most_steps, dual))
        out[m, rows] = dual[: len(rows)]
    return most


@kernel(fastmath={"contract"})
def squared_weights(rows, duals, out):
    """out[j] = Σ over machines of w_j², w_j = Σ_i dual_i x_ij, of the first features.

    Every feature's sum is taken over the rows in the same order. A BLAS product would take the last
    features in another order than the first, and so tell copies of a feature apart by rounding.
    """
    w = np.empty(min(CHUNK, len(out)))
    for first in range(0, len(out), CHUNK):
        width = min(CHUNK, len(out) - first)
        out[first : first + width] = 0.0
        for m in range(len(duals)):
            w[:width] = 0.0
            for i in range(len(rows)):
                dual, row = duals[m, i], rows[i, first : first + width]
                if dual != 0.0:
                    for j in range(width):
                        w[j] += dual * row[j]
            for j in range(width):
                out[first + j] += w[j] * w[j]


@kernel(fastmath={"reassoc", "contract", "nsz"})
def add_products(rows, start, stop, factor, K):
    """K += factor · Σ_j x_j x_jᵀ over features start ≤ j < stop; K stays symmetric.

    For products so small that BLAS threads cost more to wake than they save. Four rows times two
    at once, so that what is read is used eight times over.
    """
    n = len(rows)
    end = n - 1
    for first in range(start, stop, CHUNK):
        last = min(first + CHUNK, stop)
        for i in range(0, n, 4):
            a, b = rows[i, first:last], rows[min(i + 1, end), first:last]
            c, d = rows[min(i + 2, end), first:last], rows[min(i + 3, end), first:last]
            for t in range(i, n, 2):
                x, y = rows[t, first:last], rows[min(t + 1, end), first:last]
                ax = ay = bx = by = cx = cy = dx = dy = 0.0
                for j in range(last - first):
                    ax += a[j] * x[j]
                    ay += a[j] * y[j]
                    bx += b[j] * x[j]
                    by += b[j] * y[j]
                    cx += c[j] * x[j]
                    cy += c[j] * y[j]
                    dx += d[j] * x[j]
                    dy += d[j] * y[j]
                for r, of_x, of_y in (
                    (i, ax, ay),
                    (i + 1, bx, by),
                    (i + 2, cx, cy),
                    (i + 3, dx, dy),
                ):
                    if r < n:
                        K[r, t] += factor * of_x
                        if t < end:
                            K[r, t + 1] += factor * of_y
    for i in range(n):
        for t in range(i):
            K[i, t] = K[t, i]


def move_behind(rows, features, marked, left):
    """Exchange marked features with the last unmarked ones, so that the first `left` remain."""
    holes = np.flatnonzero(marked[:left])
    movers = left + np.flatnonzero(~marked[left:])
    _exchange(rows, features, holes, movers)


@kernel()
def _exchange(rows, features, holes, movers):
    for k in range(len(holes)):
        hole, mover = holes[k], movers[k]
        features[hole], features[mover] = features[mover], features[hole]
        for row in rows:
            row[hole], row[mover] = row[mover], row[hole]
