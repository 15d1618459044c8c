"""Rank-sum filter: how well a feature orders one class above the others."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay.base import Array, FeatureRanker, Indices
from backstay.feature_weighting._rows import counted_rows

# Columns sorted at a time, to spare memory.
BLOCK = 1024


def areas(X: NDArray[Any], positive: NDArray[np.bool_], omega: Array) -> Array:
    """Return each feature's AUC, ties as halves, rows counted ω times.

    Beside a positive row stand the other rows below it; among tied rows, half of them.
    """
    order = np.argsort(X, axis=0, kind="stable")
    values = np.take_along_axis(X, order, axis=0)
    others = np.where(positive, 0.0, omega)[order]
    ours = np.where(positive, omega, 0.0)[order]
    below = np.cumsum(others, axis=0)
    # A tied value's first and last place: between them every row stands at their middle.
    new = np.ones(values.shape, dtype=bool)
    new[1:] = values[1:] != values[:-1]
    rows = np.arange(len(X))[:, None]
    first = np.maximum.accumulate(np.where(new, rows, 0), axis=0)
    ends = np.ones(values.shape, dtype=bool)
    ends[:-1] = new[1:]
    last = np.minimum.accumulate(np.where(ends, rows, len(X) - 1)[::-1], axis=0)[::-1]
    before = np.take_along_axis(below - others, first, axis=0)
    through = np.take_along_axis(below, last, axis=0)
    pairs = omega[positive].sum() * omega[~positive].sum()
    return np.asarray((ours * (before + through)).sum(axis=0) / (2 * pairs))


class Wilcoxon(FeatureRanker):
    """Wilcoxon's rank-sum filter: |2 AUC − 1|, without regard to the shape of distributions.

    The area under the ROC curve of a single feature is Mann and Whitney's share of pairs in the
    right order. It depends on ranks alone, so neither outliers nor monotone transformations
    matter. With more than two classes each is set against all others, and the largest counts.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many features ``transform`` keeps; None is half.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        |2 AUC − 1|: 0 without any difference in order, 1 where a cut separates a class.
    auc_ : ndarray of shape (n_classes, n_features)
        The area for every class against the others.

    See Also
    --------
    TTest : Compares means.

    Notes
    -----
    ``sample_weight`` makes a row count for ω rows.

    References
    ----------
    Wilcoxon (1945), Biometrics Bulletin 1. Mann and Whitney (1947), Annals of Mathematical
    Statistics 18.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from backstay.feature_weighting import Wilcoxon
    >>> X, y = load_iris(return_X_y=True)
    >>> Wilcoxon().fit(X, y).feature_importances_.round(2)
    array([0.92, 0.76, 1.  , 1.  ])
    """

    def __init__(self, *, n_features_to_select: int | float | None = None) -> None:
        self.n_features_to_select = n_features_to_select

    def _score(self, X: Any, y: Indices, sample_weight: Array | None) -> Array:
        rows, codes, omega = counted_rows(y, sample_weight, self.classes_, type(self).__name__)
        X, present = X[rows], np.unique(y[rows])
        self.auc_ = np.full((len(self.classes_), X.shape[1]), np.nan)
        for start in range(0, X.shape[1], BLOCK):
            part = slice(start, start + BLOCK)
            # Two classes are each other's opposite.
            for code, c in list(enumerate(present))[: 1 if len(present) == 2 else None]:
                self.auc_[c, part] = areas(X[:, part], codes == code, omega)
        if len(present) == 2:
            self.auc_[present[1]] = 1 - self.auc_[present[0]]
        return np.asarray(np.abs(2 * self.auc_[present] - 1).max(axis=0))
