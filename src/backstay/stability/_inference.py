"""How sure a stability is: analytic, jackknife and bootstrap variances, and a test."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from backstay.stability._measures import Measure, get_measure
from backstay.stability._results import (
    Interval,
    StabilityComparison,
    UndefinedStabilityWarning,
    normal_interval,
    normal_quantile,
)
from backstay.stability._runs import Runs, read_subsets
from backstay.stability._subsets import nogueira

METHODS = ("analytic", "jackknife", "bootstrap")

Statistic = Callable[[NDArray[np.intp]], float]


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


def nogueira_variance(runs: Runs) -> float:
    """Return the variance of Nogueira's estimate (their Theorem 7), with +Φ/2.

    With two runs of one size the formula gives 0 whatever they hold, because both have
    the same overlap with each other; that is no knowledge, so two runs give nan.
    """
    m, p = runs.n_runs, runs.n_features
    value = nogueira(runs)
    if m < 3 or math.isnan(value):
        return math.nan
    sizes = runs.sizes / p
    mean_size = sizes.mean()
    overlap = runs.selected @ (runs.counts / m) / p
    scale = mean_size * (1 - mean_size)
    correction = value / 2 * (2 * sizes * mean_size - sizes - mean_size + 1)
    phi = (overlap - sizes * mean_size + correction) / scale
    return float(4 / m**2 * ((phi - phi.mean()) ** 2).sum())


def resamples(n_runs: int, n_bootstrap: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Return bootstrap samples of the runs, each with at least two different ones."""
    if n_bootstrap < 2:
        raise ValueError(f"n_bootstrap must be at least 2, got {n_bootstrap!r}")
    drawn = rng.integers(n_runs, size=(n_bootstrap, n_runs))
    while (same := (drawn == drawn[:, :1]).all(axis=1)).any():
        drawn[same] = rng.integers(n_runs, size=(int(same.sum()), n_runs))
    return drawn


def bootstrap_of_pairs(
    pairs: NDArray[np.float64], samples: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return the mean over pairs in every resample, copies of a run not paired together.

    A copy paired with itself would count as perfect agreement and lift every value.
    """
    m = pairs.shape[0]
    cell = samples + m * np.arange(samples.shape[0])[:, None]
    copies = np.bincount(cell.ravel(), minlength=samples.shape[0] * m).reshape(-1, m)
    weight = copies.sum(axis=1) ** 2 - (copies**2).sum(axis=1)
    return np.asarray(((copies @ pairs) * copies).sum(axis=1) / weight)


def pairs_variance(
    pairs: NDArray[np.float64], method: str, n_bootstrap: int, rng: np.random.Generator
) -> float:
    """Return the jackknife or bootstrap variance of a mean over pairs."""
    m = pairs.shape[0]
    if m < 3:
        return math.nan
    if method == "bootstrap":
        return float(bootstrap_of_pairs(pairs, resamples(m, n_bootstrap, rng)).var(ddof=1))
    return float(jackknife_of_pairs((pairs.sum(axis=0) + pairs.sum(axis=1)) / 2))


def check_method(method: str, allowed: tuple[str, ...] = METHODS) -> None:
    """Refuse a method that does not exist."""
    if method not in allowed:
        raise ValueError(f"method must be one of {', '.join(allowed)}, got {method!r}")


class Estimator:
    """One measure on one set of runs: its value, and its value on resamples."""

    def __init__(self, measure: Measure, runs: Runs, options: dict[str, Any]) -> None:
        if measure.equal_sizes and np.any(runs.sizes != runs.sizes[0]):
            raise ValueError(
                f"{measure.name} needs subsets of equal size, got sizes from "
                f"{runs.sizes.min()} to {runs.sizes.max()}; nogueira takes any sizes"
            )
        self.measure, self.runs, self.options = measure, runs, options
        self.pairs: NDArray[np.float64] | None = None
        if measure.pairs is not None:
            self.pairs = measure.pairs(runs, **options)
            # A run is not paired with itself, and may be 0/0 there.
            np.fill_diagonal(self.pairs, 0)
        self.value = self._value()

    def _value(self) -> float:
        """Return the measure, warning where it is 0/0."""
        measure, m = self.measure, self.runs.n_runs
        if self.pairs is None:
            assert measure.system is not None
            value = measure.system(self.runs, **self.options)
            where = "on these runs"
        else:
            value = mean_of_pairs(self.pairs)
            bad = int(np.isnan(self.pairs).sum()) // 2
            where = f"for {max(bad, 1)} of {m * (m - 1) // 2} pairs of runs"
        if math.isnan(value):
            sizes = f"sizes {self.runs.sizes.min()} to {self.runs.sizes.max()}"
            warnings.warn(
                f"{measure.name} is undefined (0/0) {where}: subsets of {sizes} out of "
                f"{self.runs.n_features} features; the value is nan",
                UndefinedStabilityWarning,
                stacklevel=4,
            )
        return value

    def on(self, samples: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the value on every resample."""
        if self.pairs is not None:
            return bootstrap_of_pairs(self.pairs, samples)
        return np.array([self._system(sample) for sample in samples])

    def _system(self, sample: NDArray[np.intp]) -> float:
        assert self.measure.system is not None
        return self.measure.system(self.runs.take(sample), **self.options)

    def variance(self, method: str, n_bootstrap: int, rng: np.random.Generator) -> float:
        """Return the variance of the value by the given method."""
        check_method(method)
        if method == "analytic":
            # Equal sizes make Kuncheva's mean equal to Nogueira's estimate, term by term.
            return nogueira_variance(self.runs) if self.measure.analytic_variance else math.nan
        m = self.runs.n_runs
        if m < 3 or math.isnan(self.value):
            return math.nan
        if self.pairs is not None:
            return pairs_variance(self.pairs, method, n_bootstrap, rng)
        if method == "bootstrap":
            return float(self.on(resamples(m, n_bootstrap, rng)).var(ddof=1))
        return jackknife(self._system, m)


def measure_arguments(
    measure: Measure, options: dict[str, Any], similarity: Any, rng: np.random.Generator
) -> dict[str, Any]:
    """Return the measure's keyword arguments, refusing options it does not take."""
    for name in options:
        if name not in measure.options:
            takes = ", ".join(measure.options) or "none"
            raise TypeError(f"{measure.name} takes no option {name!r}; its options: {takes}")
    arguments = dict(options)
    if measure.needs_similarity:
        arguments["similarity"] = similarity
    if "n_draws" in measure.options:
        arguments["rng"] = rng
    return arguments


def compare_stability(
    a: Any,
    b: Any,
    n_features: int | None = None,
    *,
    measure: str = "nogueira",
    paired: bool = False,
    confidence: float = 0.95,
    similarity: Any = None,
    n_bootstrap: int = 1000,
    random_state: int | np.random.Generator | None = None,
    **options: Any,
) -> StabilityComparison:
    """Test whether two procedures differ in stability.

    Independent runs and "nogueira" or "kuncheva": the two-sample test of Nogueira et al.,
    ``T = (second − first)/√(v₁ + v₂)``, standard normal if the procedures are equally
    stable. With ``paired=True``, or for another measure, the variance of the difference
    comes from a bootstrap over runs; paired, the same runs are drawn for both.

    Parameters
    ----------
    a, b : runs
        Subsets selected by the first and the second procedure, in any form
        `stability_score` takes.
    n_features : int or None
        Number of features; None if masks or selectors tell it.
    measure : str, default="nogueira"
        A measure on subsets, see `list_measures`.
    paired : bool, default=False
        Whether run i of `a` and run i of `b` saw the same resample of the data. If they
        did, say so: what they share then cancels in the difference.
    confidence : float, default=0.95
        Coverage of the interval.
    similarity : optional
        As in `stability_score`.
    n_bootstrap : int, default=1000
        Number of bootstrap resamples.
    random_state : int, Generator or None
        Seed of the bootstrap.
    **options
        Options of the measure, see `stability_score`.

    Returns
    -------
    StabilityComparison
        With ``difference`` (second minus first), ``confidence_interval``, ``p_value``.

    References
    ----------
    Nogueira, Sechidis & Brown 2018, Theorem 10.

    Examples
    --------
    >>> steady = [[0, 1, 2], [0, 1, 2], [0, 1, 3], [0, 1, 2], [0, 1, 2], [0, 1, 2]]
    >>> shaky = [[0, 5, 2], [1, 7, 3], [4, 1, 9], [0, 6, 8], [2, 1, 5], [0, 3, 9]]
    >>> result = compare_stability(shaky, steady, 10)
    >>> round(result.difference, 3), result.p_value < 0.001
    (0.952, True)
    """
    entry = get_measure(measure, "subsets")
    first, second = read_subsets(a, n_features), read_subsets(b, n_features)
    if first.n_features != second.n_features:
        raise ValueError(
            f"both must be selected from the same features, got {first.n_features} and "
            f"{second.n_features}"
        )
    if paired and first.n_runs != second.n_runs:
        raise ValueError(
            f"paired runs must be equally many, got {first.n_runs} and {second.n_runs}"
        )
    rng = np.random.default_rng(random_state)
    given = measure_arguments(entry, options, similarity, rng)
    estimators = Estimator(entry, first, given), Estimator(entry, second, given)
    method = "analytic" if entry.analytic_variance and not paired else "bootstrap"
    if method == "analytic" or not paired:
        variance = sum(each.variance(method, n_bootstrap, rng) for each in estimators)
    else:
        variance = _paired_variance(estimators, n_bootstrap, rng)
    return _test(estimators, variance, paired, confidence, method)


def _paired_variance(
    estimators: tuple[Estimator, Estimator], n_bootstrap: int, rng: np.random.Generator
) -> float:
    """Return the bootstrap variance of the difference, the same runs drawn for both."""
    first, second = estimators
    if first.runs.n_runs < 3:
        return math.nan
    samples = resamples(first.runs.n_runs, n_bootstrap, rng)
    return float((second.on(samples) - first.on(samples)).var(ddof=1))


def _test(
    estimators: tuple[Estimator, Estimator],
    variance: float,
    paired: bool,
    confidence: float,
    method: str,
) -> StabilityComparison:
    """Return the two-sided normal test of no difference."""
    first, second = (each.value for each in estimators)
    difference = second - first
    normal_quantile(confidence)
    if difference == 0 and variance == 0:
        statistic = math.nan
        warnings.warn(
            "the test is undefined (0/0): both procedures have the same stability and no "
            "variance over runs; the p-value is nan",
            UndefinedStabilityWarning,
            stacklevel=3,
        )
    elif variance == 0:
        statistic = math.copysign(math.inf, difference)
    else:
        statistic = difference / math.sqrt(variance)
    interval = Interval(math.nan, math.nan)
    if not math.isnan(variance):
        interval = normal_interval(difference, variance, confidence)
    return StabilityComparison(
        difference=difference,
        confidence_interval=interval,
        p_value=float(2 * special.ndtr(-abs(statistic))),
        statistic=statistic,
        variance=variance,
        first=first,
        second=second,
        measure=estimators[0].measure.name,
        n_runs=(estimators[0].runs.n_runs, estimators[1].runs.n_runs),
        paired=paired,
        confidence=confidence,
        method=method,
    )
