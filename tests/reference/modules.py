"""Average linkage by its definition: merge the two nearest clusters until none are near."""

from itertools import combinations
from math import sqrt


def correlation(a, b, weights):
    """Pearson's r, a row counting as often as its weight; 0 where a feature is constant."""
    total = sum(weights)
    mean_a = sum(w * x for w, x in zip(weights, a, strict=True)) / total
    mean_b = sum(w * x for w, x in zip(weights, b, strict=True)) / total
    rows = list(zip(weights, a, b, strict=True))
    both = sum(w * (x - mean_a) * (z - mean_b) for w, x, z in rows)
    of_a = sum(w * (x - mean_a) ** 2 for w, x, _ in rows)
    of_b = sum(w * (z - mean_b) ** 2 for w, _, z in rows)
    return both / sqrt(of_a * of_b) if of_a * of_b > 0 else 0.0


def average_linkage(distances, cut):
    """Clusters as sets; the distance of two is the mean over all pairs of their members."""
    clusters = [{j} for j in range(len(distances))]

    def apart(pair):
        first, second = pair
        return sum(distances[i][j] for i in first for j in second) / (len(first) * len(second))

    while len(clusters) > 1:
        nearest = min(combinations(clusters, 2), key=apart)
        if apart(nearest) > cut:
            break
        clusters = [c for c in clusters if c not in nearest] + [nearest[0] | nearest[1]]
    return sorted(map(sorted, clusters))


def correlation_modules(X, cut, weights=None):
    """Clusters of columns, 1 − |r| apart."""
    columns = list(zip(*X, strict=True))
    weights = [1] * len(X) if weights is None else weights
    distances = [[1 - abs(correlation(a, b, weights)) for b in columns] for a in columns]
    return average_linkage(distances, cut)
