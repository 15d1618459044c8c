"""Names and numbers of things, as they are written in a sentence."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

SHOWN_NAMES = 5
# What others call metrics and measures.
SYNONYMS = {
    "auc": "roc_auc", "jaccard": "kalousis", "tanimoto": "kalousis", "mse": "rmse",
    "f1": "f1_macro", "c_index": "harrell_c", "concordance": "harrell_c",
}  # fmt: skip


def listed(names: Iterable[Any], shown: int = SHOWN_NAMES) -> str:
    """Return the first few names in quotes and the number of the others.

    >>> listed(["a", "b", "c"], shown=2)
    "'a', 'b' and 1 more"
    """
    texts = [str(name) for name in names]
    text = ", ".join(f"'{name}'" for name in texts[:shown])
    return text if len(texts) <= shown else f"{text} and {len(texts) - shown} more"


def nearest(name: Any, known: Iterable[str]) -> str:
    """Return which of the known names may be meant, or all of them.

    >>> nearest("auc", ["accuracy", "roc_auc"]), nearest("x", ["accuracy", "roc_auc"])
    ("did you mean 'roc_auc'?", 'there are accuracy, roc_auc.')
    """
    names = list(known)
    plain = str(name).lower().replace("-", "_").replace(" ", "_")
    said = {name: name for name in names}
    said |= {other: name for other, name in SYNONYMS.items() if name in said}
    found = [plain] if plain in said else difflib.get_close_matches(plain, said, 3, 0.7)
    near = dict.fromkeys(said[one] for one in found)
    meant = " or ".join(map(repr, near))
    return f"did you mean {meant}?" if near else f"there are {', '.join(names)}."


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
