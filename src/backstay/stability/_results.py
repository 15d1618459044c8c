"""What the functions of this package hand back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import special


class UndefinedStabilityWarning(RuntimeWarning):
    """A measure is 0/0 on the given runs, so its value is nan."""


class Interval(NamedTuple):
    """The two ends of a confidence interval; nan where there is none."""

    low: float
    high: float


def normal_quantile(confidence: float) -> float:
    """Half-width, in standard errors, of a two-sided normal interval."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie strictly between 0 and 1, got {confidence!r}")
    return float(special.ndtri(0.5 + confidence / 2))


def normal_interval(value: float, variance: float, confidence: float) -> Interval:
    """Return value ± z standard errors, not clipped to the measure's range.

    Parameters
    ----------
    value : float
        The estimate.
    variance : float
        Its variance, as from :func:`jackknife`.
    confidence : float
        Nominal coverage, such as 0.95.

    Returns
    -------
    named tuple
        ``low`` and ``high``; nan where the variance is.

    Examples
    --------
    >>> low, high = normal_interval(0.8, 0.0025, 0.95)
    >>> round(low, 3), round(high, 3)
    (0.702, 0.898)
    """
    half = normal_quantile(confidence) * float(np.sqrt(variance))
    return Interval(value - half, value + half)


@dataclass(frozen=True, repr=False)
class StabilityResult:
    """The stability of repeated runs and how surely it is known.

    Attributes
    ----------
    value : float
        The measure on the given runs; nan where it is undefined.
    confidence_interval : Interval
        ``(low, high)``, not clipped to the measure's range; nan where `variance` is.
    variance : float
        Variance of `value` as an estimate of the stability of the procedure behind
        the runs; nan where the chosen `method` gives none.
    measure : str
        Name of the measure, as in `list_measures`.
    n_runs, n_items : int
        How many runs, over how many `items`.
    items : str
        What the runs are about: "features", or "predictions".
    confidence : float
        Nominal coverage of the interval.
    method : str
        Where the variance comes from: "analytic", "jackknife" or "bootstrap".
    details : mapping
        Further figures a measure reports, such as the normalised form of "krizek".
    """

    value: float
    confidence_interval: Interval
    variance: float
    measure: str
    n_runs: int
    n_items: int
    confidence: float = 0.95
    method: str = "analytic"
    items: str = "features"
    details: Mapping[str, float] = field(default_factory=dict)

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        low, high = self.confidence_interval
        interval = "no interval"
        if not np.isnan(low):
            interval = f"{100 * self.confidence:g}% interval [{low:.4g}, {high:.4g}]"
        details = "".join(f", {name}={value:.4g}" for name, value in self.details.items())
        return (
            f"StabilityResult({self.measure}={self.value:.4g}{details}, {interval}, "
            f"{self.n_runs} runs, {self.n_items} {self.items})"
        )

    def frame(self) -> pd.DataFrame:
        """Return the result as a frame of one row."""
        low, high = self.confidence_interval
        row = {
            "measure": self.measure,
            "value": self.value,
            "low": low,
            "high": high,
            "variance": self.variance,
            "n_runs": self.n_runs,
            f"n_{self.items}": self.n_items,
            **self.details,
        }
        return pd.DataFrame([row])


@dataclass(frozen=True, repr=False)
class StabilityComparison:
    """The difference in stability of two procedures, with a test.

    Attributes
    ----------
    difference : float
        Stability of the second minus that of the first.
    confidence_interval : Interval
        Interval for `difference`; it leaves out 0 exactly when `p_value` < 1 − `confidence`.
    p_value : float
        Two-sided, for no difference.
    statistic : float
        `difference` over its standard error.
    variance : float
        Variance of `difference`.
    first, second : float
        The two stabilities.
    measure : str
        Name of the measure, as in `list_measures`.
    n_runs : tuple of int
        Runs behind the first and the second.
    paired : bool
        Whether run i of both came from the same resample.
    confidence : float
        Nominal coverage of the interval.
    method : str
        "analytic" or "bootstrap".
    """

    difference: float
    confidence_interval: Interval
    p_value: float
    statistic: float
    variance: float
    first: float
    second: float
    measure: str
    n_runs: tuple[int, int]
    paired: bool
    confidence: float
    method: str

    def __repr__(self) -> str:
        low, high = self.confidence_interval
        kind = "paired" if self.paired else "independent"
        return (
            f"StabilityComparison({self.measure}: {self.second:.4g} - {self.first:.4g} = "
            f"{self.difference:.4g}, {100 * self.confidence:g}% interval "
            f"[{low:.4g}, {high:.4g}], p={self.p_value:.3g}, {kind} {self.method})"
        )

    def frame(self) -> pd.DataFrame:
        """Return the comparison as a frame of one row."""
        low, high = self.confidence_interval
        row = {
            "measure": self.measure,
            "first": self.first,
            "second": self.second,
            "difference": self.difference,
            "low": low,
            "high": high,
            "statistic": self.statistic,
            "p_value": self.p_value,
            "paired": self.paired,
            "method": self.method,
        }
        return pd.DataFrame([row])
