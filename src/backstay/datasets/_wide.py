"""Tables too large to be copied: wide ones, read in blocks of columns, and sparse ones."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

# A table of single precision with more cells than this stays so: in double precision it would take
# more than 256 MB. Smaller ones become double, as the same table in a text file is.
MAX_DOUBLE_CELLS = 2**25
# Cells to look at together; most tables are one block.
BLOCK_CELLS = 2**24


def float_type(kinds: Iterable[Any], n_rows: int, n_columns: int) -> Any:
    """Return the type that the numbers of a table are kept in."""
    wide = n_rows * n_columns > MAX_DOUBLE_CELLS
    single = wide and all(kind == np.float32 for kind in kinds)
    return np.float32 if single else np.float64


def wide_frame(block: NDArray[Any], index: Any, names: Any) -> pd.DataFrame:
    """Return a block of numbers as a table, without copying single precision."""
    # pandas copies arrays that it is given, unless told otherwise.
    return pd.DataFrame(block, index, names, copy=False if block.dtype == np.float32 else None)


def column_blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Yield slices of columns that are small enough to be copied."""
    step = max(1, BLOCK_CELLS // max(1, n_rows))
    for start in range(0, n_columns, step):
        yield slice(start, min(start + step, n_columns))


def is_sparse(frame: pd.DataFrame) -> bool:
    """Whether every column of a frame is sparse."""
    return frame.shape[1] > 0 and all(isinstance(kind, pd.SparseDtype) for kind in frame.dtypes)


def sparse_matrix(frame: Any) -> Any:
    """Return a frame of sparse columns as a matrix of SciPy."""
    return frame.sparse.to_coo()


def sparse_frame(matrix: Any, index: Any, columns: Any) -> pd.DataFrame:
    """Return a matrix of SciPy as a frame of sparse columns."""
    frames: Any = pd.DataFrame
    made: pd.DataFrame = frames.sparse.from_spmatrix(matrix, index, columns)
    return made


def count_missing(X: pd.DataFrame) -> tuple[int, int, int]:
    """Return the numbers of missing cells, of columns with any, and of rows with any."""
    n_cells = n_columns = 0
    rows = np.zeros(len(X), dtype=bool)
    for block in column_blocks(*X.shape):
        gaps = X.iloc[:, block].isna().to_numpy()
        n_cells += int(gaps.sum())
        n_columns += int(gaps.any(axis=0).sum())
        rows |= gaps.any(axis=1)
    return n_cells, n_columns, int(rows.sum())
