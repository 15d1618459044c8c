"""Filters that other tools have, by loops over features, pairs of rows and classes."""

from math import log, sqrt
from statistics import median

import numpy as np


def weighted_auc(x, positive, omega):
    """Share of pairs (a positive row, another row) in which the positive one is higher."""
    right = total = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            if positive[i] and not positive[j]:
                pair = omega[i] * omega[j]
                total += pair
                right += pair * (1.0 if x[i] > x[j] else 0.5 if x[i] == x[j] else 0.0)
    return right / total


def rank_separation(x, y, omega):
    """Largest |2 AUC − 1| over the classes, each against the others."""
    return max(abs(2 * weighted_auc(x, y == c, omega) - 1) for c in np.unique(y))


def class_effects(X, y, omega):
    """Standardised distances of class means from the mean, and the shrunken deviations.

    d_cj = (mean_cj − mean_j) / (m_c (s_j + s_0)), m_c = √(1/n_c − 1/n), s_0 the median of the s_j
    [Tibshirani et al. 2002, eq. 1-3].
    """
    classes, n = sorted(set(y.tolist())), omega.sum()
    deviation = []
    for j in range(X.shape[1]):
        squares = 0.0
        for c in classes:
            x, w = X[y == c, j], omega[y == c]
            squares += float(w @ (x - w @ x / w.sum()) ** 2)
        deviation.append(sqrt(squares / (n - len(classes))))
    shrunken = [s + median(deviation) for s in deviation]
    effects = []
    for c in classes:
        w = omega[y == c]
        size = sqrt(1 / w.sum() - 1 / n)
        effects.append(
            [
                (w @ X[y == c, j] / w.sum() - omega @ X[:, j] / n) / (size * shrunken[j])
                for j in range(X.shape[1])
            ]
        )
    return np.array(effects), np.array(shrunken)


def three_states(x, omega):
    """−1, 0 or 1: below, within and above half a deviation around the mean."""
    mean = omega @ x / omega.sum()
    half = sqrt(omega @ (x - mean) ** 2 / omega.sum()) / 2
    return np.where(x > mean + half, 1, np.where(x < mean - half, -1, 0))


def mutual_information(a, b, omega):
    """In nats."""
    total, found = omega.sum(), 0.0
    for u in set(a.tolist()):
        for v in set(b.tolist()):
            joint = omega[(a == u) & (b == v)].sum() / total
            apart = omega[a == u].sum() * omega[b == v].sum() / total**2
            if joint > 0:
                found += joint * log(joint / apart)
    return found


def correlation(a, b, omega):
    a, b = a - omega @ a / omega.sum(), b - omega @ b / omega.sum()
    spread = sqrt((omega @ a**2) * (omega @ b**2))
    return abs(omega @ (a * b)) / spread if spread > 0 else 0.0


def minimum_redundancy(relevance, redundancy, n_ranked, form):
    """Order of features: the most relevant, then always the best by relevance and redundancy.

    redundancy(i, j) is between features; form is "difference" or "quotient".
    """
    left = list(range(len(relevance)))
    order = [max(left, key=lambda j: (relevance[j], -j))]
    left.remove(order[0])
    while left and len(order) < n_ranked:

        def value(j):
            mean = sum(redundancy(i, j) for i in order) / len(order)
            if form == "difference":
                return relevance[j] - mean
            return relevance[j] / max(mean, 1e-12)

        best = max(left, key=lambda j: (value(j), -j))
        order.append(best)
        left.remove(best)
    return order + sorted(left, key=lambda j: (-relevance[j], j))
