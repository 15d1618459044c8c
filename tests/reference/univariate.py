"""Single-feature filters by loops over values, classes and rows [Prat eq. 2.5-2.17]."""

from math import exp, inf, log, log2, sqrt
from statistics import median

from scipy.optimize import brentq
from scipy.special import digamma, polygamma


class Table:
    """Probabilities of one nominal feature x and the class y, rows weighted by ω."""

    def __init__(self, x, y, omega):
        self.values, self.classes = sorted(set(x)), sorted(set(y))
        self.mass = sum(omega)
        self.cells = {(v, c): 0.0 for v in self.values for c in self.classes}
        for v, c, w in zip(x, y, omega, strict=True):
            self.cells[v, c] += w

    def joint(self, v, c):
        return self.cells[v, c] / self.mass

    def value(self, v):
        return sum(self.joint(v, c) for c in self.classes)

    def cls(self, c):
        return sum(self.joint(v, c) for v in self.values)

    def given(self, c, v):
        return self.joint(v, c) / self.value(v)


def entropy(probabilities):
    return -sum(p * log2(p) for p in probabilities if p > 0)


def h_value(t):
    return entropy([t.value(v) for v in t.values])


def h_class(t):
    return entropy([t.cls(c) for c in t.classes])


def h_joint(t):
    return entropy([t.joint(v, c) for v in t.values for c in t.classes])


def information_gain(t):
    rest = sum(t.value(v) * entropy([t.given(c, v) for c in t.classes]) for v in t.values)
    return h_class(t) - rest


def gain_ratio(t):
    return information_gain(t) / h_value(t) if len(t.values) > 1 else 0.0


def symmetrical_uncertainty(t):
    return 2 * information_gain(t) / (h_value(t) + h_class(t))


def mantaras(t):
    distance = 2 - (h_value(t) + h_class(t)) / h_joint(t)
    return 1 - distance


def entropic(t):
    return -(h_joint(t) - information_gain(t))


def gini_gain(t):
    inside = sum(t.value(v) * sum(t.given(c, v) ** 2 for c in t.classes) for v in t.values)
    return inside - sum(t.cls(c) ** 2 for c in t.classes)


def myopic_relieff(x, y, omega):
    """P(equal value | same class) − P(equal value | other class), over all pairs of rows drawn
    with replacement, row i with probability ∝ ω_i: what eq. 2.23 says before Bayes' rule."""
    equal, mass = {True: 0.0, False: 0.0}, {True: 0.0, False: 0.0}
    for i in range(len(x)):
        for j in range(len(x)):
            pair = omega[i] * omega[j]
            mass[y[i] == y[j]] += pair
            equal[y[i] == y[j]] += pair * (x[i] == x[j])
    return equal[True] / mass[True] - equal[False] / mass[False]


def distribution_difference(t):
    return sum(abs(t.joint(v, c) - t.value(v) * t.cls(c)) for v in t.values for c in t.classes)


def chi_squared(t):
    total = 0.0
    for v in t.values:
        for c in t.classes:
            expected = t.mass * t.value(v) * t.cls(c)
            total += (t.cells[v, c] - expected) ** 2 / expected
    return total


def one_rule(t):
    return sum(max(t.joint(v, c) for c in t.classes) for v in t.values)


def value_difference(t):
    total = 0.0
    for v in t.values:
        value_given_class = [t.joint(v, c) / t.cls(c) for c in t.classes]
        total += t.value(v) * sqrt(sum((p / t.value(v)) ** 2 for p in value_given_class))
    return total


def indicators(t):
    """A binary feature's positive value; every value of others."""
    return [t.values[1]] if len(t.values) == 2 else t.values


def ccf(t):
    return max(sum(t.given(c, v) ** 2 for c in t.classes) for v in indicators(t))


def pcf(t):
    return max(t.given(c, v) for v in indicators(t) for c in t.classes)


def moments(x, omega):
    mass = sum(omega)
    mean = sum(w * v for v, w in zip(x, omega, strict=True)) / mass
    return mass, mean, sum(w * (v - mean) ** 2 for v, w in zip(x, omega, strict=True))


def groups(x, y, omega):
    for c in sorted(set(y)):
        own = [i for i in range(len(y)) if y[i] == c]
        yield moments([x[i] for i in own], [omega[i] for i in own])


def divide(a, b):
    if b > 0:
        return a / b
    return inf if a > 0 else 0.0


def between_within(x, y, omega):
    grand = moments(x, omega)[1]
    parts = list(groups(x, y, omega))
    between = sum(mass * (mean - grand) ** 2 for mass, mean, _ in parts)
    return divide(between, sum(squares for _, _, squares in parts))


def f_statistic(x, y, omega):
    k, n = len(set(y)), sum(omega)
    return between_within(x, y, omega) * (n - k) / (k - 1)


def t_parts(x, y, omega):
    """|difference of means|, pooled variance, its factor, degrees of freedom, standard error."""
    (n1, m1, q1), (n2, m2, q2) = groups(x, y, omega)
    df = n1 + n2 - 2
    pooled = (q1 + q2) / df
    factor = 1 / n1 + 1 / n2
    return abs(m1 - m2), pooled, factor, df, sqrt(pooled * factor)


def t_of_two_classes(columns, y, omega, moderation):
    parts = [t_parts(x, y, omega) for x in columns]
    if moderation == "shrunken":
        s0 = median(p[4] for p in parts)
        return [divide(p[0], p[4] + s0) for p in parts]
    if moderation == "moderated":
        posterior = empirical_bayes([p[1] for p in parts], parts[0][3])
        return [divide(p[0], sqrt(v * p[2])) for p, v in zip(parts, posterior, strict=True)]
    return [divide(p[0], p[4]) for p in parts]


def t_test(columns, y, omega, moderation=None):
    """Largest |t| of one class against all others together."""
    classes = sorted(set(y))
    sides = [[int(c != one) for c in y] for one in classes]
    found = [t_of_two_classes(columns, side, omega, moderation) for side in sides]
    return [max(values) for values in zip(*found, strict=True)]


def empirical_bayes(variances, df):
    """Posterior variances, with the prior's moments solved by bisection [Smyth 2004, 6.2]."""
    e = [log(v) - float(digamma(df / 2)) + log(df / 2) for v in variances if v > 0]
    if len(e) < 2:
        return variances
    mean = sum(e) / len(e)
    spread = sum((v - mean) ** 2 for v in e) / (len(e) - 1) - float(polygamma(1, df / 2))
    if spread <= 0:
        return [exp(mean)] * len(variances)
    d0 = 2 * brentq(lambda z: float(polygamma(1, z)) - spread, 1e-8, 1e12, xtol=1e-12, rtol=1e-14)
    s0 = exp(mean + float(digamma(d0 / 2)) - log(d0 / 2))
    return [(d0 * s0 + df * v) / (d0 + df) for v in variances]
