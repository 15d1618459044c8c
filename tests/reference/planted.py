"""Outcomes planted in a table, and lists compared with the truth, value by value."""

from math import sqrt
from statistics import fmean, pstdev


def standard(column):
    """Values in standard deviations; a gap counts as the mean, a constant column as 0."""
    known = [x for x in column if x == x]
    centre, spread = fmean(known), pstdev(known)
    return [(x - centre) / spread if x == x and spread > 0 else 0.0 for x in column]


def principal_signs(columns):
    """Sign of every column in the first principal component, + for the first, by iteration."""
    loading = [1.0 + 0.01 * j for j in range(len(columns))]
    for _ in range(200):
        score = [sum(w * c[i] for w, c in zip(loading, columns, strict=True))
                 for i in range(len(columns[0]))]  # fmt: skip
        loading = [sum(s * x for s, x in zip(score, c, strict=True)) for c in columns]
        length = sqrt(sum(w * w for w in loading))
        loading = [w / length for w in loading]
    return [1 if w * loading[0] >= 0 else -1 for w in loading]


def planted(columns, outcomes, noise, share):
    """Give rows the outcomes, sorted, in the order of share·score + √(1 − share²)·noise."""
    units = [standard(column) for column in columns]
    signs = principal_signs(units)
    score = standard([sum(s * c[i] for s, c in zip(signs, units, strict=True))
                      for i in range(len(outcomes))])  # fmt: skip
    mixed = [share * a + sqrt(1 - share**2) * b
             for a, b in zip(score, standard(noise), strict=True)]  # fmt: skip
    given = [None] * len(outcomes)
    for row, outcome in zip(
        sorted(range(len(mixed)), key=mixed.__getitem__), sorted(outcomes), strict=True
    ):
        given[row] = outcome
    return given


def hedges(column, outcomes):
    """Hedges' g of two classes: the second in order minus the first; gaps are left out."""
    first, second = sorted(set(outcomes))
    a = [x for x, c in zip(column, outcomes, strict=True) if c == first and x == x]
    b = [x for x, c in zip(column, outcomes, strict=True) if c == second and x == x]
    squares = sum((x - fmean(a)) ** 2 for x in a) + sum((x - fmean(b)) ** 2 for x in b)
    free = len(a) + len(b) - 2
    return (1 - 3 / (4 * free - 1)) * (fmean(b) - fmean(a)) / sqrt(squares / free)


def mean_effect(columns, outcomes):
    """Mean Hedges' g of columns, each with its sign in the first principal component."""
    signs = principal_signs([standard(column) for column in columns])
    return fmean(s * hedges(c, outcomes) for s, c in zip(signs, columns, strict=True))


def correlation(a, b):
    """Pearson's r; a gap counts as the mean."""
    return fmean(x * y for x, y in zip(standard(a), standard(b), strict=True))


def found_and_false(selected, planted_features, counts_as):
    """Share of the planted features found, and of the list that is false.

    `counts_as(true, feature)` says whether a feature counts as finding a planted one.
    """
    found = sum(any(counts_as(p, j) for j in selected) for p in planted_features)
    false = sum(not any(counts_as(p, j) for p in planted_features) for j in selected)
    return found / len(planted_features), false / len(selected)
