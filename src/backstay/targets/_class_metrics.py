"""Metrics of classes: one table drives checks, choice, captions and tests.

A row is tested on many resamples. To pool them, labels and losses are averaged per row; for the AUC
and average precision it is the order of every two rows that is averaged, over the resamples that
tested both. Scores of different resamples are thus never compared with each other, nor averaged,
which would make a row's score that of an ensemble and the AUC too good.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from backstay.targets._metric import (
    MOST_ROWS,
    Floats,
    Metric,
    OfRows,
    Run,
    ordered_share,
    ordered_share_of_many,
    pair_order,
    ratio,
    row_means,
    some_rows,
)

if TYPE_CHECKING:
    from backstay.targets._classes import ClassTarget

# Probabilities are kept this far from 0 and 1, as scikit-learn does for float64.
TINY = float(np.finfo(np.float64).eps)


def class_columns(n_classes: int) -> list[tuple[int, int]]:
    """Return each class that is set against the others, and its column of scores."""
    return [(1, 0)] if n_classes == 2 else [(c, c) for c in range(n_classes)]


def _shares(target: ClassTarget) -> Floats:
    return np.bincount(target.codes) / len(target.codes)


@dataclass(frozen=True)
class OfLabels(Metric):
    """A metric of weighted counts, … × true class × predicted class; empty classes are left out."""

    moves_with_shares: ClassVar[bool] = True

    def score(self, target: ClassTarget, outputs: Floats) -> Floats:
        """Return the metric of labels predicted for the rows of the target."""
        truth, n_classes = target.codes, target.n_classes
        said = outputs[..., :1] == np.arange(n_classes)
        table = np.stack([said[..., truth == c, :].sum(axis=-2) for c in range(n_classes)], -2)
        return self.of_counts(table.astype(np.float64))

    def pooled(self, target: ClassTarget, runs: Sequence[Run], copies: Floats) -> Floats:
        """Average each row's predictions, then count drawn rows by true and predicted class."""
        codes, n_classes = target.codes, target.n_classes
        shape = runs[0][1].shape[:2]
        said = [[(rows, out[..., 0] == c) for rows, out in runs] for c in range(n_classes)]
        shares = [row_means(target, tested, shape)[0] for tested in said]
        flat = np.stack(shares, axis=-1).reshape(len(target), -1)
        tables = [copies[:, codes == c] @ flat[codes == c] for c in range(n_classes)]
        sides = (len(copies), n_classes, flat.shape[1] // n_classes, n_classes)
        return self.of_counts(np.stack(tables, axis=1).reshape(sides).transpose(0, 2, 1, 3))

    def rows_worth(self, target: ClassTarget, n_runs: int = 1) -> float:
        """Return the rows' worth of a mean of the classes' recalls."""
        counts = target.sizes[target.sizes > 0] / n_runs
        return float(len(counts) ** 2 / (1 / counts).sum())

    def of_counts(self, table: Floats) -> Floats:
        """Return the metric from tables of counts."""
        rows, columns = table.sum(axis=-1), table.sum(axis=-2)
        hits = np.diagonal(table, axis1=-2, axis2=-1)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self._value(hits, rows, columns))

    @abstractmethod
    def _value(self, hits: Floats, rows: Floats, columns: Floats) -> Floats:
        """Return the metric from hits, true and predicted counts of every class."""


class _Accuracy(OfLabels):
    def chance(self, target: ClassTarget) -> float:
        return float(_shares(target).max())

    def rows_worth(self, target: ClassTarget, n_runs: int = 1) -> float:
        return float(len(target) // n_runs)

    def _value(self, hits: Floats, rows: Floats, columns: Floats) -> Floats:
        return hits.sum(axis=-1) / rows.sum(axis=-1)


class _BalancedAccuracy(OfLabels):
    moves_with_shares: ClassVar[bool] = False

    def chance(self, target: ClassTarget) -> float:
        return 1 / len(_shares(target))

    def _value(self, hits: Floats, rows: Floats, columns: Floats) -> Floats:
        return _mean_defined(hits / rows)


class _F1(OfLabels):
    def chance(self, target: ClassTarget) -> float:
        """Return the better of guessing the largest class and of guessing by the shares."""
        shares = _shares(target)
        largest = shares.max()
        return float(max(2 * largest / (1 + largest) / len(shares), 1 / len(shares)))

    def _value(self, hits: Floats, rows: Floats, columns: Floats) -> Floats:
        return _mean_defined(2 * hits / (rows + columns))


class _Matthews(OfLabels):
    def _value(self, hits: Floats, rows: Floats, columns: Floats) -> Floats:
        n, right = rows.sum(axis=-1), hits.sum(axis=-1)
        covariance = right * n - (rows * columns).sum(axis=-1)
        spread = np.sqrt((n**2 - (rows**2).sum(-1)) * (n**2 - (columns**2).sum(-1)))
        # Always the same class, as label or as prediction: no correlation.
        return np.asarray(np.where(spread > 0, covariance / np.where(spread > 0, spread, 1), 0.0))


def _mean_defined(values: Floats) -> Floats:
    """Return the mean over the last axis of what is defined; nan where nothing is."""
    defined = np.isfinite(values)
    total = np.where(defined, values, 0).sum(axis=-1)
    return np.asarray(total / defined.sum(axis=-1))


@dataclass(frozen=True)
class OfProbabilities(OfRows):
    """A loss of predicted probabilities, averaged over rows."""

    needs: ClassVar[str] = "probabilities"
    moves_with_shares: ClassVar[bool] = True

    def rows_worth(self, target: ClassTarget, n_runs: int = 1) -> float:
        """Return the rows' worth of a mean over the classes."""
        return METRICS["balanced_accuracy"].rows_worth(target, n_runs)

    def _figures(self, target: ClassTarget, outputs: Floats) -> Floats:
        probabilities = outputs[..., 1:]
        if probabilities.shape[-1] == 1:
            probabilities = np.concatenate([1 - probabilities, probabilities], axis=-1)
        right = target.codes[:, None] == np.arange(probabilities.shape[-1])
        return self._losses(probabilities, right)[None]

    @abstractmethod
    def _losses(self, probabilities: Floats, right: NDArray[np.bool_]) -> Floats:
        """Return the loss of every row; `right` marks the column of its class."""


class _LogLoss(OfProbabilities):
    def chance(self, target: ClassTarget) -> float:
        return float(stats.entropy(_shares(target)))

    def _losses(self, probabilities: Floats, right: NDArray[np.bool_]) -> Floats:
        own = np.where(right, probabilities, 0).sum(axis=-1)
        return np.asarray(-np.log(np.clip(own, TINY, 1)))


class _Brier(OfProbabilities):
    def chance(self, target: ClassTarget) -> float:
        """Return the score of predicting the shares; with two classes over one of them."""
        shares = _shares(target)
        spread = float((shares * (1 - shares)).sum())
        return spread / 2 if len(shares) == 2 else spread

    def _losses(self, probabilities: Floats, right: NDArray[np.bool_]) -> Floats:
        loss = ((probabilities - right) ** 2).sum(axis=-1)
        return np.asarray(loss / 2 if right.shape[-1] == 2 else loss)


@dataclass(frozen=True)
class OfOrder(Metric):
    """A metric of the order of rows by their scores, each class against the others."""

    needs: ClassVar[str] = "scores"

    def score(self, target: ClassTarget, outputs: Floats) -> Floats:
        """Return the mean over classes that have rows on both sides."""
        truth, scores = target.codes, outputs[..., 1:]
        single = [
            self._single(truth == c, scores[..., column])
            for c, column in class_columns(target.n_classes)
            if 0 < (truth == c).sum() < len(truth)
        ]
        return np.mean(single, axis=0) if single else np.full(outputs.shape[:-2], np.nan)

    def pooled(self, target: ClassTarget, runs: Sequence[Run], copies: Floats) -> Floats:
        """Return the metric from the order of every two rows, averaged over resamples."""
        by_class = []
        for positive, column in class_columns(target.n_classes):
            columns = [(rows, out[..., 1 + column]) for rows, out in runs]
            by_class.append(self._drawn(columns, target.codes == positive, copies))
        defined = np.isfinite(by_class)
        total = np.where(defined, by_class, 0).sum(axis=0)
        return ratio(total, defined.sum(axis=0).astype(float))

    def rows_worth(self, target: ClassTarget, n_runs: int = 1) -> float:
        """Return the rows' worth of an AUC of scores that know nothing.

        Its variance is (n + 1)/(12 n₁ n₀) (Mann & Whitney 1947).
        """
        counts = target.sizes[target.sizes > 0] / n_runs
        n = int(counts.sum())
        return float((3 * counts * (n - counts) / (n + 1)).min())

    @abstractmethod
    def _single(self, positive: NDArray[np.bool_], scores: Floats) -> Floats:
        """Return the metric of one class, over the last axis."""

    @abstractmethod
    def _drawn(self, runs: Sequence[Run], positive: NDArray[np.bool_], copies: Floats) -> Floats:
        """Return the metric of one class on drawn rows: draw × configuration."""


class _Area(OfOrder):
    def chance(self, target: ClassTarget) -> float:
        return 0.5

    def _single(self, positive: NDArray[np.bool_], scores: Floats) -> Floats:
        """Mann–Whitney's count of pairs in the right order, ties as halves."""
        ranks = stats.rankdata(scores, axis=-1)
        n_positive = int(positive.sum())
        n_negative = len(positive) - n_positive
        below = ranks[..., positive].sum(axis=-1) - n_positive * (n_positive + 1) / 2
        return np.asarray(below / (n_positive * n_negative))

    def _drawn(self, runs: Sequence[Run], positive: NDArray[np.bool_], copies: Floats) -> Floats:
        """Return the share of pairs of drawn rows in the right order."""
        sides = np.flatnonzero(positive), np.flatnonzero(~positive)
        many = max(map(len, sides)) > MOST_ROWS
        return (ordered_share_of_many if many else ordered_share)(runs, sides, copies)


class _AveragePrecision(OfOrder):
    moves_with_shares: ClassVar[bool] = True

    def chance(self, target: ClassTarget) -> float:
        shares = _shares(target)
        return float(shares[1]) if len(shares) == 2 else 1 / len(shares)

    def _single(self, positive: NDArray[np.bool_], scores: Floats) -> Floats:
        """Mean over positive rows of the precision among rows that score as high or higher."""
        above = stats.rankdata(-scores, method="max", axis=-1)
        ours = np.where(positive, scores, -np.inf)
        hits = stats.rankdata(-ours, method="max", axis=-1)
        return np.asarray((hits / above)[..., positive].mean(axis=-1))

    def _drawn(self, runs: Sequence[Run], positive: NDArray[np.bool_], copies: Floats) -> Floats:
        """Return the mean over drawn rows of the share of hits among rows as high or higher.

        A row is not above itself, but its own copies are as high as it is; the halves that ties
        with itself contribute to the hits are its copies'.
        """
        ours, others = some_rows(positive), some_rows(~positive)
        below, known = pair_order(runs, ours, others, copies.shape[1])
        among, both = pair_order(runs, ours, ours, copies.shape[1])
        own = (copies[:, ours] * np.diagonal(both))[:, None, :]
        hits = _above(among, both, copies[:, ours]) + own / 2
        share = ratio(hits, hits + _above(below, known, copies[:, others]))
        weight = np.broadcast_to(own, share.shape)
        total = np.where(weight > 0, share * weight, 0).sum(axis=2)
        return ratio(total, weight.sum(axis=2))


def _above(higher: Floats, known: Floats, others: Floats) -> Floats:
    """Return the expected number of drawn rows above each row: draw × configuration × row."""
    return np.stack([others @ (known - one).T for one in higher], axis=1)


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        _Accuracy("accuracy", "accuracy", is_share=True),
        _BalancedAccuracy("balanced_accuracy", "balanced accuracy", is_share=True),
        _F1("f1_macro", "mean F1 of the classes"),
        _Matthews("mcc", "Matthews correlation", low=-1.0),
        _Area("roc_auc", "AUC"),
        _AveragePrecision("average_precision", "average precision"),
        _LogLoss("log_loss", "log loss", higher_is_better=False, high=math.inf),
        _Brier("brier", "Brier score", higher_is_better=False, high=2.0),
    )
}
