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
# Rows of a class, of the others or of all whose order is looked at; more are drawn at random.
MOST_ROWS = 1000


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
    has_unit : bool
        Whether it is in the unit of the outcome, so that other metrics do not share its axis.
    """

    name: str
    title: str
    higher_is_better: bool = True
    low: float = 0.0
    high: float = 1.0
    is_share: bool = False
    needs: ClassVar[str] = "predictions"
    moves_with_shares: ClassVar[bool] = False
    has_unit: ClassVar[bool] = False

    def chance(self, target: Any) -> float:
        """Return what knowing nothing of the features reaches on these rows."""
        return 0.0

    @abstractmethod
    def score(self, target: Any, outputs: Floats) -> Floats:
        """Return the metric of outputs for the rows of `target`, over the last two axes."""

    @abstractmethod
    def pooled(self, target: Any, runs: Sequence[Run], copies: Floats) -> Floats:
        """Return the metric on drawn rows: draw × configuration; nan where it is undefined.

        `runs` are, for every resample, the rows tested and outputs model × size × row × column;
        `copies` how often each row of the target counts in a draw: draw × row.
        """

    def of_runs(self, target: Any, runs: Sequence[Run]) -> list[Floats]:
        """Return the metric of every run, as in :meth:`pooled`; their mean is that of all."""
        return [self.score(target.take(rows), outputs) for rows, outputs in runs]

    def rows_worth(self, target: Any, n_runs: int = 1) -> float:
        """Return how many rows of one run give a share of right predictions a score's variance."""
        return float(len(target) // n_runs)

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
        """Return Wilson's interval of a score on n rows; the score twice without two ends."""
        if not self.is_bounded:
            return value, value
        span = self.high - self.low
        low, high = wilson((value - self.low) / span, n)
        return self.low + span * float(low), self.low + span * float(high)


@dataclass(frozen=True)
class OfRows(Metric):
    """A metric of figures of every row, averaged over rows before they are put together."""

    def score(self, target: Any, outputs: Floats) -> Floats:
        """Return the metric of outputs for the rows of the target."""
        return self._value(self._figures(target, outputs).mean(axis=-1))

    def pooled(self, target: Any, runs: Sequence[Run], copies: Floats) -> Floats:
        """Average each row's figures, then those of drawn rows."""
        means, times = self._row_figures(target, runs)
        size = copies @ (times > 0)
        drawn = ratio(copies @ means.reshape(len(target), -1), size[:, None])
        by_figure = drawn.reshape(len(copies), means.shape[1], -1)
        return self._value(np.moveaxis(by_figure, 1, 0))

    def _row_figures(self, target: Target, runs: Sequence[Run]) -> tuple[Floats, Floats]:
        """Return the mean figures of every row, and how often it was tested."""
        figures = [(rows, self._figures(target.take(rows), outputs)) for rows, outputs in runs]
        return row_means(target, figures, figures[0][1].shape[:-1])

    @abstractmethod
    def _figures(self, target: Any, outputs: Floats) -> Floats:
        """Return what is averaged: figure × … × row."""

    def _value(self, means: Floats) -> Floats:
        """Return the metric from the means of the figures."""
        return means[0]


def ratio(total: Floats, size: Floats) -> Floats:
    """Return total/size, nan where the size is 0."""
    return np.divide(total, size, out=np.full(np.shape(total), np.nan), where=size > 0)


def row_means(target: Target, runs: Sequence[Run], shape: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Return the means of values … × row over runs: row × …, and how often a row was tested."""
    total, times = np.zeros((len(target), *shape)), np.zeros(len(target))
    for rows, values in runs:
        total[rows] += np.moveaxis(values, -1, 0)
        times[rows] += 1
    total /= np.maximum(times, 1).reshape(-1, *(1,) * len(shape))
    return total, times


def pair_order(
    runs: Sequence[Run], first: NDArray[np.intp], second: NDArray[np.intp], n_rows: int
) -> tuple[Floats, Floats]:
    """Return the share of runs with a row of `first` above one of `second`, and if any had both."""
    place_a, place_b = (np.full(n_rows, -1) for _ in range(2))
    place_a[first], place_b[second] = np.arange(len(first)), np.arange(len(second))
    n_configurations = math.prod(runs[0][1].shape[:2])
    halves = np.zeros((n_configurations, len(first) * len(second)))
    times = np.zeros(len(first) * len(second))
    for tested, scores in runs:
        a, b = place_a[tested], place_b[tested]
        values = scores.reshape(n_configurations, -1)
        pairs = (a[a >= 0, None] * len(second) + b[b >= 0]).ravel()
        times[pairs] += 1
        for counts, high, low in zip(halves, values[:, a >= 0], values[:, b >= 0], strict=True):
            above, level = np.greater.outer(high, low), np.greater_equal.outer(high, low)
            counts[pairs] += (above.view(np.int8) + level.view(np.int8)).ravel()
    halves /= 2 * np.maximum(times, 1)
    shape = (len(first), len(second))
    return halves.reshape(-1, *shape), (times > 0).astype(np.float64).reshape(shape)


def ordered_share(
    runs: Sequence[Run],
    sides: tuple[NDArray[np.intp], NDArray[np.intp]],
    copies: Floats,
    weight: Floats | float = 1.0,
) -> Floats:
    """Return the weighted share of drawn pairs whose first row is higher: draw × configuration."""
    first, second = sides
    higher, known = pair_order(runs, first, second, copies.shape[1])
    drawn, against = copies[:, first], copies[:, second]
    size = ((drawn @ (known * weight)) * against).sum(axis=1)
    right = np.array([((drawn @ (one * weight)) * against).sum(axis=1) for one in higher]).T
    return ratio(right, np.broadcast_to(size[:, None], right.shape))


def ordered_share_of_many(
    runs: Sequence[Run], sides: tuple[NDArray[np.intp], NDArray[np.intp]], copies: Floats
) -> Floats:
    """Return about what `ordered_share` does, from ranks: for more rows than all pairs allow.

    A draw changes the share by what its rows of the first side change, and by what those of the
    second do (Hájek's projection); what both change together is left out, a share of about
    1/rows of the variance over draws.
    """
    n_configurations, n_rows = math.prod(runs[0][1].shape[:2]), copies.shape[1]
    is_first = np.isin(np.arange(n_rows), sides[0])
    right, met, unmet = np.zeros((n_configurations, n_rows)), np.zeros(n_rows), np.ones(n_rows)
    for tested, scores in runs:
        values, ours = scores.reshape(n_configurations, -1), is_first[tested]
        above = others_below(values, ours)
        for side, against in ((ours, sides[1]), (~ours, sides[0])):
            n_against = np.count_nonzero(~side)
            met_right = above[:, side]
            right[:, tested[side]] += met_right if side is ours else n_against - met_right
            met[tested[side]] += n_against
            unmet[tested[side]] *= 1 - n_against / len(against)
    right /= np.maximum(met, 1)
    # A row counts by the rows it met, as in `ordered_share`: about so many, of equal runs.
    figures = np.vstack([right, np.ones(n_rows)]) * (1 - unmet)
    by_side = np.vstack([figures * is_first, figures * ~is_first]).T
    drawn, everyone = (
        ratio(sums[..., :-1], sums[..., -1:]).sum(axis=1)
        for sums in (part.reshape(-1, 2, n_configurations + 1)
                     for part in (copies @ by_side, by_side.sum(axis=0)))
    )  # fmt: skip
    return np.clip(drawn - everyone / 2, 0, 1)


def others_below(values: Floats, ours: NDArray[np.bool_]) -> Floats:
    """Return how many values of the other side are below each, ties as halves, row by row."""
    order = np.argsort(values, axis=1)
    ranked = np.take_along_axis(values, order, axis=1)
    mine, places = ours[order], np.arange(values.shape[1])
    first, last = np.ones_like(mine), np.ones_like(mine)
    first[:, 1:] = last[:, :-1] = ranked[:, 1:] != ranked[:, :-1]
    start = np.maximum.accumulate(np.where(first, places, 0), axis=1)
    end = np.minimum.accumulate(np.where(last, places, len(places))[:, ::-1], axis=1)[:, ::-1]
    n_ours = np.zeros((len(values), len(places) + 1))
    np.cumsum(mine, axis=1, out=n_ours[:, 1:])
    # Twice those before the first of equal values, and once those among them.
    twice = np.take_along_axis(n_ours, start, 1) + np.take_along_axis(n_ours, end + 1, 1)
    twice = np.where(mine, start + end + 1 - twice, twice)
    below = np.empty_like(twice)
    np.put_along_axis(below, order, twice / 2, axis=1)
    return below


def some_rows(wanted: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the wanted rows; of very many a part, drawn once and for all."""
    rows = np.flatnonzero(wanted)
    if len(rows) <= MOST_ROWS:
        return rows
    return np.sort(np.random.default_rng(0).choice(rows, MOST_ROWS, replace=False))
