"""Stability of feature weights."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from backstay.stability._intervals import jackknife_variance
from backstay.stability._measures import get_measure
from backstay.stability._runs import normalized, read_weights
from backstay.stability._similarity import correlations
from backstay.stability._stability_result import StabilityResult, pairwise_result


def weight_stability(
    weights: ArrayLike,
    measure: str = "pearson",
    *,
    normalize: bool = False,
    confidence: float = 0.95,
) -> StabilityResult:
    """Measure how much feature weights vary over runs.

    Parameters
    ----------
    weights : array-like of shape (n_runs, n_features)
        One weight vector per run, finite.
    measure : {"pearson", "variance"}, default="pearson"
        "pearson" is the mean over pairs of runs of Pearson's r. "variance" is the mean over
        features of the variance over runs (population variance, as in `bias_variance`): *lower*
        is stabler.
    normalize : bool, default=False
        Turn each run's weights into |w|/Σ|w| first, as Han & Yu do for SVM weights.
        Without it the variance is in the squared unit of the weights.
    confidence : float, default=0.95
        As in `stability_score`.

    Returns
    -------
    StabilityResult

    Examples
    --------
    >>> weights = [[0.9, 0.1, 0.0], [0.7, 0.2, 0.1], [0.8, 0.2, 0.0]]
    >>> round(weight_stability(weights).value, 3)
    0.995
    """
    get_measure(measure, "weights")
    values = read_weights(weights)
    if normalize:
        values = normalized(values, "weights")
    m, d = values.shape
    if measure == "pearson":
        return pairwise_result(
            correlations(values),
            measure,
            d,
            "features",
            why_undefined="a run whose weights are all equal (or a single feature)",
            confidence=confidence,
        )

    def mean_variance(runs: NDArray[np.intp]) -> float:
        return float(values[runs].var(axis=0).mean())

    value = mean_variance(np.arange(m))
    return StabilityResult(value, jackknife_variance(mean_variance, m), measure, m, d, confidence)
