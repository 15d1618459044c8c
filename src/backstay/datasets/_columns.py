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
from backstay.datasets._labelled import TableError, column_blocks, float_type, wide_frame
from backstay.datasets._oddities import CODES, OddTexts, is_like_number, numbers_in
from backstay.datasets._reading import Reading

MAX_CATEGORIES = 20
# A column with at least this share of numbers is taken for one of numbers.
MOSTLY = 0.5
DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")


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

    What is asked of them is asked once of each: there may be thousands of columns of few texts.
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


def distinct_texts(column: pd.Series) -> DistinctTexts:
    """Return the different texts of a column, without blanks around them."""
    if not isinstance(column.dtype, pd.StringDtype):
        column = plain_text(column)
    places, values = pd.factorize(column.to_numpy(object))
    merged, bare = pd.factorize(np.array([v.strip() or None for v in values], dtype=object))
    return DistinctTexts(list(bare), np.append(merged, -1)[places])


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


def sort_columns(frame: pd.DataFrame, reading: Reading, file: str) -> SortedColumns:
    """Sort columns, taking log2 of numbers above a floor; numbers mixed with text are refused."""
    columns = SortedColumns(pd.DataFrame(index=frame.index))
    log2, odd = reading.log2, OddTexts()
    numeric, mended = [], {}
    for name, kind in zip(frame.columns, frame.dtypes, strict=True):
        if name in reading.categories:
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
        elif (numbers := _add_text(columns, name, frame[name], reading, odd)) is not None:
            mended[name] = numbers
    odd.check(file)
    chosen = frame if len(numeric) == frame.shape[1] else frame[numeric]
    kind = float_type(chosen.dtypes, *chosen.shape)
    table = np.ascontiguousarray(chosen.to_numpy(kind, na_value=np.nan))
    if mended:
        table = np.column_stack([table, *mended.values()])
    if log2 is not None:
        table = log2_floor(table, log2)
    _add_numbers(columns, table, [*numeric, *mended], reading.keep)
    return columns


def _add_text(
    columns: SortedColumns, name: str, column: pd.Series, reading: Reading, odd: OddTexts
) -> NDArray[Any] | None:
    """Sort a column of texts; one that turns out to hold numbers is returned as such."""
    texts = distinct_texts(column)
    values, known = texts.values, texts.known
    if not values:
        columns.empty.append(name)
        return None
    numbers = numbers_in(values, reading)
    is_number = ~np.isnan(numbers)
    if is_number.all():
        return np.append(numbers, np.nan)[texts.places]
    if {value.lower() for value in values} <= {"true", "false"}:
        truth = [float(value.lower() == "true") for value in values]
        return np.array([*truth, np.nan])[texts.places]
    commas = np.array([DECIMAL_COMMA.fullmatch(value) is not None for value in values])
    if commas[known].mean() >= MOSTLY:
        raise TableError(
            f"column {name!r} holds {values[0]!r}: if that is a decimal comma, say so with "
            "decimal ','.",
            parameter="decimal",
        )
    like = is_number | np.array([is_like_number(value) for value in values])
    # Of many different texts, most of them numbers, others may be frequent, as '<LOD>' is.
    if max(like[known].mean(), like.mean() if len(values) > MAX_CATEGORIES else 0) >= MOSTLY:
        strange = np.append(~is_number | np.isin(numbers, CODES), False)[texts.places]
        rows = np.flatnonzero(strange)
        odd.add((values[j] for j in texts.places[rows]), f"in column {name!r}, row {rows[0] + 1}")
    elif len(known) > 1 and len(known) == len(values) and name not in reading.keep:
        columns.identifiers[name] = texts.by_row()
    elif len(values) > MAX_CATEGORIES and name not in reading.keep:
        columns.texts.append(name)
    else:
        _add_category(columns, name, texts)
    return None


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
            raise TableError(
                f"column {names[block.start + j]!r} holds an infinite value in row "
                f"{np.argmax(np.isinf(part[:, j])) + 1}; leave the cell empty or correct it."
            )
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


def left_out_sentences(columns: SortedColumns, naming: Collection[str] = ()) -> list[str]:
    """Return which columns were left out and why, but for one that names the rows."""
    reasons: list[tuple[Collection[str], str]] = [
        (columns.empty, "without any value"),
        (columns.constant, "with the same value in every row"),
        (columns.texts, f"of dates or of more than {MAX_CATEGORIES} different texts"),
        (
            [name for name in columns.identifiers if name not in naming],
            "with a different value in every row, like names or numbers of the rows,",
        ),
    ]
    return [
        f"{counted(len(names), 'column')} {why} {'were' if len(names) > 1 else 'was'} left out: "
        f"{listed(names)}."
        for names, why in reasons
        if names
    ]
