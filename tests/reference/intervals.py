"""Prediction intervals and the line through predictions, the slow and obvious way."""

import math

import numpy as np


def conformal_width(errors, rows, units, level):
    """Try every error: the share of a unit is that of its rows, the share of a row of its tests."""
    names = sorted(set(units.tolist()))
    for width in sorted(errors.tolist()):
        shares = []
        for unit in names:
            members = sorted(set(rows[units == unit].tolist()))
            shares.append(np.mean([np.mean(errors[rows == row] <= width) for row in members]))
        # One more unit, the new one, may lie anywhere.
        if sum(shares) / (len(names) + 1) >= level - 1e-9:
            return width
    return math.inf


def line(y, predicted):
    """Intercept and slope, and their errors from what leaving out each row changes (HC3)."""
    whole = np.polyfit(predicted, y, 1)[::-1]
    rows = np.arange(len(y))
    without = np.array([np.polyfit(predicted[rows != i], y[rows != i], 1)[::-1] for i in rows])
    return whole, np.sqrt(((without - whole) ** 2).sum(axis=0))
