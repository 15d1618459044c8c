"""How far a figure over runs would move with other runs: jackknife, bootstrap, intervals."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

# Where a variance over runs may come from; theory has one for a few measures only.
SOURCES = ("jackknife", "analytic")

# From this many runs on, a variance over them counts as known.
MANY_RUNS = 50

Statistic = Callable[[NDArray[np.intp]], float]


class ConfidenceInterval(NamedTuple):
    """The two ends of a confidence interval; nan where there is none."""

    low: float
    high: float


def check_confidence(confidence: float) -> None:
    """Refuse a coverage that is not between 0 and 1."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence={confidence!r} must lie strictly between 0 and 1.")


def check_source(variance_from: str) -> None:
    """Refuse an unknown source of variances."""
    if variance_from not in SOURCES:
        raise ValueError(f"variance_from={variance_from!r} must be one of {', '.join(SOURCES)}.")


def quantile(confidence: float, n_runs: int) -> float:
    """Return the half-width of an interval in standard errors: Student's t below 50 runs."""
    check_confidence(confidence)
    if n_runs >= MANY_RUNS:
        return float(special.ndtri(0.5 + confidence / 2))
    return float(special.stdtrit(n_runs - 1, 0.5 + confidence / 2))


def two_sided_p(statistic: float, n_runs: int) -> float:
    """Return the p-value of a value over its standard error: Student's t below 50 runs."""
    if n_runs >= MANY_RUNS:
        return float(2 * special.ndtr(-abs(statistic)))
    return float(2 * special.stdtr(n_runs - 1, -abs(statistic)))


def interval_around(
    value: float,
    variance: float,
    confidence: float,
    n_runs: int,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> ConfidenceInterval:
    """Return the value ± t or z standard errors, cut at the bounds; nan if the variance is nan."""
    half = quantile(confidence, n_runs) * float(np.sqrt(variance))
    low, high = np.clip([value - half, value + half], *bounds)
    return ConfidenceInterval(float(low), float(high))


def spread_over_runs(totals: NDArray[Any]) -> NDArray[np.float64]:
    """Return Σ_i (s_i − s̄)² along the first axis, one run at a time to spare memory."""
    mean = totals.mean(axis=0)
    spread = np.zeros(totals.shape[1:])
    for row in totals:
        spread += (row - mean) ** 2
    return spread


def least_variance(short: Any, spread: Any, squares: Any, n_runs: int) -> NDArray[np.float64]:
    """Return the variance that a stability has at least, given how often features were selected."""
    # `short` is how far it is from that of identical runs; `spread` and `squares` are Σ w and Σ w²
    # over features, w = F(m − F) for a feature selected by F of m runs.
    # A mean over pairs of |A∩B| has the variance 4σ²/m + 2δ/(m(m − 1)) (Hoeffding 1948). The first
    # part is that of the runs' agreement with all others. The second is what is left if all runs
    # agree equally with the others, which leaves the jackknife nothing to see. δ is the sum of the
    # squared covariances of the features' selection, hence at least Σ v², with v = w/(m(m − 1)) the
    # variance of one; and Σ v is how far the mean is from that of identical runs.
    return np.asarray(2 * short**2 * squares / (np.maximum(spread, 1) ** 2 * n_runs * (n_runs - 1)))


class PairMatrix:
    """A figure for every two runs, with the mean over pairs and its jackknife interval.

    Parameters
    ----------
    values : array-like of shape (n_runs, n_runs)
        The figure for every pair of runs, symmetric. The diagonal is not used.

    Examples
    --------
    >>> pairs = PairMatrix([[0, 0.4, 0.6], [0.4, 0, 0.2], [0.6, 0.2, 0]])
    >>> round(pairs.mean(), 4), round(pairs.variance(), 4)
    (0.4, 0.0533)
    >>> low, high = pairs.interval(0.95, bounds=(-1, 1))
    >>> round(low, 3), round(high, 3), round(pairs.p_value(), 3)
    (-0.594, 1.0, 0.225)
    """

    def __init__(self, values: ArrayLike) -> None:
        self.values = np.array(values, dtype=np.float64)
        np.fill_diagonal(self.values, 0)

    def mean(self) -> float:
        """Return the mean over pairs of different runs."""
        m = len(self.values)
        return float(self.values.sum() / (m * (m - 1)))

    def where_undefined(self) -> str:
        """Say for how many pairs the figure is nan."""
        m, bad = len(self.values), max(int(np.isnan(self.values).sum()) // 2, 1)
        return f"for {bad} of {m * (m - 1) // 2} pairs of runs"

    def variance(self) -> float:
        """Return the jackknife variance of the mean, or the least one; nan for two runs."""
        return float(np.maximum(self.jackknife(self.values.sum(axis=1)), self.least_variance()))

    def least_variance(self) -> float:
        """Return the variance that the mean would have if no two pairs had anything in common."""
        # Pairs with a run in common are never negatively correlated (Hoeffding 1948).
        m = len(self.values)
        both = ((self.values + self.values.T) / 2)[~np.eye(m, dtype=bool)]
        return float(2 * both.var() / (m * (m - 1)))

    def on_resamples(self, samples: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the mean over pairs in every resample of the runs, without pairing copies."""
        # A copy paired with itself would count as perfect agreement and lift every value.
        m = len(self.values)
        cell = samples + m * np.arange(samples.shape[0])[:, None]
        copies = np.bincount(cell.ravel(), minlength=samples.shape[0] * m).reshape(-1, m)
        weight = copies.sum(axis=1) ** 2 - (copies**2).sum(axis=1)
        return np.asarray(((copies @ self.values) * copies).sum(axis=1) / weight)

    def interval(
        self, confidence: float = 0.95, bounds: tuple[float, float] = (-math.inf, math.inf)
    ) -> ConfidenceInterval:
        """Return ``(low, high)`` for the mean, cut at the bounds: Student's t below 50 runs."""
        return interval_around(self.mean(), self.variance(), confidence, len(self.values), bounds)

    def p_value(self) -> float:
        """Return the two-sided p-value for a mean of 0; 1 if no pair differs from 0."""
        mean, variance = self.mean(), self.variance()
        if mean == 0 == variance:
            return 1.0
        statistic = mean / math.sqrt(variance) if variance != 0 else math.inf
        return two_sided_p(statistic, len(self.values))

    def directed_variance(self) -> float:
        """Return the jackknife variance where (i, j) and (j, i) may have different figures."""
        both = (self.values.sum(axis=0) + self.values.sum(axis=1)) / 2
        return float(self.jackknife(both))

    @staticmethod
    def jackknife(totals: NDArray[Any]) -> NDArray[np.float64]:
        """Return the jackknife variance of means over pairs, from sums over each run's pairs."""
        # Leaving run i out takes 2 s_i from the sum over ordered pairs: the jackknife is a sum of
        # squares.
        m = totals.shape[0]
        if m < 3:
            return np.full(totals.shape[1:], np.nan)
        return np.asarray(4 * spread_over_runs(totals) / (m * (m - 1) * (m - 2) ** 2))


def bootstrap_samples(n_runs: int, n_bootstrap: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Return bootstrap samples of the runs, each with at least two different ones."""
    if n_bootstrap < 2:
        raise ValueError(f"n_bootstrap={n_bootstrap!r} must be at least 2.")
    drawn = rng.integers(n_runs, size=(n_bootstrap, n_runs))
    while (same := (drawn == drawn[:, :1]).all(axis=1)).any():
        drawn[same] = rng.integers(n_runs, size=(int(same.sum()), n_runs))
    return drawn


def jackknife_variance(statistic: Statistic, n_runs: int) -> float:
    """Return the jackknife variance of any function of the runs; nan for two of them."""
    # Never too small on average (Efron & Stein 1981). In a given sample it may be 0 for a
    # function that moves in jumps, such as the number of features ever selected.
    if n_runs < 3:
        return math.nan
    everyone = np.arange(n_runs)
    left_out = np.array([statistic(np.delete(everyone, run)) for run in everyone])
    return float((n_runs - 1) * left_out.var())
