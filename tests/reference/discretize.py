"""Fayyad–Irani discretisation by trying every cut of every part, on lists of (value, class, ω)."""

from itertools import pairwise
from math import log2


def entropy(rows):
    mass = {}
    for _, c, w in rows:
        mass[c] = mass.get(c, 0.0) + w
    total = sum(mass.values())
    return -sum(m / total * log2(m / total) for m in mass.values())


def gain_and_price(rows, left, right):
    """Gain of a cut, and the least gain that pays for it."""
    n = sum(w for _, _, w in rows)
    n_left, n_right = sum(w for _, _, w in left), sum(w for _, _, w in right)
    gain = entropy(rows) - (n_left * entropy(left) + n_right * entropy(right)) / n
    k, k1, k2 = (len({c for _, c, _ in part}) for part in (rows, left, right))
    delta = log2(3**k - 2) - (k * entropy(rows) - k1 * entropy(left) - k2 * entropy(right))
    # N − 1 places to cut; there is always one, even where a part weighs less than two rows.
    return gain, (log2(max(n - 1, 1)) + delta) / n


def cuts(rows, *, equal=1e-10):
    """Sorted cuts of one feature; of equally good ones the lowest."""
    values = sorted({v for v, _, _ in rows})
    best = None
    for a, b in pairwise(values):
        left = [r for r in rows if r[0] <= a]
        right = [r for r in rows if r[0] >= b]
        gain, price = gain_and_price(rows, left, right)
        if best is None or gain > best[0] + equal:
            best = gain, price, (a + b) / 2, left, right
    if best is None or not best[0] > best[1] + equal:
        return []
    _, _, cut, left, right = best
    return [*cuts(left), cut, *cuts(right)]
