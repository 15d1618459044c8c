"""What the measures of stability return, and the result that means over pairs of runs share."""

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from backstay.stability._intervals import (
    ConfidenceInterval,
    PairMatrix,
    check_confidence,
    interval_around,
)
from backstay.stability._measures import bounds_of


class UndefinedStabilityWarning(RuntimeWarning):
    """A measure is 0/0 on the given runs, so its value is nan."""


def warn_undefined(what: str, where: str, stacklevel: int = 3) -> None:
    """Warn that a figure is 0/0; the default blames the caller of the function that asks."""
    text = f"{what} is undefined (0/0) {where}; it is nan."
    warnings.warn(text, UndefinedStabilityWarning, stacklevel=stacklevel)


@dataclass(frozen=True, repr=False)
class StabilityResult:
    """The stability of repeated runs, with a confidence interval.

    Attributes
    ----------
    value : float
        The measure on the given runs; nan where it is undefined.
    variance : float
        Variance of `value` as an estimate for the procedure behind the runs; nan if there is none.
    measure : str
        Name of the measure, as in `list_measures`.
    n_runs, n_items, items : int, int, str
        Number of runs, and of items in each, "features" or "predictions".
    confidence : float
        Nominal coverage of the interval.
    variance_from : str
        Where the variance comes from: "jackknife" or "analytic".
    details : mapping
        Further figures that a measure reports, such as the normalised form of "krizek".
    """

    value: float
    variance: float
    measure: str
    n_runs: int
    n_items: int
    confidence: float = 0.95
    variance_from: str = "jackknife"
    items: str = "features"
    details: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_confidence(self.confidence)

    @property
    def confidence_interval(self) -> ConfidenceInterval:
        """``(low, high)`` for more resamples of the same rows; nan where `variance` is."""
        bounds = bounds_of(self.measure, self.n_runs, self.n_items)
        return interval_around(self.value, self.variance, self.confidence, self.n_runs, bounds)

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


def pairwise_result(
    pairs: NDArray[np.float64],
    measure: str,
    n_items: int,
    items: str,
    *,
    why_undefined: str,
    confidence: float,
) -> StabilityResult:
    """Return the mean over pairs with its interval, warning where a pair is 0/0."""
    matrix = PairMatrix(pairs)
    m, value, variance = len(pairs), matrix.mean(), math.nan
    if math.isnan(value):
        warn_undefined(measure, f"{matrix.where_undefined()}: {why_undefined}", stacklevel=4)
    else:
        variance = float(np.maximum(matrix.directed_variance(), matrix.least_variance()))
    return StabilityResult(value, variance, measure, m, n_items, confidence, items=items)
