"""The table as Relief sees it: numbers in [0, 1], gaps, nominal codes, or a sparse matrix.

Rows are sorted by class, so that the neighbours of one class lie together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_array

from backstay._kernels import _relief as kernels
from backstay._kernels._distances import pad, padded_zeros, pair_distances
from backstay._metric import rows_for_metric
from backstay._validation import FLOATS, SharedRows, is_nominal, take
from backstay.base import Array, Indices

Floats = NDArray[np.floating[Any]]
EUCLIDEAN = ("euclidean", "mahalanobis")  # metrics whose distances are not sums of differences


@dataclass(frozen=True)
class ReliefColumns:
    """Validated columns by kind; `codes` number the values of a nominal one, −1 is missing."""

    numeric: Any  # (n, p) float, NaN for missing; or a CSR matrix
    numeric_index: Indices
    codes: NDArray[np.int32]
    nominal_index: Indices


def read_columns(X: Any, categorical: Any) -> ReliefColumns:
    """Split a frame or array by ``categorical_features`` into numeric and nominal columns."""
    n_rows, n_features = X.shape
    nominal = _nominal_columns(X, categorical)
    numeric = np.delete(np.arange(n_features), nominal)
    if not len(nominal) and not hasattr(X, "columns"):  # an array, checked already
        return ReliefColumns(X, numeric, _side_by_side([], n_rows), nominal)
    codes = [_codes(take(X, int(j), axis=1)) for j in nominal]
    values = np.empty((n_rows, 0))
    if len(numeric):
        rest = take(X, numeric, axis=1)
        values = check_array(rest, dtype=FLOATS, ensure_all_finite="allow-nan", input_name="X")
    return ReliefColumns(values, numeric, _side_by_side(codes, n_rows), nominal)


def _nominal_columns(X: Any, categorical: Any) -> Indices:
    n_features = X.shape[1]
    none = np.empty(0, np.intp)
    if categorical is None:
        return none
    if isinstance(categorical, str):  # "from_dtype"; other strings are refused earlier
        if not hasattr(X, "columns"):
            return none
        return np.flatnonzero([is_nominal(dtype) for dtype in X.dtypes]).astype(np.intp)
    chosen = np.asarray(categorical)
    if chosen.size == 0:
        return none
    if chosen.dtype == bool:
        if chosen.shape != (n_features,):
            raise ValueError(
                f"categorical_features as a mask has shape {chosen.shape}; "
                f"X has {n_features} features, and each must have one value."
            )
        return np.flatnonzero(chosen)
    if chosen.dtype.kind in "OUST":
        names = list(X.columns) if hasattr(X, "columns") else []
        unknown = [c for c in chosen.tolist() if c not in names]
        if unknown:
            raise ValueError(
                f"categorical_features names {unknown!r}, which X does not have; "
                "names must be columns of X."
            )
        return np.unique([names.index(c) for c in chosen.tolist()])
    if chosen.dtype.kind not in "iu" or chosen.min() < 0 or chosen.max() >= n_features:
        raise ValueError(
            f"categorical_features={categorical!r} must hold column numbers from 0 to "
            f"{n_features - 1}, column names, or a mask."
        )
    return np.unique(chosen.astype(np.intp))


def _side_by_side(codes: list[NDArray[np.int32]], n_rows: int) -> NDArray[np.int32]:
    return np.column_stack(codes) if codes else np.empty((n_rows, 0), np.int32)


def _codes(column: Any) -> NDArray[np.int32]:
    values = column.to_numpy() if hasattr(column, "to_numpy") else column
    # Missing of any kind (None, NaN, pd.NA) gets −1; the order of codes has no meaning.
    return pd.factorize(np.asarray(values, dtype=object))[0].astype(np.int32)


class NominalColumns(NamedTuple):
    """Codes of nominal values, and for each column a square table of their differences."""

    codes: NDArray[np.int32]
    tables: Array  # all tables, one after the other
    offsets: NDArray[np.int64]  # where each begins
    sizes: NDArray[np.int64]  # its number of rows

    @classmethod
    def build(
        cls, codes: NDArray[np.int32], classes: Indices, metric: str, missing: str
    ) -> NominalColumns:
        """Tabulate the differences of each column."""
        columns = [nominal_table(column, classes, metric, missing) for column in codes.T]
        sizes = np.array([len(table) for _, table in columns], dtype=np.int64)
        return cls(
            codes=_side_by_side([column for column, _ in columns], len(classes)),
            tables=np.concatenate([np.empty(0), *(table.ravel() for _, table in columns)]),
            offsets=np.cumsum(sizes**2) - sizes**2,
            sizes=sizes,
        )


@dataclass(frozen=True)
class ReliefTable:
    """Rows sorted by class, with distances and sums of differences over all kinds of columns."""

    n: int
    n_features: int
    order: Indices  # order[r] is the original number of sorted row r
    classes: Indices  # class of each sorted row
    starts: Indices  # class c holds the sorted rows starts[c]..starts[c + 1]
    dense: Floats  # padded; complete numeric columns
    dense_index: Indices
    gaps: Floats
    gap_index: Indices
    nominal: NominalColumns
    nominal_index: Indices
    sparse: Any = None
    space: Floats | None = None  # padded; where neighbours are sought by Euclidean distance

    @classmethod
    def build(cls, columns: ReliefColumns, y: Indices, metric: str, missing: str) -> ReliefTable:
        """Normalise by range, sort by class and tabulate the nominal differences."""
        order = np.argsort(y, kind="stable")
        classes = y[order]
        starts = np.concatenate([[0], np.cumsum(np.bincount(y))]).astype(np.intp)
        numeric, index, triple = columns.numeric, columns.numeric_index, None
        if sparse.issparse(numeric):
            scaled = _scale_sparse(numeric[order])
            triple = (scaled.data, scaled.indices, scaled.indptr)
            numeric, index = np.empty((len(y), 0)), index[:0]
        dense, gaps, has_gap = _scale_dense(numeric, order)
        space = None
        if metric in EUCLIDEAN:
            only_numbers = triple is None and not has_gap.any() and not columns.codes.shape[1]
            if not only_numbers:
                raise ValueError(
                    f"metric={metric!r} takes numbers without gaps in a dense table; "
                    "use metric='heom' with nominal columns, missing values or a sparse X."
                )
            rows = rows_for_metric(dense[: len(y), : len(index)], classes, metric)
            space = pad(rows) if metric == "mahalanobis" else dense
        return cls(
            n=len(y),
            n_features=len(columns.numeric_index) + len(columns.nominal_index),
            order=order,
            classes=classes,
            starts=starts,
            sparse=triple,
            dense=dense,
            dense_index=index[~has_gap],
            gaps=gaps,
            gap_index=index[has_gap],
            nominal=NominalColumns.build(columns.codes[order], classes, metric, missing),
            nominal_index=columns.nominal_index,
            space=space,
        )

    @property
    def n_lists(self) -> int:
        """Lists of neighbours of a row: one per class."""
        return len(self.starts) - 1

    @property
    def plain(self) -> bool:
        """Whether all columns are dense numbers without gaps, and distances their sums."""
        only_dense = not len(self.gap_index) and not len(self.nominal_index)
        return self.sparse is None and only_dense and self.space is None

    def distances(self, queries: Indices, weights: Array | None = None) -> Array:
        """Distances of some rows to all rows; `weights` multiply the differences (one row)."""
        if self.space is not None:
            rows = self.space
            if weights is not None:
                rows = rows.copy()
                rows[:, : self.n_features] *= np.sqrt(weights)
            return pair_distances(rows[queries], rows, True)  # squares, nearest first all the same
        by_feature = np.ones(self.n_features) if weights is None else weights
        if self.sparse is not None:
            D = np.empty((len(queries), self.n))
            data, indices, indptr = self.sparse
            if weights is not None:
                data = data * weights[indices]
            kernels.sparse_distances(data, indices, indptr, self.n_features, queries, D)
            return D
        if weights is None:
            D = pair_distances(self.dense[queries], self.dense, False)
        else:
            D = np.empty((1, self.n))
            kernels.weighted_distances(self.dense, queries[0], by_feature[self.dense_index], D)
        if len(self.gap_index):
            kernels.add_gap_distances(self.gaps, by_feature[self.gap_index], queries, D)
        if len(self.nominal_index):
            by_nominal = by_feature[self.nominal_index]
            kernels.add_nominal_distances(*self.nominal, by_nominal, queries, D)
        return D

    def dense_chunks(self) -> list[tuple[int, int]]:
        """Ranges of dense features, a few rows of which fit the L1 cache."""
        d = len(self.dense_index)
        return [(f0, min(f0 + 512, d)) for f0 in range(0, d, 512)]

    def dense_sums(
        self, queries: Indices, neighbors: NDArray[np.int32], coefficients: Array, f0: int, f1: int
    ) -> Array:
        """:meth:`sums` for a range of the dense features."""
        total = np.zeros(f1 - f0)
        kernels.dense_sums(self.dense, queries, neighbors, coefficients, f0, f1, total)
        return total

    def sums(self, queries: Indices, neighbors: NDArray[np.int32], coefficients: Array) -> Array:
        """Per feature, the sum over rows and neighbours of coefficient times difference."""
        result = np.zeros(self.n_features)
        if self.sparse is not None:
            data, indices, indptr = self.sparse
            kernels.sparse_sums(data, indices, indptr, queries, neighbors, coefficients, result)
            return result
        for f0, f1 in self.dense_chunks():
            result[self.dense_index[f0:f1]] = self.dense_sums(
                queries, neighbors, coefficients, f0, f1
            )
        if len(self.gap_index):
            gap_sum = np.zeros(len(self.gap_index))
            kernels.gap_sums(self.gaps, queries, neighbors, coefficients, gap_sum)
            result[self.gap_index] = gap_sum
        if len(self.nominal_index):
            nominal_sum = np.zeros(len(self.nominal_index))
            kernels.nominal_sums(*self.nominal, queries, neighbors, coefficients, nominal_sum)
            result[self.nominal_index] = nominal_sum
        return result


def _scale_dense(X: Floats, order: Indices) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Columns scaled to [0, 1]: complete ones (padded), those with gaps, and which these are."""
    n, d = X.shape
    low, high = np.full(d, np.inf, X.dtype), np.full(d, -np.inf, X.dtype)
    has_gap = np.zeros(d, bool)
    for _, part, _ in _parts(X, order):
        kernels.column_ranges(part, low, high, has_gap)
    varies = low < high
    low[~varies] = 0.0
    factor = np.divide(1.0, high - low, out=np.zeros_like(low), where=varies)
    has_gap &= varies
    dense = padded_zeros(n, d - has_gap.sum(), X.dtype)
    if not has_gap.any() and varies.all():
        for place, part, rows in _parts(X, order):
            kernels.scale_all_columns(part, rows, low, factor, dense[place])
        return dense, np.empty((n, 0), X.dtype), has_gap
    X = np.ascontiguousarray(X)
    gaps = np.empty((n, has_gap.sum()), X.dtype)
    kernels.scale_columns(X, order, np.flatnonzero(has_gap), low, factor, gaps)
    whole = np.flatnonzero(~has_gap)
    kernels.scale_columns(X, order, whole, low, factor, dense)
    dense[:, : len(whole)][:, ~varies[whole]] = 0.0  # a constant with gaps is NaN · 0
    return dense, gaps, has_gap


def _parts(X: Any, order: Indices) -> Iterator[tuple[slice, Floats, Indices]]:
    """Yield places in `order`, an array with the rows that belong there, and which these are."""
    if not isinstance(X, SharedRows):
        yield slice(None), np.ascontiguousarray(X), order
        return
    for place, part in X.parts(order):
        yield place, part, np.arange(len(part))


def _scale_sparse(X: Any) -> Any:
    """Divide by the range; shifting by the minimum would cancel in every difference."""
    X = X.tocsr()
    X.sum_duplicates()
    low, high = (end.toarray().ravel() for end in (X.min(axis=0), X.max(axis=0)))
    scaled = X.astype(np.float64)
    spread = high - low
    factor = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)
    scaled.data = scaled.data * factor[scaled.indices]
    return scaled


def nominal_table(
    codes: NDArray[np.int32], y: Indices, metric: str, missing: str
) -> tuple[NDArray[np.int32], Array]:
    """Codes that tell missing values apart by class, and the differences between codes.

    Row a of the table is the value of the row whose neighbours are sought:
    the value difference metric is not symmetric [Prat eq. 5.1].
    """
    n_values = int(codes.max(initial=-1)) + 1
    n_classes = int(y.max()) + 1
    if n_values == 0:  # nothing known: a constant
        return np.zeros_like(codes), np.zeros((1, 1))
    known = codes >= 0
    counts = np.zeros((n_values, n_classes))
    np.add.at(counts, (codes[known], y[known]), 1)
    table = np.zeros((n_values + n_classes, n_values + n_classes))
    if metric == "vdm":
        p_class = counts / counts.sum(axis=1, keepdims=True)
        squared = ((p_class[:, None, :] - p_class[None, :, :]) ** 2).sum(axis=2)
        strength = np.sqrt((p_class**2).sum(axis=1))
        table[:n_values, :n_values] = squared * strength[:, None]
    else:
        table[:n_values, :n_values] = 1.0 - np.eye(n_values)
    if missing == "worst":
        table[n_values:, :] = table[:, n_values:] = 1.0 - 1.0 / n_values
    else:
        totals = counts.sum(axis=0)
        # A class that never shows a value says nothing about it: every value equally likely.
        p_value = np.divide(
            counts, totals, out=np.full_like(counts, 1.0 / n_values), where=totals > 0
        )
        table[:n_values, n_values:] = 1.0 - p_value
        table[n_values:, :n_values] = 1.0 - p_value.T
        table[n_values:, n_values:] = 1.0 - p_value.T @ p_value
    return np.where(known, codes, n_values + y).astype(np.int32), table
