"""Scores of stored predictions, for all classifiers and sizes of a task at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Floats = NDArray[np.float64]
# Class numbers of the test rows, class numbers predicted (… × rows), scores or None, classes.
Metric = Callable[[NDArray[Any], NDArray[Any], NDArray[Any] | None, int], Floats]


def _accuracy(truth: NDArray[Any], predicted: NDArray[Any], scores: Any, n_classes: int) -> Floats:
    return np.asarray((predicted == truth).mean(axis=-1))


def _balanced_accuracy(
    truth: NDArray[Any], predicted: NDArray[Any], scores: Any, n_classes: int
) -> Floats:
    """Mean recall over the classes among the test rows."""
    right = predicted == truth
    return np.mean([right[..., truth == c].mean(axis=-1) for c in np.unique(truth)], axis=0)


def _f1_macro(truth: NDArray[Any], predicted: NDArray[Any], scores: Any, n_classes: int) -> Floats:
    """Mean over classes of 2·hits/(predicted + true), over the classes met on either side."""
    total, met = np.zeros(predicted.shape[:-1]), np.zeros(predicted.shape[:-1])
    for c in range(n_classes):
        said, so = predicted == c, truth == c
        size = said.sum(axis=-1) + so.sum()
        total += np.divide(
            2 * (said & so).sum(axis=-1), size, out=np.zeros(size.shape), where=size > 0
        )
        met += size > 0
    return total / met


def _roc_auc(truth: NDArray[Any], predicted: NDArray[Any], scores: Any, n_classes: int) -> Floats:
    """Area under the ROC curve; beyond two classes, each against the others, averaged."""
    if scores is None:
        raise ValueError("roc_auc needs scores; run the study with 'roc_auc' in scoring.")
    columns = [(1, 0)] if n_classes == 2 else [(c, c) for c in range(n_classes)]
    areas = [
        _area(truth == c, scores[..., column])
        for c, column in columns
        if 0 < (truth == c).sum() < len(truth)
    ]
    return np.mean(areas, axis=0) if areas else np.full(predicted.shape[:-1], np.nan)


def _area(positive: NDArray[np.bool_], scores: NDArray[Any]) -> Floats:
    """Mann–Whitney's count of pairs in the right order, ties as halves."""
    ranks = stats.rankdata(scores, axis=-1)
    n_positive = int(positive.sum())
    n_negative = len(positive) - n_positive
    below = ranks[..., positive].sum(axis=-1) - n_positive * (n_positive + 1) / 2
    return np.asarray(below / (n_positive * n_negative))


METRICS: dict[str, Metric] = {
    "accuracy": _accuracy,
    "balanced_accuracy": _balanced_accuracy,
    "f1_macro": _f1_macro,
    "roc_auc": _roc_auc,
}
# Averages of single predictions: a choice by one of these can be repeated on drawn rows.
POOLED_METRICS = ("accuracy", "balanced_accuracy")


def score(
    metric: str,
    truth: NDArray[Any],
    predicted: NDArray[Any],
    scores: NDArray[Any] | None,
    n_classes: int,
) -> Floats:
    """Return a metric for every classifier and size.

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
    return METRICS[metric](truth, predicted, scores, n_classes)


def chance_level(metric: str, codes: NDArray[Any]) -> float:
    """Return what a method that knows nothing of the features reaches.

    Always guessing the largest class for accuracy; one over the number of
    classes for balanced accuracy; not defined for other metrics.
    """
    if metric not in POOLED_METRICS:
        return float("nan")
    shares = np.bincount(codes) / len(codes)
    return float(shares.max()) if metric == "accuracy" else 1 / len(shares)
