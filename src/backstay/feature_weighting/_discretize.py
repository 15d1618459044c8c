"""Discretisation by minimum description length [Fayyad & Irani 1993; Prat 2.2]."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin

from backstay._kernels._discretize import mdl_cuts
from backstay._validation import (
    check_is_fitted,
    fit_context,
    validate_rows,
    validate_sample_weight,
)
from backstay.base import Array, Indices, OutcomeMixin
from backstay.feature_weighting._rows import counted_rows

FEATURE_BLOCK = 256


def cut_points(X: NDArray[Any], y: Indices, omega: Array) -> list[Array]:
    """Sorted cuts of every feature, for rows that all count (ω > 0, as numbers of rows)."""
    n, d = X.shape
    n_classes = int(y.max()) + 1
    cuts = []
    for f0 in range(0, d, FEATURE_BLOCK):
        columns = np.ascontiguousarray(X[:, f0 : f0 + FEATURE_BLOCK].T, dtype=np.float64)
        order = np.argsort(columns, axis=1, kind="stable")
        block = np.empty((len(columns), n - 1))
        n_cuts = np.empty(len(columns), dtype=np.intp)
        mdl_cuts(columns, order, y, omega, n_classes, block, n_cuts)
        cuts += [row[:k].copy() for row, k in zip(block, n_cuts, strict=True)]
    return cuts


def bins(X: NDArray[Any], cuts: list[Array]) -> Indices:
    """Count the cuts below each value."""
    out = np.zeros(X.shape, dtype=np.intp)
    for f, cuts_of_feature in enumerate(cuts):
        if len(cuts_of_feature):
            out[:, f] = np.searchsorted(cuts_of_feature, X[:, f], side="left")
    return out


class MDLDiscretizer(OutcomeMixin, OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Cut continuous features where the classes change, as long as a cut pays.

    Each feature is cut in two where the class entropy falls most, and its parts
    again, as long as the gain exceeds the cost of describing the cut and the two
    parts' class distributions,
    (log2(N − 1) + log2(3^k − 2) − k·H + k₁·H₁ + k₂·H₂) / N,
    with N rows of k classes and entropy H in the whole and k₁, H₁, k₂, H₂ in the
    parts. A feature without a cut that pays becomes constant.

    Attributes
    ----------
    cut_points_ : list of ndarray
        For every feature its cuts, ascending. A value equal to a cut lies below it.
    n_bins_ : ndarray of shape (n_features,)
        Number of intervals of every feature.

    Notes
    -----
    ``sample_weight`` counts rows. Weights summing to less than the number of rows are raised to
    mean 1. Of cuts with the same gain the lowest is taken.

    Examples
    --------
    >>> import numpy as np
    >>> from backstay.feature_weighting import MDLDiscretizer
    >>> X = np.array([[1.0, 5.0], [2.0, 1.0], [3.0, 4.0], [7.0, 2.0], [8.0, 6.0], [9.0, 3.0]])
    >>> discretizer = MDLDiscretizer().fit(X, [0, 0, 0, 1, 1, 1])
    >>> discretizer.cut_points_
    [array([5.]), array([], dtype=float64)]
    >>> discretizer.transform(X)[:, 0]
    array([0., 0., 0., 1., 1., 1.])
    """

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the cuts, from rows that count for `sample_weight` rows each."""
        X, y = self._validate_input(X, y)
        y = self._encoded(y)
        weights = validate_sample_weight(sample_weight, y)
        rows, codes, omega = counted_rows(y, weights, self.classes_, type(self).__name__)
        self.cut_points_ = cut_points(X[rows], codes, omega)
        self.n_bins_ = np.array([len(c) + 1 for c in self.cut_points_])
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """Replace values by the numbers of their intervals, from 0, in the float type of `X`."""
        check_is_fitted(self)
        X = validate_rows(self, X)
        return bins(X, self.cut_points_).astype(X.dtype)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
