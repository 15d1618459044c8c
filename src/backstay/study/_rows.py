"""The rows of a data set: as they were given, and as plain numbers, made once for all tasks."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay._leftovers import own_folder
from backstay._validation import SharedRows, take
from backstay.targets import Beside

Array = NDArray[np.float64]
SHARED_CELLS = 2**24


@dataclass(frozen=True)
class Rows:
    """Some rows of a table, by number, with all its columns until some are chosen.

    ``numbers`` is the table without names; None where there is nothing to gain.
    """

    table: Any
    numbers: Array | None = None
    chosen: NDArray[np.intp] | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.table.shape[0]) if self.chosen is None else len(self.chosen)

    def all_columns(self, *, as_numbers: bool = False) -> Any:
        """Return the rows, with or without the names of their columns."""
        table = self._table(as_numbers)
        return table if self.chosen is None else take(table, self.chosen)

    def shared(self) -> Any:
        """Return the rows as numbers; not copied if there are many."""
        if self.numbers is None or self.chosen is None or self.numbers.size < SHARED_CELLS:
            return self.all_columns(as_numbers=True)
        return SharedRows(self.numbers, self.chosen)

    def columns(self, columns: NDArray[np.intp], *, as_numbers: bool = False) -> Any:
        """Return some columns of the rows, with or without their names."""
        table = self._table(as_numbers)
        if self.chosen is None:
            return take_columns(table, columns)
        if isinstance(table, np.ndarray):
            return table[np.ix_(self.chosen, columns)]
        return take(take_columns(table, columns), self.chosen)

    def values(self) -> Array:
        """Return the rows as plain numbers."""
        table = self.all_columns(as_numbers=True)
        return np.asarray(table.toarray() if hasattr(table, "toarray") else table, np.float64)

    def of(self, values: Array) -> Rows:
        """Return other values of the same rows, under the same names of columns."""
        if not hasattr(self.table, "columns"):
            return Rows(values)
        return Rows(pd.DataFrame(values, columns=list(self.table.columns)), values)

    def _table(self, as_numbers: bool) -> Any:
        return self.numbers if as_numbers and self.numbers is not None else self.table


@dataclass(frozen=True)
class Sides:
    """The two sides of a split: training rows with their labels, test rows without.

    ``beside`` is how covariates of both enter models.
    """

    train: Rows
    y_train: NDArray[Any]
    test: Rows
    beside: Beside | None = None


def take_columns(table: Any, columns: NDArray[np.intp]) -> Any:
    """Return some columns of a table of any kind."""
    if isinstance(table, np.ndarray):  # what `take` does too, after several checks
        return np.take(table, columns, axis=1)
    return take(table, columns, axis=1)


def numbers_of(X: Any) -> Array | None:
    """Return a frame of nothing but float64, or float32, as an array; None for any other table."""
    if not isinstance(X, pd.DataFrame):
        return None
    if set(X.dtypes) not in ({np.dtype(np.float64)}, {np.dtype(np.float32)}):
        return None
    return np.ascontiguousarray(X.to_numpy())


def reads_numbers(method: Any) -> bool:
    """Whether no part of a method ever asks for a column by its name.

    That is known of backstay's own estimators, unless ``categorical_features`` names columns. A
    class derived from one of them may look at ``feature_names_in_``, as may anything else.
    """
    parts = [method, *method.get_params(deep=True).values()]
    return all(
        type(part).__module__.partition(".")[0] == "backstay"
        and isinstance(getattr(part, "categorical_features", "from_dtype"), str)
        for part in parts
        if hasattr(part, "fit") or hasattr(part, "fit_weight") or callable(part)
    )


def shared_table(X: Any) -> Any:
    """Move a large frame of numbers to a file that worker processes map, if there is room for it.

    Otherwise they share a copy, beside the one of this process.
    """
    values, folder = numbers_of(X), own_folder(os.getpid())
    if values is None or folder is None or values.size < SHARED_CELLS:
        return X
    file, path = tempfile.mkstemp(dir=folder)
    try:
        with open(file, "wb") as opened:
            values.tofile(opened)
    except OSError:
        os.unlink(path)
        return X
    moved = np.memmap(path, values.dtype, "c", shape=values.shape)
    # Names without the table in which pandas looks them up: 100 MB for a million of them.
    return pd.DataFrame(moved, X.index, pd.Index(X.columns.array), copy=False)
