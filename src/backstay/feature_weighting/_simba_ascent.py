"""Ascent on e(w), the whole sum of Simba's margins, by gradients or Newton's steps [Prat 9.4]."""

from typing import Any

import numpy as np

from backstay._kernels._simba import evaluation, hits_and_misses
from backstay.base import Array, Indices, one_thread

NEWTON_FEATURES = 2000  # beyond, the Hessian and its eigenvectors take too much
FLAT = 1e-8  # curvatures below this part of the largest count as this


def ascend(
    X: Any, y: Indices, omega: Array, beta: float, d: int, max_iter: int, tol: float, newton: bool
) -> tuple[Array, int]:
    """Maximise e(w) in the box 0 ≤ w ≤ 1, largest w = 1; return w and the number of steps.

    Newton's step is tried first where it is wanted, the gradient's where that finds no rise.
    """
    w, gradient = np.ones(d), np.empty(d)
    value = evaluation(X, y, omega, beta, w, gradient)

    def climb(direction: Array, size: float, step: float) -> tuple[float, float, Array, Array]:
        """Halve the step until e rises; return e, the step, w and the gradient there."""
        risen, trial, slope = -np.inf, w, np.empty(d)
        while step > 1e-10:
            trial = np.clip(w + step * direction / size, 0.0, 1.0)
            top = trial.max()
            if top > 0.0:
                trial /= top
                risen = evaluation(X, y, omega, beta, trial, slope)
                if risen > value:
                    break
            step /= 2
        return risen, step, trial, slope

    step, n_iter = 1.0, 0
    while n_iter < max_iter:
        n_iter += 1
        size = np.abs(gradient).max()
        if size == 0.0:
            break
        risen = -np.inf
        if newton:
            direction = newton_direction(X, y, omega, beta, w, gradient)
            risen, _, trial, slope = climb(direction, 1.0, 1.0)
        if risen <= value:
            risen, step, trial, slope = climb(gradient, size, step)
            if risen <= value:
                break
            step *= 2
        gain = risen - value
        w, gradient, value = trial, slope, risen
        if gain <= tol * abs(value):
            break
    return w, n_iter


def newton_direction(
    X: Any, y: Indices, omega: Array, beta: float, w: Array, gradient: Array
) -> Array:
    """|H|⁻¹ ∇e over the features that can move, H the Hessian of e.

    With the curvatures' absolute values every step leads up; −H⁻¹ ∇e may lead to a saddle.
    """
    free = (w > 0.0) & ~((w >= 1.0) & (gradient > 0.0))
    direction = np.zeros(len(w))
    if free.any():
        with one_thread():
            H = hessian(X, y, omega, beta, w)[np.ix_(free, free)]
            curvatures, axes = np.linalg.eigh(H)
            size = np.abs(curvatures)
            size = np.maximum(size, FLAT * max(size.max(), np.finfo(float).tiny))
            direction[free] = axes @ ((axes.T @ gradient[free]) / size)
        # No weight changes by more than half: a weight that reaches 0 would never come back.
        most = np.abs(direction[free] / w[free]).max()
        direction *= min(1.0, 0.5 / most) if most > 0.0 else 1.0
    return direction


def hessian(X: Any, y: Indices, omega: Array, beta: float, w: Array) -> Array:
    """Second derivatives of e(w) = Σ ω u(θ), with each row's hit and miss held.

    ∂²‖z‖_w/∂w_j∂w_k = δ_jk z_j²/‖z‖ − (w_j z_j²)(w_k z_k²)/‖z‖³.
    """
    d = len(w)
    rows, hits, misses = hits_and_misses(X, y, w)
    own = np.asarray(X, dtype=np.float64)[rows, :d]
    H, slopes, norms = np.zeros((d, d)), [], []
    sides = [(own - np.asarray(X, dtype=np.float64)[near, :d]) ** 2 for near in (misses, hits)]
    for squares in sides:
        norm = np.sqrt(squares @ w**2)
        norms.append(norm)
        slopes.append(squares * w / norm[:, None])  # ∇‖z‖_w
    theta = 0.5 * (norms[0] - norms[1])
    first, second = _slopes_of_utility(theta, beta)
    for sign, squares, norm, slope in zip((0.5, -0.5), sides, norms, slopes, strict=True):
        share = sign * omega[rows] * first / norm
        H -= (slope * share[:, None]).T @ slope
        H[np.diag_indices(d)] += share @ squares
    if beta > 0.0:
        whole = 0.5 * (slopes[0] - slopes[1])
        H += (whole * (omega[rows] * second)[:, None]).T @ whole
    return H


def _slopes_of_utility(theta: Array, beta: float) -> tuple[Array, Array]:
    """u' and u'' of the linear utility (β = 0) or the sigmoid."""
    if beta == 0.0:
        return np.ones_like(theta), np.zeros_like(theta)
    e = np.exp(-np.abs(beta * theta))
    first = beta * e / (1.0 + e) ** 2
    return first, -np.sign(theta) * beta * first * (1.0 - e) / (1.0 + e)
