"""What rankings, weights and predictions share: the mean of a matrix over pairs of runs."""

from __future__ import annotations

import math
import warnings

import numpy as np
from numpy.typing import NDArray

from backstay.stability._intervals import check_method, mean_of_pairs, pairs_variance
from backstay.stability._similarity import standardize
from backstay.stability._stability_result import StabilityResult, UndefinedStabilityWarning

PAIR_METHODS = ("jackknife", "bootstrap")


def pairwise_result(
    pairs: NDArray[np.float64],
    measure: str,
    n_items: int,
    *,
    items: str,
    why_undefined: str,
    confidence: float,
    method: str,
    n_bootstrap: int,
    random_state: int | np.random.Generator | None,
) -> StabilityResult:
    """Return the mean over pairs with its interval, warning where a pair is 0/0."""
    check_method(method, PAIR_METHODS)
    np.fill_diagonal(pairs, 0)
    m, value, variance = len(pairs), mean_of_pairs(pairs), math.nan
    if math.isnan(value):
        warnings.warn(
            f"{measure} is undefined (0/0) for {int(np.isnan(pairs).sum()) // 2} of "
            f"{m * (m - 1) // 2} pairs of runs: {why_undefined}; the value is nan.",
            UndefinedStabilityWarning,
            stacklevel=3,
        )
    else:
        rng = np.random.default_rng(random_state)
        variance = pairs_variance(pairs, method, n_bootstrap, rng)
    return StabilityResult(value, variance, measure, m, n_items, confidence, method, items)


def correlations(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Pearson's r of every two rows; nan for a constant row."""
    standardized = standardize(rows, axis=1)
    r = np.clip(standardized @ standardized.T, -1, 1)
    constant = ~standardized.any(axis=1)
    r[constant] = np.nan
    r[:, constant] = np.nan
    return np.asarray(r)
