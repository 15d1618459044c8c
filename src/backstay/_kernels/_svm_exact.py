"""The dual of the linear SVM to a tight tolerance: pairs of rows find the face, Newton its minimum.

Moving two rows at a time finds soon which rows are at their bounds, and then creeps towards the
minimum between them. On the rows that are free, this minimum is the solution of linear
equations. The two take turns, from any feasible point: that of the elimination's last
round is near.
"""

import numpy as np

from backstay._kernels._compile import kernel
from backstay._kernels._linear import dot, half_solve, solve
from backstay._kernels._smo import move_pair, working_set

DEPENDENT = 1e-11  # of its square, what is left of a row that others on the face determine
MOST_BLOCKED = 6  # Newton steps that end at a bound before pairs take over again
# Turns without gaining half of what is left, and how near to the tolerance the end may then be.
# Where as many rows are free as the features determine, rounding can keep it from getting nearer.
MOST_STALE, NEAR = 100, 100.0


@kernel(error_model="numpy")
def _independent(K, shift, face, pull, enough, root, by):
    """Factor K + shift on a face, row by row, without the rows that others determine.

    A row that lies in the plane through the others need not move, unless it gains by moving
    against them: there is no curvature then, and nothing but a bound stops it. Returns the number
    of rows kept, which come first in `face`; and whether the last is to move so, as `by` says.
    """
    kept = np.int64(0)  # not a literal, for which others would be compiled once more
    for t in range(len(face)):
        i = face[t]
        row = root[kept]
        for u in range(kept):
            row[u] = (K[i, face[u]] + shift - dot(row, root[u], u)) / root[u, u]
        square = K[i, i] + shift
        left = square - dot(row, row, kept)
        if left > DEPENDENT * square:
            row[kept] = np.sqrt(left)
            face[kept] = i
            kept += 1
            continue
        for u in range(kept):
            by[u] = row[u]
        half_solve(root, kept, by)
        slope, size = pull[i], 1.0
        for u in range(kept):
            slope -= by[u] * pull[face[u]]
            size += abs(by[u])
        if abs(slope) > enough * size:
            for u in range(kept):
                by[u] *= -np.sign(slope)
            by[kept] = np.sign(slope)
            face[kept] = i
            return kept + 1, True
    return kept, False


@kernel(error_model="numpy")
def _free_rows(low, high, dual, face, room):
    """List the free rows, those with the most room to move first; return how many there are."""
    free = 0
    for t in range(len(dual)):
        if low[t] < dual[t] < high[t]:
            own = min(dual[t] - low[t], high[t] - dual[t])
            place = free
            while place > 0 and room[place - 1] < own:
                face[place], room[place] = face[place - 1], room[place - 1]
                place -= 1
            face[place], room[place] = t, own
            free += 1
    return free


@kernel(error_model="numpy")
def _newton(K, shift, low, high, pull, dual, enough, face, root, by, level):
    """Step to the minimum over the free rows, or as far as the first bound.

    Returns the number of rows moved, and whether the minimum was reached.
    """
    free = _free_rows(low, high, dual, face, by)
    kept, straight = _independent(K, shift, face[:free], pull, enough, root, by)
    if kept < 2:
        return 0, True
    if not straight:
        for t in range(kept):
            by[t], level[t] = pull[face[t]], 1.0
        solve(root, kept, by)
        solve(root, kept, level)
        mean = by[:kept].sum() / level[:kept].sum()
        for t in range(kept):
            by[t] -= mean * level[t]
    rise, length, blocker = 0.0, np.inf if straight else 1.0, -1
    for t in range(kept):
        i = face[t]
        rise += by[t] * pull[i]
        room = (high[i] if by[t] > 0.0 else low[i]) - dual[i]
        if by[t] != 0.0 and room / by[t] < length:
            length, blocker = room / by[t], t
    if not rise > 0.0:  # rounding is all that is left
        return 0, True
    for t in range(kept):
        i = face[t]
        before = dual[i]
        dual[i] = min(max(before + length * by[t], low[i]), high[i])
        if t == blocker:
            dual[i] = high[i] if by[t] > 0.0 else low[i]
        moved = dual[i] - before
        for u in range(len(pull)):
            pull[u] -= K[i, u] * moved
    return kept, blocker < 0


@kernel(error_model="numpy")
def _gap(pull, dual, low, high):
    """Return what the pair of rows furthest apart could still gain."""
    highest, lowest = -np.inf, np.inf
    for t in range(len(pull)):
        if dual[t] < high[t]:
            highest = max(highest, pull[t])
        if dual[t] > low[t]:
            lowest = min(lowest, pull[t])
    return highest - lowest


@kernel(error_model="numpy")
def solve_dual_exactly(K, diagonal, sign, cost, tol, most_steps, dual):
    """Solve the problem of :func:`solve_dual` from a feasible `dual`; returns the steps taken."""
    n = len(sign)
    low, high, pull = np.empty(n), np.empty(n), sign.copy()
    shift = 0.0
    for t in range(n):
        low[t] = 0.0 if sign[t] > 0.0 else -cost[t]
        high[t] = cost[t] if sign[t] > 0.0 else 0.0
        shift += diagonal[t] if cost[t] > 0.0 else 0.0
        if dual[t] != 0.0:
            for u in range(n):
                pull[u] -= K[t, u] * dual[t]
    shift /= n
    gains, falls, face = np.empty(n), np.empty(n), np.empty(n, np.intp)
    root, by, level = np.empty((n + 1, n)), np.empty(n), np.empty(n)
    step, pairs, blocked = 0, n // 4, MOST_BLOCKED
    least, stale = np.inf, 0
    while True:
        gap = _gap(pull, dual, low, high)
        if gap < 0.5 * least:
            least, stale = gap, 0
        else:
            stale += 1
            if stale > MOST_STALE and gap <= NEAR * tol:
                return step
        rounding = 0.0
        for t in range(n):
            rounding = max(rounding, abs(dual[t]) * diagonal[t])
        enough = max(tol, 1e-15 * n * rounding)
        for _ in range(pairs):
            i, j = working_set(K, diagonal, pull, dual, low, high, enough, gains, falls)
            if i < 0:
                return step
            if step >= most_steps:
                return most_steps
            step += 1
            move_pair(K, diagonal, low, high, pull, dual, i, j)
        for _ in range(blocked):
            moved, done = _newton(K, shift, low, high, pull, dual, enough, face, root, by, level)
            step += moved  # it costs about as much as moving this many pairs
            if done:
                break
        # Where this takes long, rows go back and forth between the two: in the end one pair enters
        # at a time, and Newton steps go on until no bound is in their way.
        pairs, blocked = max(1, pairs // 2), min(n, 2 * blocked)
