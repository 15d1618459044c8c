"""The path of the elastic net: Newton steps, each by coordinate descent and linear equations.

Minimises, for every λ of a falling grid,

    Σ_i ω_i loss(y_i, η_i) + λ Σ_kj (α |β_kj| + (1 − α)/2 β_kj²),    η_ik = b_k + Σ_j z_ji β_kj,

with Σω = 1, the logistic loss for one row k (two classes) and the multinomial one for a row per
class. For numbers (`gaussian`) there is one row k and the loss is (y − η)²/2, its own quadratic
approximation. As in glmnet [Friedman, Hastie & Tibshirani 2010], a step replaces the loss of one
class by its quadratic approximation; unlike there, a step that raises the objective is cut back.
Features are looked at only if the sequential strong rule [Tibshirani et al. 2012] lets them, and
all are checked before a solution is accepted, so that the rule loses none.
"""

from math import log

import numpy as np

from backstay._kernels._compile import kernel
from backstay._kernels._linear import SUM, dot, solve

# The least curvature of a row, however certain its class; the most is 1/4.
LEAST_CURVATURE = 1e-8
ROUNDS, SWEEPS, STEPS, HALVINGS = 20, 100, 1000, 30
# The equations of the support are solved after so many sweeps, and one more for so many features:
# it costs as much as several. Above the largest size it costs too much.
SETTLING, PER_SWEEP, LARGEST = 4, 16, 256
DEPENDENT = 1e-11  # of its square, what is left of a feature that others determine


@kernel(fastmath=SUM)
def _weighted_square(v, z):
    total = 0.0
    for i in range(len(v)):
        total += v[i] * z[i] * z[i]
    return total


@kernel()
def _soft(u, threshold):
    if u > threshold:
        return u - threshold
    if u < -threshold:
        return u + threshold
    return 0.0


@kernel()
def _loss(eta, Y, omega, moved, E, gaussian):
    """Mean loss of the rows; finite for any η. Only the η of class `moved` may have changed.

    E keeps exp(η − top) of every class and row, and in its last row the top: the largest η of the
    row, and 0 where there is one class. Where that has changed, all classes are computed anew.
    """
    total = 0.0
    if gaussian:
        for i in range(len(omega)):
            total += 0.5 * omega[i] * (Y[0, i] - eta[0, i]) ** 2
        return total
    last = len(eta)
    for i in range(len(omega)):
        top = 0.0 if len(eta) == 1 else eta[0, i]
        inside = 0.0
        for k in range(len(eta)):
            top = max(top, eta[k, i])
            inside += Y[k, i] * eta[k, i]
        if top == E[last, i]:
            E[moved, i] = np.exp(eta[moved, i] - top)
        else:
            E[last, i] = top
            for k in range(len(eta)):
                E[k, i] = np.exp(eta[k, i] - top)
        total += omega[i] * (top + np.log(_mass(E, i)) - inside)
    return total


@kernel()
def _mass(E, i):
    """Sum of a row's exponentials; a single class has another beside it, of η = 0."""
    mass = np.exp(-E[1, i]) if len(E) == 2 else 0.0
    for k in range(len(E) - 1):
        mass += E[k, i]
    return mass


@kernel()
def _set_residuals(eta, Y, omega, E, P, R, gaussian):
    """Probabilities of the classes, and ω(y − p): minus the gradient of the loss in η.

    For numbers, p is η itself. E is that of the last loss.
    """
    for i in range(len(omega)):
        mass = 1.0 if gaussian else _mass(E, i)
        for k in range(len(eta)):
            P[k, i] = eta[k, i] if gaussian else E[k, i] / mass
            R[k, i] = omega[i] * (Y[k, i] - P[k, i])


@kernel()
def _penalty(beta, work, l1, l2):
    total = 0.0
    for k in range(len(beta)):
        for j in work:
            total += l1 * abs(beta[k, j]) + 0.5 * l2 * beta[k, j] ** 2
    return total


@kernel()
def _violation(Z, R, beta, work, l1, l2):
    """Largest violation of the optimality conditions among features of the working set."""
    worst = 0.0
    for k in range(len(beta)):
        worst = max(worst, abs(R[k].sum()))
        for j in work:
            g, b = dot(Z[j], R[k], len(R[k])), beta[k, j]
            off = abs(g - l2 * b - l1 * np.sign(b)) if b != 0.0 else abs(g) - l1
            worst = max(worst, off)
    return worst


@kernel()
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
        new = _soft(dot(z, r, len(r)) + h * beta[j], l1) / (h + l2)
        step = new - beta[j]
        if step == 0.0:
            continue
        beta[j] = new
        largest = max(largest, abs(step) * h)
        for i in range(len(r)):
            r[i] -= v[i] * z[i] * step
            shift[i] += z[i] * step
    return largest


@kernel()
def _settle(Z, beta, work, v, r, shift, l1, l2, root):
    """Go to the minimum over the support, or to where its first coefficient becomes 0.

    While no sign changes, the approximation is a quadratic function of the intercept and of the
    coefficients that are not 0: its minimum is the solution of linear equations. Returns whether
    it was reached; and whether another try is of use, which it is not where features of the support
    determine one another.
    """
    n, size = len(r), 0
    face, by, bent = np.empty(len(root), np.intp), np.empty(len(root)), np.empty(n)
    by[0], total = 0.0, 0.0
    for i in range(n):
        by[0] += r[i]
        total += v[i]
    root[0, 0] = np.sqrt(total)
    for j in work:
        if beta[j] == 0.0:
            continue
        size += 1
        z, row, across = Z[j], root[size], 0.0
        for i in range(n):
            bent[i] = v[i] * z[i]
            across += bent[i]
        row[0] = across / root[0, 0]
        for u in range(1, size):
            row[u] = (dot(bent, Z[face[u]], n) - dot(row, root[u], u)) / root[u, u]
        square = dot(bent, z, n) + l2
        left = square - dot(row, row, size)
        if left <= DEPENDENT * square:
            return False, False
        face[size], row[size] = j, np.sqrt(left)
        by[size] = dot(z, r, n) - l2 * beta[j] - (l1 if beta[j] > 0.0 else -l1)
    solve(root, size + 1, by)
    length, blocker = 1.0, 0
    for t in range(1, size + 1):
        before = beta[face[t]]
        if before * (before + by[t]) <= 0.0 and -before / by[t] < length:
            length, blocker = -before / by[t], t
    for i in range(n):
        bent[i] = by[0]
    for t in range(1, size + 1):
        z = Z[face[t]]
        for i in range(n):
            bent[i] += by[t] * z[i]
        beta[face[t]] = 0.0 if t == blocker else beta[face[t]] + length * by[t]
    for i in range(n):
        r[i] -= length * v[i] * bent[i]
        shift[i] += length * bent[i]
    return blocker == 0, True


@kernel()
def _minimise(Z, beta, work, curvature, v, r, shift, l1, l2, goal, root):
    """Minimise the approximation: sweeps find the support, equations its coefficients."""
    for _ in range(ROUNDS):
        turn, useful = SWEEPS, False
        for sweep in range(SWEEPS):
            if useful and sweep % turn == 0:
                reached, useful = _settle(Z, beta, work, v, r, shift, l1, l2, root)
                if reached:
                    break
                continue
            # Coefficients that are 0 mostly stay so: they have a turn whenever the others settled.
            every = sweep == 0
            change = _sweep(Z, beta, work, curvature, v, r, shift, l1, l2, not every)
            if change <= goal:
                if every:
                    return
                break
            if every:
                size = 0
                for j in work:
                    size += beta[j] != 0.0
                turn, useful = SETTLING + size // PER_SWEEP, size < len(root)


@kernel()
def _step(Z, Y, omega, beta, eta, E, P, R, k, work, l1, l2, goal, gaussian, root):
    """One Newton step for the coefficients of class k, cut back until the objective falls."""
    n = len(omega)
    v, curvature, before = np.empty(n), np.empty(len(work)), np.empty(len(work))
    for i in range(n):
        bend = P[k, i] * (1.0 - P[k, i])
        bend = bend if bend > LEAST_CURVATURE else LEAST_CURVATURE
        v[i] = omega[i] * (1.0 if gaussian else bend)
    for t in range(len(work)):
        curvature[t] = _weighted_square(v, Z[work[t]])
        before[t] = beta[k, work[t]]
    old = _loss(eta, Y, omega, k, E, gaussian) + _penalty(beta, work, l1, l2)
    r, shift = R[k].copy(), np.zeros(n)
    _minimise(Z, beta[k], work, curvature, v, r, shift, l1, l2, goal, root)
    start, share = eta[k].copy(), 1.0
    for _ in range(HALVINGS):
        for i in range(n):
            eta[k, i] = start[i] + share * shift[i]
        new = _loss(eta, Y, omega, k, E, gaussian) + _penalty(beta, work, l1, l2)
        if new <= old + 1e-13 * (1.0 + abs(old)):
            break
        share *= 0.5
        for t in range(len(work)):
            beta[k, work[t]] = 0.5 * (before[t] + beta[k, work[t]])
    _set_residuals(eta, Y, omega, E, P, R, gaussian)


def _solve(Z, Y, omega, beta, eta, E, P, R, work, l1, l2, enough, gaussian, root):
    """Minimise over the features of the working set; say whether the conditions hold."""
    # In Python, so that a step is not compiled again as a part of this.
    for _ in range(STEPS):
        violation = _violation(Z, R, beta, work, l1, l2)
        if violation <= enough:
            return True
        for k in range(len(beta)):
            goal = 0.1 * max(violation * 0.1, enough)
            _step(Z, Y, omega, beta, eta, E, P, R, k, work, l1, l2, goal, gaussian, root)
    return _violation(Z, R, beta, work, l1, l2) <= enough


@kernel()
def slopes(Z, R):
    """Largest |gradient| of every feature over the classes."""
    steepest = np.zeros(len(Z))
    for j in range(len(Z)):
        for k in range(len(R)):
            slope = abs(dot(Z[j], R[k], len(R[k])))
            steepest[j] = slope if slope > steepest[j] else steepest[j]
    return steepest


def null_model(Y, omega, gaussian):
    """η of the model without features: the shares of the classes, or the mean of numbers."""
    shares = [dot(row, omega, len(omega)) for row in Y]
    if not gaussian:
        shares = [log(share / (1.0 - share)) if len(Y) == 1 else log(share) for share in shares]
    eta = np.repeat(shares, len(omega)).reshape(Y.shape)
    P, R = np.empty(Y.shape), np.empty(Y.shape)
    E = np.full((len(Y) + 1, len(omega)), np.nan)
    loss = _loss(eta, Y, omega, 0, E, gaussian)
    _set_residuals(eta, Y, omega, E, P, R, gaussian)
    return eta, E, P, R, loss


def net_path(Z, Y, omega, lambdas, alpha, tol, most_explained, gaussian):
    """Return what is selected at every λ, the last model, and how many λ are not solved to `tol`.

    Z holds a feature a row, Y a class a row (only the second of two), or one row of numbers. The
    path ends early once the model explains a share `most_explained` of the null model's loss.
    """
    eta, E, P, R, null_loss = null_model(Y, omega, gaussian)
    beta = np.zeros((len(Y), len(Z)))
    selected = np.zeros((len(lambdas), len(Z)), dtype=np.bool_)
    root = np.empty((min(LARGEST, len(Z)) + 1,) * 2)
    steep = slopes(Z, R)
    enough = tol * max(steep.max(), 1e-300)
    unfinished = 0
    last = steep.max() / alpha
    for m, penalty in enumerate(lambdas):
        l1, l2 = penalty * alpha, penalty * (1.0 - alpha)
        inside = (steep >= 2.0 * l1 - alpha * last) | beta.any(axis=0)
        while True:
            work = np.flatnonzero(inside)
            done = _solve(Z, Y, omega, beta, eta, E, P, R, work, l1, l2, enough, gaussian, root)
            steep = slopes(Z, R)
            missed = ~inside & (steep > l1 + enough)
            if not missed.any():
                break
            inside |= missed
        unfinished += not done
        selected[m] = beta.any(axis=0)
        last = penalty
        if _loss(eta, Y, omega, 0, E, gaussian) <= (1.0 - most_explained) * null_loss:
            selected = selected[: m + 1]
            break
    intercept = eta[:, 0].copy()
    for k, j in np.argwhere(beta):
        intercept[k] -= beta[k, j] * Z[j, 0]
    return selected, intercept, beta, unfinished
