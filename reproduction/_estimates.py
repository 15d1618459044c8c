"""A figure and its 95 % interval, and the four columns that set it beside a published one."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

__all__ = ["COLUMNS", "Estimate", "Floats", "claimed", "compared", "interval_text", "mean_estimate"]

Floats = NDArray[np.float64]
# What a table must have, whatever else it has.
COLUMNS = ("published", "measured", "interval", "agrees")


class Estimate(NamedTuple):
    """A value and its 95 % interval."""

    value: float
    low: float
    high: float

    def minus(self, other: Estimate) -> Estimate:
        """Return the difference to another estimate, as if they were independent.

        On common training sets they agree more than that, so the interval is a wide one.
        """
        half = math.hypot(self.high - self.low, other.high - other.low) / 2
        value = self.value - other.value
        return Estimate(value, value - half, value + half)


def mean_estimate(values: Any) -> Estimate:
    """Return the mean of independent repetitions with its 95 % t interval."""
    runs = np.asarray(values, dtype=np.float64)
    runs = runs[np.isfinite(runs)]
    mean = float(runs.mean()) if len(runs) else math.nan
    if len(runs) < 2:
        return Estimate(mean, math.nan, math.nan)
    half = float(stats.t.ppf(0.975, len(runs) - 1) * runs.std(ddof=1) / math.sqrt(len(runs)))
    return Estimate(mean, mean - half, mean + half)


def interval_text(low: float, high: float) -> str:
    """Write an interval, empty if there is none."""
    return f"{low:.4g} to {high:.4g}" if math.isfinite(low) and math.isfinite(high) else ""


def compared(
    published: float | None, measured: float, low: float, high: float, *, digits: int = 2
) -> dict[str, Any]:
    """Return the four columns for a published number.

    It agrees if it lies in the 95 % interval of the measured one, give or take
    half of its own last digit. Without a published number the verdict is empty.
    """
    agrees = ""
    if published is not None and math.isfinite(low):
        slack = 0.5 * 10.0**-digits
        agrees = "yes" if low - slack <= published <= high + slack else "no"
    return {
        "published": np.nan if published is None else published,
        "measured": measured,
        "interval": interval_text(low, high),
        "agrees": agrees,
    }


def claimed(text: str, holds: bool, measured: float, low: float, high: float) -> dict[str, Any]:
    """Return the four columns for a published statement without a number."""
    return {
        "published": text,
        "measured": measured,
        "interval": interval_text(low, high),
        "agrees": "yes" if holds else "no",
    }
