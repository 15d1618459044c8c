"""A figure for every two runs: its mean, and how far that mean would move with other runs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from backstay.stability._intervals import (
    ConfidenceInterval,
    interval_around,
    jackknife_of_pairs,
    two_sided_p,
)


class PairMatrix:
    """A figure for every two runs, with the mean over pairs and its jackknife interval.

    Parameters
    ----------
    values : array-like of shape (n_runs, n_runs)
        The figure for every pair of runs, symmetric. The diagonal is not used.

    Examples
    --------
    >>> pairs = PairMatrix([[0, 0.4, 0.6], [0.4, 0, 0.2], [0.6, 0.2, 0]])
    >>> round(pairs.mean(), 4), round(pairs.variance(), 4)
    (0.4, 0.0533)
    >>> low, high = pairs.interval(0.95, bounds=(-1, 1))
    >>> round(low, 3), round(high, 3), round(pairs.p_value(), 3)
    (-0.594, 1.0, 0.225)
    """

    def __init__(self, values: ArrayLike) -> None:
        self.values = np.array(values, dtype=np.float64)
        np.fill_diagonal(self.values, 0)

    def mean(self) -> float:
        """Return the mean over pairs of different runs."""
        m = len(self.values)
        return float(self.values.sum() / (m * (m - 1)))

    def variance(self) -> float:
        """Return the jackknife variance of the mean; nan for two runs."""
        return float(jackknife_of_pairs(self.values.sum(axis=1)))

    def interval(
        self, confidence: float = 0.95, bounds: tuple[float, float] = (-math.inf, math.inf)
    ) -> ConfidenceInterval:
        """Return ``(low, high)`` for the mean, cut at the bounds: Student's t below 50 runs."""
        return interval_around(self.mean(), self.variance(), confidence, len(self.values), bounds)

    def p_value(self) -> float:
        """Return the two-sided p-value for a mean of 0; 1 if no pair differs from 0."""
        mean, variance = self.mean(), self.variance()
        if mean == 0 == variance:
            return 1.0
        statistic = mean / math.sqrt(variance) if variance != 0 else math.inf
        return two_sided_p(statistic, len(self.values))

    @staticmethod
    def jackknife(totals: NDArray[Any]) -> NDArray[np.float64]:
        """Return the jackknife variance of means over pairs, from sums over each run's pairs.

        Parameters
        ----------
        totals : ndarray of shape (n_runs, ...)
            The sum of each run's pairs with the others; further axes are separate means.

        Returns
        -------
        ndarray
            Of the shape of the further axes; nan for two runs.
        """
        return jackknife_of_pairs(totals)
