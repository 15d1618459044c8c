"""A target column that holds classes: which label every row has, and which rows are left."""

from collections.abc import Callable
from typing import Any
from unicodedata import normalize

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay._words import counted, listed
from backstay.datasets._content import Content
from backstay.datasets._exact import (
    check_spellings,
    has_leading_zeros,
    label_texts,
    plain_text,
    whole_numbers,
)
from backstay.datasets._labelled import TableError
from backstay.datasets._outcome import MAX_NUMERIC_CLASSES, Outcome, is_measured, numbers_of
from backstay.datasets._reading import Reading


def label_column(
    texts: pd.Series, reading: Reading, typed: Callable[[pd.Series, Reading], pd.Series]
) -> pd.Series:
    """Return labels of a text file as numbers if they are, or as written if zeros come first."""
    known = texts.dropna().str.strip()
    if is_measured(known, reading):
        return texts
    check_spellings(str(reading.target), known.str.replace(reading.decimal, ".", regex=False))
    return texts if has_leading_zeros(known) else typed(texts, reading)


def labels_beside(content: Content, target: str | None) -> tuple[pd.Series, str] | None:
    """Return the array of labels that stands beside the rows, with its name, if it is meant."""
    extra = content.extra
    if "y" in extra and (target is None or target in (extra["target"], "y")):
        return pd.Series(extra["y"]), str(extra["target"])
    return None


def outcome_of(labels: pd.Series, target: str, content: Content, reading: Reading) -> Outcome:
    """Return the classes or the numbers that a column holds, or refuse it in a sentence."""
    names = content.extra.get("class_names")
    if (names is None or reading.kind) and is_measured(labels, reading):
        return numbers_of(labels, target, reading)
    return _classes_of(labels, target, names, reading)


def _classes_of(
    labels: pd.Series, target: str, names: list[str] | None, reading: Reading
) -> Outcome:
    notes, warnings = list[str](), list[str]()
    words = plain_text(labels).str.lower().str.lstrip("+-")
    if (infinite := words.isin(["inf", "infinity"]).to_numpy()).any():
        raise TableError(
            f"{target!r} holds an infinite value in row {np.argmax(infinite) + 1}; classes are "
            "texts or finite numbers.",
            parameter="target",
        )
    texts, known = _known_labels(labels, target)
    spelled = label_texts(labels, target, "target")[known]
    changed = {new for old, new in zip(spelled, texts[known], strict=True) if old != new}
    if both := sorted(changed & set(spelled)):
        warnings.append(
            f"{target!r} writes {listed(both)} in two ways that look the same, with an accent "
            "inside a letter and after it; they were taken for one class."
        )
    if not known.all():
        warnings.append(f"{int((~known).sum())} rows without a value of {target!r} were dropped.")
    as_written = names is not None
    if names is not None:
        texts = _named_classes(texts, known, names)
    else:
        check_spellings(target, texts[known])
        as_written = has_leading_zeros(texts[known])
    if not as_written and (exact := whole_numbers(texts[known])) is not None:
        texts = texts.copy()
        texts[known] = exact.astype(str).astype(object)
    chosen = _chosen(texts, known, target, reading, notes)
    values = texts[chosen]
    _check_classes(values, target, measured=names is None and reading.kind is None)
    exact = None if as_written else whole_numbers(values)
    y = values.to_numpy().astype(str) if exact is None else exact
    different = pd.Series(values.unique())
    alike = different[different.str.lower().duplicated(keep=False)]
    if len(alike):
        warnings.append(f"Classes differ in upper and lower case only: {listed(alike)}.")
    positive = _positive(y, target, reading.positive)
    return Outcome(y, chosen, "classes", positive, notes, warnings)


def classes_of_cohort(labels: pd.Series, target: str, content: Content) -> Outcome:
    """Return the classes of a cohort as texts: a signature says what they may be."""
    texts, known = _known_labels(labels, target)
    names = content.extra.get("class_names")
    if names is not None and labels_beside(content, target) is not None:
        texts = _named_classes(texts, known, names)
    return Outcome(texts[known].to_numpy(dtype=object), known)


def _composed(text: str) -> str:
    """Return a text whose letters are written in one way: an accent may be a character of its own.

    >>> _composed("e\u0301") == "\u00e9"
    True
    """
    return normalize("NFC", text)


def _known_labels(labels: pd.Series, target: str) -> tuple[pd.Series, NDArray[np.bool_]]:
    """Return labels as texts, and which rows have one."""
    texts = label_texts(labels, target, "target")
    known = texts.notna().to_numpy()
    texts = texts.where(~known, texts.map(_composed, na_action="ignore"))
    if not known.any():
        raise TableError(
            f"no row has a value of {target!r}; choose another target.", parameter="target"
        )
    return texts, known


def _named_classes(texts: pd.Series, known: NDArray[np.bool_], names: list[str]) -> pd.Series:
    """Return the names of classes that are given by number."""
    codes = whole_numbers(texts[known])
    if codes is None or not set(codes.tolist()) <= set(range(len(names))):
        raise TableError(f"y holds numbers other than 0 to {len(names) - 1}, the class_names.")
    shown = texts.copy()
    shown[known] = [names[code] for code in codes]
    return shown


def _chosen(
    texts: pd.Series, known: NDArray[np.bool_], target: str, reading: Reading, notes: list[str]
) -> NDArray[np.bool_]:
    """Return the rows whose class is neither left out nor too small."""
    chosen = known.copy()
    counts = texts[known].value_counts()
    for name in reading.exclude_classes:
        if name not in counts:
            raise TableError(
                f"{target!r} has no class {name!r} to leave out; its classes are "
                f"{listed(sorted(counts.index), 8)}.",
                parameter="exclude_classes",
            )
        chosen &= (texts != name).to_numpy()
        notes.append(f"Class {name!r} was left out as requested: {counted(counts[name], 'row')}.")
    if reading.min_class_size is not None:
        left = texts[chosen].value_counts()
        small = left[left < reading.min_class_size].sort_index()
        if len(small):
            shown = [f"{name} ({n})" for name, n in small.items()]
            notes.append(
                f"Left out: {counted(len(small), 'class')} of fewer than {reading.min_class_size} "
                f"rows: {listed(shown)}."
            )
            chosen &= ~texts.isin(small.index).to_numpy()
    if not chosen.any():
        raise TableError(
            f"no class of {target!r} is left.", parameter=("exclude_classes", "min_class_size")
        )
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
                f"{target!r} holds {distinct} different whole numbers in {len(values)} rows, which "
                "may be names of classes or measured: say which with kind, 'classes' or 'numbers'.",
                parameter="kind",
            )
    elif distinct == len(values) and distinct > 2:
        raise TableError(
            f"{target!r} has a different value in every row: names, not classes.",
            parameter="target",
        )
    if distinct < 2:
        raise TableError(
            f"{target!r} holds one class only, {values.iloc[0]!r}; at least two are compared.",
            parameter="target",
        )


def _positive(y: NDArray[Any], target: str, name: str | None) -> Any:
    """Return the label of the class that two-class metrics are about."""
    if name is None:
        return None
    classes = np.unique(y).tolist()
    if len(classes) != 2:
        raise TableError(
            f"{target!r} has {len(classes)} classes; a positive one is for two. Leave the others "
            "out, or leave positive out.",
            parameter="positive",
        )
    meant = [label for label in classes if str(label) == name]
    if not meant:
        raise TableError(
            f"{target!r} has no class {name!r}; its classes are {listed(classes)}.",
            parameter="positive",
        )
    return meant[0]
