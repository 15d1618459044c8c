"""What reading a file gives: rows with an outcome each, with notes and warnings."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay._refusal import Refusal
from backstay._suspicion import Suspicion
from backstay._words import listed
from backstay.datasets._wide import count_missing, is_sparse, sparse_matrix

# Sparse tables that would be larger are not written out.
MAX_DENSE_BYTES = 4 * 10**9


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


@dataclass(frozen=True)
class LabelledTable:
    """A table of rows with one outcome each, as :func:`read_table` returns it.

    Attributes
    ----------
    X : DataFrame of shape (n_samples, n_features)
        Numbers as float64 (very wide tables of float32 stay so), texts of few values as
        categories. The index holds sample names where the file has them. Sparse matrices of
        AnnData files have pandas' sparse columns; :meth:`numbers` writes them out.
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
        """Count rows, features, classes, types and missing values.

        Returns
        -------
        dict
            ``rows``, ``features``, ``numeric``, ``categorical``, ``kind``, ``classes`` (rows
            of each), ``missing`` (cells), ``missing_columns``, ``missing_rows``, ``groups``
            (number of, or None) and ``sample_names`` (whether there are any).
        """
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
        if not names and is_sparse(self.X):
            block = written_out(sparse_matrix(self.X), "the table")
            note = "The sparse matrix is written out, as the methods need it."
            return pd.DataFrame(block, self.X.index, self.X.columns), [note], []
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
