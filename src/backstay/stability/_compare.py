"""Whether two procedures differ in stability."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from backstay.stability._intervals import (
    ConfidenceInterval,
    bootstrap_samples,
    check_confidence,
    interval_around,
    two_sided_p,
)
from backstay.stability._measures import get_measure
from backstay.stability._runs import read_subsets
from backstay.stability._score import MeasuredRuns, measure_arguments
from backstay.stability._stability_result import warn_undefined


@dataclass(frozen=True, repr=False)
class StabilityComparison:
    """The difference in stability of two procedures, with a test.

    Attributes
    ----------
    difference : float
        Stability of the first minus that of the second.
    p_value : float
        Two-sided, for no difference.
    statistic, variance : float
        `difference` over its standard error, and the square of that.
    first, second : float
        The two stabilities.
    n_runs : tuple of int
        Runs behind the first and the second.
    paired : bool
        Whether run i of both came from the same resample.
    measure, confidence, variance_from
        As in `StabilityResult`.
    bounds : tuple of two floats
        The range of `difference`.
    """

    difference: float
    p_value: float
    statistic: float
    variance: float
    first: float
    second: float
    measure: str
    n_runs: tuple[int, int]
    paired: bool
    confidence: float
    variance_from: str
    bounds: tuple[float, float] = (-math.inf, math.inf)

    @property
    def confidence_interval(self) -> ConfidenceInterval:
        """Interval for `difference`; it leaves out 0 exactly when `p_value` < 1 − `confidence`."""
        return interval_around(
            self.difference, self.variance, self.confidence, min(self.n_runs), self.bounds
        )

    def __repr__(self) -> str:
        low, high = self.confidence_interval
        kind = "paired" if self.paired else "independent"
        return (
            f"StabilityComparison({self.measure}: {self.first:.4g} - {self.second:.4g} = "
            f"{self.difference:.4g}, {100 * self.confidence:g}% interval "
            f"[{low:.4g}, {high:.4g}], p={self.p_value:.3g}, {kind} {self.variance_from})"
        )


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

    Independent runs and "nogueira" or "kuncheva": the two-sample test of Nogueira et al. 2018,
    ``T = (first − second)/√(v₁ + v₂)``, standard normal if the procedures are equally
    stable, or Student's t below 50 runs, with variances from a jackknife over runs. With
    ``paired=True``, or for another measure, the variance of the difference comes from a bootstrap
    over runs; paired procedures are given the same draws. The test is about more resamples of the
    same rows, not about other samples of the population.

    Parameters
    ----------
    a, b : runs
        Subsets selected by the first and the second procedure, in any form `stability_score` takes.
    n_features : int or None
        Number of features; not needed with masks or selectors.
    measure : str, default="nogueira"
        A measure on subsets, see `list_measures`.
    paired : bool, default=False
        Whether run i of `a` and run i of `b` used the same resample of the data. What the two
        have in common then cancels in the difference.
    confidence, similarity, **options
        As in `stability_score`.
    n_bootstrap, random_state : int, default=1000; int, Generator or None
        Number of bootstrap resamples, and their seed. Only their standard error is used:
        percentiles would be off centre because a redrawn run agrees with its own copy.

    Returns
    -------
    StabilityComparison

    Examples
    --------
    >>> steady = [[0, 1, 2], [0, 1, 2], [0, 1, 3], [0, 1, 2], [0, 1, 2], [0, 1, 2]]
    >>> shaky = [[0, 5, 2], [1, 7, 3], [4, 1, 9], [0, 6, 8], [2, 1, 5], [0, 3, 9]]
    >>> result = compare_stability(steady, shaky, 10)
    >>> round(result.difference, 3), result.p_value < 0.01
    (0.952, True)
    """
    entry = get_measure(measure, "subsets")
    first, second = read_subsets(a, n_features), read_subsets(b, n_features)
    if first.n_features != second.n_features:
        raise ValueError(
            f"a and b must be selected from the same features; got {first.n_features} and "
            f"{second.n_features}."
        )
    if paired and first.n_runs != second.n_runs:
        raise ValueError(
            f"paired=True needs the same number of runs; got {first.n_runs} and {second.n_runs}."
        )
    check_confidence(confidence)
    rng = np.random.default_rng(random_state)
    given = measure_arguments(entry, options, similarity, first.n_features)
    measured = MeasuredRuns(entry, first, given), MeasuredRuns(entry, second, given)
    variance_from = "bootstrap" if paired or not entry.analytic_variance else "jackknife"
    if paired and first.n_runs < 3:
        variance = math.nan
    elif paired:  # the same draws for both
        samples = bootstrap_samples(first.n_runs, n_bootstrap, rng)
        apart = measured[0].on_resamples(samples) - measured[1].on_resamples(samples)
        # A difference varies at least as much as the two standard errors differ.
        least = math.sqrt(measured[0].least_variance()) - math.sqrt(measured[1].least_variance())
        variance = float(np.maximum(apart.var(ddof=1), least**2))
    elif entry.analytic_variance:
        variance = sum(each.variance("jackknife") for each in measured)
    else:
        variance = sum(each.bootstrap_variance(n_bootstrap, rng) for each in measured)
    difference = measured[0].value - measured[1].value
    if difference == 0 and variance == 0:
        statistic = math.nan
        why = "both procedures have the same stability and no variance over runs"
        warn_undefined("the p-value", f"because {why}")
    elif variance == 0:
        statistic = math.copysign(math.inf, difference)
    else:
        statistic = difference / math.sqrt(variance)
    (low, high), (low_second, high_second) = (
        entry.bounds(each.n_runs, each.n_features) for each in (first, second)
    )
    return StabilityComparison(
        difference=difference,
        p_value=two_sided_p(statistic, min(first.n_runs, second.n_runs)),
        statistic=statistic,
        variance=variance,
        first=measured[0].value,
        second=measured[1].value,
        measure=measure,
        n_runs=(first.n_runs, second.n_runs),
        paired=paired,
        confidence=confidence,
        variance_from=variance_from,
        bounds=(low - high_second, high - low_second),
    )
