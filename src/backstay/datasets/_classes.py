"""The class of every row: what its labels are, and which rows are left."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay.datasets._content import is_inexact, plain_text
from backstay.datasets._labelled import (
    TableError,
    check_spellings,
    counted,
    has_leading_zeros,
    listed,
    two_spellings,
    whole_numbers,
)

# More different numbers than this, and a target is a measurement, not a class.
MAX_NUMERIC_CLASSES = 10


@dataclass(frozen=True)
class ClassRules:
    """Which classes are compared: some left out, by name or size, and one called positive."""

    exclude: tuple[str, ...] = ()
    min_size: int | None = None
    positive: str | None = None


@dataclass
class Classes:
    """The class of every row that has one, which rows these are, and what was said."""

    y: NDArray[Any]
    rows: NDArray[np.bool_]
    positive: Any = None
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def classes_of(
    labels: pd.Series, names: list[str] | None, target: str, rules: ClassRules
) -> Classes:
    """Return the classes that a column holds, or refuse it in a sentence."""
    notes, warnings = list[str](), list[str]()
    texts = plain_text(labels)
    known = texts.notna().to_numpy()
    if not known.any():
        raise TableError(f"no row has a value of {target!r}; choose another target.")
    if not known.all():
        warnings.append(f"{int((~known).sum())} rows without a value of {target!r} were dropped.")
    _check_finite(texts, target)
    check_exact(labels, target, "classes", "class 1")
    _check_plain(texts, target)
    as_written = names is not None
    if names is not None:
        texts = named_classes(texts, known, names)
    else:
        check_spellings(target, texts[known])
        as_written = has_leading_zeros(texts[known])
    if not as_written and (exact := whole_numbers(texts[known])) is not None:
        texts = texts.copy()
        texts[known] = exact.astype(str).astype(object)
    chosen = _chosen(texts, known, target, rules, notes)
    values = texts[chosen]
    _check_classes(values, target, measured=names is None)
    exact = None if as_written else whole_numbers(values)
    y = values.to_numpy().astype(str) if exact is None else exact
    different = pd.Series(values.unique())
    alike = different[different.str.lower().duplicated(keep=False)]
    if len(alike):
        warnings.append(f"Classes differ in upper and lower case only: {listed(alike)}.")
    return Classes(y, chosen, _positive(y, target, rules.positive), notes, warnings)


def _check_finite(texts: pd.Series, target: str) -> None:
    words = texts.dropna().str.lower().str.lstrip("+-").isin(["inf", "infinity"])
    if words.any():
        row = int(np.flatnonzero(texts.index == words.index[words][0])[0]) + 1
        raise TableError(
            f"{target!r} holds an infinite value in row {row}; classes are texts or finite numbers."
        )


def named_classes(texts: pd.Series, known: NDArray[np.bool_], names: list[str]) -> pd.Series:
    """Return the names of classes that are given by number."""
    codes = whole_numbers(texts[known])
    if (
        codes is None
        or codes.dtype.kind not in "iu"
        or codes.min() < 0
        or codes.max() >= len(names)
    ):
        raise TableError(f"y holds numbers other than 0 to {len(names) - 1}, the class_names.")
    shown = texts.copy()
    shown[known] = [names[code] for code in codes]
    return shown


def _chosen(
    texts: pd.Series, known: NDArray[np.bool_], target: str, rules: ClassRules, notes: list[str]
) -> NDArray[np.bool_]:
    """Return the rows whose class is neither left out nor too small."""
    chosen = known.copy()
    counts = texts[known].value_counts()
    for name in rules.exclude:
        if name not in counts:
            raise TableError(
                f"{target!r} has no class {name!r} to leave out; its classes are "
                f"{listed(sorted(counts.index), 8)}."
            )
        chosen &= (texts != name).to_numpy()
        notes.append(f"Class {name!r} was left out as requested: {counted(counts[name], 'row')}.")
    if rules.min_size is not None:
        left = texts[chosen].value_counts()
        small = left[left < rules.min_size].sort_index()
        if len(small):
            shown = [f"{name} ({n})" for name, n in small.items()]
            notes.append(
                f"Left out: {counted(len(small), 'class')} of fewer than {rules.min_size} rows: "
                f"{listed(shown)}."
            )
            chosen &= ~texts.isin(small.index).to_numpy()
    if not chosen.any():
        raise TableError(f"no class of {target!r} is left.")
    return chosen


def _check_classes(values: pd.Series, target: str, *, measured: bool) -> None:
    """Refuse measurements, names of rows, and a single class."""
    numbers = pd.to_numeric(values, errors="coerce")
    distinct = values.nunique()
    if numbers.notna().all() and measured:
        whole = bool((numbers % 1 == 0).all())
        many = distinct > MAX_NUMERIC_CLASSES and (not whole or distinct > len(values) / 5)
        if many or distinct > 100 or distinct > max(2, len(values) / 2):
            raise TableError(
                f"{target!r} holds {distinct} different numbers in {len(values)} rows: a "
                "measurement, not classes; cut it into classes (such as low and high) first."
            )
    elif distinct == len(values) and distinct > 2:
        raise TableError(f"{target!r} has another value in every row: names, not classes.")
    if distinct < 2:
        raise TableError(
            f"{target!r} holds one class only, {values.iloc[0]!r}; at least two are compared."
        )


def _positive(y: NDArray[Any], target: str, name: str | None) -> Any:
    """Return the label of the class that two-class metrics are about."""
    if name is None:
        return None
    classes = np.unique(y).tolist()
    if len(classes) != 2:
        raise TableError(
            f"{target!r} has {len(classes)} classes; a positive one is for two. Leave the others "
            "out, or leave positive out."
        )
    found = [label for label in classes if str(label) == name]
    if not found:
        raise TableError(f"{target!r} has no class {name!r}; its classes are {listed(classes)}.")
    return found[0]


def _check_plain(texts: pd.Series, name: str) -> None:
    """Refuse labels with a NUL: at the end of a text, numpy drops it, and two become one."""
    if any("\0" in text for text in texts.dropna().unique()):
        raise TableError(f"{name!r} holds texts with a NUL character; take it out.")


def check_exact(labels: pd.Series, name: str, what: str, example: str) -> None:
    """Refuse labels in which floating point may have merged whole numbers."""
    if is_inexact(labels):
        raise TableError(
            f"{name!r} was read as floating point, which does not tell whole numbers as large as "
            f"{labels.abs().max():.17g} apart; write the {what} as text, such as {example!r}."
        )


def groups_of(given: pd.Series, name: str) -> tuple[NDArray[Any], list[str]]:
    """Return the group of every row, and what to check."""
    check_exact(given, name, "groups", "patient 1")
    texts = plain_text(given)
    _check_plain(texts, name)
    if texts.isna().any():
        row = int(np.flatnonzero(texts.isna().to_numpy())[0]) + 1
        raise TableError(f"row {row} has no value of {name!r}; every row needs its group.")
    if texts.nunique() < 2:
        raise TableError(f"{name!r} puts every row into one group; at least two are needed.")
    warnings = []
    if (alike := two_spellings(texts)) is not None:
        warnings.append(
            f"{name!r} holds {alike[0]!r} and {alike[1]!r}, two spellings of one number, as two "
            "groups; if they are one, write them one way."
        )
    return texts.to_numpy().astype(str), warnings
