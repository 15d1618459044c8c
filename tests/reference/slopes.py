"""Filters for numbers as plain loops; a row of weight ω counts for ω rows."""

from math import sqrt
from statistics import median

from reference.univariate import divide, empirical_bayes, moments


def line(x, y, omega):
    """Slope of x on y, residual variance, sum of squares of y, degrees of freedom."""
    mass, mean_x, _ = moments(x, omega)
    _, mean_y, squares = moments(y, omega)
    rows = list(zip(x, y, omega, strict=True))
    slope = sum(w * (a - mean_x) * (b - mean_y) for a, b, w in rows) / squares
    left = sum(w * (a - mean_x - slope * (b - mean_y)) ** 2 for a, b, w in rows)
    return slope, left / (mass - 2), squares, mass - 2


def slope_test(columns, y, omega, moderation=None):
    """|slope| over its standard error, for every column."""
    lines = [line(x, y, omega) for x in columns]
    variances = [variance for _, variance, _, _ in lines]
    if moderation == "moderated":
        variances = empirical_bayes(variances, lines[0][3])
    errors = [sqrt(v / parts[2]) for v, parts in zip(variances, lines, strict=True)]
    extra = median(errors) if moderation == "shrunken" else 0.0
    return [divide(abs(p[0]), error + extra) for p, error in zip(lines, errors, strict=True)]


def midranks(x, omega):
    """Mass below a value and half of the mass at it."""
    rows = list(zip(x, omega, strict=True))
    return [
        sum(w for v, w in rows if v < value) + sum(w for v, w in rows if v == value) / 2
        for value in x
    ]


def spearman(x, y, omega):
    """|correlation| of the midranks."""
    a, b = midranks(x, omega), midranks(y, omega)
    _, mean_a, squares_a = moments(a, omega)
    _, mean_b, squares_b = moments(b, omega)
    both = sum(w * (u - mean_a) * (v - mean_b) for u, v, w in zip(a, b, omega, strict=True))
    return divide(abs(both), sqrt(squares_a * squares_b))
