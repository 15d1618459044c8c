"""Stability of subsets, by any measure of the table: its value, and its variance over runs."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay.stability._intervals import (
    PairMatrix,
    bootstrap_samples,
    check_source,
    jackknife_variance,
    least_variance,
)
from backstay.stability._measures import Measure, get_measure
from backstay.stability._runs import Runs, read_subsets
from backstay.stability._similarity import as_similarity
from backstay.stability._stability_result import StabilityResult, warn_undefined
from backstay.stability._subsets import nogueira, nogueira_left_out


def stability_score(
    subsets: Any,
    n_features: int | None = None,
    measure: str = "nogueira",
    *,
    confidence: float = 0.95,
    similarity: Any = None,
    variance_from: str = "jackknife",
    **options: Any,
) -> StabilityResult:
    """Measure the stability of repeated selections, with a confidence interval.

    Parameters
    ----------
    subsets : iterable of runs, or array of shape (n_runs, n_features)
        At least two runs. Each run holds indices of features from 0, or all runs hold names; or it
        is a boolean mask, or a fitted selector (anything with ``get_support``). A boolean matrix
        or frame holds one mask per row.
    n_features : int or None
        Number of features that the subsets were selected from; not needed with masks or
        selectors.
    measure : str, default="nogueira"
        Name of a measure on subsets; `list_measures` describes them.
    confidence : float, default=0.95
        Coverage of the confidence interval, over more resamples of the same rows.
    similarity : array, sparse array or ``correlated_features(X)``, optional
        For "pogr", "npogr", "yu" and "zucknick" (others ignore it): a symmetric boolean
        d×d matrix, a real one with ``threshold=``, or what `correlated_features` returns.
    variance_from : {"jackknife", "analytic"}, default="jackknife"
        "jackknife" leaves out one run at a time. "analytic" is Nogueira's formula, which is too
        small for few runs, and nan for all but "nogueira" and "kuncheva". Two runs give no
        variance from either source. From three runs on, it is 0 only if all runs are the same.
    **options
        Options of single measures: ``top`` (drotar: how many features are the top ones;
        the rounded mean subset size if not given), ``penalty`` (davis), ``threshold``
        (similarity measures), ``partners`` (pogr, npogr: "anywhere" in the other subset
        or "unshared"), ``modules`` (module_match: the module of every feature, as
        `backstay.redundancy.correlation_modules` finds them).

    Returns
    -------
    StabilityResult

    Warns
    -----
    UndefinedStabilityWarning
        If the measure is 0/0, for example on empty subsets; the value is nan.

    Examples
    --------
    >>> runs = [[0, 1, 2], [0, 1, 3], [0, 1, 2], [0, 2, 3]]
    >>> stability_score(runs, 10)
    StabilityResult(nogueira=0.6032, 95% interval [0.1657, 1], 4 runs, 10 features)
    """
    entry = get_measure(measure, "subsets")
    runs = read_subsets(subsets, n_features)
    arguments = measure_arguments(entry, options, similarity, runs.n_features)
    measured = MeasuredRuns(entry, runs, arguments)
    variance = measured.variance(variance_from)
    details = {} if entry.details is None else dict(entry.details(runs))
    for name in (name for name, figure in details.items() if math.isnan(figure)):
        subset = f"subsets of size {runs.sizes[0]} out of {runs.n_features} features"
        warn_undefined(f"{name} {measure}", f"because {subset} cannot differ")
    sizes = runs.n_runs, runs.n_features
    return StabilityResult(
        measured.value, variance, measure, *sizes, confidence, variance_from, details=details
    )


def nogueira_variance(runs: Runs) -> float:
    """Return the variance of Nogueira's estimate (their Theorem 7), with +Φ/2."""
    # With two runs of one size the formula always gives 0, because both have the same overlap with
    # each other. That says nothing about the variance, so two runs give nan.
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


class MeasuredRuns:
    """One measure on one set of runs: its value, and its value on resamples."""

    def __init__(self, measure: Measure, runs: Runs, options: dict[str, Any]) -> None:
        if measure.equal_sizes and np.any(runs.sizes != runs.sizes[0]):
            raise ValueError(
                f"measure={measure.name!r} needs subsets of equal size; got sizes from "
                f"{runs.sizes.min()} to {runs.sizes.max()}, which 'nogueira' takes."
            )
        self.measure, self.runs, self.options = measure, runs, options
        assert measure.compute is not None  # all measures on subsets have it
        self.compute = measure.compute
        computed = self.compute(runs, **options)
        self.pairs = PairMatrix(computed) if measure.over_pairs else None
        self.value: float = computed if self.pairs is None else self.pairs.mean()
        if math.isnan(self.value):
            where = "on these runs" if self.pairs is None else self.pairs.where_undefined()
            sizes = f"sizes {runs.sizes.min()} to {runs.sizes.max()}"
            where += f": subsets of {sizes} out of {runs.n_features} features"
            warn_undefined(measure.name, where, stacklevel=4)

    def on_resamples(self, samples: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the value on every resample."""
        if self.pairs is not None:
            return self.pairs.on_resamples(samples)
        return np.array([self._on_resample(sample) for sample in samples])

    def _on_resample(self, sample: NDArray[np.intp]) -> float:
        return float(self.compute(self.runs.take(sample), **self.options))

    def variance(self, variance_from: str) -> float:
        """Return the variance of the value, from theory or from the runs."""
        check_source(variance_from)
        return float(np.maximum(self._variance(variance_from), self.least_variance()))

    def _variance(self, variance_from: str) -> float:
        if variance_from == "analytic":
            # Equal sizes make Kuncheva's mean equal to Nogueira's estimate, term by term.
            return nogueira_variance(self.runs) if self.measure.analytic_variance else math.nan
        if math.isnan(self.value):
            return math.nan
        if self.pairs is not None:
            return self.pairs.directed_variance()
        m = self.runs.n_runs
        if self.measure.name == "nogueira" and m > 2:
            return float((m - 1) * nogueira_left_out(self.runs).var())
        return jackknife_variance(self._on_resample, m)

    def bootstrap_variance(self, n_bootstrap: int, rng: np.random.Generator) -> float:
        """Return the variance of the value over bootstrap samples of the runs."""
        if math.isnan(self.value) or self.runs.n_runs < 3:
            return math.nan
        values = self.on_resamples(bootstrap_samples(self.runs.n_runs, n_bootstrap, rng))
        return float(np.maximum(values.var(ddof=1), self.least_variance()))

    def least_variance(self) -> float:
        """Return the variance that these runs have at least; 0 only if all are the same."""
        m, w = self.runs.n_runs, self.runs.counts * (self.runs.n_runs - self.runs.counts)
        short = self.measure.best(m, self.runs.n_features) - self.value
        return float(least_variance(short, w.sum(), w @ w, m))


def measure_arguments(
    measure: Measure,
    options: dict[str, Any],
    similarity: Any,
    n_features: int,
) -> dict[str, Any]:
    """Return the measure's keyword arguments, refusing options it does not take."""
    for name in options:
        if name not in measure.options:
            takes = ", ".join(measure.options) or "none"
            raise TypeError(
                f"measure={measure.name!r} takes no option {name!r}; its options: {takes}."
            )
    arguments = dict(options)
    if measure.needs_similarity:
        threshold = arguments.pop("threshold", None)
        arguments["similar"] = as_similarity(similarity, n_features, threshold)
    return arguments
