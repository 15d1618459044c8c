"""The error of selected subsets against the truth, split into bias and variance [Han 3.1]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from backstay.stability._runs import read_subsets

Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class SubsetBiasVariance:
    """The zero-one error of selections, split into bias and variance.

    Attributes
    ----------
    error : float
        Share of wrong decisions, over runs and features.
    bias : float
        Share of features on which most runs decide wrongly.
    variance : float
        Share of decisions that differ from what most runs decide on the feature.
    unbiased_variance, biased_variance : float
        Its parts on features that most runs decide rightly, where it adds to the error, and
        wrongly, where it takes away: ``error == bias + unbiased_variance - biased_variance``.
    feature_error, feature_bias, feature_variance : ndarray of shape (n_features,)
        The same for each feature.
    n_runs : int
        Number of runs.
    """

    error: float
    bias: float
    variance: float
    unbiased_variance: float
    biased_variance: float
    feature_error: Floats
    feature_bias: Floats
    feature_variance: Floats
    n_runs: int

    def __repr__(self) -> str:
        return (
            f"SubsetBiasVariance(error={self.error:.4g}, bias={self.bias:.4g}, "
            f"variance={self.variance:.4g}, {self.n_runs} runs, "
            f"{self.feature_error.size} features)"
        )

    def frame(self) -> pd.DataFrame:
        """Return a frame with one row per feature."""
        return pd.DataFrame(
            {
                "error": self.feature_error,
                "bias": self.feature_bias,
                "variance": self.feature_variance,
            }
        )


def subset_bias_variance(
    subsets: Any, relevant: ArrayLike, *, n_features: int | None = None
) -> SubsetBiasVariance:
    """Split the error of selected subsets into bias and variance, under zero-one loss.

    Every run decides on every feature: selected or not. The *main* decision is that of most runs.
    A feature's bias is 1 if the main decision is wrong; its variance is the share of runs that
    decide otherwise (Domingos 2000). Over features, error = bias + variance where the main
    decision is right − variance where it is wrong.

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
    SubsetBiasVariance
        Averages, and figures per feature with ``frame()``.

    See Also
    --------
    bias_variance : The same for feature weights, under squared loss.

    Examples
    --------
    Feature 0 is always found, feature 1 in two runs of three, feature 3 wrongly in one:

    >>> result = subset_bias_variance([[0, 1], [0, 1], [0, 3]], [0, 1], n_features=4)
    >>> round(result.error, 4), result.bias, round(result.variance, 4)
    (0.1667, 0.0, 0.1667)
    """
    runs = read_subsets(subsets, n_features)
    frequency = np.zeros(runs.n_features)
    frequency[runs.features] = runs.counts / runs.n_runs
    truth = _mask(relevant, runs.n_features)
    main = frequency > 0.5  # a tie counts as not selected; the error does not depend on it
    bias = main != truth
    error = np.where(truth, 1.0 - frequency, frequency)
    variance = np.where(main, 1.0 - frequency, frequency)
    return SubsetBiasVariance(
        error=float(error.mean()),
        bias=float(bias.mean()),
        variance=float(variance.mean()),
        unbiased_variance=float(np.where(bias, 0.0, variance).mean()),
        biased_variance=float(np.where(bias, variance, 0.0).mean()),
        feature_error=error,
        feature_bias=bias.astype(np.float64),
        feature_variance=variance,
        n_runs=runs.n_runs,
    )


def _mask(relevant: ArrayLike, n_features: int) -> NDArray[np.bool_]:
    given = np.asarray(relevant)
    if given.dtype == np.bool_:
        if given.shape != (n_features,):
            raise ValueError(
                f"relevant as a mask must have one value per feature, shape ({n_features},); "
                f"got {given.shape}."
            )
        return given
    mask = np.zeros(n_features, dtype=np.bool_)
    if given.size == 0:
        return mask
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise ValueError(f"relevant={relevant!r} must be feature indices or a boolean mask.")
    if given.min() < 0 or given.max() >= n_features:
        raise ValueError(
            f"relevant must hold indices from 0 to {n_features - 1}; "
            f"got {given[(given < 0) | (given >= n_features)][0]}."
        )
    mask[given] = True
    return mask
