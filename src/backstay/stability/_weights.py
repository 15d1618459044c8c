"""Stability of feature weights, and their error against the truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from backstay.stability._intervals import Resampling, check_method
from backstay.stability._runs import read_weights
from backstay.stability._similarity import correlations
from backstay.stability._stability_result import PAIR_METHODS, StabilityResult, pairwise_result


@dataclass(frozen=True, repr=False)
class WeightStability:
    """How much feature weights vary over runs.

    Attributes
    ----------
    mean_variance : StabilityResult
        Mean over features of the variance over runs; lower is stabler.
    pearson : StabilityResult
        Mean over pairs of runs of Pearson's r; higher is stabler.
    feature_variance : ndarray of shape (n_features,)
        The variance of each feature's weight over runs.
    """

    mean_variance: StabilityResult
    pearson: StabilityResult
    feature_variance: NDArray[np.float64]

    def __repr__(self) -> str:
        return (
            f"WeightStability(mean_variance={self.mean_variance.value:.4g}, "
            f"pearson={self.pearson.value:.4g}, {self.pearson.n_runs} runs, "
            f"{self.pearson.n_items} features)"
        )

    def frame(self) -> pd.DataFrame:
        """Return the two measures as the rows of a frame."""
        return pd.concat([self.mean_variance.frame(), self.pearson.frame()], ignore_index=True)


@dataclass(frozen=True, repr=False)
class BiasVariance:
    """The error of feature weights, split into bias² and variance.

    Attributes
    ----------
    error, bias_squared, variance : float
        Averages over features; ``error == bias_squared + variance`` up to rounding.
    feature_error, feature_bias_squared, feature_variance : ndarray of shape (n_features,)
        The same for each feature.
    n_runs : int
        Number of runs averaged over.
    """

    error: float
    bias_squared: float
    variance: float
    feature_error: NDArray[np.float64]
    feature_bias_squared: NDArray[np.float64]
    feature_variance: NDArray[np.float64]
    n_runs: int

    def __repr__(self) -> str:
        return (
            f"BiasVariance(error={self.error:.4g}, bias_squared={self.bias_squared:.4g}, "
            f"variance={self.variance:.4g}, {self.n_runs} runs, "
            f"{self.feature_error.size} features)"
        )

    def frame(self) -> pd.DataFrame:
        """Return a frame with one row per feature."""
        return pd.DataFrame(
            {
                "error": self.feature_error,
                "bias_squared": self.feature_bias_squared,
                "variance": self.feature_variance,
            }
        )


def weight_stability(
    weights: ArrayLike,
    *,
    normalize: bool = False,
    confidence: float = 0.95,
    method: str = "jackknife",
    n_bootstrap: int = 1000,
    random_state: int | np.random.Generator | None = None,
) -> WeightStability:
    """Measure how much feature weights vary over runs.

    Parameters
    ----------
    weights : array-like of shape (n_runs, n_features)
        One weight vector per run, finite.
    normalize : bool, default=False
        Turn each run's weights into |w|/Σ|w| first, as Han & Yu do for SVM weights.
        Without it the variance is in the squared unit of the weights.
    confidence, method, n_bootstrap, random_state
        As in `stability_score`; `method` is "jackknife" or "bootstrap".

    Returns
    -------
    WeightStability
        With ``mean_variance`` (population variance, as in `bias_variance`), ``pearson``
        and ``feature_variance``.

    See Also
    --------
    bias_variance : Adds the error against a known relevance.

    Examples
    --------
    >>> result = weight_stability([[0.9, 0.1, 0.0], [0.7, 0.2, 0.1], [0.8, 0.2, 0.0]])
    >>> round(result.mean_variance.value, 5), round(result.pearson.value, 3)
    (0.0037, 0.995)
    """
    check_method(method, PAIR_METHODS)
    values = read_weights(weights)
    if normalize:
        values = _normalize(values, "weights")
    m, d = values.shape
    resampling = Resampling(method, n_bootstrap, np.random.default_rng(random_state))

    def mean_variance(runs: NDArray[np.intp]) -> float:
        return float(values[runs].var(axis=0).mean())

    value = mean_variance(np.arange(m))
    spread = resampling.variance(mean_variance, m)
    variance = StabilityResult(value, spread, "variance", m, d, confidence, method)
    pearson = pairwise_result(
        correlations(values),
        "pearson",
        d,
        "features",
        why_undefined="a run whose weights are all equal (or a single feature)",
        confidence=confidence,
        resampling=resampling,
    )
    return WeightStability(variance, pearson, values.var(axis=0))


def bias_variance(
    weights: ArrayLike, true_relevance: ArrayLike, *, normalize: bool = False
) -> BiasVariance:
    """Split the error of feature weights into bias² and variance over training sets.

    For each feature: error = mean (r − r*)², bias² = (mean r − r*)², variance =
    mean (r − mean r)², means over runs; then averaged over features [HY III].

    Parameters
    ----------
    weights : array-like of shape (n_runs, n_features)
        The weights found on each training set.
    true_relevance : array-like of shape (n_features,)
        The weights that would be right, known for synthetic data.
    normalize : bool, default=False
        Turn each run's weights and the true ones into |w|/Σ|w| first, as Han & Yu do.

    Returns
    -------
    BiasVariance
        Averages as ``error``, ``bias_squared``, ``variance``; per feature with ``frame()``.

    Examples
    --------
    >>> result = bias_variance([[0.6, 0.4], [0.8, 0.2], [0.7, 0.3]], [1.0, 0.0])
    >>> round(result.error, 4), round(result.bias_squared, 4), round(result.variance, 4)
    (0.0967, 0.09, 0.0067)
    """
    values = read_weights(weights)
    truth = np.asarray(true_relevance, dtype=np.float64)
    if truth.shape != values.shape[1:]:
        raise ValueError(
            f"true_relevance must have one value per feature, shape {values.shape[1:]}; "
            f"got {truth.shape}."
        )
    if not np.isfinite(truth).all():
        raise ValueError("true_relevance must be finite; got nan or infinity.")
    if normalize:
        values, truth = _normalize(values, "weights"), _normalize(truth, "true_relevance")
    # Everything from the deviations: weights far from 0 then cost no accuracy.
    deviation = values - truth
    bias = deviation.mean(axis=0)
    error = (deviation**2).mean(axis=0)
    variance = ((deviation - bias) ** 2).mean(axis=0)
    return BiasVariance(
        error=float(error.mean()),
        bias_squared=float((bias**2).mean()),
        variance=float(variance.mean()),
        feature_error=error,
        feature_bias_squared=bias**2,
        feature_variance=variance,
        n_runs=values.shape[0],
    )


def _normalize(values: NDArray[np.float64], name: str) -> NDArray[np.float64]:
    """Return |w|/Σ|w| along the last axis."""
    size = np.abs(values)
    total = size.sum(axis=-1, keepdims=True)
    if not (total > 0).all():
        raise ValueError(f"{name} cannot be normalised: all of a run's weights are 0.")
    return np.asarray(size / total)
