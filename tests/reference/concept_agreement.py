"""Turney's agreement of concepts [Turney 1995; Han 2.2.1], row by row in exact fractions.

A learner is a function of rows and labels that returns a function of one row.
"""

from fractions import Fraction
from itertools import combinations, product


def nearest(rows, labels):
    """Label of the nearest row by Manhattan distance; of rows equally near, the first."""

    def predict(x):
        away = [sum(abs(a - b) for a, b in zip(x, row, strict=True)) for row in rows]
        return labels[away.index(min(away))]

    return predict


def share_of_equal_predictions(learn, X, y, first, rows):
    """Train on the rows numbered in `first`, and on the others; compare on the artificial rows."""
    second = [i for i in range(len(y)) if i not in first]
    one, other = (learn([X[i] for i in side], [y[i] for i in side]) for side in (first, second))
    return Fraction(sum(one(x) == other(x) for x in rows), len(rows))


def agreement(learn, X, y, n_repeats, n_rows, rng):
    """Mean over random halvings, and the variance of this mean.

    Draws, as numpy's generator gives them: an order of each class and a lot for its middle row,
    then one row number per cell of the artificial rows.
    """
    shares = []
    for _ in range(n_repeats):
        first = []
        for c in sorted(set(y)):
            members = rng.permutation([i for i in range(len(y)) if y[i] == c]).tolist()
            middle_too = rng.integers(2) == 1
            first += members[: (len(members) + 1) // 2 if middle_too else len(members) // 2]
        rows = [[X[rng.integers(len(X))][f] for f in range(len(X[0]))] for _ in range(n_rows)]
        shares.append(share_of_equal_predictions(learn, X, y, sorted(first), rows))
    mean = sum(shares) / n_repeats
    return mean, sum((s - mean) ** 2 for s in shares) / (n_repeats - 1) / n_repeats


def expected_agreement(learn, X, y):
    """What `agreement` estimates: over all halvings and all rows of observed values."""
    by_class = []
    for c in sorted(set(y)):
        members = [i for i in range(len(y)) if y[i] == c]
        sizes = {len(members) // 2, (len(members) + 1) // 2}
        by_class.append([side for size in sizes for side in combinations(members, size)])
    halvings = [sorted(i for side in sides for i in side) for sides in product(*by_class)]
    rows = list(product(*zip(*X, strict=True)))
    shares = [share_of_equal_predictions(learn, X, y, first, rows) for first in halvings]
    return sum(shares) / len(shares)
