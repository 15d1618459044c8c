"""Rows that belong together: means of groups, and the two sides of pairs."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from backstay._columns import column_chunks, numeric_columns
from backstay._validation import take

Floats = NDArray[np.float64]


def group_means(X: Any, groups: NDArray[Any]) -> Any:
    """Return the mean of every group in every column, groups in sorted order.

    Gaps are left out. Columns that are not numbers are nan, and so is a group without any value.
    A sparse table stays one.
    """
    _, first, member = np.unique(groups, return_index=True, return_inverse=True)
    ones = (np.ones(len(member)), (member, np.arange(len(member))))
    inside = sparse.csr_array(ones, shape=(len(first), len(member)))
    if sparse.issparse(X):
        return sparse.csr_array((inside / inside.sum(axis=1)[:, None]) @ X)
    means = np.full((len(first), X.shape[1]), np.nan)
    for columns, table in column_chunks(X, numeric_columns(X)):
        known = np.isfinite(table)
        table = np.where(known, table, 0.0)
        # Deviations from the first row of a group are exactly 0 where all are equal.
        apart = np.where(known, table - table[first][member], 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            means[:, columns] = table[first] + (inside @ apart) / (inside @ known.astype(float))
    return means


def complete_pairs(second: NDArray[np.bool_], pairs: NDArray[Any]) -> NDArray[Any]:
    """Return the names of the pairs that have rows of both sides, in order."""
    return np.intersect1d(pairs[second], pairs[~second])


def pair_sides(X: Any, second: NDArray[np.bool_], pairs: NDArray[Any]) -> tuple[Any, Any]:
    """Return the means of the first and of the second side of every complete pair."""
    rows = np.isin(pairs, complete_pairs(second, pairs))
    member = np.unique(pairs[rows], return_inverse=True)[1]
    means = group_means(take(X, np.flatnonzero(rows)), 2 * member + second[rows])
    return means[0::2], means[1::2]
