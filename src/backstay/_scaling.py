"""Features on one scale: by their range or deviation, and tiny ones by powers of two first.

Trees do not cut between values that differ by less than 1e-7, and solvers stop early on tiny
numbers. A power of two changes no digit, so that methods find the same in every unit.
"""

from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from backstay._validation import StrOptions

Floats = NDArray[np.floating[Any]]

# Of a smaller table trees see nothing; squares of a larger one overflow.
SMALL_TABLE, LARGE_TABLE = 2.0**-10, 2.0**200
SMALL_COLUMN = -10  # as a power of two


def near_one(X: Floats) -> Floats:
    """Return an array whose tiny columns are divided by powers of two, for trees."""
    exponents = np.frexp(np.maximum(-X.min(axis=0), X.max(axis=0)))[1]
    small = exponents < SMALL_COLUMN
    return np.ldexp(X, np.where(small, -exponents, 0)) if small.any() else X


def _table_exponent(values: Any) -> int:
    """Return by which power of two to divide all values; 0 for a table of ordinary size."""
    ends = (end.reduce(values, axis=None, initial=0.0) for end in (np.fmin, np.fmax))  # no gaps
    size = max(abs(float(end)) for end in ends)
    ordinary = size == 0.0 or SMALL_TABLE <= size <= LARGE_TABLE
    return 0 if ordinary else int(np.frexp(size)[1])


def table_near_one(X: Any) -> Any:
    """Return a table of any kind with its floating point columns near 1, by one factor.

    Tables of ordinary size are returned as they are.
    """
    if isinstance(X, pd.DataFrame):
        floats = [name for name, kind in X.dtypes.items() if kind in (np.float64, np.float32)]
        values = (X if len(floats) == X.shape[1] else X[floats]).to_numpy()  # all: no copy
    elif isinstance(X, np.ndarray) or sparse.issparse(X):
        values = X.data if sparse.issparse(X) else X
    else:
        return X
    exponent = _table_exponent(values) if values.dtype in (np.float64, np.float32) else 0
    if not exponent:
        return X
    near = np.ldexp(values, -exponent)
    if isinstance(X, np.ndarray):
        return near
    X = X.copy()
    if sparse.issparse(X):
        X.data = near
    else:
        X[floats] = near
    return X


class Scaling:
    """Shift and factor per feature, learned from training rows: the parameter ``scaling``.

    Constant features get the factor 0: they tell no two rows apart, and a new
    row that differs there must not be judged on an arbitrary scale.
    """

    OPTIONS: ClassVar[list[Any]] = [StrOptions({"minmax", "standard"}), None]

    def __init__(self, X: Floats, scaling: str | None) -> None:
        self.identity = scaling is None
        if scaling is None:
            return
        if scaling == "standard":
            X = np.asarray(X)  # also of shared rows
        low, high = X.min(axis=0), X.max(axis=0)
        if scaling == "minmax":
            self.shift, spread = low, high - low
        else:
            self.shift, spread = X.mean(axis=0), X.std(axis=0)
        self.factor = np.divide(1.0, spread, out=np.zeros_like(spread), where=low != high)

    def __call__(self, X: Floats) -> Floats:
        """Apply to rows; C-contiguous, in the precision of the training rows."""
        if self.identity:
            return np.ascontiguousarray(X)
        scaled = X - self.shift
        scaled *= self.factor
        return np.ascontiguousarray(scaled)

    def in_place(self, rows: Floats) -> Floats:
        """Apply to rows by overwriting them."""
        if not self.identity:
            rows -= self.shift
            rows *= self.factor
        return rows
