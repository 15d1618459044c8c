"""What the columns of a table hold: numbers, categories, or names of rows."""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from pandas.api import types

from backstay._words import counted, listed
from backstay.datasets._exact import plain_text
from backstay.datasets._labelled import TableError
from backstay.datasets._wide import (
    column_blocks,
    float_type,
    is_sparse,
    sparse_frame,
    sparse_matrix,
    wide_frame,
)

MAX_CATEGORIES = 20
# A column with at least this share of numbers is taken for one of numbers.
MOSTLY = 0.5
DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
# How numbers are written that no parser reads, what that is, and how to write them instead.
DECORATED = (
    (re.compile(r"[+-]?\d+(\.\d+)? ?%"), "a percent sign", "the number alone"),
    (
        re.compile(r"[+-]?\d{1,3}([,' \u00a0\u2009\u202f]\d{3})+\.\d+|[+-]?\d{1,3}(,\d{3}){2,}"),
        "thousands separators",
        "them without",
    ),
    (
        re.compile(r"[\u2212\u2012\u2013]\d+(\.\d+)?([eE][+-]?\d+)?"),
        "another minus sign than '-'",
        "them with '-'",
    ),
)


def log2_floor(X: ArrayLike, floor: float = 20.0) -> NDArray[np.float64]:
    """Raise values below a floor to it, then take log2, as is usual for raw intensities.

    Parameters
    ----------
    X : array-like
        Intensities; gaps stay gaps.
    floor : float, default=20
        The lowest value that can be distinguished from noise.

    Returns
    -------
    ndarray
        Of the same shape, float64.

    Examples
    --------
    >>> log2_floor([5.0, 20.0, 64.0], floor=16)
    array([4.        , 4.32192809, 6.        ])
    """
    if not floor > 0:
        raise ValueError(f"floor={floor!r} must be above 0: log2 is taken of it.")
    return np.log2(np.maximum(np.asarray(X, dtype=np.float64), floor))


@dataclass(frozen=True)
class DistinctTexts:
    """The different texts of a column, in order of appearance; a gap has the place -1.

    Whatever is asked of the texts is asked once of each: a table may have thousands of columns
    of a few texts.
    """

    values: list[str]
    places: NDArray[np.intp]

    @property
    def known(self) -> NDArray[np.intp]:
        """Places of the rows that hold a text."""
        return self.places[self.places >= 0]

    def by_row(self) -> pd.Series:
        """Return the text of every row, None for a gap."""
        texts = np.array([*self.values, None], dtype=object)
        return pd.Series(texts[self.places], dtype=object)

    def numbers_by_row(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for every row the number that stands for its text."""
        return np.append(numbers, np.nan)[self.places]


def distinct_texts(column: pd.Series) -> DistinctTexts:
    """Return the different texts of a column, without blanks around them.

    >>> texts = distinct_texts(pd.Series([" a", "b", None, "a "]))
    >>> texts.values, texts.places.tolist()
    (['a', 'b'], [0, 1, -1, 0])
    """
    if not isinstance(column.dtype, pd.StringDtype):
        column = plain_text(column)
    places, values = pd.factorize(column.to_numpy(object))
    bare = [value.strip() for value in values]
    if "" in bare or len(set(bare)) < len(bare):
        merged, values = pd.factorize(np.array([text or None for text in bare], dtype=object))
        places, bare = np.append(merged, -1)[places], list(values)
    return DistinctTexts(bare, places)


@dataclass
class SortedColumns:
    """The columns of a table, sorted by what they hold; the last three kinds are left out."""

    numbers: pd.DataFrame
    categories: dict[str, pd.Categorical] = field(default_factory=dict)
    identifiers: dict[str, pd.Series] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)
    constant: list[str] = field(default_factory=list)
    # Columns of the same categories share their type: pandas is slow to make one.
    kinds: dict[tuple[str, ...], pd.CategoricalDtype] = field(default_factory=dict)


def sort_columns(
    frame: pd.DataFrame,
    categories: Collection[str],
    keep: Collection[str],
    log2: float | None = None,
) -> SortedColumns:
    """Sort columns, taking log2 of numbers above a floor; numbers mixed with text are refused."""
    columns = SortedColumns(pd.DataFrame(index=frame.index))
    if log2 in (None, 1) and is_sparse(frame):  # log2 of a floor of 1 leaves 0 at 0
        _add_sparse(columns, frame, log2)
        return columns
    numeric, mended = [], {}
    for name, kind in zip(frame.columns, frame.dtypes, strict=True):
        if name in categories:
            _add_category(columns, name, distinct_texts(frame[name]))
        elif types.is_numeric_dtype(kind) and kind.kind != "c":  # truth values, too
            numeric.append(name)
        elif isinstance(kind, pd.CategoricalDtype):
            texts = distinct_texts(frame[name])
            order = [str(value).strip() for value in kind.categories]
            held = set(texts.values)
            _add_category(columns, name, texts, [v for v in dict.fromkeys(order) if v in held])
        elif kind.kind in "Mm":
            columns.texts.append(name)
        else:
            numbers = _add_text(columns, name, distinct_texts(frame[name]), keep)
            if numbers is not None:
                mended[name] = numbers
    chosen = frame if len(numeric) == frame.shape[1] else frame[numeric]
    kind = float_type(chosen.dtypes, *chosen.shape)
    table = np.ascontiguousarray(chosen.to_numpy(kind, na_value=np.nan))
    if mended:
        table = np.column_stack([table, *mended.values()])
    if log2 is not None:
        table = log2_floor(table, log2)
    _add_numbers(columns, table, [*numeric, *mended], keep)
    return columns


def _add_text(
    columns: SortedColumns, name: str, texts: DistinctTexts, keep: Collection[str]
) -> NDArray[Any] | None:
    """Sort a column of texts; one that turns out to hold numbers is returned as such."""
    values, known = texts.values, texts.known
    if not values:
        columns.empty.append(name)
        return None
    numbers = np.asarray(pd.to_numeric(np.array(values, dtype=object), errors="coerce"), float)
    is_number = ~np.isnan(numbers)
    if is_number.all():
        return texts.numbers_by_row(numbers)
    if {value.lower() for value in values} <= {"true", "false"}:
        truth = np.array([value.lower() == "true" for value in values], dtype=np.float64)
        return texts.numbers_by_row(truth)
    _check_decorated(name, texts, is_number)
    if is_number[known].mean() >= MOSTLY:
        raise _mixed_column(name, texts, is_number)
    commas = np.array([DECIMAL_COMMA.fullmatch(value) is not None for value in values])
    if commas[known].mean() >= MOSTLY:
        raise TableError(
            f"column {name!r} holds {values[0]!r}: if that is a decimal comma, say so with "
            "decimal ','.",
            parameter="decimal",
        )
    if len(known) > 1 and len(known) == len(values) and name not in keep:
        columns.identifiers[name] = texts.by_row()
    elif len(values) > MAX_CATEGORIES and name not in keep:
        columns.texts.append(name)
    else:
        _add_category(columns, name, texts)
    return None


def _check_decorated(name: str, texts: DistinctTexts, is_number: NDArray[np.bool_]) -> None:
    """Refuse numbers written with what no number has in a file: they would be taken for texts."""
    for pattern, what, right in DECORATED:
        found = np.array([pattern.fullmatch(value) is not None for value in texts.values])
        if found.any() and (found | is_number)[texts.known].mean() >= MOSTLY:
            place = int(np.argmax(np.append(found, False)[texts.places]))
            raise TableError(
                f"column {name!r} holds numbers with {what}, such as "
                f"{texts.values[texts.places[place]]!r} in row {place + 1}; write {right}, treat "
                "the column as a category, or drop it.",
                parameter=("categories", "drop"),
            )


def _mixed_column(name: str, texts: DistinctTexts, is_number: NDArray[np.bool_]) -> TableError:
    junk = np.flatnonzero(~np.append(is_number, True)[texts.places])
    value = texts.values[texts.places[junk[0]]]
    return TableError(
        f"column {name!r} holds numbers but {value!r} in row {junk[0] + 1}"
        + (f" and {len(junk) - 1} more such values" if len(junk) > 1 else "")
        + f"; correct the file, name {value!r} as a missing value, treat the column as a category, "
        "or drop it.",
        parameter=("missing", "categories", "drop"),
    )


def _add_category(
    columns: SortedColumns, name: str, texts: DistinctTexts, order: list[str] | None = None
) -> None:
    if not texts.values:
        columns.empty.append(name)
    elif len(texts.values) == 1:
        columns.constant.append(name)
    else:
        order = sorted(texts.values) if order is None else order
        code = {value: j for j, value in enumerate(order)}
        codes = np.array([*(code[value] for value in texts.values), -1])[texts.places]
        key = tuple(order)
        if key not in columns.kinds:
            columns.kinds[key] = pd.CategoricalDtype(order)
        columns.categories[name] = pd.Categorical.from_codes(codes, dtype=columns.kinds[key])


def _add_numbers(
    columns: SortedColumns, table: NDArray[np.float64], names: list[str], keep: Collection[str]
) -> None:
    """Add columns of numbers, except constant ones and those that only number the rows."""
    low, high = np.empty(table.shape[1]), np.empty(table.shape[1])
    empty = np.empty(table.shape[1], dtype=bool)
    for block in column_blocks(*table.shape):
        part = table[:, block]
        infinite = np.isinf(part).any(axis=0)
        if infinite.any():
            j = int(np.argmax(infinite))
            row = int(np.argmax(np.isinf(part[:, j])))
            raise _infinite(names[block.start + j], row)
        gaps = np.isnan(part)
        empty[block] = gaps.all(axis=0)
        low[block] = np.where(gaps, np.inf, part).min(axis=0)
        high[block] = np.where(gaps, -np.inf, part).max(axis=0)
    constant = (low == high) & ~empty
    columns.empty += [names[j] for j in np.flatnonzero(empty)]
    columns.constant += [names[j] for j in np.flatnonzero(constant)]
    counting = [j for j in _counting_columns(table, low, high) if names[j] not in keep]
    for j in counting:
        columns.identifiers[names[j]] = pd.Series(table[:, j].astype(np.int64)).astype(str)
    gone = {*np.flatnonzero(empty | constant).tolist(), *counting}
    if gone:
        left = [j for j in range(len(names)) if j not in gone]
        table, names = table[:, left], [names[j] for j in left]
    columns.numbers = wide_frame(table, columns.numbers.index, names)


def _infinite(name: str, row: int) -> TableError:
    return TableError(
        f"column {name!r} holds an infinite value in row {row + 1}; leave the cell empty or "
        "correct it."
    )


def _add_sparse(columns: SortedColumns, frame: pd.DataFrame, log2: float | None) -> None:
    """Add the columns of a sparse table, except constant ones; zeros are not written out."""
    X = sparse_matrix(frame).tocsc()
    if log2 is not None:
        X.data = log2_floor(X.data, log2)
        X.eliminate_zeros()
    infinite = np.flatnonzero(np.isinf(X.data))
    if len(infinite):
        name = frame.columns[np.searchsorted(X.indptr, infinite[0], side="right") - 1]
        raise _infinite(name, X.indices[infinite[0]])
    low, high = X.min(axis=0), X.max(axis=0)
    constant = (low.toarray() == high.toarray()).ravel()
    columns.constant += list(frame.columns[constant])
    kept = X[:, np.flatnonzero(~constant)]
    columns.numbers = sparse_frame(kept, frame.index, frame.columns[~constant])


def _counting_columns(table: NDArray[np.float64], low: Any, high: Any) -> list[int]:
    """Return columns that count the rows: distinct whole numbers without a gap between them."""
    # Ranks do so, too: a column must run in the order of the rows, or be the only one of its kind.
    n = len(table)
    if n < 3:
        return []
    suspects = np.flatnonzero(high - low == n - 1)
    whole = [j for j in suspects if np.array_equal(np.sort(table[:, j]), low[j] + np.arange(n))]
    in_order = [j for j in whole if (np.abs(np.diff(table[:, j])) == 1).all()]
    return [int(j) for j in (whole if len(whole) == 1 else in_order)]


def left_out_sentences(columns: SortedColumns) -> list[str]:
    """Return which columns were left out and why."""
    reasons: list[tuple[Collection[str], str]] = [
        (columns.empty, "without any value"),
        (columns.constant, "with the same value in every row"),
        (columns.texts, f"of dates or of more than {MAX_CATEGORIES} different texts"),
        (
            columns.identifiers,
            "with a different value in every row, like names or numbers of the rows,",
        ),
    ]
    return [
        f"{counted(len(names), 'column')} {why} {'were' if len(names) > 1 else 'was'} left out: "
        f"{listed(names)}."
        for names, why in reasons
        if names
    ]
