"""Metrics of stored predictions: one table drives checks, choice, captions and tests."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Floats = NDArray[np.float64]
# Probabilities are kept this far from 0 and 1, as scikit-learn does for float64.
TINY = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Metric:
    """What is known about a metric.

    Attributes
    ----------
    name, title : str
        What to type, and how a caption names it.
    needs : {"labels", "scores", "probabilities"}
        What of a model it is computed from.
    chance : callable
        Shares of the classes to what knowing nothing of the features reaches.
    higher_is_better : bool
        Whether larger values are better.
    low, high : float
        Its range.
    """

    name: str
    title: str
    needs: str
    chance: Callable[[Floats], float]
    higher_is_better: bool = True
    low: float = 0.0
    high: float = 1.0

    def chance_of(self, codes: NDArray[Any]) -> float:
        """Return what knowing nothing of the features reaches on these classes."""
        return float(self.chance(np.bincount(codes) / len(codes)))

    def gain(self, values: Any) -> Any:
        """Return values turned so that higher is better."""
        return values if self.higher_is_better else -values


def _one_of(shares: Floats) -> float:
    return 1 / len(shares)


def _f1_of_guessing(shares: Floats) -> float:
    """Return the better of guessing the largest class and of guessing by the shares."""
    largest = shares.max()
    return max(2 * largest / (1 + largest) / len(shares), 1 / len(shares))


def _spread(shares: Floats) -> float:
    """Brier's score of predicting the shares; with two classes over one of them, as usual."""
    spread = float((shares * (1 - shares)).sum())
    return spread / 2 if len(shares) == 2 else spread


METRICS: dict[str, Metric] = {
    m.name: m
    for m in (
        Metric("accuracy", "accuracy", "labels", lambda shares: float(shares.max())),
        Metric("balanced_accuracy", "balanced accuracy", "labels", _one_of),
        Metric("f1_macro", "mean F1 of the classes", "labels", _f1_of_guessing),
        Metric("mcc", "Matthews correlation", "labels", lambda shares: 0.0, low=-1.0),
        Metric("roc_auc", "AUC", "scores", lambda shares: 0.5),
        Metric(
            "average_precision",
            "average precision",
            "scores",
            lambda shares: float(shares[1]) if len(shares) == 2 else 1 / len(shares),
        ),
        Metric(
            "log_loss",
            "log loss",
            "probabilities",
            lambda shares: float(stats.entropy(shares)),
            higher_is_better=False,
            high=math.inf,
        ),
        Metric("brier", "Brier score", "probabilities", _spread, False, high=2.0),
    )
}


def score(
    metric: str,
    truth: NDArray[Any],
    predicted: NDArray[Any],
    scores: NDArray[Any] | None,
    n_classes: int,
) -> Floats:
    """Return a metric for every model and size.

    Parameters
    ----------
    metric : str
        A key of ``METRICS``.
    truth : array of shape (n_test,)
        Class numbers.
    predicted : array of shape (…, n_test)
        Class numbers predicted.
    scores : array of shape (…, n_test, n_columns) or None
        Leanings to the second class, or to every class.
    n_classes : int
        Number of classes.
    """
    if METRICS[metric].needs == "labels":
        said = predicted[..., None] == np.arange(n_classes)
        table = np.stack([said[..., truth == c, :].sum(axis=-2) for c in range(n_classes)], -2)
        return confusion_value(metric, table.astype(np.float64))
    if scores is None:
        raise ValueError(f"{metric} needs scores; run the study with {metric!r} in scoring.")
    if METRICS[metric].needs == "probabilities":
        return np.asarray(row_losses(metric, truth, scores).mean(axis=-1))
    single = _area if metric == "roc_auc" else _average_precision
    found = [
        single(truth == c, scores[..., column])
        for c, column in class_columns(n_classes)
        if 0 < (truth == c).sum() < len(truth)
    ]
    return np.mean(found, axis=0) if found else np.full(predicted.shape[:-1], np.nan)


def class_columns(n_classes: int) -> list[tuple[int, int]]:
    """Return each class that is set against the others, and its column of scores."""
    return [(1, 0)] if n_classes == 2 else [(c, c) for c in range(n_classes)]


def confusion_value(metric: str, table: Floats) -> Floats:
    """Return a metric of labels from tables of counts: … × true class × predicted class.

    Counts may be weighted. Classes without a row are left out of averages.
    """
    rows, columns = table.sum(axis=-1), table.sum(axis=-2)
    hits = np.diagonal(table, axis1=-2, axis2=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        if metric == "accuracy":
            return np.asarray(hits.sum(axis=-1) / rows.sum(axis=-1))
        if metric == "balanced_accuracy":
            return _mean_defined(hits / rows)
        if metric == "f1_macro":
            return _mean_defined(2 * hits / (rows + columns))
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


def row_losses(metric: str, truth: NDArray[Any], probabilities: NDArray[Any]) -> Floats:
    """Return the log loss or Brier's score of every row, from probabilities (… × row × column)."""
    two = probabilities.shape[-1] == 1
    if two:
        probabilities = np.concatenate([1 - probabilities, probabilities], axis=-1)
    right = truth[:, None] == np.arange(probabilities.shape[-1])
    if metric == "brier":
        loss = ((probabilities - right) ** 2).sum(axis=-1)
        return np.asarray(loss / 2 if two else loss)
    own = np.where(right, probabilities, 0).sum(axis=-1)
    return np.asarray(-np.log(np.clip(own, TINY, 1)))


def _area(positive: NDArray[np.bool_], scores: NDArray[Any]) -> Floats:
    """Mann–Whitney's count of pairs in the right order, ties as halves."""
    ranks = stats.rankdata(scores, axis=-1)
    n_positive = int(positive.sum())
    n_negative = len(positive) - n_positive
    below = ranks[..., positive].sum(axis=-1) - n_positive * (n_positive + 1) / 2
    return np.asarray(below / (n_positive * n_negative))


def _average_precision(positive: NDArray[np.bool_], scores: NDArray[Any]) -> Floats:
    """Mean over positive rows of the precision among rows that score as high or higher."""
    above = stats.rankdata(-scores, method="max", axis=-1)
    ours = np.where(positive, scores, -np.inf)
    hits = stats.rankdata(-ours, method="max", axis=-1)
    return np.asarray((hits / above)[..., positive].mean(axis=-1))
