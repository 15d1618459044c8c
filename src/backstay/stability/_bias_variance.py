"""The error of weights and of selected subsets against the truth: bias and variance [Han 3.1]."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from backstay.stability._runs import normalized, read_run, read_subsets, read_weights

Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class BiasVariance:
    """The error of repeated runs, split into bias and variance (Domingos 2000).

    Attributes
    ----------
    error : float
        Mean loss over runs and features: the squared error of a weight, or whether a decision to
        select a feature is wrong.
    bias : float
        Mean loss of what the runs say together: bias² of the mean weight, or whether most runs
        decide wrongly.
    variance : float
        Mean loss of the runs against what they say together.
    unbiased_variance, biased_variance : float
        The two parts of the variance. On features that most runs decide wrongly, those that
        differ are right, and this part makes the error smaller:
        ``error == bias + unbiased_variance - biased_variance``. Weights have no such part.
    n_runs : int
        Number of runs.
    """

    error: float
    bias: float
    variance: float
    unbiased_variance: float
    biased_variance: float
    n_runs: int
    _features: pd.DataFrame

    def __repr__(self) -> str:
        return (
            f"BiasVariance(error={self.error:.4g}, bias={self.bias:.4g}, "
            f"variance={self.variance:.4g}, {self.n_runs} runs, {len(self._features)} features)"
        )

    def frame(self) -> pd.DataFrame:
        """Return error, bias and variance of every feature, one row each."""
        return self._features.copy()


def _averaged(
    error: Floats, bias: Floats, variance: Floats, wrong: NDArray[np.bool_], n_runs: int
) -> BiasVariance:
    """Return the averages over features; `wrong` marks where variance makes the error smaller."""
    return BiasVariance(
        error=float(error.mean()),
        bias=float(bias.mean()),
        variance=float(variance.mean()),
        unbiased_variance=float(np.where(wrong, 0.0, variance).mean()),
        biased_variance=float(np.where(wrong, variance, 0.0).mean()),
        n_runs=n_runs,
        _features=pd.DataFrame({"error": error, "bias": bias, "variance": variance}),
    )


def bias_variance(
    weights: ArrayLike, true_relevance: ArrayLike, *, normalize: bool = False
) -> BiasVariance:
    """Split the squared error of feature weights into bias² and variance over training sets.

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
        Its ``bias`` is bias².

    Examples
    --------
    >>> result = bias_variance([[0.6, 0.4], [0.8, 0.2], [0.7, 0.3]], [1.0, 0.0])
    >>> round(result.error, 4), round(result.bias, 4), round(result.variance, 4)
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
        values, truth = normalized(values, "weights"), normalized(truth, "true_relevance")
    # Everything from the deviations: weights far from 0 then cost no accuracy.
    deviation = values - truth
    bias = deviation.mean(axis=0)
    error = (deviation**2).mean(axis=0)
    variance = ((deviation - bias) ** 2).mean(axis=0)
    return _averaged(error, bias**2, variance, np.zeros(bias.shape, np.bool_), len(values))


def subset_bias_variance(
    subsets: Any, relevant: ArrayLike, *, n_features: int | None = None
) -> BiasVariance:
    """Split the error of selected subsets into bias and variance, under zero-one loss.

    Every run decides on every feature: selected or not. The *main* decision is that of most runs.
    A feature's bias is 1 if the main decision is wrong; its variance is the share of runs that
    decide otherwise (Domingos 2000).

    Parameters
    ----------
    subsets : list of index lists or masks, boolean matrix, or fitted selectors
        What each of at least two runs selected.
    relevant : array-like of int or bool
        The features that should have been selected, as indices or as a mask.
    n_features : int, optional
        Number of features; needed if all subsets are index lists.

    Returns
    -------
    BiasVariance

    Examples
    --------
    Feature 0 is always found, feature 1 in two runs of three, feature 3 wrongly in one:

    >>> result = subset_bias_variance([[0, 1], [0, 1], [0, 3]], [0, 1], n_features=4)
    >>> round(result.error, 4), result.bias, round(result.variance, 4)
    (0.1667, 0.0, 0.1667)
    """
    runs = read_subsets(subsets, n_features)
    truth = np.zeros(runs.n_features, dtype=np.bool_)
    read_run(relevant, truth, "relevant")
    main = runs.frequency > 0.5  # a tie counts as not selected; the error does not depend on it
    wrong = main != truth
    error = np.where(truth, 1.0 - runs.frequency, runs.frequency)
    variance = np.where(main, 1.0 - runs.frequency, runs.frequency)
    return _averaged(error, wrong.astype(np.float64), variance, wrong, runs.n_runs)
