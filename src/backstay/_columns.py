"""The columns of a table that are numbers: what descriptions of data start from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
# Correlated from here on, two features say much the same; how many of those are kept for each.
STRONG, STAND_INS = 0.7, 10
# Columns that are looked at together; a wide table is never copied as a whole.
CHUNK = 4096


def numeric_columns(X: Any) -> Ints:
    """Return the numbers of the columns that hold numbers; none of a sparse table."""
    if hasattr(X, "columns"):
        if hasattr(X, "iloc"):
            numeric = [getattr(kind, "kind", "O") in "iufb" for kind in X.dtypes]
        else:  # polars names its types otherwise
            numeric = [X[name].dtype.is_numeric() for name in X.columns]
        return np.flatnonzero(numeric)
    dense = isinstance(X, np.ndarray) and X.dtype.kind in "iufb"
    return np.arange(X.shape[1] if dense else 0)


def column_chunks(X: Any, columns: Ints, only: Ints | None = None) -> Iterator[tuple[Ints, Floats]]:
    """Yield the numbers of some columns and their values; or only chunks that hold some."""
    for start in range(0, len(columns), CHUNK):
        names = columns[start : start + CHUNK]
        if only is not None and not np.isin(names, only).any():
            continue
        whole = isinstance(X, np.ndarray)  # all of its columns are numbers, or none
        table = X[:, names[0] : names[-1] + 1] if whole else columns_of(X, names)
        yield names, np.ascontiguousarray(table, dtype=np.float64)


def columns_of(X: Any, columns: Ints) -> Floats:
    """Return the values of some columns."""
    if sparse.issparse(X):
        return np.asarray(X[:, columns].toarray(), dtype=np.float64)
    if isinstance(X, np.ndarray):
        table = X[:, columns]
    elif hasattr(X, "iloc"):
        table = X.iloc[:, columns].to_numpy()
    else:
        table = X[[X.columns[j] for j in columns]].to_numpy()
    return np.asarray(table, dtype=np.float64)


def standardized(table: Floats) -> Floats:
    """Return columns of mean 0 and length 1; gaps and constant columns are 0."""
    return standard_parts(table)[0]


def standard_parts(table: Floats) -> tuple[Floats, Floats, Floats]:
    """Return standardized columns, their means, and their lengths before; 0 of a constant."""
    known = np.isfinite(table)
    counts = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, table, 0).sum(axis=0) / counts
    centred = np.where(known, table - mean, 0)
    length = np.sqrt((centred**2).sum(axis=0))
    tiny = length <= 1e-10 * np.sqrt(counts) * np.maximum(np.abs(mean), 1e-300)
    standard = np.divide(centred, length, out=np.zeros_like(centred), where=~tiny)
    return np.asarray(standard), mean, np.where(tiny, 0, length)


def missing_cells(X: Any) -> tuple[int, int]:
    """Return the number of missing cells and of the columns they are in."""
    if sparse.issparse(X):
        columns = X.indices[np.isnan(X.data)]
        return len(columns), len(np.unique(columns))
    table: Any = X.iloc if isinstance(X, pd.DataFrame) else np.asarray(X)
    n_cells = n_columns = 0
    for start in range(0, X.shape[1], CHUNK):  # a wide table has no room for a mask
        cells = pd.isna(table[:, start : start + CHUNK])
        n_cells += int(np.asarray(cells).sum())
        n_columns += int(np.asarray(cells).any(axis=0).sum())
    return n_cells, n_columns
