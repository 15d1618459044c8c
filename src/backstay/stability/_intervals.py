"""Intervals of figures over runs: jackknife, bootstrap, and the interval around them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

METHODS = ("analytic", "jackknife", "bootstrap")

# From this many runs on, a variance over them counts as known.
MANY_RUNS = 50

Statistic = Callable[[NDArray[np.intp]], float]


class ConfidenceInterval(NamedTuple):
    """The two ends of a confidence interval; nan where there is none."""

    low: float
    high: float


def check_confidence(confidence: float) -> None:
    """Refuse what is no coverage."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence={confidence!r} must lie strictly between 0 and 1.")


def quantile(confidence: float, n_runs: int | None = None) -> float:
    """Half-width of a two-sided interval in standard errors: Student's t below 50 runs."""
    check_confidence(confidence)
    if n_runs is None or n_runs >= MANY_RUNS:
        return float(special.ndtri(0.5 + confidence / 2))
    return float(special.stdtrit(n_runs - 1, 0.5 + confidence / 2))


def two_sided_p(statistic: float, n_runs: int) -> float:
    """Return the p-value of a value over its standard error: Student's t below 50 runs.

    Parameters
    ----------
    statistic : float
        The value over its standard error.
    n_runs : int
        Number of runs behind the standard error.

    Returns
    -------
    float
        Below 1 − confidence exactly where :func:`normal_interval` leaves out 0.

    Examples
    --------
    >>> round(two_sided_p(2.0, 10), 3), round(two_sided_p(2.0, 100), 3)
    (0.077, 0.046)
    """
    if n_runs >= MANY_RUNS:
        return float(2 * special.ndtr(-abs(statistic)))
    return float(2 * special.stdtr(n_runs - 1, -abs(statistic)))


def normal_interval(
    value: float,
    variance: float,
    confidence: float,
    *,
    n_runs: int | None = None,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> ConfidenceInterval:
    """Return value ± z standard errors, or t of them below 50 runs.

    Parameters
    ----------
    value : float
        The estimate.
    variance : float
        Its variance, as from :func:`jackknife`.
    confidence : float
        Nominal coverage, such as 0.95.
    n_runs : int or None, default=None
        Runs behind the variance. Fewer than 50 widen the interval: its half-width is Student's
        t with ``n_runs - 1`` degrees of freedom.
    bounds : tuple of two floats
        The range of the figure; the interval is cut there.

    Returns
    -------
    named tuple
        ``low`` and ``high``; nan where the variance is.

    Examples
    --------
    >>> low, high = normal_interval(0.8, 0.0025, 0.95)
    >>> round(low, 3), round(high, 3)
    (0.702, 0.898)
    >>> low, high = normal_interval(0.8, 0.0025, 0.95, n_runs=4, bounds=(0, 0.9))
    >>> round(low, 3), round(high, 3)
    (0.641, 0.9)
    """
    half = quantile(confidence, n_runs) * float(np.sqrt(variance))
    low, high = np.clip([value - half, value + half], *bounds)
    return ConfidenceInterval(float(low), float(high))


def mean_of_pairs(pairs: NDArray[np.float64]) -> float:
    """Return the mean over pairs of different runs.

    Parameters
    ----------
    pairs : ndarray of shape (n_runs, n_runs)
        A figure for every ordered pair of runs, with 0 on the diagonal.

    Returns
    -------
    float
        Their mean, the diagonal left out.

    See Also
    --------
    jackknife_of_pairs : The variance of this mean over runs.

    Examples
    --------
    >>> import numpy as np
    >>> round(mean_of_pairs(np.array([[0, 0.4, 0.6], [0.4, 0, 0.2], [0.6, 0.2, 0]])), 4)
    0.4
    """
    m = pairs.shape[0]
    return float(pairs.sum() / (m * (m - 1)))


def jackknife_of_pairs(totals: NDArray[Any]) -> NDArray[np.float64]:
    """Return the jackknife variance of a mean over pairs of runs.

    Leaving run i out takes 2 s_i from the sum over ordered pairs, which makes the
    jackknife a sum of squares.

    Parameters
    ----------
    totals : ndarray of shape (n_runs, ...)
        s_i = Σ_{j≠i} s_ij, the sum over each run's pairs; further axes are separate means.

    Returns
    -------
    ndarray
        Of the shape of the further axes; nan for two runs, which leave nothing out.

    See Also
    --------
    mean_of_pairs : The mean itself.
    jackknife : The same for any function of the runs.

    Examples
    --------
    >>> import numpy as np
    >>> pairs = np.array([[0, 0.4, 0.6], [0.4, 0, 0.2], [0.6, 0.2, 0]])
    >>> round(float(jackknife_of_pairs(pairs.sum(axis=1))), 4)
    0.0533
    """
    m = totals.shape[0]
    if m < 3:
        return np.full(totals.shape[1:], np.nan)
    return np.asarray(4 * spread_over_runs(totals) / (m * (m - 1) * (m - 2) ** 2))


def spread_over_runs(totals: NDArray[Any]) -> NDArray[np.float64]:
    """Return Σ_i (s_i − s̄)² along the first axis, a run at a time to spare memory."""
    mean = totals.mean(axis=0)
    spread = np.zeros(totals.shape[1:])
    for row in totals:
        spread += (row - mean) ** 2
    return spread


def jackknife(statistic: Statistic, n_runs: int) -> float:
    """Return the jackknife variance of any function of the runs.

    It is never too small on average (Efron & Stein 1981), but may be 0 in a given sample
    where the function only jumps, as the number of features ever selected does.

    Parameters
    ----------
    statistic : callable
        Takes the indices of the runs that are kept, returns a number.
    n_runs : int
        Number of runs.

    Returns
    -------
    float
        The variance; nan for fewer than three runs.

    See Also
    --------
    jackknife_of_pairs : Faster, for a mean over pairs of runs.
    normal_interval : Turns a value and its variance into an interval.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.array([0.7, 0.8, 0.9, 0.8])
    >>> round(jackknife(lambda kept: scores[kept].mean(), 4), 6)
    0.001667
    """
    if n_runs < 3:
        return math.nan
    everyone = np.arange(n_runs)
    left_out = np.array([statistic(np.delete(everyone, run)) for run in everyone])
    return float((n_runs - 1) * left_out.var())


class Resampling(NamedTuple):
    """Where variances over runs come from."""

    method: str
    n_bootstrap: int
    rng: np.random.Generator

    def samples(self, n_runs: int) -> NDArray[np.intp]:
        """Return bootstrap samples of the runs, each with at least two different ones."""
        if self.n_bootstrap < 2:
            raise ValueError(f"n_bootstrap={self.n_bootstrap!r} must be at least 2.")
        drawn = self.rng.integers(n_runs, size=(self.n_bootstrap, n_runs))
        while (same := (drawn == drawn[:, :1]).all(axis=1)).any():
            drawn[same] = self.rng.integers(n_runs, size=(int(same.sum()), n_runs))
        return drawn

    def variance(self, statistic: Statistic, n_runs: int) -> float:
        """Return the jackknife or bootstrap variance of any function of the runs."""
        if self.method == "jackknife" or n_runs < 3:
            return jackknife(statistic, n_runs)
        return float(np.var([statistic(runs) for runs in self.samples(n_runs)], ddof=1))

    def variance_of_pairs(self, pairs: NDArray[np.float64]) -> float:
        """Return the jackknife or bootstrap variance of a mean over pairs."""
        if self.method == "jackknife" or len(pairs) < 3:
            return float(jackknife_of_pairs((pairs.sum(axis=0) + pairs.sum(axis=1)) / 2))
        return float(bootstrap_of_pairs(pairs, self.samples(len(pairs))).var(ddof=1))


def bootstrap_of_pairs(
    pairs: NDArray[np.float64], samples: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return the mean over pairs in every resample, copies of a run not paired together."""
    # A copy paired with itself would count as perfect agreement and lift every value.
    m = pairs.shape[0]
    cell = samples + m * np.arange(samples.shape[0])[:, None]
    copies = np.bincount(cell.ravel(), minlength=samples.shape[0] * m).reshape(-1, m)
    weight = copies.sum(axis=1) ** 2 - (copies**2).sum(axis=1)
    return np.asarray(((copies @ pairs) * copies).sum(axis=1) / weight)


def check_method(method: str, allowed: tuple[str, ...] = METHODS) -> None:
    """Refuse a method that does not exist."""
    if method not in allowed:
        raise ValueError(f"method={method!r} must be one of {', '.join(allowed)}.")
