"""Names and labels as texts: 01 and 1 are two names, or two spellings of one number."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay._words import listed
from backstay.datasets._labelled import TableError

# Up to here floating point holds every whole number.
WHOLE = 2**53
LEADING_ZERO = r"[+-]?0\d+"


def plain_text(column: pd.Series) -> pd.Series:
    """Return a column as texts without blanks around them; gaps stay gaps."""
    texts = column.astype(object).where(column.notna(), None)
    texts = texts.map(lambda value: value if value is None else str(value).strip())
    return texts.where(texts != "", None)


def as_names(column: pd.Series) -> pd.Series:
    """Return a column as names: texts, with whole numbers written without a point."""
    whole = column.dtype.kind == "f" and bool((column.dropna() % 1 == 0).all())
    return plain_text(column.astype("Int64") if whole else column)


def alike_but_case(what: str, names: Iterable[Any]) -> list[str]:
    """Return a sentence on names that differ in upper and lower case only, if there are any."""
    different = pd.Series(list(dict.fromkeys(map(str, names))), dtype=object)
    alike = different[different.str.lower().duplicated(keep=False)]
    return [f"{what} differ in upper and lower case only: {listed(alike)}."] if len(alike) else []


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
    """Whether some of the texts are digits with a zero first, as names are and numbers are not."""
    return bool(pd.Series(texts.unique()).astype(str).str.fullmatch(LEADING_ZERO).any())


def two_spellings(texts: pd.Series) -> tuple[str, str] | None:
    """Return two texts that are one number, if all are numbers and there are two such."""
    first: dict[Decimal, str] = {}
    for text in _numbers(texts):
        if (before := first.setdefault(Decimal(text), text)) != text:
            return before, text
    return None


def whole_numbers(texts: pd.Series) -> NDArray[Any] | None:
    """Return texts as integers; None if others occur, or some too large to be told apart."""
    numbers = _numbers(texts)
    if not numbers or not all(n.is_integer() and abs(n) < WHOLE for n in numbers.values()):
        return None
    return texts.map(lambda text: int(numbers[str(text)])).to_numpy(np.int64)


def check_spellings(name: str, texts: pd.Series) -> None:
    """Refuse classes that are all numbers if two of them are the same one, written differently."""
    if (alike := two_spellings(texts)) is not None:
        raise TableError(
            f"{name!r} holds {alike[0]!r} and {alike[1]!r}, two spellings of one number; write one "
            "class one way, or write classes as text, such as 'class 1'.",
            parameter="target",
        )
