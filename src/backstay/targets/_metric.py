"""A metric: how good outputs of models are, on some rows and pooled over resamples."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from backstay._wilson import wilson

if TYPE_CHECKING:
    from backstay.targets._target import Target

Floats = NDArray[np.float64]
# Rows that a run tested, and its outputs: … × row × column.
Run = tuple[NDArray[np.intp], Floats]


@dataclass(frozen=True)
class Metric(ABC):
    """What is known about a metric, and how it is computed.

    Outputs of models are arrays … × row × column. The first column is what was predicted; the
    others, where they were kept, are scores or probabilities.

    Attributes
    ----------
    name, title : str
        What to type, and how a caption names it.
    higher_is_better : bool
        Whether larger values are better.
    low, high : float
        Its range.
    is_share : bool
        Whether it is a share of rows, which reads best as a percentage.
    needs : {"predictions", "scores", "probabilities"}
        What of a model it is computed from.
    moves_with_shares : bool
        Whether it changes where outcomes are as easy to predict but come in other proportions.
    """

    name: str
    title: str
    higher_is_better: bool = True
    low: float = 0.0
    high: float = 1.0
    is_share: bool = False
    needs: ClassVar[str] = "predictions"
    moves_with_shares: ClassVar[bool] = False

    @abstractmethod
    def chance(self, target: Any) -> float:
        """Return what knowing nothing of the features reaches on these rows."""

    @abstractmethod
    def score(self, target: Any, outputs: Floats) -> Floats:
        """Return the metric of outputs for the rows of `target`, over the last two axes."""

    @abstractmethod
    def pooled(self, target: Any, runs: Sequence[Run], copies: Floats) -> Floats:
        """Return the metric on drawn rows: draw × configuration.

        Parameters
        ----------
        target : Target
            All rows.
        runs : list of (rows, outputs)
            For every resample the rows tested, and outputs model × size × row × column.
        copies : array of shape (n_draws, n_rows)
            How often each row counts in a draw.

        Returns
        -------
        ndarray
            nan where a draw holds no rows that the metric could be computed from.
        """

    def of_runs(self, target: Any, runs: Sequence[Run]) -> list[Floats]:
        """Return the metric of every run; their mean is that of all runs.

        `runs` are as in :meth:`pooled`.
        """
        return [self.score(target.take(rows), outputs) for rows, outputs in runs]

    @abstractmethod
    def rows_worth(self, target: Any, n_runs: int = 1) -> float:
        """Return how many rows give a share of right predictions the variance of a score.

        Of one run, if the target holds the rows of several.
        """

    @property
    def best(self) -> float:
        """The best value there is."""
        return self.high if self.higher_is_better else self.low

    @property
    def is_bounded(self) -> bool:
        """Whether its range has two ends, so that a score is a share of what is possible."""
        return math.isfinite(self.high - self.low)

    def gain(self, values: Any) -> Any:
        """Return values turned so that higher is better."""
        return values if self.higher_is_better else -values

    def least_interval(self, value: float, n: float) -> tuple[float, float]:
        """Return Wilson's interval of a score on n rows' worth, in the range of the metric.

        A metric without two ends has none: the score twice.
        """
        if not self.is_bounded:
            return value, value
        span = self.high - self.low
        low, high = wilson((value - self.low) / span, n)
        return self.low + span * float(low), self.low + span * float(high)


def ratio(total: Floats, size: Floats) -> Floats:
    """Return total/size, nan where the size is 0."""
    return np.divide(total, size, out=np.full(np.shape(total), np.nan), where=size > 0)


def row_means(target: Target, runs: Sequence[Run], shape: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Return per-row sums of arrays row × …, divided by how often a row was tested, and how often.

    `runs` hold the rows tested and values … × row.
    """
    total, times = np.zeros((len(target), *shape)), np.zeros(len(target))
    for rows, values in runs:
        total[rows] += np.moveaxis(values, -1, 0)
        times[rows] += 1
    total /= np.maximum(times, 1).reshape(-1, *(1,) * len(shape))
    return total, times
