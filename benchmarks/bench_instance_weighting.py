"""MarginWeighting beside the direct n²·d loop in numpy."""

import numpy as np
from numpy.testing import assert_allclose

from backstay import MarginWeighting
from benchmarks._measure import medians, report


def direct(X, y):
    """[Han alg. 1] as printed: per row, distances to all rows, twice."""
    low, high = X.min(axis=0), X.max(axis=0)
    X = (X - low) / (high - low)
    margins = np.empty_like(X)
    for i in range(len(X)):
        differences = np.abs(X - X[i])
        hit = y == y[i]
        margins[i] = differences[~hit].sum(axis=0) - differences[hit].sum(axis=0)
    distances = np.empty(len(X))
    for i in range(len(X)):
        distances[i] = np.sqrt(((margins - margins[i]) ** 2).sum(axis=1)).sum() / (len(X) - 1)
    weights = 1 / distances
    return weights / weights.mean()


def main(quick=False):
    for n, d in ((200, 2000),) if quick else ((200, 10000), (1000, 2000)):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(n, d)), rng.integers(0, 2, n)
        assert_allclose(MarginWeighting().fit_weight(X, y), direct(X, y), rtol=1e-9)
        calls = {
            "backstay": lambda X=X, y=y: MarginWeighting().fit(X, y),
            "direct numpy loop": (lambda X=X, y=y: direct(X, y), 3),
        }
        report(f"MarginWeighting, all neighbours, {n} × {d}, same weights", medians(calls))


if __name__ == "__main__":
    main()
