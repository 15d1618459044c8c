"""What filters on discrete values share: discretising, and counting values by class."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from backstay._kernels._discretize import contingency
from backstay._scaling import near_one
from backstay.base import Array, FeatureRanker, Indices
from backstay.feature_weighting._discretize import bins, cut_points
from backstay.feature_weighting._rows import counted_rows

# Tables of counts are made for as many features at a time as fit into this.
TABLE_BYTES = 32_000_000


def value_numbers(X: NDArray[Any]) -> Indices:
    """Give the distinct values of every column numbers from 0, in ascending order."""
    order = np.argsort(X, axis=0, kind="stable")
    ascending = np.take_along_axis(X, order, axis=0)
    numbers = np.zeros(X.shape, dtype=np.intp)
    np.cumsum(ascending[1:] != ascending[:-1], axis=0, out=numbers[1:])
    codes = np.empty_like(numbers)
    np.put_along_axis(codes, order, numbers, axis=0)
    return codes


@dataclass(eq=False, repr=False)
class ValueFilter(FeatureRanker):
    """Base of filters that look at how often each value goes with each class.

    A new one sets ``_measure``, a function of tables of counts.
    """

    _: KW_ONLY
    discretizer: Any = "mdl"

    _measure: ClassVar[Any]

    def _score(self, X: Any, y: Indices, sample_weight: Array | None) -> Array:
        rows, _, omega = counted_rows(y, sample_weight, self.classes_, type(self).__name__)
        X, y = near_one(X[rows]), y[rows]
        codes = self._codes(X, y, omega)
        n_values = codes.max(axis=0) + 1
        scores = np.empty(X.shape[1])
        for v in np.unique(n_values):
            table = (int(v), len(self.classes_))
            size = max(1, TABLE_BYTES // (8 * table[0] * table[1]))
            features = np.flatnonzero(n_values == v)
            for start in range(0, len(features), size):
                block = features[start : start + size]
                counts = np.empty((len(block), *table))
                contingency(codes[:, block], y, omega, counts)
                scores[block] = self._judge(counts, block)
        return scores

    def _judge(self, counts: Array, features: Indices) -> Array:
        return np.asarray(type(self)._measure(counts))

    def _codes(self, X: NDArray[Any], y: Indices, omega: Array) -> Indices:
        discretizer = self.discretizer
        if discretizer is None:
            return value_numbers(X)
        if isinstance(discretizer, str) and discretizer == "mdl":
            return bins(X, cut_points(X, y, omega))
        if isinstance(discretizer, str) or not hasattr(discretizer, "fit_transform"):
            raise ValueError(
                f"discretizer={discretizer!r} must be 'mdl', None for features whose values are "
                "categories already, or a transformer such as KBinsDiscretizer(encode='ordinal')."
            )
        self.discretizer_ = clone(discretizer)
        values = self.discretizer_.fit_transform(X, y)
        if sparse.issparse(values) or np.shape(values) != X.shape:
            raise ValueError(
                f"discretizer={discretizer!r} returned {type(values).__name__} of shape "
                f"{np.shape(values)} for {X.shape[1]} features; it must return an array with one "
                "column per feature, e.g. KBinsDiscretizer(encode='ordinal')."
            )
        return value_numbers(np.asarray(values))
