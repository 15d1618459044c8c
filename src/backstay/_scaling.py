"""Features on one scale: by their range or deviation, and extreme ones by powers of two first.

Squares of 1e200 overflow, those of 1e-200 vanish, and scikit-learn's scalers call a range
below 2e-15 constant. A power of two changes no digit, so methods that do not depend
on the unit of a feature find the same in every unit. Columns of ordinary size stay as they are.
"""

from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from backstay._validation import StrOptions

Floats = NDArray[np.floating[Any]]
Exponents = NDArray[np.int32]

# Powers of two whose fourth powers still are normal numbers, by the bytes of a number.
ORDINARY = {8: 200, 4: 30}
# As a power of two, how large the largest value of a table may be, the first choice first. Trees
# read float32, which ends at 2^128; what methods compute from a table may be a little larger.
TOPS = {8: (0, 120, 200), 4: (0, 30, 60)}
# A table whose values are all below this is small: trees do not cut between values that differ by
# less than 1e-7.
SMALL_TABLE = 2.0**-10
# A table of larger values is small, too, if every column's range is below this; scalers call a
# range below 10 eps constant.
SMALL_RANGE = 2.0**-30


def column_exponents(
    low: NDArray[Any], high: NDArray[Any], ordinary: tuple[int, int] | None = None
) -> Exponents | None:
    """Return by which power of two to divide each column; None where all are ordinary.

    `low` and `high` are the columns' least and greatest values, `ordinary` the exponents
    between which a column is; by default they depend on the precision.
    """
    limits = np.finfo(low.dtype)
    bound = ORDINARY[limits.dtype.itemsize]
    least, most = ordinary or (-bound, bound)
    size = np.maximum(np.abs(low), np.abs(high))
    exponents = np.frexp(np.where(np.isfinite(size), size, 0.0))[1]
    with np.errstate(over="ignore", invalid="ignore"):
        spread = high - low
    # A range as small as rounding errors is left alone, so that the column counts as constant.
    hidden = (spread < 40 * limits.eps) & (spread > 10 * limits.eps * size)
    extreme = ((exponents > most) | (exponents < least) | hidden) & (size > 0.0)
    return np.where(extreme, exponents, 0).astype(np.int32) if extreme.any() else None


def table_exponent(low: NDArray[Any], high: NDArray[Any]) -> int:
    """Return by which power of two to divide the whole table; 0 for an ordinary one.

    Where some columns are much larger than others, the ordinary ones would come too near 0 for
    trees to cut them. Such a table is divided less, or not at all: trees then refuse it, instead
    of overlooking columns.
    """
    tops = TOPS[np.finfo(low.dtype).dtype.itemsize]
    size = float(np.max(np.maximum(np.abs(low), np.abs(high)), initial=0.0))
    if size == 0.0 or not np.isfinite(size):
        return 0
    exponent = int(np.frexp(size)[1])
    with np.errstate(over="ignore"):
        spread = high - low
    if exponent <= tops[1]:
        small = size < SMALL_TABLE or bool((spread < SMALL_RANGE).all())
        return exponent if small and exponent < 0 else 0
    seen = spread[spread >= SMALL_TABLE]
    shifts = [max(exponent - top, 0) for top in tops]
    clear = (shift for shift in shifts if (np.ldexp(seen, -shift) >= SMALL_TABLE).all())
    return next(clear, shifts[-1])


def column_ends(X: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the least and the greatest known value of every column, 0 where none is known."""
    if sparse.issparse(X):
        low, high = (ends.toarray().ravel() for ends in (X.nanmin(axis=0), X.nanmax(axis=0)))
    else:
        low, high = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
    return np.nan_to_num(low, posinf=np.inf), np.nan_to_num(high, neginf=-np.inf)


def divided(X: Any, exponents: Exponents | int) -> Any:
    """Divide columns by powers of two."""
    return np.ldexp(X, np.negative(exponents))


def near_one(
    X: NDArray[Any], *, together: bool = False, ordinary: tuple[int, int] | None = None
) -> Any:
    """Return the table with its extreme columns near 1, or with all columns divided alike.

    The latter, `together`, is for methods that compare features in their own units.
    """
    ends = column_ends(X)
    if together:
        exponent = table_exponent(*ends)
        return divided(X, exponent) if exponent else X
    exponents = column_exponents(*ends, ordinary)
    return X if exponents is None else divided(X, exponents)


def table_near_one(X: Any) -> Any:
    """Return a table of any kind with its floating point columns near 1, by one factor.

    Tables of ordinary size are returned as they are.
    """
    if isinstance(X, np.ndarray):
        return near_one(X, together=True) if X.dtype in (np.float64, np.float32) else X
    if sparse.issparse(X):
        exponent = 0
        if X.dtype in (np.float64, np.float32) and 0 not in X.shape:
            exponent = table_exponent(*column_ends(X))
        if exponent:
            X = X.copy()
            X.data = divided(X.data, exponent)
        return X
    if not isinstance(X, pd.DataFrame):
        return X
    floats = [name for name, kind in X.dtypes.items() if kind in (np.float64, np.float32)]
    if not floats:
        return X
    values = (X if len(floats) == X.shape[1] else X[floats]).to_numpy()  # all: no copy
    exponent = table_exponent(*column_ends(values))
    if not exponent:
        return X
    X = X.copy()
    X[floats] = divided(values, exponent)
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
        low, high = X.min(axis=0), X.max(axis=0)
        self.exponents = column_exponents(low, high)
        if self.exponents is not None:
            X, low, high = (divided(part, self.exponents) for part in (X, low, high))
        constant = low == high
        if scaling == "minmax":
            shift, spread = low, high - low
        else:
            shift, spread = X.mean(axis=0), X.std(axis=0)
        self.shift = shift
        self.factor = np.divide(1.0, spread, out=np.zeros_like(spread), where=~constant)

    def __call__(self, X: Floats) -> Floats:
        """Apply to rows; C-contiguous, in the precision of the training rows."""
        if self.identity:
            return np.ascontiguousarray(X)
        scaled = (X if self.exponents is None else divided(X, self.exponents)) - self.shift
        scaled *= self.factor
        return np.ascontiguousarray(scaled)

    def in_place(self, rows: Floats) -> Floats:
        """Apply to rows by overwriting them."""
        if not self.identity:
            if self.exponents is not None:
                np.ldexp(rows, -self.exponents, out=rows)
            rows -= self.shift
            rows *= self.factor
        return rows
