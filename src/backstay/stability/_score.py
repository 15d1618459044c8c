"""Stability of subsets, by any measure of the table."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from backstay.stability._intervals import normal_quantile
from backstay.stability._measured_runs import MeasuredRuns, measure_arguments
from backstay.stability._measures import get_measure
from backstay.stability._runs import read_subsets
from backstay.stability._stability_result import StabilityResult, UndefinedStabilityWarning


def stability_score(
    subsets: Any,
    n_features: int | None = None,
    measure: str = "nogueira",
    *,
    confidence: float = 0.95,
    similarity: Any = None,
    method: str = "analytic",
    n_bootstrap: int = 1000,
    random_state: int | np.random.Generator | None = None,
    **options: Any,
) -> StabilityResult:
    """Measure the stability of repeated selections, with a confidence interval.

    Parameters
    ----------
    subsets : iterable of runs, or array of shape (n_runs, n_features)
        At least two runs. Each is a collection of feature indices from 0, a boolean
        mask, or a fitted selector (anything with ``get_support``); a boolean matrix or
        frame holds one mask per row.
    n_features : int or None
        Number of features the subsets were selected from; not needed with masks or selectors.
    measure : str, default="nogueira"
        Name of a measure on subsets; `list_measures` describes them.
    confidence : float, default=0.95
        Coverage of the confidence interval, which is normal and not clipped.
    similarity : array, sparse array or FeatureSimilarity, optional
        For "pogr", "npogr", "yu" and "zucknick" (others ignore it): a symmetric boolean
        d×d matrix, a real one with ``threshold=``, or ``correlated_features(X)``.
    method : {"analytic", "jackknife", "bootstrap"}, default="analytic"
        Where the variance comes from. "analytic" is nan for all but "nogueira" and
        "kuncheva"; the others leave out or redraw runs and work for every measure. Two
        runs give no variance by any method.
    n_bootstrap : int, default=1000
        Number of bootstrap resamples. Only their standard error is used: percentiles
        would be off centre because a redrawn run agrees with its own copy.
    random_state : int, Generator or None
        Seed of the bootstrap and of Monte-Carlo expectations.
    **options
        Options of single measures: ``top`` (drotar: how many features are the top ones;
        the rounded mean subset size if not given), ``penalty`` (davis), ``threshold``
        (similarity measures), ``partners`` (pogr, npogr: "anywhere" in the other subset
        or "unshared"), ``expectation`` and ``n_draws`` (npogr, yu: "exact", or
        "monte_carlo" from that many random pairs of subsets).

    Returns
    -------
    StabilityResult
        With ``value``, ``confidence_interval`` and ``variance``.

    Warns
    -----
    UndefinedStabilityWarning
        If the measure is 0/0, for example on empty subsets; the value is nan.

    See Also
    --------
    stability_curve : The same for every subset size of repeated rankings.
    compare_stability : A test between two procedures.
    selection_frequency, consensus : Which features the runs agree on.

    Examples
    --------
    >>> runs = [[0, 1, 2], [0, 1, 3], [0, 1, 2], [0, 2, 3]]
    >>> stability_score(runs, 10)
    StabilityResult(nogueira=0.6032, 95% interval [0.4865, 0.7198], 4 runs, 10 features)
    >>> stability_score(runs, 10, "kalousis", method="jackknife")
    StabilityResult(kalousis=0.5833, 95% interval [0.3004, 0.8662], 4 runs, 10 features)
    """
    entry = get_measure(measure, "subsets")
    normal_quantile(confidence)
    runs = read_subsets(subsets, n_features)
    rng = np.random.default_rng(random_state)
    measured = MeasuredRuns(entry, runs, measure_arguments(entry, options, similarity, rng))
    variance = measured.variance(method, n_bootstrap, rng)
    details = {} if entry.details is None else dict(entry.details(runs))
    for name in (name for name, figure in details.items() if math.isnan(figure)):
        warnings.warn(
            f"{name} {measure} is undefined (0/0): subsets of size {runs.sizes[0]} out of "
            f"{runs.n_features} features cannot differ; it is nan.",
            UndefinedStabilityWarning,
            stacklevel=2,
        )
    sizes = runs.n_runs, runs.n_features
    return StabilityResult(
        measured.value, variance, measure, *sizes, confidence, method, details=details
    )
