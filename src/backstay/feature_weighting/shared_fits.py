"""What fits of one ranker on draws of the same rows can share: a Gram matrix, or distances.

The tables are sums over scaled features, so only fits that scale alike can
share them. A fit scales by its own rows; it shares when these give exactly the
scale of all rows (genotypes, counts, ``scaling=None``), or when the caller
wants one scale for all fits. The input is checked once in any case.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from backstay._kernels._distances import pad
from backstay._validation import encode_labels, fit_context
from backstay.base import Array, Indices, Scaling, warn_single_members
from backstay.feature_weighting._relief import ROW_CHUNK, Relief, ReliefF, relative_weights
from backstay.feature_weighting._relief_table import EUCLIDEAN, ReliefColumns, ReliefTable
from backstay.feature_weighting._rows import present_rows
from backstay.feature_weighting._svm import SVMRFE, row_costs
from backstay.feature_weighting._svm_elimination import eliminate, uses_gram

__all__ = ["SharedFits", "shared_fits"]


MAX_DISTANCE_BYTES = 200_000_000
# Where draws do not span the ranges, a few columns tell.
FIRST_THEN_REST = (slice(0, 16), slice(16, None))


class SharedFits(Protocol):
    """All rows, checked, with the scale and the tables learned from them; a fit names its rows."""

    def same_scale(self, rows: Indices) -> bool:
        """Whether the rows alone would be scaled exactly as all rows are."""

    def prepare(self) -> None:
        """Compute the tables, once it is known that a fit will use them."""

    def at_one_scale(self, ranker: Any, rows: Indices, omega: Array | None) -> Array:
        """Return the importances `ranker` finds in the rows at the scale of all rows."""

    def at_own_scale(self, ranker: Any, rows: Indices, omega: Array | None) -> Array:
        """Return the importances `ranker` finds in the rows alone, as its ``fit`` would."""


class SharedSVMRFE:
    """One scaling and one Gram matrix for SVM-RFE on many draws of the same rows."""

    def __init__(self, ranker: SVMRFE, X: NDArray[Any], y: Indices) -> None:
        self.X, self.y = np.asarray(X, dtype=np.float64), y
        self.kind, self.tol = ranker.scaling, ranker.tol
        self.scaling = Scaling(self.X, self.kind)

    def same_scale(self, rows: Indices) -> bool:
        """Compare shift and factor of the rows with those of all rows."""
        if self.scaling.identity:
            return True
        for part in FIRST_THEN_REST:
            if not Scaling(self.X[rows, part], self.kind).equals(self.scaling, part):
                return False
        return True

    def prepare(self) -> None:
        """Scale, and multiply the rows with each other where that is the smaller table."""
        self.Z = np.asarray(self.scaling(self.X), dtype=np.float64)
        n, d = self.X.shape
        self.gram = self.Z @ self.Z.T if uses_gram(n, d, self.tol) else None

    def at_one_scale(self, ranker: SVMRFE, rows: Indices, omega: Array | None) -> Array:
        """Eliminate on the rows, copies included, with their part of the Gram matrix.

        Copies stay rows of their own: merged into one row of higher cost they have
        the same optimum, but the solver would stop at another point near it.
        """
        omega = np.ones(len(rows)) if omega is None else omega
        kept, codes = present_rows(self.y[rows], omega, ranker.classes_, "SVMRFE")
        rows, costs = rows[kept], row_costs(ranker.C, omega)[kept]
        gram = None if self.gram is None else self.gram[np.ix_(rows, rows)]
        course = eliminate(
            self.Z[rows],
            codes,
            costs,
            step=ranker.step,
            rounding=ranker.rounding,
            tol=ranker.tol,
            gram=gram,
            max_iter=ranker.max_iter,
        )
        return course.importances()

    def at_own_scale(self, ranker: SVMRFE, rows: Indices, omega: Array | None) -> Array:
        """Hand the rows to the ranker."""
        return ranker._score(self.X[rows], self.y[rows], omega)


class SharedReliefF:
    """One range per feature and one table of distances for ReliefF on draws of the same rows."""

    def __init__(self, ranker: ReliefF, X: ReliefColumns, y: Indices) -> None:
        self.columns, self.X, self.y = X, X.numeric, y
        self.metric, self.missing = ranker.metric, ranker.missing
        self.low, self.high = self.X.min(axis=0), self.X.max(axis=0)

    def same_scale(self, rows: Indices) -> bool:
        """Compare the ranges of the rows with those of all rows."""
        for part in FIRST_THEN_REST:
            drawn, low, high = self.X[rows, part], self.low[part], self.high[part]
            if (drawn.min(axis=0) != low).any() or (drawn.max(axis=0) != high).any():
                return False
        return True

    def prepare(self) -> None:
        """Scale, and compare all rows with each other if there are not too many."""
        table = ReliefTable.build(self.columns, self.y, self.metric, self.missing)
        position = np.argsort(table.order)
        self.table = table
        self.Z = table.dense[position]  # padded columns; rows in the caller's order
        self.D = None
        if 8 * table.n**2 <= MAX_DISTANCE_BYTES:
            self.D = table.distances(np.arange(table.n))[np.ix_(position, position)]

    def at_one_scale(self, ranker: ReliefF, rows: Indices, omega: Array | None) -> Array:
        """Look the neighbours up among the rows drawn; sum the differences as ReliefF does."""
        y = self.y[rows]
        warn_single_members(ranker.classes_, y)
        order = np.argsort(y, kind="stable")
        drawn = rows[order]
        table = replace(
            self.table,
            n=len(rows),
            order=order,
            classes=y[order],
            starts=np.concatenate([[0], np.cumsum(np.bincount(y))]).astype(np.intp),
            dense=pad(self.Z[drawn]),
        )
        weights = relative_weights(omega, table.n)[order]
        k = ranker._n_listed(table)
        if self.D is None or ranker.n_draws is not None:
            visits = np.sort(ranker._visits(table))
            mass = ranker._mass(weights, visits)
            return np.asarray(ranker._by_blocks(table, visits, k, weights) / mass)
        visits = np.arange(table.n)
        mass = ranker._mass(weights, visits)
        D = self.D[np.ix_(drawn, drawn)]
        neighbors, coefficients = ranker._from_distances(table, visits, D, k, weights)
        blocks = [slice(i, i + ROW_CHUNK) for i in range(0, table.n, ROW_CHUNK)]
        parts = [table.sums(visits[b], neighbors[b], coefficients[b]) for b in blocks]
        return np.asarray(np.sum(parts, axis=0) / mass)

    def at_own_scale(self, ranker: ReliefF, rows: Indices, omega: Array | None) -> Array:
        """Hand the rows to the ranker."""
        drawn = replace(self.columns, numeric=self.X[rows], codes=self.columns.codes[rows])
        return ranker._score(drawn, self.y[rows], omega)


@fit_context(prefer_skip_nested_validation=True)
def _checked(ranker: Any, X: Any, y: NDArray[Any]) -> tuple[Any, Indices]:
    """Return what ``fit`` would hand to the method: the table and the class numbers."""
    table, labels = ranker._validate_input(X, y)
    return table, encode_labels(ranker, labels)[1]


def shared_fits(estimator: Any, X: Any, y: NDArray[Any]) -> SharedFits | None:
    """Return what fits of `estimator` on draws of these rows can share, or None."""
    if type(estimator) not in (SVMRFE, ReliefF, Relief):
        return None
    ranker = clone(estimator)
    table, codes = _checked(ranker, X, y)
    if isinstance(ranker, SVMRFE):
        return SharedSVMRFE(ranker, table, codes)
    if ranker.metric in EUCLIDEAN:  # a covariance is another on other rows
        return None
    # Nominal values, gaps and sparse rows depend on the rows drawn by more than a range.
    numeric = table.numeric
    if not isinstance(numeric, np.ndarray) or len(table.nominal_index) or np.isnan(numeric).any():
        return None
    return SharedReliefF(ranker, table, codes)
