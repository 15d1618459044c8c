"""The door for values: taken if they are exactly what the file says, else kept as text, or refused.

Floating point skips whole numbers from 2^53 on, so two labels or two values of a feature may become
one. Texts such as 01 and 1 are two names, or two spellings of one number. numpy drops a NUL at the
end of a text. Every reader asks here; nothing is merged silently.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from backstay.datasets._labelled import TableError
from backstay.datasets._wide import column_blocks

# Up to here floating point holds every whole number; this one may also stand for the next.
WHOLE = 2**53
# No double has more digits before the point than these.
MOST_DIGITS = 310
LEADING_ZERO = r"[+-]?0\d+"


def may_be_rounded(values: NDArray[np.float64], axis: int | None = None) -> Any:
    """Whether some number is so large that floating point may have rounded a whole number to it.

    >>> may_be_rounded(np.array([1.0, np.nan])), may_be_rounded(np.array([-(2.0**53)]))
    (False, True)
    >>> may_be_rounded(np.array([[1.0, 2.0**60]]), axis=0).tolist()
    [False, True]
    """
    high, low = (ufunc.reduce(values, axis=axis, initial=0) for ufunc in (np.fmax, np.fmin))
    beyond = np.maximum(high, -low) >= WHOLE
    return bool(beyond) if axis is None else beyond


# Texts.


def plain_text(column: pd.Series) -> pd.Series:
    """Return a column as texts without blanks around them; gaps stay gaps.

    >>> plain_text(pd.Series([" a", "b ", 2])).tolist()
    ['a', 'b', '2']
    """
    texts = column.astype(object).where(column.notna(), None)
    texts = texts.map(lambda value: value if value is None else str(value).strip())
    return texts.where(texts != "", None)


def as_names(column: pd.Series) -> pd.Series:
    """Return a column as names: texts, with whole numbers written without a point.

    >>> as_names(pd.Series([1.0, 2.0])).tolist()
    ['1', '2']
    """
    numbers = column.dtype.kind == "f" and bool((column.dropna() % 1 == 0).all())
    exact = numbers and not _is_inexact(column)
    return plain_text(column.astype("Int64") if exact else column)


def _decimal(text: str) -> Decimal | None:
    """Return a number as it is written, None for what is no finite number."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    # 1_0 is a number in programs, not in files.
    return number if number.is_finite() and "_" not in text else None


def _decimals(texts: Iterable[str]) -> list[Decimal]:
    """Return numbers as they are written, or an empty list if one text is not a number."""
    numbers = [_decimal(text) for text in texts]
    known = [number for number in numbers if number is not None]
    return known if len(known) == len(numbers) else []


def _is_whole(number: Decimal) -> bool:
    return number.adjusted() < MOST_DIGITS and number == number.to_integral_value()


def has_leading_zeros(texts: pd.Series) -> bool:
    """Whether some of the texts are digits with a zero first, as names are and numbers are not.

    >>> has_leading_zeros(pd.Series(["01", "2"])), has_leading_zeros(pd.Series(["0", "0.5"]))
    (True, False)
    """
    return bool(pd.Series(texts.unique()).astype(str).str.fullmatch(LEADING_ZERO).any())


def two_spellings(texts: pd.Series) -> tuple[str, str] | None:
    """Return two texts that are one number, if all are numbers and there are two such.

    >>> two_spellings(pd.Series(["2", "01", "1"])), two_spellings(pd.Series(["a", "01", "1"]))
    (('01', '1'), None)
    """
    different = [str(text) for text in texts.unique()]
    first: dict[Decimal | float, str] = {}
    for text, number in zip(different, _decimals(different), strict=False):
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
    numbers = _decimals(different)
    if not numbers or not all(map(_is_whole, numbers)):
        return None
    values = [int(number) for number in numbers]
    for kind in (np.int64, np.uint64):
        if np.iinfo(kind).min <= min(values) and max(values) <= np.iinfo(kind).max:
            return np.array(values, dtype=kind)[codes]
    return np.array([str(value) for value in values])[codes]


# Labels: classes, groups.


def label_texts(column: pd.Series, name: str, parameter: str) -> pd.Series:
    """Return labels as texts; refuse those that floating point or numpy may have merged.

    `parameter` is what the column was named as, "target" or "groups".
    """
    if _is_inexact(column):
        what, example = ("groups", "patient 1") if parameter == "groups" else ("classes", "class 1")
        raise TableError(
            f"{name!r} was read as floating point, which does not tell whole numbers as large as "
            f"{column.abs().max():.17g} apart; write the {what} as text, such as {example!r}.",
            parameter=parameter,
        )
    texts = plain_text(column)
    if any("\0" in text for text in texts.dropna().unique()):
        raise TableError(
            f"{name!r} holds texts with a NUL character; take it out.", parameter=parameter
        )
    return texts


def check_spellings(name: str, texts: pd.Series) -> None:
    """Refuse classes that are all numbers if two of them are the same one, written differently."""
    if (alike := two_spellings(texts)) is not None:
        raise TableError(
            f"{name!r} holds {alike[0]!r} and {alike[1]!r}, two spellings of one number; write one "
            "class one way, or write classes as text, such as 'class 1'.",
            parameter="target",
        )


def _is_inexact(column: pd.Series) -> bool:
    """Whether a column holds floating point so large that whole numbers may be merged in it."""
    if column.dtype == object:
        return any(isinstance(value, float) and abs(value) >= WHOLE for value in column)
    return column.dtype.kind == "f" and bool((column.abs() >= WHOLE).any())


# Columns that a reader makes.


def inferred(column: pd.Series) -> pd.Series:
    """Return a column of objects with the type of its values, unless that would merge some.

    >>> inferred(pd.Series([1, None], dtype=object)).dtype
    dtype('float64')
    >>> inferred(pd.Series([2**60, None], dtype=object)).dtype
    dtype('O')
    """
    typed = column.infer_objects()
    merged = typed.dtype.kind == "f" and _is_inexact(typed)
    return column if merged and any(isinstance(value, int) for value in column) else typed


def turned(frame: pd.DataFrame) -> pd.DataFrame:
    """Exchange rows and columns; whole numbers that floating point would merge stay objects."""
    kinds = frame.dtypes
    if kinds.nunique() > 1 and any(
        kind.kind in "iu" and frame.iloc[:, j].abs().max() > WHOLE for j, kind in enumerate(kinds)
    ):
        frame = frame.astype(object)
    exchanged = frame.T
    typed = exchanged.infer_objects()
    for j, kind in enumerate(exchanged.dtypes):
        if kind.kind == "O" and typed.dtypes.iloc[j].kind == "f":
            typed.isetitem(j, inferred(exchanged.iloc[:, j]).to_numpy())
    return typed


def large_beside_gaps(column: Any) -> bool:
    """Whether a column of Arrow holds whole numbers that pandas would round, beside a gap."""
    from pyarrow import compute, types

    if not types.is_integer(column.type) or column.type.bit_width < 64 or not column.null_count:
        return False
    ends = compute.min_max(column).as_py().values()
    return any(end is not None and abs(end) > WHOLE for end in ends)


def keep_exact(
    frame: pd.DataFrame, read_texts: Callable[[list[int]], pd.DataFrame], decimal: str = "."
) -> None:
    """Put texts in the place of columns in which a whole number was rounded.

    Beside a gap or a fraction, pandas makes whole numbers floating point. Whether that merges
    features or labels is decided later: the column may be dropped. The columns of the frame are
    named 0, 1, 2, …; `read_texts` reads some of them again, as text, with the file's `decimal`.
    """
    places = [j for j, kind in enumerate(frame.dtypes) if kind == np.float64]
    large: list[int] = []
    for block in column_blocks(len(frame), len(places)):
        beyond = may_be_rounded(frame[places[block]].to_numpy(), axis=0)
        large += [places[block][j] for j in np.flatnonzero(beyond).tolist()]
    texts = read_texts(large) if large else frame
    for j in large:
        written = texts[j].str.replace(decimal, ".", regex=False).astype(object)
        if _is_rounded(written.dropna().unique()):
            frame[j] = written


def _is_rounded(texts: Iterable[str]) -> bool:
    """Whether some text is a whole number that floating point does not hold exactly."""
    return any(
        15 <= n.adjusted() < MOST_DIGITS - 2
        and n == n.to_integral_value()
        and int(n) != int(float(n))
        for n in map(_decimal, texts)
        if n is not None
    )


# Features.


def check_numbers(name: str, cells: Iterable[Any], numbers: NDArray[np.float64]) -> None:
    """Refuse a feature whose different whole numbers, as they are written, would be the same."""
    if not may_be_rounded(numbers):
        return
    texts = plain_text(pd.Series(list(cells), dtype=object)).dropna()
    different = {number for number in map(_decimal, texts) if number is not None}
    values = sorted(int(n) for n in different if _is_whole(n) and abs(n) > WHOLE)
    if len({float(value) for value in values}) < len(values):
        raise _merged(name, values[0])


def check_integers(names: Iterable[Any], values: Any) -> None:
    """Refuse a table with a feature whose different integers would be the same in floating point.

    The table is an array, or a sparse matrix by columns (CSC).
    """
    stored = values.data if sparse.issparse(values) else values
    if stored.dtype.kind not in "iu" or not stored.size:
        return
    if max(int(stored.max()), -int(stored.min())) <= WHOLE:
        return
    # Rare, and the columns take their time. Zeros that are not stored merge with nothing.
    columns = np.split(stored, values.indptr[1:-1]) if sparse.issparse(values) else values.T
    for name, column in zip(names, columns, strict=True):
        if len(np.unique(column)) > len(np.unique(column.astype(np.float64))):
            raise _merged(str(name), column[0])


def _merged(name: str, example: Any) -> TableError:
    return TableError(
        f"column {name!r} holds whole numbers that floating point does not tell apart, such as "
        f"{example}; drop it if it numbers things, or subtract an offset.",
        parameter="drop",
    )
