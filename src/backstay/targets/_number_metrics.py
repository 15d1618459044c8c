"""Metrics of numbers, from outputs with two columns: the prediction, and the training rows' mean.

A row is tested on many resamples. Its errors are averaged, so every row counts once; R² divides
the mean of the models' squared errors by that of the training means, over all rows together.
R² of single test parts is never averaged: few rows, or rows that lie close together, would make it
anything. For Spearman's ρ the order of every two rows is averaged over the resamples that
tested both, as for the AUC, so predictions of different models are never compared.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy import stats

from backstay.targets._metric import Floats, Metric, OfRows, Run, pair_order, ratio, some_rows

if TYPE_CHECKING:
    from backstay.targets._numbers import NumberTarget


class R2(OfRows):
    """1 − squared errors of two columns: those of the model over those of the training rows."""

    def pooled(self, target: NumberTarget, runs: Sequence[Run], copies: Floats) -> Floats:
        """Return 1 − the drawn rows' mean squared error over that of the training means.

        The ratio of two means of few rows is too high on average. As far as drawn rows are fewer
        than all, that is taken away, to first order (Tin 1965); R² of all rows is left as it is.
        """
        means, times = self._row_figures(target, runs)
        error, around = (part.reshape(len(target), -1) for part in np.moveaxis(means, 1, 0))
        tested = times > 0
        weight = copies * tested
        weight = ratio(weight, np.broadcast_to(weight.sum(axis=1, keepdims=True), weight.shape))
        one, other = weight @ error, weight @ around
        share = ratio(one, other)
        fewer = ((weight**2).sum(axis=1) - 1 / tested.sum())[:, None]
        both = weight @ (error * around) - one * other
        own = weight @ around**2 - other**2
        return 1 - share - fewer * ratio(both - share * own, other**2)

    def of_runs(self, target: NumberTarget, runs: Sequence[Run]) -> list[Floats]:
        """Return 1 − the squared error of each run over that of the training means of all runs."""
        figures = [self._figures(target.take(rows), outputs) for rows, outputs in runs]
        if not figures:
            return []
        n_rows = sum(one.shape[-1] for one in figures)
        means = sum(one[1].sum(axis=-1) for one in figures) / n_rows
        return [self._value(np.stack([one[0].mean(axis=-1), means])) for one in figures]

    def _figures(self, target: Any, outputs: Floats) -> Floats:
        return (target.values - np.moveaxis(outputs[..., :2], -1, 0)) ** 2

    def _value(self, means: Floats) -> Floats:
        return 1 - ratio(means[0], means[1])


class _MeanAbsolute(OfRows):
    has_unit: ClassVar[bool] = True

    def chance(self, target: NumberTarget) -> float:
        """Return the error of always saying the median."""
        return float(np.abs(target.values - np.median(target.values)).mean())

    def _figures(self, target: NumberTarget, outputs: Floats) -> Floats:
        return np.abs(target.values - outputs[None, ..., 0])


class _RootMeanSquare(OfRows):
    has_unit: ClassVar[bool] = True

    def chance(self, target: NumberTarget) -> float:
        """Return the error of always saying the mean."""
        return float(target.values.std())

    def _figures(self, target: NumberTarget, outputs: Floats) -> Floats:
        return (target.values - outputs[None, ..., 0]) ** 2

    def _value(self, means: Floats) -> Floats:
        return np.sqrt(means[0])


class _Spearman(Metric):
    def score(self, target: NumberTarget, outputs: Floats) -> Floats:
        """Return the correlation of the ranks; 0 where all predictions are equal."""
        ours = stats.rankdata(target.values) - (len(target) + 1) / 2
        said = stats.rankdata(outputs[..., 0], axis=-1) - (len(target) + 1) / 2
        spread = np.sqrt((ours**2).sum() * (said**2).sum(axis=-1))
        r = np.divide(said @ ours, spread, out=np.zeros(spread.shape), where=spread > 0)
        return r if ours.any() else np.full(spread.shape, np.nan)

    def pooled(self, target: NumberTarget, runs: Sequence[Run], copies: Floats) -> Floats:
        """Return the correlation of shares of rows below, those of predictions averaged.

        The spread of the predictions' shares is that of ranks without ties. That of averaged
        shares is smaller, as opposite orders cancel; it would make ρ that of an ensemble.
        """
        rows = some_rows(np.ones(len(target), dtype=bool))
        orders = [(tested, outputs[..., 0]) for tested, outputs in runs]
        below, known = pair_order(orders, rows, rows, len(target))
        y, drawn = target.values[rows], copies[:, rows]
        met = drawn @ known.T
        truth = (np.greater.outer(y, y) + 0.5 * np.equal.outer(y, y)) * known
        weight = drawn * np.diagonal(known)
        weight = ratio(weight, np.broadcast_to(weight.sum(axis=1, keepdims=True), weight.shape))
        ours = _centred(ratio(drawn @ truth.T, met), weight)
        spread = (weight * ours**2).sum(axis=1) * (1 - (weight**3).sum(axis=1)) / 12
        shares = (_centred(ratio(drawn @ one.T, met), weight) for one in below)
        products = np.array([(weight * ours * share).sum(axis=1) for share in shares]).T
        # Rounding aside, a draw of equal outcomes has no spread.
        root = np.sqrt(np.where(spread > 1e-12, spread, 0))
        return ratio(products, np.broadcast_to(root[:, None], products.shape))

    def rows_worth(self, target: NumberTarget, n_runs: int = 1) -> float:
        """Return n − 1: the variance of ρ is 1/(n − 1) where nothing is known."""
        return float(max(len(target) // n_runs - 1, 1))


def _centred(shares: Floats, weight: Floats) -> Floats:
    """Return draw × row less the weighted mean of each draw; 0 for rows that were not tested."""
    shares = np.nan_to_num(shares)
    return shares - (weight * shares).sum(axis=1, keepdims=True)


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        R2("r2", "R²", low=-math.inf),
        _Spearman("spearman", "Spearman correlation", low=-1.0),
        _MeanAbsolute("mae", "mean absolute error", higher_is_better=False, high=math.inf),
        _RootMeanSquare("rmse", "root mean square error", higher_is_better=False, high=math.inf),
    )
}
