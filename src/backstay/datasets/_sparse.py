"""Frames of sparse columns, and the matrices that they stand for."""

from __future__ import annotations

from typing import Any

import pandas as pd


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
