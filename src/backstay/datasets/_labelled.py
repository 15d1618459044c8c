"""What reading a file gives: rows with an outcome each; very wide ones are never copied whole."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay._refusal import Refusal
from backstay._suspicion import Suspicion
from backstay._words import listed

# Sparse tables that would be larger are not written out.
MAX_DENSE_BYTES = 4 * 10**9
# A table of single precision with more cells than this stays so: in double precision it would take
# more than 256 MB. Smaller ones become double, as the same table in a text file is.
MAX_DOUBLE_CELLS = 2**25
# Cells to look at together; most tables are one block.
BLOCK_CELLS = 2**24


class TableError(Refusal):
    """A file cannot be used as it is; the message says what to do."""


def written_out(matrix: Any, name: str) -> NDArray[Any]:
    """Return a sparse matrix with its zeros, if there is room for them."""
    n, d = matrix.shape
    if 8 * n * d > MAX_DENSE_BYTES:
        raise TableError(
            f"{name} is sparse, and {n} × {d} numbers written out would take "
            f"{8 * n * d / 1e9:.1f} GB; select columns first."
        )
    return np.asarray(matrix.toarray())


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


@dataclass(frozen=True)
class LabelledTable:
    """A table of rows with one outcome each, as :func:`read_table` returns it.

    Attributes
    ----------
    X : DataFrame of shape (n_samples, n_features)
        Numbers as float64 (very wide tables of float32 stay so), texts of few values as
        categories. The index holds sample names where the file has them.
    y : ndarray of shape (n_samples,)
        Class labels, integers where the file has whole numbers, else texts; or numbers; or times
        until an event, as :func:`backstay.targets.survival` makes them.
    groups : ndarray of shape (n_samples,) or None
        Rows of one group are not independent.
    target : str
        Name of the column that held the outcome.
    details : dict
        How the file was read: its name, SHA-256, format, delimiter, encoding.
    notes : list of str
        What was done, a sentence each.
    warnings : list of str
        What to check before trusting a result, a sentence each.
    annotation : DataFrame or None
        What the file says about the features, such as symbols: a row per column of ``X``.
    suspicions : list of Suspicion
        Columns beside the features that could make a score look better than it is, for
        ``Study.run(…, suspicions=table.suspicions)``.
    kind : {"classes", "numbers", "survival"}
        What ``y`` holds.
    horizon : float or None
        Of times until an event, the time at which survival is predicted, as asked for.
    covariates, batch : DataFrame, ndarray or None
        What features are adjusted for, and every row's batch, for ``Study.run``.
    positive : object or None
        The class that two-class metrics are about, as in ``y``; None leaves it to the order.
    """

    X: pd.DataFrame
    y: NDArray[Any]
    groups: NDArray[Any] | None
    target: str
    details: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    annotation: pd.DataFrame | None = None
    positive: Any = None
    suspicions: list[Suspicion] = field(default_factory=list)
    kind: str = "classes"
    horizon: float | None = None
    covariates: pd.DataFrame | None = None
    batch: NDArray[Any] | None = None

    @property
    def classes(self) -> dict[str, int]:
        """Number of rows of every class, in the order of the classes; empty for numbers."""
        if self.kind != "classes":
            return {}
        values, counts = np.unique(self.y, return_counts=True)
        return {str(v): int(c) for v, c in zip(values.tolist(), counts, strict=True)}

    @property
    def categorical(self) -> list[str]:
        """Names of the columns that hold categories."""
        kinds = zip(self.X.columns, self.X.dtypes, strict=True)
        return [str(name) for name, kind in kinds if isinstance(kind, pd.CategoricalDtype)]

    def summary(self) -> dict[str, Any]:
        """Count rows, features, classes, types, missing values and groups, by name."""
        n_missing, n_columns, n_rows = count_missing(self.X)
        return {
            "rows": int(self.X.shape[0]),
            "features": int(self.X.shape[1]),
            "numeric": int(self.X.shape[1]) - len(self.categorical),
            "categorical": len(self.categorical),
            "kind": self.kind,
            "classes": self.classes,
            "missing": n_missing,
            "missing_columns": n_columns,
            "missing_rows": n_rows,
            "groups": None if self.groups is None else len(np.unique(self.groups)),
            "sample_names": not isinstance(self.X.index, pd.RangeIndex),
        }

    def numbers(self, categories: str = "code") -> tuple[pd.DataFrame, list[str], list[str]]:
        """Turn categories into numbers, one column each, or leave them out.

        One-hot columns are not made: a feature must keep its name.

        Parameters
        ----------
        categories : {"code", "drop"}, default="code"
            "code" writes 0, 1, 2, … in the order of the categories; "drop" leaves
            columns of more than two categories out. Two categories are always 0 and 1.

        Returns
        -------
        X : DataFrame
            All float64, or float32 as in :attr:`X`.
        notes, warnings : list of str
            What was done, and what to check.
        """
        if categories not in ("code", "drop"):
            raise ValueError(f"categories={categories!r} must be 'code' or 'drop'.")
        names = self.categorical
        if not names:
            return self.X, [], []
        many = [name for name in names if len(self.X[name].cat.categories) > 2]
        two = [name for name in names if name not in many]
        X = self.X.drop(columns=many) if categories == "drop" else self.X.copy()
        notes, warnings = [], []
        for name in two if categories == "drop" else names:
            X[name] = X[name].cat.codes.astype(np.float64).where(X[name].notna())
        if two:
            shown = [f"{name} (1 is {self.X[name].cat.categories[-1]})" for name in two]
            notes.append(f"Columns of two categories become 0 and 1: {listed(shown)}.")
        if many and categories == "drop":
            warnings.append(f"Columns of more than two categories are left out: {listed(many)}.")
        elif many:
            warnings.append(
                "Columns of more than two categories become 0, 1, 2, … in the order of their "
                f"values, an order that may mean nothing: {listed(many)}."
            )
        if X.shape[1] == 0:
            raise TableError("no column of numbers is left; code the categories instead.")
        # One block of memory, which worker processes share.
        return pd.DataFrame(X.to_numpy(np.float64), X.index, X.columns), notes, warnings
