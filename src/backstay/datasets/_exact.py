"""Names and labels as texts: 01 and 1 are two names, or two spellings of one number."""

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay.datasets._labelled import TableError

# Up to here floating point holds every whole number; this one may also stand for the next.
WHOLE = 2**53
LEADING_ZERO = r"[+-]?0\d+"


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
    whole = column.dtype.kind == "f" and bool((column.dropna() % 1 == 0).all())
    return plain_text(column.astype("Int64") if whole else column)


def _numbers(texts: pd.Series) -> dict[str, float]:
    """Return the different texts as numbers; empty if one of them is none."""
    different = [str(text) for text in texts.unique()]
    try:
        found = {text: float(text) for text in different}
    except ValueError:
        return {}
    # 1_0 is a number in programs, not in files.
    plain = np.isfinite([*found.values()]).all() and not any("_" in text for text in different)
    return found if plain else {}


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
    first: dict[Decimal, str] = {}
    for text in _numbers(texts):
        if (before := first.setdefault(Decimal(text), text)) != text:
            return before, text
    return None


def whole_numbers(texts: pd.Series) -> NDArray[Any] | None:
    """Return texts as integers; None if others occur, or some too large to be told apart.

    >>> whole_numbers(pd.Series(["10", "1", "1.0"]))
    array([10,  1,  1])
    """
    numbers = _numbers(texts)
    if not numbers or not all(n.is_integer() and abs(n) < WHOLE for n in numbers.values()):
        return None
    return texts.map(lambda text: int(numbers[str(text)])).to_numpy(np.int64)


def label_texts(column: pd.Series, name: str, parameter: str) -> pd.Series:
    """Return labels as texts; refuse those that floating point may have merged.

    `parameter` is what the column was named as, "target" or "groups".
    """
    if column.dtype.kind == "f" and bool((column.abs() >= WHOLE).any()):
        what, example = ("groups", "patient 1") if parameter == "groups" else ("classes", "class 1")
        raise TableError(
            f"{name!r} was read as floating point, which does not tell whole numbers as large as "
            f"{column.abs().max():.17g} apart; write the {what} as text, such as {example!r}.",
            parameter=parameter,
        )
    return plain_text(column)


def check_spellings(name: str, texts: pd.Series) -> None:
    """Refuse classes that are all numbers if two of them are the same one, written differently."""
    if (alike := two_spellings(texts)) is not None:
        raise TableError(
            f"{name!r} holds {alike[0]!r} and {alike[1]!r}, two spellings of one number; write one "
            "class one way, or write classes as text, such as 'class 1'.",
            parameter="target",
        )
