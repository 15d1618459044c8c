"""Metrics of numbers on drawn rows, agreement and concordance, by plain loops."""

import math
from itertools import combinations

import numpy as np


def pooled(metric, y, tests, copies):
    """Score predictions on drawn rows; `tests` holds rows, predictions and training mean per run.

    Every row counts as often as it was drawn, with the mean of its errors over the runs.
    """
    if metric == "spearman":
        return pooled_spearman(y, tests, copies)
    drawn, errors, around_mean, kept = 0, 0.0, 0.0, []
    for i in range(len(y)):
        mine = [(p[list(rows).index(i)], mean) for rows, p, mean in tests if i in list(rows)]
        if mine and copies[i]:
            power = 1 if metric == "mae" else 2
            error = np.mean([abs(y[i] - said) ** power for said, _ in mine])
            around = np.mean([(y[i] - mean) ** 2 for _, mean in mine])
            errors += copies[i] * error
            around_mean += copies[i] * around
            drawn += copies[i]
            kept.append((copies[i], error, around))
    if not drawn:
        return math.nan
    if metric == "r2":
        n_tested = len({i for rows, _, _ in tests for i in rows})
        return r2_of_drawn(kept, n_tested) if around_mean else math.nan
    return errors / drawn if metric == "mae" else math.sqrt(errors / drawn)


def r2_of_drawn(kept, n_tested):
    """R² of (copies, squared error, squared deviation), less the bias that fewer rows bring.

    Tin's: a ratio a/b of means of n rows is too high by (a/b)(var b/b² − cov/(ab))/n.
    """
    total = sum(c for c, _, _ in kept)
    a = sum(c * e for c, e, _ in kept) / total
    b = sum(c * d for c, _, d in kept) / total
    covariance = sum(c * (e - a) * (d - b) for c, e, d in kept) / total
    variance = sum(c * (d - b) ** 2 for c, _, d in kept) / total
    fewer = sum((c / total) ** 2 for c, _, _ in kept) - 1 / n_tested
    return 1 - a / b + fewer * (a * variance / b**3 - covariance / b**2)


def pooled_spearman(y, tests, copies):
    """Correlate shares of drawn rows below: by outcome, and by prediction as runs say on average.

    Rows are compared within runs only. The spread of the second is that of ranks without ties.
    """
    n = len(y)
    met = {}
    for i in range(n):
        for j in range(n):
            orders = []
            for rows, said, _ in tests:
                rows = list(rows)
                if i in rows and j in rows:
                    a, b = said[rows.index(i)], said[rows.index(j)]
                    orders.append(1.0 if a > b else 0.5 if a == b else 0.0)
            if orders:
                met[i, j] = np.mean(orders)
    mine = [i for i in range(n) if copies[i] and (i, i) in met]
    if not mine:
        return math.nan
    total = sum(copies[i] for i in mine)
    w = {i: copies[i] / total for i in mine}
    by_truth, by_said = {}, {}
    for i in mine:
        others = [j for j in mine if (i, j) in met]
        size = sum(copies[j] for j in others)
        truth = [1.0 if y[i] > y[j] else 0.5 if y[i] == y[j] else 0.0 for j in others]
        by_truth[i] = sum(copies[j] * t for j, t in zip(others, truth, strict=True)) / size
        by_said[i] = sum(copies[j] * met[i, j] for j in others) / size
    middle = sum(w[i] * by_truth[i] for i in mine)
    mean = sum(w[i] * by_said[i] for i in mine)
    product = sum(w[i] * (by_truth[i] - middle) * (by_said[i] - mean) for i in mine)
    spread = sum(w[i] * (by_truth[i] - middle) ** 2 for i in mine)
    spread *= (1 - sum(share**3 for share in w.values())) / 12
    return product / math.sqrt(spread) if spread > 1e-12 else math.nan


def concordance(x, y):
    """Share of pairs of different outcomes that a column orders as most are, ties as halves."""
    pairs = [
        0.5 if x[i] == x[j] else float((x[i] < x[j]) == (y[i] < y[j]))
        for i, j in combinations(range(len(y)), 2)
        if y[i] != y[j]
    ]
    return max(np.mean(pairs), 1 - np.mean(pairs)) if pairs else 0.5


def alpha(runs):
    """Krippendorff's α of numbers: runs × samples, None where nothing was predicted."""
    samples = [[run[i] for run in runs if run[i] is not None] for i in range(len(runs[0]))]
    samples = [said for said in samples if len(said) > 1]
    everyone = [value for said in samples for value in said]
    n = len(everyone)
    observed = sum(
        sum((a - b) ** 2 for a in said for b in said) / (len(said) - 1) for said in samples
    )
    expected = sum((a - b) ** 2 for a in everyone for b in everyone) / (n - 1) if n > 1 else 0
    return 1 - observed / expected if expected else math.nan
