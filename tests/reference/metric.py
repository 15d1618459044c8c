"""Distances between rows from their definitions, and methods under them, pair by pair."""

import math

import numpy as np
from sklearn.covariance import LedoitWolf

from reference.instance_weighting import margin_vector, minmax


def within_class_precision(X, y):
    """Inverse of the shrunk covariance of the rows' deviations from their class means."""
    X, y = np.asarray(X, dtype=float), list(y)
    means = {c: np.mean([x for x, k in zip(X, y, strict=True) if k == c], axis=0) for c in set(y)}
    deviations = np.array([x - means[c] for x, c in zip(X, y, strict=True)])
    return LedoitWolf(assume_centered=True).fit(deviations).get_precision()


def whitened(rows, y):
    """Rows times the symmetric root of the precision."""
    values, vectors = np.linalg.eigh(within_class_precision(rows, y))
    return (np.array(rows) @ (vectors * np.sqrt(values)) @ vectors.T).tolist()


def distance(a, b, metric, precision=None):
    z = [p - q for p, q in zip(a, b, strict=True)]
    if metric == "manhattan":
        return math.fsum(abs(v) for v in z)
    if metric == "mahalanobis":
        return math.sqrt(max(float(np.array(z) @ precision @ np.array(z)), 0.0))
    return math.sqrt(math.fsum(v * v for v in z))


def all_distances(X, y, metric):
    """Between the rows as they are given."""
    precision = within_class_precision(X, y) if metric == "mahalanobis" else None
    return [[distance(a, b, metric, precision) for b in X] for a in X]


def hypothesis_margins(X, y, metric, k=None):
    """θ(x) under the metric; every class has two rows at least."""
    rows = minmax(X)
    D = all_distances(rows, y, metric)
    margins = []
    for i in range(len(rows)):
        hits = sorted(D[i][j] for j in range(len(rows)) if j != i and y[j] == y[i])[:k]
        misses = sorted(D[i][j] for j in range(len(rows)) if y[j] != y[i])[:k]
        margins.append(0.5 * (sum(misses) / len(misses) - sum(hits) / len(hits)))
    return margins


def margin_weights(X, y, metric, k=None):
    """MBIW of mean 1: neighbours, and how far margin vectors are apart, by the metric."""
    rows = minmax(X)
    if metric == "mahalanobis":
        rows, metric = whitened(rows, y), "euclidean"
    D = all_distances(rows, y, metric)
    margins = []
    for i in range(len(rows)):
        hits = [j for j in range(len(rows)) if j != i and y[j] == y[i]]
        misses = [j for j in range(len(rows)) if y[j] != y[i]]
        near = [sorted(side, key=lambda j, i=i: (D[i][j], j))[:k] for side in (hits, misses)]
        kept = [i, *near[0], *near[1]]
        margins.append(margin_vector([rows[j] for j in kept], [y[j] for j in kept], 0))
    far = [math.fsum(row) / (len(rows) - 1) for row in all_distances(margins, y, metric)]
    mean = math.fsum(1 / f for f in far) / len(far)
    return [1 / f / mean for f in far]


def contribution(rows, y, i, near_to, k):
    """What row i adds to the weights, its neighbours being nearest by `near_to`; two classes."""
    added = [0.0] * len(rows[0])
    for sign, same in ((-1, True), (1, False)):
        side = [j for j in range(len(rows)) if j != i and (y[j] == y[i]) == same]
        near = sorted(side, key=lambda j: (near_to[j], j))[:k]
        for j in near:
            for f in range(len(added)):
                added[f] += sign * abs(rows[i][f] - rows[j][f]) / len(near) / len(rows)
    return added


def relieff(X, y, metric, k=1):
    """k nearest hits and misses by the metric, differences feature by feature."""
    rows = minmax(X)
    D = all_distances(rows, y, metric)
    parts = [contribution(rows, y, i, D[i], k) for i in range(len(rows))]
    return [math.fsum(column) for column in zip(*parts, strict=True)]


def double_relieff(X, y, metric, visits, k):
    """Euclidean distance between (whitened) rows, squared differences weighted by w so far.

    A weight no larger than the rounding errors of its terms, at most 1/n each, is 0.
    """
    rows = minmax(X)
    space = whitened(rows, y) if metric == "mahalanobis" else rows
    w = [0.0] * len(rows[0])
    for t, i in enumerate(visits):
        w = [v if abs(v) > 1e-14 * t / len(rows) else 0.0 for v in w]
        top = max(w)
        inside = [max(v, 0.0) / top for v in w] if top > 0 else [1.0] * len(w)
        D = [
            math.fsum(g * (a - b) ** 2 for g, a, b in zip(inside, space[i], r, strict=True))
            for r in space
        ]
        w = [v + a for v, a in zip(w, contribution(rows, y, i, D, k), strict=True)]
    return w
