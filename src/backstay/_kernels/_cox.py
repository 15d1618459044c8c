"""The Cox model: score tests of all features, ridge, the path of the elastic net, the hazard.

The partial likelihood of weighted rows with Breslow's treatment of ties is

    log PL = Σ_i ω_i δ_i η_i − Σ_s d_s log S_s,    S_s = Σ over rows at risk at s of ω_i exp η_i,

with s over the distinct times of events and d_s the weight of the events there. Rows are sorted by
time. Those from `start[s]` on are at risk at s, so that every sum over risk sets is a cumulative
one. All weights are positive.
"""

from typing import NamedTuple

import numpy as np

from backstay._kernels._compile import kernel
from backstay._kernels._lasso import _soft, slopes
from backstay._kernels._linear import dot

STEPS, ROUNDS, SWEEPS, HALVINGS = 60, 20, 100, 30
NEWTON = 1e-9  # a Newton step that promises less is the last one
ROUNDING = 1e-13  # differences so small beside what is subtracted are rounding errors
RIDGE = 1e-10  # share of the largest curvature that keeps a Hessian invertible; moves no solution


class RiskSets(NamedTuple):
    """Rows by time: their order, where each event time's risk set starts, its events' weight."""

    order: np.ndarray
    start: np.ndarray
    deaths: np.ndarray
    dying: np.ndarray  # ω_i δ_i, in order
    weight: np.ndarray  # ω_i, in order


def risk_sets(time, event, weight):
    """Sort the rows by time and find the risk sets of the distinct times of events."""
    order = np.argsort(time, kind="stable")
    dying = (weight * event)[order]
    times, which = np.unique(time[event], return_inverse=True)
    start = np.searchsorted(time[order], times)
    deaths = np.bincount(which, weights=weight[event], minlength=len(times))
    return RiskSets(order, start, deaths, dying, weight[order])


@kernel()
def _hazards(sets, eta, r, S, L):
    """Set r = ω exp(η − top), its sums S over the risk sets and the hazard L; return top."""
    top = eta.max()
    end, total = len(eta), 0.0
    for i in range(end):
        r[i] = sets.weight[i] * np.exp(eta[i] - top)
    for s in range(len(S) - 1, -1, -1):
        for i in range(sets.start[s], end):
            total += r[i]
        S[s], end = total, sets.start[s]
    total = 0.0
    for s in range(len(S)):
        total += sets.deaths[s] / S[s] if S[s] > 0.0 else np.inf
        L[s] = total
    return top


@kernel()
def _loss(sets, eta, S, top):
    """Return −log PL; infinite where a risk set has no weight left that a number can hold."""
    total = -dot(sets.dying, eta, len(eta))
    for s in range(len(S)):
        if S[s] <= 0.0:
            return np.inf
        total += sets.deaths[s] * (np.log(S[s]) + top)
    return total


@kernel()
def _bent(sets, x, r, S, L, C, out):
    """Set `out` to the Hessian of −log PL in η times x; C is working space."""
    start, end, total = sets.start, len(x), 0.0
    for s in range(len(S) - 1, -1, -1):
        for i in range(start[s], end):
            total += r[i] * x[i]
        C[s], end = total / S[s], start[s]
    total = 0.0
    for i in range(start[0]):
        out[i] = 0.0
    for s in range(len(S)):
        total += sets.deaths[s] * C[s] / S[s]
        end = start[s + 1] if s + 1 < len(S) else len(x)
        for i in range(start[s], end):
            out[i] = r[i] * (x[i] * L[s] - total)


@kernel()
def _set_residuals(sets, r, L, R):
    """Set R to ω(δ − Λ exp η): minus the gradient of −log PL in η."""
    R[:] = sets.dying
    for s in range(len(L)):
        end = sets.start[s + 1] if s + 1 < len(L) else len(R)
        for i in range(sets.start[s], end):
            R[i] -= r[i] * L[s]


@kernel()
def _state(sets, eta):
    """Return r, S and L of :func:`_hazards`, the residuals R and −log PL."""
    r, R = np.empty(len(eta)), np.empty(len(eta))
    S, L = np.empty(len(sets.start)), np.empty(len(sets.start))
    top = _hazards(sets, eta, r, S, L)
    _set_residuals(sets, r, L, R)
    return r, S, L, R, _loss(sets, eta, S, top)


def null_residuals(time, event, weight):
    """Return the martingale residuals δ_i − Λ(t_i) of the model without features."""
    sets = risk_sets(time, event, weight)
    residuals = np.empty(len(time))
    residuals[sets.order] = _state(sets, np.zeros(len(time)))[3] / sets.weight
    return residuals


@kernel(fastmath={"reassoc", "contract", "nsz"})
def _spread(X, sets, r, S, L):
    """Return Σ_s d_s var_s(x_j) of every column, the variance over the risk set weighted by r."""
    d = X.shape[1]
    squares, lost, sums = np.zeros(d), np.zeros(d), np.zeros(d)
    end = len(X)
    for s in range(len(S) - 1, -1, -1):
        for i in range(sets.start[s], end):
            for j in range(d):
                part = r[i] * X[i, j]
                sums[j] += part
                squares[j] += L[s] * part * X[i, j]
        for j in range(d):
            lost[j] += sets.deaths[s] * (sums[j] / S[s]) ** 2
        end = sets.start[s]
    return np.where(lost >= squares * (1.0 - ROUNDING), 0.0, squares - lost)


def score_tests(X, time, event, weight, Z):
    """Return U and V of every column's score test in the Cox model of the columns of Z.

    U²/V has one degree of freedom. V is the information about the feature that Z does not hold.
    """
    sets = risk_sets(time, event, weight)
    Z = np.asarray(Z, dtype=np.float64).reshape(len(time), -1)[sets.order]
    beta = _newton(Z, sets, np.zeros(Z.shape[1]))
    eta = Z @ beta
    r, S, L, R, _ = _state(sets, eta)
    X = np.asarray(X[sets.order], dtype=np.float64)
    X = X - X[-1]  # a constant column becomes exactly 0
    first = sets.start[0]  # rows before were never at risk of an event
    X -= sets.weight[first:] @ X[first:] / sets.weight[first:].sum()
    U = R @ X
    V = _spread(X, sets, r, S, L)
    if Z.shape[1]:
        bent, C = np.empty(Z.shape[::-1]), np.empty(len(S))
        for k in range(len(bent)):
            column = np.ascontiguousarray(Z[:, k])
            _bent(sets, column, r, S, L, C, bent[k])
        across = bent @ X
        held = (across * (np.linalg.pinv(bent @ Z, hermitian=True) @ across)).sum(axis=0)
        V = np.where(held >= V * (1.0 - 1e-9), 0.0, V - held)
    return np.where(V > 0.0, U, 0.0), V


def _newton(X, sets, penalties):
    """Minimise −log PL + Σ_j penalty_j β_j²/2; rows of X in the order of `sets`."""
    beta = np.zeros(X.shape[1])
    if not len(beta):
        return beta
    least = max(1e-4 * (sets.weight @ X**2).max(), 1e-300)
    r, S, _, R, loss = _state(sets, np.zeros(len(X)))
    for _ in range(STEPS):
        gradient = R @ X - penalties * beta
        means = np.add.reduceat(r[:, None] * X, sets.start, axis=0)[::-1].cumsum(axis=0)[::-1]
        means *= (np.sqrt(sets.deaths) / S)[:, None]
        hessian = (X * (sets.dying - R)[:, None]).T @ X - means.T @ means
        bend = max(hessian.diagonal().max(), least)
        hessian.flat[:: len(beta) + 1] += penalties + RIDGE * bend
        step = np.linalg.solve(hessian, gradient)
        gain = gradient @ step
        old = loss + 0.5 * penalties @ beta**2
        for half in range(HALVINGS):
            new = beta + step * 0.5**half
            r, S, _, R, loss = _state(sets, X @ new)
            if loss + 0.5 * penalties @ new**2 <= old + 1e-13 * (1.0 + abs(old)):
                break
        beta = new
        if gain <= NEWTON:
            break
    return beta


def cox_ridge(X, time, event, weight, penalty, factors):
    """Return the coefficients that minimise −log PL + penalty Σ_j factors_j β_j²/2.

    A factor of 0 leaves a feature unpenalised. With more penalised features than rows, the model
    is solved in as many dimensions as there are rows.
    """
    sets = risk_sets(time, event, weight)
    X = np.asarray(X[sets.order], dtype=np.float64)
    X = X - X.mean(axis=0)
    penalties = penalty * np.broadcast_to(np.asarray(factors, dtype=np.float64), X.shape[1])
    held = penalties > 0.0
    if held.sum() <= len(X):
        return _newton(X, sets, penalties)
    scaled = X[:, held] / np.sqrt(penalties[held])
    values, vectors = np.linalg.eigh(scaled @ scaled.T)
    used = values > values[-1] * len(X) * np.finfo(np.float64).eps
    root = np.sqrt(values[used])
    short = np.hstack([vectors[:, used] * root, X[:, ~held]])
    few = _newton(short, sets, (np.arange(short.shape[1]) < len(root)).astype(np.float64))
    beta = np.empty(X.shape[1])
    beta[~held] = few[len(root) :]
    beta[held] = (vectors[:, used] / root @ few[: len(root)]) @ scaled / np.sqrt(penalties[held])
    return beta


def baseline_hazard(time, event, eta, weight):
    """Return the distinct times of events and Breslow's cumulative hazard of a row with η = 0."""
    sets = risk_sets(time, event, weight)
    eta = np.asarray(eta, dtype=np.float64)[sets.order]
    hazard = _state(sets, eta)[2] * np.exp(-eta.max())
    return time[sets.order][sets.start], hazard


@kernel()
def _penalty(beta, work, factors, l1, l2):
    b = beta[work]
    return (factors[work] * (l1 * np.abs(b) + 0.5 * l2 * b**2)).sum()


@kernel()
def _violation(Z, R, beta, work, factors, l1, l2):
    """Largest violation of the optimality conditions among features of the working set."""
    worst = 0.0
    for j in work:
        g, b, f = dot(Z[j], R, len(R)), beta[j], factors[j]
        off = abs(g - f * (l2 * b + l1 * np.sign(b))) if b != 0.0 else abs(g) - f * l1
        worst = max(worst, off)
    return worst


@kernel()
def _sweep(Z, bent, curvature, beta, work, R, factors, l1, l2, nonzero_only):
    """Minimise the approximation in one coordinate after another; return the largest change."""
    largest = 0.0
    for t in range(len(work)):
        j, h = work[t], curvature[t]
        if h <= 0.0 or (nonzero_only and beta[j] == 0.0):
            continue
        f = factors[j]
        new = _soft(dot(Z[j], R, len(R)) + h * beta[j], f * l1) / (h + f * l2)
        step = new - beta[j]
        if step == 0.0:
            continue
        beta[j] = new
        largest = max(largest, abs(step) * h)
        for i in range(len(R)):
            R[i] -= bent[t, i] * step
    return largest


@kernel()
def _solve(Z, sets, beta, eta, R, work, factors, l1, l2, enough):
    """Newton steps over the working set, cut back until the objective falls; say if solved."""
    n, m = len(eta), len(work)
    bent, curvature, C = np.empty((m, n)), np.empty(m), np.empty(len(sets.start))
    r, S, L, _, loss = _state(sets, eta)
    for _ in range(STEPS):
        violation = _violation(Z, R, beta, work, factors, l1, l2)
        if violation <= enough:
            return True
        old = loss + _penalty(beta, work, factors, l1, l2)
        before = beta[work]
        for t in range(m):
            _bent(sets, Z[work[t]], r, S, L, C, bent[t])
            curvature[t] = dot(Z[work[t]], bent[t], len(bent[t]))
        goal = 0.1 * max(0.1 * violation, enough)
        for _ in range(ROUNDS):
            if _sweep(Z, bent, curvature, beta, work, R, factors, l1, l2, False) <= goal:
                break
            for _ in range(SWEEPS):
                if _sweep(Z, bent, curvature, beta, work, R, factors, l1, l2, True) <= goal:
                    break
        shift, share = np.zeros(n), 1.0
        for t in range(m):
            if beta[work[t]] != before[t]:
                shift += (beta[work[t]] - before[t]) * Z[work[t]]
        for _ in range(HALVINGS):
            top = _hazards(sets, eta + share * shift, r, S, L)
            loss = _loss(sets, eta + share * shift, S, top)
            if loss + _penalty(beta, work, factors, l1, l2) <= old + 1e-13 * (1.0 + abs(old)):
                break
            share *= 0.5
            beta[work] = 0.5 * (before + beta[work])
        eta += share * shift
        _set_residuals(sets, r, L, R)
    return _violation(Z, R, beta, work, factors, l1, l2) <= enough


@kernel()
def net_path(Z, sets, alpha, grid, relative, factors, tol):
    """Return where the first feature enters, the penalties, the coefficients at each, and a count.

    Z holds a feature a row, its columns in the order of the risk sets. Weights sum to 1. The grid
    of falling penalties may be relative to where the first feature enters. The count is of
    penalties that are not solved to `tol`. If no feature can enter, there are none.
    """
    d, n = Z.shape
    beta, eta = np.zeros(d), np.zeros(n)
    R = _state(sets, eta)[3]
    steep = slopes(Z, R.reshape(1, -1))
    enough = tol * max(steep.max(), 1e-300)
    inside = factors == 0.0
    unfinished = 0
    if inside.any():
        free = np.flatnonzero(inside)
        unfinished += not _solve(Z, sets, beta, eta, R, free, factors, 0.0, 0.0, enough)
        steep = slopes(Z, R.reshape(1, -1))
    held = factors > 0.0
    top = last = (steep[held] / factors[held]).max() / alpha if held.any() else 0.0
    penalties = top * grid if relative else grid
    if top <= 0.0:
        penalties = penalties[:0]
    coefficients = np.zeros((len(penalties), d))
    for m in range(len(penalties)):
        l1, l2 = penalties[m] * alpha, penalties[m] * (1.0 - alpha)
        for j in range(d):
            strong = steep[j] >= factors[j] * (2.0 * l1 - alpha * last)
            inside[j] = strong or beta[j] != 0.0 or factors[j] == 0.0
        while True:
            work = np.flatnonzero(inside)
            done = _solve(Z, sets, beta, eta, R, work, factors, l1, l2, enough)
            steep = slopes(Z, R.reshape(1, -1))
            missed = False
            for j in range(d):
                if not inside[j] and steep[j] > factors[j] * l1 + enough:
                    inside[j] = missed = True
            if not missed:
                break
        unfinished += not done
        coefficients[m] = beta
        last = penalties[m]
    return top, penalties, coefficients, unfinished


def cox_path(X, time, event, weight, l1_ratio, penalties, factors, *, least=0.01, tol=1e-7):
    """Return falling penalties and the coefficients that minimise the penalised loss at each.

    The loss is −log PL / Σω + λ Σ_j factors_j (α|β_j| + (1 − α) β_j²/2), with α = `l1_ratio`, as in
    glmnet. `penalties` are the λ, or how many: then they fall from where the first feature enters
    to the share `least` of that. A factor of 0 leaves a feature unpenalised.
    """
    sets = risk_sets(time, event, weight / weight.sum())
    Z = np.ascontiguousarray(np.asarray(X, dtype=np.float64)[sets.order].T)
    relative = np.ndim(penalties) == 0
    grid = np.geomspace(1.0, least, int(penalties)) if relative else np.array(penalties, float)
    factors = np.broadcast_to(np.asarray(factors, dtype=np.float64), len(Z)).copy()
    return net_path(Z, sets, float(l1_ratio), grid, relative, factors, tol)[1:3]
