"""Instance weights inside the loops of Relief and Simba: the loops of the two references, with
the weights of a third computed before each visit [Prat 9.3, second scheme]."""

import math

from reference import relief, simba
from reference.instance_weighting import hypothesis_margins, logistic_weights, minmax


def logistic_omega(rows, y, w):
    """LIW of mean 1 under the weighted norm."""
    raw = logistic_weights(hypothesis_margins([[a * b for a, b in zip(r, w, strict=True)]
                                               for r in rows], y))  # fmt: skip
    mean = math.fsum(raw) / len(raw)
    return [r / mean for r in raw]


def relative(w):
    top = max(w)
    return [max(v, 0.0) / top for v in w] if top > 0 else [1.0] * len(w)


def simba_delta(X, y, visits, every=1):
    """Simba whose steps are multiplied by the ω of the moment."""
    rows = minmax(X)
    w = [1.0] * len(rows[0])
    for t, i in enumerate(visits):
        if t % every == 0:
            omega = logistic_omega(rows, y, relative([abs(v) for v in w]))
        step = simba.gradient(rows, y, i, w, w, None)
        if step is not None:
            w = [v + omega[i] * s for v, s in zip(w, step[0], strict=True)]
    return [v * v / max(u * u for u in w) for v in w]


def simba_order(X, y):
    """Simba that visits the heaviest row, by the ω of the moment, of those left."""
    rows, waiting = minmax(X), list(range(len(X)))
    w = [1.0] * len(rows[0])
    while waiting:
        omega = logistic_omega(rows, y, relative([abs(v) for v in w]))
        i = max(waiting, key=lambda j: (omega[j], -j))
        waiting.remove(i)
        step = simba.gradient(rows, y, i, w, w, None)
        if step is not None:
            w = [v + s for v, s in zip(w, step[0], strict=True)]
    return [v * v / max(u * u for u in w) for v in w]


def relieff(X, y, visits, k, double):
    """ReliefF with the ω of the moment; as in dReliefF, rounding errors are no weights."""
    rows = minmax(X)
    table = relief.Table(X, y)
    w, mass = [0.0] * len(rows[0]), 0.0
    for i in visits:
        inside = relative([v if abs(v) > 1e-14 * mass else 0.0 for v in w])
        omega = logistic_omega(rows, y, inside)
        distances = inside if double else None
        added = relief.contribution(table, i, range(len(w)), k, "per_class", None, omega, distances)
        w = [v + omega[i] * a for v, a in zip(w, added, strict=True)]
        mass += omega[i]
    return [v / mass for v in w]
