"""SVM-RFE as a plain loop over ``SVC(kernel="linear")`` [HY V; Han 5.2]: nothing is shared."""

from fractions import Fraction
from math import ceil

import numpy as np
from sklearn.svm import SVC


def minmax(X):
    scaled = np.zeros(X.shape)
    for j in range(X.shape[1]):
        low, high = min(X[:, j]), max(X[:, j])
        if high > low:
            scaled[:, j] = (X[:, j] - low) / (high - low)
    return scaled


def n_dropped(step, remaining, rounding="down"):
    if isinstance(step, int):
        return min(step, remaining - 1)
    if rounding == "up":
        return min(ceil(Fraction(str(step)) * remaining), remaining - 1)  # 0.1 is a tenth
    return min(max(1, int(step * remaining)), remaining - 1)


def criterion(X, y, omega, C, tol):
    """|w_j|, or the root of Σ over one-vs-one machines of w_j²."""
    machine = SVC(kernel="linear", C=C, tol=tol).fit(X, y, sample_weight=omega)
    return [float(np.sqrt(sum(w**2))) for w in machine.coef_.T]


def svm_rfe(X, y, omega=None, *, C=1.0, step=0.1, rounding="down", tol=1e-3):
    """Ranking (1 is best) and, per round, a dict of feature → normalised weight."""
    remaining = list(range(X.shape[1]))
    worst_first = []
    path = []
    while len(remaining) > 1:
        size = criterion(X[:, remaining], y, omega, C, tol)
        total = sum(size)
        path.append({j: s / total for j, s in zip(remaining, size, strict=True)})
        by_weight = sorted(zip(size, [-j for j in remaining], strict=True))
        dropped = [-j for _, j in by_weight[: n_dropped(step, len(remaining), rounding)]]
        worst_first += dropped
        remaining = [j for j in remaining if j not in dropped]
    worst_first += remaining
    ranking = np.empty(X.shape[1], dtype=int)
    for place, j in enumerate(reversed(worst_first)):
        ranking[j] = place + 1
    return ranking, path
