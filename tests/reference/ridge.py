"""Recursive elimination by ridge regression: every round from scratch."""

import numpy as np


def ridge(X, y, alpha, omega):
    """Coefficients that minimise Σ ω (y − b − Xw)² + α Σ w², by the normal equations."""
    X = np.column_stack([X, np.ones(len(X))])
    penalty = np.diag([alpha] * (X.shape[1] - 1) + [0.0])
    return np.linalg.solve(X.T @ (omega[:, None] * X) + penalty, X.T @ (omega * y))[:-1]


def rounds(X, y, alpha, omega, step):
    """Features of every round, down to one; of equal coefficients the later column goes."""
    features = list(range(X.shape[1]))
    seen = [list(features)]
    while len(features) > 1:
        weights = np.abs(ridge(X[:, features], y, alpha, omega))
        n = step if isinstance(step, int) else max(1, int(step * len(features)))
        order = sorted(range(len(features)), key=lambda t: (weights[t], -features[t]))
        dropped = set(order[: min(n, len(features) - 1)])
        features = [f for t, f in enumerate(features) if t not in dropped]
        seen.append(list(features))
    return seen
