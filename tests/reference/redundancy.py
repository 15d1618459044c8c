"""Redundancy level, relevance and Bayes importance by going through dictionaries of fractions."""

from fractions import Fraction
from itertools import combinations


def _subsets(items):
    items = list(items)
    return [s for size in range(len(items) + 1) for s in combinations(items, size)]


def _conditional(rows, weights, feature, value, fixed):
    """P(feature = value | the columns in `fixed` have the given values)."""
    matching = [
        (row, w)
        for row, w in zip(rows, weights, strict=True)
        if all(row[j] == v for j, v in fixed.items())
    ]
    total = sum(w for _, w in matching)
    return Fraction(sum(w for row, w in matching if row[feature] == value)) / total


def redundancy_level(X, y, weights, possible=False):
    """Level and every best S of each feature."""
    rows = [(*row, label) for row, label in zip(X, y, strict=True)]
    kept = [(row, w) for row, w in zip(rows, weights, strict=True) if w > 0]
    rows, weights = [row for row, _ in kept], [w for _, w in kept]
    d = len(rows[0]) - 1
    result = []
    for feature in range(d):
        units = {row for row in rows}
        if possible:
            values = {row[feature] for row in rows}
            units = {(*u[:feature], v, *u[feature + 1 :]) for u in units for v in values}
        others = [j for j in range(d) if j != feature]
        levels = {}
        for S in _subsets(others):
            total = Fraction(0)
            for u in units:
                everything = {j: u[j] for j in range(d + 1) if j != feature}
                some = {j: u[j] for j in S}
                total += abs(
                    _conditional(rows, weights, feature, u[feature], some)
                    - _conditional(rows, weights, feature, u[feature], everything)
                )
            levels[S] = 1 - total / len(units)
        best = max(levels.values())
        result.append((best, [S for S, level in levels.items() if level == best]))
    return result


def bayes_error(X, y, weights, subset):
    total = sum(weights)
    tables = {}
    for row, label, w in zip(X, y, weights, strict=True):
        cell = tables.setdefault(tuple(row[j] for j in subset), {})
        cell[label] = cell.get(label, 0) + w
    return 1 - sum(Fraction(max(cell.values())) / total for cell in tables.values())


def importance(X, y, weights, cost):
    """R and the relevant subset: of least cost, then size, then first in order."""
    d = len(X[0])
    target = bayes_error(X, y, weights, range(d))
    good = [S for S in _subsets(range(d)) if bayes_error(X, y, weights, S) == target]
    chosen = min(good, key=lambda S: (sum(cost[j] for j in S), len(S), S))
    R = [Fraction(0)] * d
    for j in chosen:
        R[j] = bayes_error(X, y, weights, [k for k in chosen if k != j]) - target
    return R, chosen


def subset_relevance(score, d):
    """Eq. 7.2 as printed: the mean gain of x over all subsets of the others."""
    gains = []
    for x in range(d):
        subsets = _subsets(j for j in range(d) if j != x)
        gains.append(sum(score(sorted((*S, x))) - score(S) for S in subsets) / len(subsets))
    return gains


def relevance(X, y, weights):
    """Strong, weak or irrelevant by definitions 2.1-2.3, every configuration compared exactly."""
    rows = [(*row, label) for row, label in zip(X, y, strict=True)]
    kept = [(row, w) for row, w in zip(rows, weights, strict=True) if w > 0]
    rows, weights = [row for row, _ in kept], [w for _, w in kept]
    d = len(rows[0]) - 1
    kinds = []
    for feature in range(d):
        others = [j for j in range(d) if j != feature]

        def depends(S, feature=feature):
            for row in rows:
                some = {j: row[j] for j in S}
                also = {**some, feature: row[feature]}
                for label in {row[d] for row in rows}:
                    without = _conditional(rows, weights, d, label, some)
                    if _conditional(rows, weights, d, label, also) != without:
                        return True
            return False

        if depends(others):
            kinds.append("strong")
        else:
            kinds.append("weak" if any(depends(S) for S in _subsets(others)) else "irrelevant")
    return kinds
