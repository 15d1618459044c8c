"""Instance weighting [HY IV; Han 4; Prat 8.2]: loops over rows and features, no tricks."""

import math


def minmax(X):
    d = len(X[0])
    low = [min(row[j] for row in X) for j in range(d)]
    high = [max(row[j] for row in X) for j in range(d)]
    return [
        [(row[j] - low[j]) / (high[j] - low[j]) if high[j] > low[j] else 0.0 for j in range(d)]
        for row in X
    ]


def euclidean(a, b):
    return math.sqrt(math.fsum((p - q) ** 2 for p, q in zip(a, b, strict=True)))


def nearest(X, i, candidates, k):
    """The k nearest candidates of row i, ties by row number; all for k None."""
    ordered = sorted(candidates, key=lambda j: (euclidean(X[i], X[j]), j))
    return ordered if k is None else ordered[:k]


def hits_and_misses(X, y, i, k):
    hits = [j for j in range(len(X)) if j != i and y[j] == y[i]]
    misses = [j for j in range(len(X)) if y[j] != y[i]]
    return nearest(X, i, hits, k), nearest(X, i, misses, k)


def shares(X, i, rows):
    """1/distance normalised to 1; rows at distance 0 take it all between them."""
    distances = [euclidean(X[i], X[j]) for j in rows]
    zeros = [j for j, s in zip(rows, distances, strict=True) if s == 0]
    if zeros:
        return {j: (1 / len(zeros) if j in zeros else 0.0) for j in rows}
    total = math.fsum(1 / s for s in distances)
    return {j: 1 / s / total for j, s in zip(rows, distances, strict=True)}


def margin_vector(X, y, i, k=None, neighbor_weights="uniform", omega=None):
    hits, misses = hits_and_misses(X, y, i, k)
    if omega is not None:
        v = {j: omega[j] for j in hits + misses}
    elif neighbor_weights == "distance":
        v = shares(X, i, hits) | shares(X, i, misses)
    else:
        v = {j: 1.0 for j in hits + misses}
    return [
        math.fsum(v[j] * abs(X[i][f] - X[j][f]) for j in misses)
        - math.fsum(v[j] * abs(X[i][f] - X[j][f]) for j in hits)
        for f in range(len(X[0]))
    ]


def margin_weights(X, y, k=None, neighbor_weights="uniform", max_iter=1, tol=1e-6):
    """Weights of mean 1 and the margin vectors of the last round."""
    n = len(X)
    omega = None
    previous = [1.0] * n
    for _ in range(max_iter):
        vectors = [margin_vector(X, y, i, k, neighbor_weights, omega) for i in range(n)]
        distances = [
            math.fsum(euclidean(vectors[i], vectors[j]) for j in range(n) if j != i) / (n - 1)
            for i in range(n)
        ]
        raw = [1 / s for s in distances] if all(distances) else [1.0] * n
        mean = math.fsum(raw) / n
        omega = [r / mean for r in raw]
        if max(abs(a - b) for a, b in zip(omega, previous, strict=True)) < tol:
            break
        previous = omega
    return omega, vectors


def hypothesis_margins(X, y, k=None):
    margins = []
    for i in range(len(X)):
        hits, misses = hits_and_misses(X, y, i, k)
        if not hits:
            margins.append(None)
            continue
        to_miss = math.fsum(euclidean(X[i], X[j]) for j in misses) / len(misses)
        to_hit = math.fsum(euclidean(X[i], X[j]) for j in hits) / len(hits)
        margins.append(0.5 * (to_miss - to_hit))
    known = [m for m in margins if m is not None]
    return [(min(known) if known else 0.0) if m is None else m for m in margins]


def logistic_weights(margins, alpha=3.03):
    """Unscaled weights."""
    n = len(margins)
    mean = math.fsum(margins) / n
    std = math.sqrt(math.fsum((m - mean) ** 2 for m in margins) / (n - 1))
    if std <= 1e-12 * max(abs(m) for m in margins):
        return [0.5] * n
    return [1 / (1 + math.exp(-alpha * (m - mean) / std)) for m in margins]
