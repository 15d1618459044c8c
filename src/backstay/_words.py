"""Names and numbers of things, as they are written in a sentence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

SHOWN_NAMES = 5


def listed(names: Iterable[Any], shown: int = SHOWN_NAMES) -> str:
    """Return the first few names in quotes and the number of the others.

    >>> listed(["a", "b", "c"], shown=2)
    "'a', 'b' and 1 more"
    """
    texts = [str(name) for name in names]
    text = ", ".join(f"'{name}'" for name in texts[:shown])
    return text if len(texts) <= shown else f"{text} and {len(texts) - shown} more"


def counted(n: int, noun: str) -> str:
    """Write a number of things.

    >>> counted(1, "sample"), counted(2, "copy"), counted(0, "class"), counted(3, "array")
    ('1 sample', '2 copies', '0 classes', '3 arrays')
    """
    if n == 1:
        return f"1 {noun}"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{n} {noun[:-1]}ies"
    return f"{n} {noun}{'es' if noun.endswith('s') else 's'}"
