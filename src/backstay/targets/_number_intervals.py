"""Intervals around predicted numbers, and whether predictions mean what they say."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from backstay._wilson import wilson
from backstay.targets._target import Floats, TableRows

# Levels that a signature keeps a width for, as far as its rows allow, and the one that is shown.
LEVELS, LEVEL = (0.5, 0.8, 0.9, 0.95, 0.99), 0.9
# Rows that a slope with an interval needs.
LEAST_ROWS = 4


def conformal(tested: pd.DataFrame) -> tuple[dict[str, Any] | None, str]:
    """Return how wide intervals around predictions are, and what they come from.

    Every prediction of a tested row counts, together as one row; rows of a group count as one.
    """
    errors = (tested["outcome"] - tested["predicted"]).abs().to_numpy(dtype=np.float64)
    rows = tested["row"].to_numpy()
    units = tested["group"].to_numpy() if "group" in tested else rows
    widths = {level: conformal_width(errors, rows, units, level) for level in LEVELS}
    known = {level: width for level, width in widths.items() if math.isfinite(width)}
    n, of = len(np.unique(units)), "groups" if "group" in tested else "rows"
    if LEVEL not in known:
        return None, f"none: intervals need more than the {n} {of} that were tested"
    kept = {"kind": "conformal", "n": n, "levels": list(known), "widths": list(known.values())}
    return kept, f"none: a number has an interval, from the errors of {n} tested {of}"


def conformal_width(errors: Floats, rows: NDArray[Any], units: NDArray[Any], level: float) -> float:
    """Return how far from its prediction a new row's outcome is at most, in `level` of the cases.

    The smallest error with a share of level·(n + 1)/n of all errors at or below it, where each of
    the n units has the same share, each row the same of its unit, and each test the same of its
    row (Lee, Barber & Willett 2023; without groups, split conformal). Infinite if n is too small.

    Examples
    --------
    >>> import numpy as np
    >>> errors, rows = np.arange(1.0, 20.0), np.arange(19)
    >>> conformal_width(errors, rows, rows, 0.9)
    18.0
    """
    _, first, row, times = np.unique(
        rows, return_index=True, return_inverse=True, return_counts=True
    )
    _, unit, n_rows = np.unique(units[first], return_inverse=True, return_counts=True)
    share = 1 / (times * n_rows[unit])[row]
    order = np.argsort(errors, kind="stable")
    reached = np.cumsum(share[order]) / (len(n_rows) + 1)
    place = int(np.searchsorted(reached, level - 1e-9))
    return float(errors[order][place]) if place < len(order) else math.inf


def observed_on_predicted(y: Floats, predicted: Floats) -> TableRows:
    """Return slope and intercept of the outcome on its prediction, and the mean difference.

    With 95 % intervals that do not need errors of equal size (HC3; MacKinnon & White 1985).
    """
    n, middle = len(y), float(predicted.mean())
    slope = intercept = (math.nan, math.nan)
    if n >= LEAST_ROWS and np.ptp(predicted) > 0:
        centred = predicted - middle
        squares = float((centred**2).sum())
        value = float(centred @ y) / squares
        left = y - y.mean() - value * centred
        left /= np.maximum(1 - 1 / n - centred**2 / squares, 1e-12)
        # How much every row moves the slope, and the line where the prediction is 0.
        moves = centred / squares
        slope = value, float(np.sqrt(((moves * left) ** 2).sum()))
        error = float(np.sqrt((((1 / n - middle * moves) * left) ** 2).sum()))
        intercept = float(y.mean()) - value * middle, error
    apart = y - predicted
    error = float(apart.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan
    return [
        _figure("slope", "slope of observed on predicted", *slope, n - 2),
        _figure("intercept", "intercept of observed on predicted", *intercept, n - 2),
        _figure("bias", "mean of observed minus predicted", float(apart.mean()), error, n - 1),
    ]


def _figure(key: str, name: str, value: float, error: float, freedom: int) -> dict[str, Any]:
    more = error * float(stats.t.ppf(0.975, max(freedom, 1)))
    return {"key": key, "figure": name, "value": value, "low": value - more, "high": value + more}


def coverage(y: Floats, interval: Floats) -> dict[str, Any]:
    """Return the share of rows inside their intervals, with Wilson's interval of it."""
    inside = float(((interval[:, 0] <= y) & (y <= interval[:, 1])).mean())
    low, high = (float(end) for end in wilson(inside, len(y)))
    name = f"share of rows inside their {100 * LEVEL:.0f} % intervals"
    return {"key": "coverage", "figure": name, "value": inside, "low": low, "high": high}
