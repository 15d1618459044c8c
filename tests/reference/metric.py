"""Distances between rows from their definitions, and methods under them, pair by pair."""

import math

import numpy as np

from reference.instance_weighting import margin_vector, minmax


def deviations_from_class_means(X, y):
    deviations = []
    for row, c in zip(X, y, strict=True):
        members = [x for x, k in zip(X, y, strict=True) if k == c]
        means = [math.fsum(column) / len(members) for column in zip(*members, strict=True)]
        deviations.append([v - m for v, m in zip(row, means, strict=True)])
    return deviations


def shrunk_covariance(deviations):
    """δmI + (1 − δ)S, m the mean variance: as near to mI as S is noisy [Ledoit & Wolf 2004]."""
    n, d = len(deviations), len(deviations[0])
    pairs = [(a, b) for a in range(d) for b in range(d)]
    S = {(a, b): math.fsum(x[a] * x[b] for x in deviations) / n for a, b in pairs}
    m = math.fsum(S[a, a] for a in range(d)) / d
    target = {(a, b): m * (a == b) for a, b in pairs}
    far = math.fsum((S[p] - target[p]) ** 2 for p in pairs)
    noise = math.fsum((x[a] * x[b] - S[a, b]) ** 2 for x in deviations for a, b in pairs) / n**2
    delta = min(noise, far) / far if far > 0 else 0.0
    shrunk = [delta * target[p] + (1 - delta) * S[p] for p in pairs]
    return np.array(shrunk).reshape(d, d)


def within_class_precision(X, y):
    """Inverse of the shrunk covariance of the rows' deviations from their class means."""
    return np.linalg.inv(shrunk_covariance(deviations_from_class_means(X, y)))


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


def contribution(rows, y, i, near_to, k, miss="per_class"):
    """What row i adds to the weights, its neighbours being nearest by `near_to`.

    Misses are sought in every other class, which counts by its share of the other classes' rows;
    or ("any") in all of them together.
    """
    others = [j for j in range(len(rows)) if y[j] != y[i]]
    sides = [(-1.0, [j for j in range(len(rows)) if j != i and y[j] == y[i]])]
    if miss == "any":
        sides.append((1.0, others))
    else:
        for c in sorted({y[j] for j in others}):
            members = [j for j in others if y[j] == c]
            sides.append((len(members) / len(others), members))
    added = [0.0] * len(rows[0])
    for factor, side in sides:
        near = sorted(side, key=lambda j: (near_to[j], j))[:k]
        for j in near:
            for f in range(len(added)):
                added[f] += factor * abs(rows[i][f] - rows[j][f]) / len(near) / len(rows)
    return added


def relieff(X, y, metric, k=1, miss="per_class"):
    """k nearest hits and misses by the metric, differences feature by feature."""
    rows = minmax(X)
    D = all_distances(rows, y, metric)
    parts = [contribution(rows, y, i, D[i], k, miss) for i in range(len(rows))]
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
