"""The path of the elastic net: Newton steps, each by coordinate descent.

Minimises, for every λ of a falling grid,

    Σ_i ω_i loss(y_i, η_i) + λ Σ_kj (α |β_kj| + (1 − α)/2 β_kj²),    η_ik = b_k + Σ_j z_ji β_kj,

with Σω = 1, the logistic loss for one row k (two classes) and the multinomial one for a row per
class. For numbers (`gaussian`) there is one row k and the loss is (y − η)²/2, its own quadratic
approximation. As in glmnet [Friedman, Hastie & Tibshirani 2010], a step replaces the loss of one
class by its quadratic approximation; unlike there, a step that raises the objective is cut back.
Features are looked at only if the sequential strong rule [Tibshirani et al. 2012] lets them, and
all are checked before a solution is accepted, so that the rule loses none.
"""

import numpy as np
from numba import njit

SUM = {"reassoc", "contract", "nsz"}
# The least curvature of a row, however certain its class; the most is 1/4.
LEAST_CURVATURE = 1e-8
ROUNDS, SWEEPS, STEPS, HALVINGS = 20, 100, 1000, 30


@njit(cache=True, nogil=True, fastmath=SUM)
def _dot(a, b):
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@njit(cache=True, nogil=True, fastmath=SUM)
def _weighted_square(v, z):
    total = 0.0
    for i in range(len(v)):
        total += v[i] * z[i] * z[i]
    return total


@njit(cache=True, nogil=True)
def _soft(u, threshold):
    if u > threshold:
        return u - threshold
    if u < -threshold:
        return u + threshold
    return 0.0


@njit(cache=True, nogil=True)
def _loss(eta, Y, omega, gaussian):
    """Mean loss of the rows; finite for any η."""
    total = 0.0
    if gaussian:
        for i in range(len(omega)):
            total += 0.5 * omega[i] * (Y[0, i] - eta[0, i]) ** 2
        return total
    for i in range(len(omega)):
        top = 0.0 if len(eta) == 1 else eta[0, i]
        for k in range(len(eta)):
            top = max(top, eta[k, i])
        mass = np.exp(-top) if len(eta) == 1 else 0.0
        inside = 0.0
        for k in range(len(eta)):
            mass += np.exp(eta[k, i] - top)
            inside += Y[k, i] * eta[k, i]
        total += omega[i] * (top + np.log(mass) - inside)
    return total


@njit(cache=True, nogil=True)
def _set_residuals(eta, Y, omega, P, R, gaussian):
    """Probabilities of the classes, and ω(y − p): minus the gradient of the loss in η.

    For numbers, p is η itself.
    """
    if gaussian:
        for i in range(len(omega)):
            P[0, i] = eta[0, i]
            R[0, i] = omega[i] * (Y[0, i] - eta[0, i])
        return
    for i in range(len(omega)):
        top = 0.0 if len(eta) == 1 else eta[0, i]
        for k in range(len(eta)):
            top = max(top, eta[k, i])
        mass = np.exp(-top) if len(eta) == 1 else 0.0
        for k in range(len(eta)):
            P[k, i] = np.exp(eta[k, i] - top)
            mass += P[k, i]
        for k in range(len(eta)):
            P[k, i] /= mass
            R[k, i] = omega[i] * (Y[k, i] - P[k, i])


@njit(cache=True, nogil=True)
def _penalty(beta, work, l1, l2):
    total = 0.0
    for k in range(len(beta)):
        for j in work:
            total += l1 * abs(beta[k, j]) + 0.5 * l2 * beta[k, j] ** 2
    return total


@njit(cache=True, nogil=True)
def _violation(Z, R, beta, work, l1, l2):
    """Largest violation of the optimality conditions among features of the working set."""
    worst = 0.0
    for k in range(len(beta)):
        worst = max(worst, abs(R[k].sum()))
        for j in work:
            g, b = _dot(Z[j], R[k]), beta[k, j]
            off = abs(g - l2 * b - l1 * np.sign(b)) if b != 0.0 else abs(g) - l1
            worst = max(worst, off)
    return worst


@njit(cache=True, nogil=True)
def _sweep(Z, beta, work, curvature, v, r, shift, l1, l2, nonzero_only):
    """Minimise the approximation in one coordinate after another; return the largest change."""
    total = v.sum()
    step = r.sum() / total
    largest = abs(step) * total
    for i in range(len(r)):
        r[i] -= v[i] * step
        shift[i] += step
    for t in range(len(work)):
        j, h = work[t], curvature[t]
        if h <= 0.0 or (nonzero_only and beta[j] == 0.0):
            continue
        z = Z[j]
        new = _soft(_dot(z, r) + h * beta[j], l1) / (h + l2)
        step = new - beta[j]
        if step == 0.0:
            continue
        beta[j] = new
        largest = max(largest, abs(step) * h)
        for i in range(len(r)):
            r[i] -= v[i] * z[i] * step
            shift[i] += z[i] * step
    return largest


@njit(cache=True, nogil=True)
def _step(Z, Y, omega, beta, eta, P, R, k, work, l1, l2, goal, gaussian):
    """One Newton step for the coefficients of class k, cut back until the objective falls."""
    n = len(omega)
    v = np.empty(n)
    for i in range(n):
        bend = 1.0 if gaussian else max(P[k, i] * (1.0 - P[k, i]), LEAST_CURVATURE)
        v[i] = omega[i] * bend
    curvature = np.empty(len(work))
    before = np.empty(len(work))
    for t in range(len(work)):
        curvature[t] = _weighted_square(v, Z[work[t]])
        before[t] = beta[k, work[t]]
    old = _loss(eta, Y, omega, gaussian) + _penalty(beta, work, l1, l2)
    r, shift = R[k].copy(), np.zeros(n)
    # Coefficients that are 0 mostly stay so: they have a turn whenever the others have settled.
    for _ in range(ROUNDS):
        if _sweep(Z, beta[k], work, curvature, v, r, shift, l1, l2, False) <= goal:
            break
        for _ in range(SWEEPS):
            if _sweep(Z, beta[k], work, curvature, v, r, shift, l1, l2, True) <= goal:
                break
    after = np.empty(len(work))
    for t in range(len(work)):
        after[t] = beta[k, work[t]]
    start = eta[k].copy()
    share = 1.0
    for _ in range(HALVINGS):
        for i in range(n):
            eta[k, i] = start[i] + share * shift[i]
        if share < 1.0:
            for t in range(len(work)):
                beta[k, work[t]] = before[t] + share * (after[t] - before[t])
        new = _loss(eta, Y, omega, gaussian) + _penalty(beta, work, l1, l2)
        if new <= old + 1e-13 * (1.0 + abs(old)):
            break
        share *= 0.5
    _set_residuals(eta, Y, omega, P, R, gaussian)


@njit(cache=True, nogil=True)
def _solve(Z, Y, omega, beta, eta, P, R, work, l1, l2, enough, gaussian):
    """Minimise over the features of the working set; say whether the conditions hold."""
    for _ in range(STEPS):
        violation = _violation(Z, R, beta, work, l1, l2)
        if violation <= enough:
            return True
        for k in range(len(beta)):
            goal = 0.1 * max(violation * 0.1, enough)
            _step(Z, Y, omega, beta, eta, P, R, k, work, l1, l2, goal, gaussian)
    return _violation(Z, R, beta, work, l1, l2) <= enough


@njit(cache=True, nogil=True)
def slopes(Z, R):
    """Largest |gradient| of every feature over the classes."""
    steepest = np.zeros(len(Z))
    for j in range(len(Z)):
        for k in range(len(R)):
            steepest[j] = max(steepest[j], abs(_dot(Z[j], R[k])))
    return steepest


@njit(cache=True, nogil=True)
def null_model(Y, omega, gaussian):
    """η of the model without features: the shares of the classes, or the mean of numbers."""
    eta = np.empty(Y.shape)
    for k in range(len(Y)):
        share = _dot(Y[k], omega)
        if gaussian:
            eta[k, :] = share
        else:
            eta[k, :] = np.log(share / (1.0 - share)) if len(Y) == 1 else np.log(share)
    P, R = np.empty(Y.shape), np.empty(Y.shape)
    _set_residuals(eta, Y, omega, P, R, gaussian)
    return eta, P, R


@njit(cache=True, nogil=True)
def net_path(Z, Y, omega, lambdas, alpha, tol, most_explained, gaussian):
    """Return what is selected at every λ, the last model, and how many λ are not solved to `tol`.

    Z holds a feature a row, Y a class a row (only the second of two), or one row of numbers. The
    path ends early once the model explains a share `most_explained` of the null model's loss.
    """
    d = len(Z)
    eta, P, R = null_model(Y, omega, gaussian)
    null_loss = _loss(eta, Y, omega, gaussian)
    beta = np.zeros((len(Y), d))
    selected = np.zeros((len(lambdas), d), dtype=np.bool_)
    steep = slopes(Z, R)
    enough = tol * max(steep.max(), 1e-300)
    inside = np.zeros(d, dtype=np.bool_)
    unfinished = 0
    last = steep.max() / alpha
    for m in range(len(lambdas)):
        l1, l2 = lambdas[m] * alpha, lambdas[m] * (1.0 - alpha)
        for j in range(d):
            inside[j] = steep[j] >= 2.0 * l1 - alpha * last
            for k in range(len(beta)):
                inside[j] = inside[j] or beta[k, j] != 0.0
        while True:
            work = np.flatnonzero(inside)
            done = _solve(Z, Y, omega, beta, eta, P, R, work, l1, l2, enough, gaussian)
            steep = slopes(Z, R)
            missed = False
            for j in range(d):
                if not inside[j] and steep[j] > l1 + enough:
                    inside[j] = missed = True
            if not missed:
                break
        unfinished += not done
        for j in work:
            for k in range(len(beta)):
                selected[m, j] = selected[m, j] or beta[k, j] != 0.0
        last = lambdas[m]
        if _loss(eta, Y, omega, gaussian) <= (1.0 - most_explained) * null_loss:
            selected = selected[: m + 1]
            break
    intercept = np.empty(len(Y))
    for k in range(len(Y)):
        intercept[k] = eta[k, 0]
        for j in range(d):
            intercept[k] -= beta[k, j] * Z[j, 0]
    return selected, intercept, beta, unfinished
