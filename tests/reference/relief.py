"""The Relief family [Prat 2.2 and 5; Han 5.2]: one instance, one feature at a time.

A table is a list of rows; a nominal column holds strings, a numeric one floats;
None is a missing value.
"""

import math
from collections import Counter


class Table:
    def __init__(self, rows, y, nominal=(), metric="heom", missing="class"):
        self.rows, self.y, self.metric, self.missing = rows, y, metric, missing
        self.nominal = set(nominal)
        self.n, self.d = len(rows), len(rows[0])
        self.classes = sorted(set(y))

    def column(self, j):
        return [row[j] for row in self.rows]

    def bounds(self, j):
        known = [v for v in self.column(j) if v is not None]
        return (min(known), max(known)) if known else (0.0, 0.0)

    def p_value(self, j, value, c):
        """P(value | class c) among the known values of that class."""
        known = [v for v, k in zip(self.column(j), self.y, strict=True) if k == c and v is not None]
        if not known:
            return 1.0 / len(self.values(j))
        return known.count(value) / len(known)

    def values(self, j):
        return sorted({v for v in self.column(j) if v is not None})

    def p_class(self, j, value):
        """P(c | value) for every class."""
        has = [c for v, c in zip(self.column(j), self.y, strict=True) if v == value]
        return [has.count(c) / len(has) for c in self.classes]

    def diff(self, j, i, h):
        a, b = self.rows[i][j], self.rows[h][j]
        if j in self.nominal:
            return self.nominal_diff(j, a, b, self.y[i], self.y[h])
        low, high = self.bounds(j)
        if low == high:
            return 0.0
        if a is None and b is None:
            return 1.0
        if a is None or b is None:
            known = ((b if a is None else a) - low) / (high - low)
            return max(known, 1 - known)
        return abs(a - b) / (high - low)

    def nominal_diff(self, j, a, b, class_a, class_b):
        values = self.values(j)
        if not values:
            return 0.0
        if a is None or b is None:
            if self.missing == "worst":
                return 1 - 1 / len(values)
            if a is None and b is None:
                return 1 - math.fsum(
                    self.p_value(j, v, class_a) * self.p_value(j, v, class_b) for v in values
                )
            return 1 - self.p_value(j, b if a is None else a, class_a if a is None else class_b)
        if self.metric == "vdm":
            p, q = self.p_class(j, a), self.p_class(j, b)
            strength = math.sqrt(math.fsum(x * x for x in p))
            return math.fsum((x - z) ** 2 for x, z in zip(p, q, strict=True)) * strength
        return float(a != b)

    def distance(self, i, h, weights=None):
        weights = weights or [1.0] * self.d
        return math.fsum(weights[j] * self.diff(j, i, h) for j in range(self.d))

    def neighbors(self, i, classes, k, weights=None):
        """The k nearest rows of the given classes, ties by row number."""
        rows = [h for h in range(self.n) if h != i and self.y[h] in classes]
        return sorted(rows, key=lambda h: (self.distance(i, h, weights), h))[:k]


def contribution(table, i, j_features, k, miss, sigma, omega, weights=None, printed=False):
    """What instance i adds to every feature's weight (its own ω not yet applied).

    Neighbours share one influence by their ω; as printed [Han eq. 5.3] each counts ω times.
    """
    own = table.y[i]
    counts = Counter(table.y)
    prior = {c: counts[c] / table.n for c in counts}
    lists = [(-1.0, table.neighbors(i, {own}, k, weights))]
    others = [c for c in table.classes if c != own]
    if miss == "any":
        lists.append((1.0, table.neighbors(i, set(others), k, weights)))
    else:
        for c in others:
            lists.append((prior[c] / (1 - prior[own]), table.neighbors(i, {c}, k, weights)))
    added = [0.0] * table.d
    for sign, rows in lists:
        influence = [
            (1.0 if printed else omega[h])
            * (1.0 if sigma is None else math.exp(-((r / sigma) ** 2)))
            for r, h in enumerate(rows)
        ]
        total = math.fsum(influence)
        if total == 0:
            continue
        for share, h in zip(influence, rows, strict=True):
            counted = omega[h] if printed else 1.0
            for j in j_features:
                added[j] += sign * counted * share / total * table.diff(j, i, h)
    return added


def relieff(table, k=10, miss="per_class", sigma=None, omega=None, visits=None, printed=False):
    omega = omega or [1.0] * table.n
    visits = range(table.n) if visits is None else visits
    features = range(table.d)
    parts = [
        (omega[i], contribution(table, i, features, k, miss, sigma, omega, printed=printed))
        for i in visits
    ]
    mass = math.fsum(o for o, _ in parts)
    return [math.fsum(o * added[j] for o, added in parts) / mass for j in features]


def double_relieff(
    table, visits, k=10, miss="per_class", progressive=False, omega=None, schedule=(2, 0.0633657)
):
    """dReliefF and pdReliefF over the given order of visits.

    A weight no larger than the rounding errors of its terms, at most ω each, is 0.
    """
    omega = omega or [1.0] * table.n
    m = len(visits)
    w = [0.0] * table.d
    for t, i in enumerate(visits):
        rounding = 1e-14 * math.fsum(omega[j] for j in visits[:t])
        w = [0.0 if abs(x) <= rounding else x for x in w]
        top = max(w)
        inside = [max(x, 0.0) / top for x in w] if top > 0 else None
        if inside is not None and progressive:
            c = (t / m) ** schedule[0]
            inside = [1 + (x - 1) * c / (c + schedule[1]) for x in inside]
        added = contribution(table, i, range(table.d), k, miss, None, omega, inside)
        w = [x + omega[i] * a for x, a in zip(w, added, strict=True)]
    return [x / math.fsum(omega[i] for i in visits) for x in w]


def rrelieff(table, numbers, k=10, sigma=None, omega=None, visits=None):
    """RReliefF [Robnik-Šikonja & Kononenko 2003, figure 3]; the table's rows are of one class.

    A quotient 0/0 is 0: no pair of rows speaks for a feature, or none against it.
    """
    omega = omega or [1.0] * table.n
    visits = range(table.n) if visits is None else visits
    span = max(numbers) - min(numbers)
    n_dc, n_da, n_dcda, m = 0.0, [0.0] * table.d, [0.0] * table.d, 0.0
    for i in visits:
        rows = table.neighbors(i, set(table.classes), k)
        influence = [
            omega[h] * (1.0 if sigma is None else math.exp(-((r / sigma) ** 2)))
            for r, h in enumerate(rows)
        ]
        total = math.fsum(influence)
        for share, h in zip(influence, rows, strict=True):
            d = omega[i] * share / total if total > 0 else 0.0
            difference = abs(numbers[i] - numbers[h]) / span
            m += d
            n_dc += difference * d
            for j in range(table.d):
                n_da[j] += table.diff(j, i, h) * d
                n_dcda[j] += difference * table.diff(j, i, h) * d
    return [
        (both / n_dc if n_dc else 0.0) - ((a - both) / (m - n_dc) if m - n_dc > 1e-12 * m else 0.0)
        for a, both in zip(n_da, n_dcda, strict=True)
    ]
