"""What reading a file gives: rows with a class each, with notes and warnings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from backstay.datasets._sparse import is_sparse, sparse_matrix
from backstay.datasets._wide import count_missing

SHOWN_NAMES = 5


# Sparse tables that would be larger are not written out.
MAX_DENSE_BYTES = 4 * 10**9


class TableError(ValueError):
    """A file cannot be used as it is; the message says what to do."""


def listed(names: Any, shown: int = SHOWN_NAMES) -> str:
    """Return the first few names in quotes and the number of the others.

    >>> listed(["a", "b", "c"], shown=2)
    "'a', 'b' and 1 more"
    """
    names = [str(name) for name in names]
    text = ", ".join(f"'{name}'" for name in names[:shown])
    return text if len(names) <= shown else f"{text} and {len(names) - shown} more"


def _decimals(texts: Iterable[str]) -> list[Decimal] | None:
    """Return numbers as they are written, None if one is no finite number."""
    found = []
    for text in texts:
        number = _decimal(text)
        if number is None:
            return None
        found.append(number)
    return found


def _decimal(text: str) -> Decimal | None:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    # 1_0 is a number in programs, not in files.
    return number if number.is_finite() and "_" not in text else None


# No double has more digits before the point than these.
MOST_DIGITS = 310
LEADING_ZERO = r"[+-]?0\d+"


def has_leading_zeros(texts: pd.Series) -> bool:
    """Whether some of the texts are digits with a zero first, as names are and numbers are not.

    >>> has_leading_zeros(pd.Series(["01", "2"])), has_leading_zeros(pd.Series(["0", "0.5"]))
    (True, False)
    """
    return bool(pd.Series(texts.unique()).astype(str).str.fullmatch(LEADING_ZERO).any())


def check_spellings(name: str, texts: pd.Series) -> None:
    """Refuse labels that are all numbers if two of them are the same one, written differently."""
    if (alike := two_spellings(texts)) is not None:
        raise TableError(
            f"{name!r} holds {alike[0]!r} and {alike[1]!r}, two spellings of one number; write one "
            "class one way, or write classes as text, such as 'class 1'."
        )


def two_spellings(texts: pd.Series) -> tuple[str, str] | None:
    """Return two texts that are one number, if all are numbers and there are two such.

    >>> two_spellings(pd.Series(["2", "01", "1"])), two_spellings(pd.Series(["a", "01", "1"]))
    (('01', '1'), None)
    """
    different = [str(text) for text in texts.unique()]
    first: dict[Decimal | float, str] = {}
    for text, number in zip(different, _decimals(different) or (), strict=False):
        exact = number.adjusted() >= MOST_DIGITS or number == number.to_integral_value()
        before = first.setdefault(number if exact else float(number), text)
        if before != text:
            return before, text
    return None


def whole_numbers(texts: pd.Series) -> NDArray[Any] | None:
    """Return whole numbers exactly, as integers or, beyond 64 bits, as texts; None if others occur.

    >>> whole_numbers(pd.Series(["10000000000000000000", "1", "1.0"]))
    array([10000000000000000000,                    1,                    1],
          dtype=uint64)
    >>> whole_numbers(pd.Series(["-1", "1e19"]))
    array(['-1', '10000000000000000000'], dtype='<U20')
    """
    codes, different = pd.factorize(texts)
    exact = _decimals(different)
    if exact is None or not all(
        n.adjusted() < MOST_DIGITS and n == n.to_integral_value() for n in exact
    ):
        return None
    values = [int(number) for number in exact]
    for kind in (np.int64, np.uint64):
        if np.iinfo(kind).min <= min(values) and max(values) <= np.iinfo(kind).max:
            return np.array(values, dtype=kind)[codes]
    return np.array([str(value) for value in values])[codes]


def check_told_apart(name: str, values: NDArray[Any] | None) -> None:
    """Refuse a feature whose different whole numbers would be the same in floating point."""
    if values is None or values.dtype.kind not in "iuU" or not len(values):
        return
    small = values.dtype.kind in "iu" and max(int(values.max()), -int(values.min())) <= 2**53
    if small or len(np.unique(values)) == len(np.unique(values.astype(np.float64))):
        return
    raise _merged(name, values[0])


def _merged(name: str, example: Any) -> TableError:
    return TableError(
        f"column {name!r} holds whole numbers that floating point does not tell apart, such as "
        f"{example}; drop it if it numbers things, or subtract an offset."
    )


def check_texts_told_apart(name: str, texts: Iterable[str]) -> None:
    """Refuse a feature whose different whole numbers, as they are written, would be the same."""
    numbers = {number for number in map(_decimal, texts) if number is not None}
    large = [n for n in numbers if n.adjusted() < MOST_DIGITS and n == n.to_integral_value()]
    values = sorted(int(number) for number in large if abs(number) > 2**53)
    if len({float(value) for value in values}) < len(values):
        raise _merged(name, values[0])


def is_rounded(texts: Iterable[str]) -> bool:
    """Whether some text is a whole number that floating point does not hold exactly.

    >>> is_rounded(["0.1", "9007199254740992"]), is_rounded(["9007199254740993"])
    (False, True)
    """
    numbers = [number for number in map(_decimal, texts) if number is not None]
    return any(
        n == n.to_integral_value() and int(n) != int(float(n))
        for n in numbers
        if 15 <= n.adjusted() < MOST_DIGITS - 2
    )


def check_columns_told_apart(names: Iterable[Any], values: Any) -> None:
    """Refuse a table of integers, an array or sparse by columns (CSC), with such a feature."""
    stored = values.data if sparse.issparse(values) else values
    if stored.dtype.kind not in "iu" or not stored.size:
        return
    if max(int(stored.max()), -int(stored.min())) <= 2**53:
        return
    # Rare, and the columns take their time. Zeros that are not stored merge with nothing.
    columns = np.split(stored, values.indptr[1:-1]) if sparse.issparse(values) else values.T
    for name, column in zip(names, columns, strict=True):
        check_told_apart(str(name), column)


def counted(n: int, noun: str) -> str:
    """Write a number of things.

    >>> counted(1, "sample"), counted(2, "sample")
    ('1 sample', '2 samples')
    """
    if n == 1:
        return f"1 {noun}"
    return f"{n} {noun[:-1] + 'ie' if noun.endswith('y') else noun + 'e' * noun.endswith('s')}s"


@dataclass(frozen=True)
class LabelledTable:
    """A table of rows with one class each, as :func:`read_table` returns it.

    Attributes
    ----------
    X : DataFrame of shape (n_samples, n_features)
        Numbers as float64 (very wide tables of float32 stay so), texts of few values as
        categories. The index holds sample names where the file has them. Sparse matrices of
        AnnData files have pandas' sparse columns; :meth:`numbers` writes them out.
    y : ndarray of shape (n_samples,)
        Class labels: integers where the file has whole numbers, else texts.
    groups : ndarray of shape (n_samples,) or None
        Rows of one group are not independent.
    target : str
        Name of the column that held the classes.
    details : dict
        How the file was read: its name, SHA-256, format, delimiter, encoding.
    notes : list of str
        What was done, a sentence each.
    warnings : list of str
        What to check before trusting a result, a sentence each.
    annotation : DataFrame or None
        What the file says about the features, such as symbols: a row per column of ``X``.
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

    @property
    def classes(self) -> dict[str, int]:
        """Number of rows of every class, in the order of the classes."""
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
            ``rows``, ``features``, ``numeric``, ``categorical``, ``classes`` (rows
            of each), ``missing`` (cells), ``missing_columns``, ``missing_rows``, ``groups``
            (number of, or None) and ``sample_names`` (whether there are any).
        """
        n_missing, n_columns, n_rows = count_missing(self.X)
        return {
            "rows": int(self.X.shape[0]),
            "features": int(self.X.shape[1]),
            "numeric": int(self.X.shape[1]) - len(self.categorical),
            "categorical": len(self.categorical),
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
            n, d = self.X.shape
            if 8 * n * d > MAX_DENSE_BYTES:
                raise TableError(
                    f"{n} × {d} sparse numbers written out would take {8 * n * d / 1e9:.1f} GB; "
                    "select columns first."
                )
            block = sparse_matrix(self.X).toarray()
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
            become = "becomes" if len(two) == 1 else "become"
            notes.append(f"{_columns(two)} of two categories {become} 0 and 1: {listed(shown)}.")
        one = len(many) == 1
        are, become, their = ("is", "becomes", "its") if one else ("are", "become", "their")
        if many and categories == "drop":
            warnings.append(
                f"{_columns(many)} of more than two categories {are} left out: {listed(many)}."
            )
        elif many:
            warnings.append(
                f"{_columns(many)} of more than two categories {become} 0, 1, 2, … in the order "
                f"of {their} values, an order that may mean nothing: {listed(many)}."
            )
        if X.shape[1] == 0:
            raise TableError("no column of numbers is left; code the categories instead.")
        # One block of memory, which worker processes share.
        return pd.DataFrame(X.to_numpy(np.float64), X.index, X.columns), notes, warnings


def _columns(names: list[str]) -> str:
    return f"{len(names)} column{'' if len(names) == 1 else 's'}"
