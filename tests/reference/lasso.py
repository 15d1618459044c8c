"""The elastic net for classes by a general optimiser, one penalty at a time."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp


def standardise(X, omega):
    """Mean 0 and variance 1 of every column, a row counting ω times."""
    Z = np.zeros(X.shape)
    for j, x in enumerate(X.T):
        mean = np.average(x, weights=omega)
        deviation = np.sqrt(np.average((x - mean) ** 2, weights=omega))
        if deviation > 0:
            Z[:, j] = (x - mean) / deviation
    return Z


def scores(Z, intercept, coef):
    """η of every class; the first of two classes has 0."""
    eta = Z @ coef.T + intercept
    return np.column_stack([np.zeros(len(Z)), eta]) if len(coef) == 1 else eta


def loss(Z, y, omega, intercept, coef):
    """Weighted mean of −log P(y)."""
    eta = scores(Z, intercept, coef)
    return np.average(logsumexp(eta, axis=1) - eta[np.arange(len(y)), y], weights=omega)


def objective(Z, y, omega, intercept, coef, penalty, l1_ratio):
    squares = (1 - l1_ratio) / 2 * (coef**2).sum()
    return loss(Z, y, omega, intercept, coef) + penalty * (l1_ratio * np.abs(coef).sum() + squares)


def gradient(Z, y, omega, intercept, coef):
    """Derivative of the loss in every coefficient."""
    eta = scores(Z, intercept, coef)
    P = np.exp(eta - logsumexp(eta, axis=1, keepdims=True))
    residuals = (np.eye(P.shape[1])[y] - P) * (omega / omega.sum())[:, None]
    residuals = residuals[:, 1:] if len(coef) == 1 else residuals
    return -residuals.sum(axis=0), -residuals.T @ Z


def solve(Z, y, omega, penalty, l1_ratio):
    """Intercepts and coefficients: β = a − b with a, b ≥ 0 makes the objective smooth."""
    K, d = int(y.max()) + 1, Z.shape[1]
    K = 1 if K == 2 else K

    def split(v):
        return v[:K], v[K : K + K * d].reshape(K, d), v[K + K * d :].reshape(K, d)

    def value(v):
        intercept, a, b = split(v)
        coef = a - b
        slope0, slope = gradient(Z, y, omega, intercept, coef)
        total = loss(Z, y, omega, intercept, coef)
        total += penalty * (l1_ratio * (a + b).sum() + (1 - l1_ratio) / 2 * (coef**2).sum())
        slope = slope + penalty * (1 - l1_ratio) * coef
        parts = [slope0, penalty * l1_ratio + slope.ravel(), penalty * l1_ratio - slope.ravel()]
        return total, np.concatenate([np.ravel(part) for part in parts])

    bounds = [(None, None)] * K + [(0, None)] * (2 * K * d)
    start = np.zeros(K + 2 * K * d)
    options = {"maxiter": 2000, "ftol": 1e-14, "gtol": 1e-8}
    found = minimize(value, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    intercept, a, b = split(found.x)
    return intercept, a - b


def largest_penalty(Z, y, omega, l1_ratio):
    """The λ above which no feature has a coefficient."""
    shares = np.array([omega[y == c].sum() for c in range(y.max() + 1)]) / omega.sum()
    K = 1 if len(shares) == 2 else len(shares)
    intercept = np.log(shares[1:] / shares[0]) if K == 1 else np.log(shares)
    return np.abs(gradient(Z, y, omega, intercept, np.zeros((K, Z.shape[1])))[1]).max() / l1_ratio


def entry_order(selected, sizes):
    """Features that are ever selected: the earlier first, then the larger, then by column."""
    entries = [(list(s).index(True), -size, j) for j, (s, size) in
               enumerate(zip(np.transpose(selected), sizes, strict=True)) if any(s)]  # fmt: skip
    return [j for _, _, j in sorted(entries)]
