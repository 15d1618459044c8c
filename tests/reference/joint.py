"""Joint weighting [Prat 9.3; PB 5]: instance weights, then feature weights, in turn."""

import math

from reference.instance_weighting import minmax


def of_mean_1(raw):
    mean = math.fsum(raw) / len(raw)
    return [r / mean for r in raw]


def of_maximum_1(w):
    """max(w, 0)/max(w); all 1 where none is positive, beyond rounding errors of the others."""
    top = max(w)
    if top <= 1e-14 * max(abs(v) for v in w):
        return [1.0] * len(w)
    return [max(v, 0.0) / top for v in w]


def joint(X, y, weigh, rank, max_iter, tol):
    """Return ω of mean 1, w of maximum 1, the number of rounds, and whether both have settled.

    `weigh` gives ω from rows and classes, `rank` gives w from the table and ω of mean 1.
    """
    rows = minmax(X)
    omega, w = [1.0] * len(rows), [1.0] * len(rows[0])
    for rounds in range(1, max_iter + 1):
        under_w = [[v * b for v, b in zip(row, w, strict=True)] for row in rows]
        new_omega = of_mean_1(weigh(under_w, y))
        new_w = of_maximum_1(rank(X, y, new_omega))
        changes = [abs(a - b) for a, b in zip(new_omega + new_w, omega + w, strict=True)]
        omega, w = new_omega, new_w
        if max(changes) <= tol:
            return omega, w, rounds, True
    return omega, w, max_iter, False
