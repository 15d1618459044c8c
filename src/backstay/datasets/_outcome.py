"""What a target column holds: classes, or a number for every row; or times until an event.

Texts are classes, and so are whole numbers of few values. Numbers with fractions are measured.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from unicodedata import normalize

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay._refusal import Refusal
from backstay._words import counted, listed
from backstay.datasets._beside import DATE
from backstay.datasets._content import Content
from backstay.datasets._exact import (
    alike_but_case,
    check_spellings,
    has_leading_zeros,
    plain_text,
    whole_numbers,
)
from backstay.datasets._labelled import TableError
from backstay.datasets._reading import Reading
from backstay.targets import as_target, survival

# More different numbers than this, or than half of the rows, and a target may be measured.
MAX_NUMERIC_CLASSES = 10
# Options that say something about classes.
OF_CLASSES = ("positive", "exclude_classes", "min_class_size")


@dataclass
class Outcome:
    """The outcome of every row that has one, which rows these are, and what was said."""

    y: NDArray[Any]
    rows: NDArray[np.bool_]
    kind: str = "classes"
    positive: Any = None
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def is_measured(column: pd.Series, reading: Reading) -> bool:
    """Return whether a column is to be read as numbers: as asked, or since most have fractions."""
    if reading.kind is not None:
        return reading.kind == "numbers"
    is_text = column.dtype.kind not in "iuf"
    if is_text:
        column = plain_text(column).dropna()
    for decimal in dict.fromkeys((reading.decimal, ",")):
        numbers = _as_numbers(column, decimal).dropna()
        if len(numbers) > len(column) / 2 and _many(numbers) and (numbers % 1 != 0).any():
            return True
    return is_text and len(column) > 0 and _many(column) and bool(_dates(column).all())


def _many(values: pd.Series) -> bool:
    distinct = values.nunique()
    return distinct > MAX_NUMERIC_CLASSES or distinct > max(2, len(values) / 2)


def _as_numbers(column: pd.Series, decimal: str) -> pd.Series:
    """Return numbers, nan for what is none."""
    if column.dtype.kind not in "iuf" and decimal != ".":
        # Where decimals have a comma, a point may stand between thousands.
        column = column.where(~column.str.contains(".", regex=False, na=False))
        column = column.str.replace(decimal, ".", regex=False)
    return pd.to_numeric(column, errors="coerce").astype(np.float64)


def _dates(texts: pd.Series) -> pd.Series:
    return texts.astype(str).map(DATE.fullmatch).notna()


def numbers_of(column: pd.Series, target: str, reading: Reading) -> Outcome:
    """Return the numbers that a column holds, or refuse it in a sentence."""
    for name in OF_CLASSES:
        if name in reading.given():
            raise TableError(f"{target!r} holds numbers; {name} is for classes.", parameter=name)
    values, known = _measured(column, target, reading)
    if not known.any():
        raise TableError(f"no row has a value of {target!r}; choose another.", parameter="target")
    if np.isinf(values).any():
        raise TableError(
            f"{target!r} is infinite in row {np.argmax(np.isinf(values)) + 1}; leave the row out, "
            "or say how large it is.",
            parameter="target",
        )
    y = values[known]
    try:
        as_target(y, "numbers")
    except ValueError as error:  # too few rows, or all alike
        words = str(error).replace("y ", f"{target!r} ", 1)
        raise TableError(words, parameter="target") from None
    note = f"{target!r} is read as numbers{' as asked' if reading.kind else ''}, not as classes."
    return Outcome(y, known, "numbers", notes=[note], warnings=_dropped(known, repr(target)))


def _dropped(known: NDArray[np.bool_], what: str) -> list[str]:
    """Return a sentence on rows without an outcome, if there are any."""
    n_gaps = int((~known).sum())
    return [f"{n_gaps} rows without a value of {what} were dropped."] if n_gaps else []


def _measured(
    column: pd.Series, name: str, reading: Reading
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return a column as numbers, and which rows have one; refuse other texts."""
    texts = plain_text(column)
    # Numbers of a column that is no text are exact as they are.
    given = texts if column.dtype.kind not in "iuf" else column.astype(np.float64)
    values, known = _as_numbers(given, reading.decimal).to_numpy(), texts.notna().to_numpy()
    if (lost := known & np.isnan(values)).any():
        raise _no_number(texts, int(np.argmax(lost)), name)
    return values, known


def survival_of(time: pd.Series, event: pd.Series, reading: Reading) -> Outcome:
    """Return the times until an event that two columns hold, or refuse them in a sentence."""
    names = {"time": str(reading.time), "event": str(reading.event)}
    happened = plain_text(event).str.replace(r"^([0-9]+)[.]0+$", r"\1", regex=True)
    times, known = _measured(time, names["time"], reading)
    known = known & happened.notna().to_numpy()
    if not known.any():
        raise TableError(
            f"no row has a value of both {names['time']!r} and {names['event']!r}.",
            parameter=("time", "event"),
        )
    # Rows with a gap stay until rows were counted in messages.
    said = happened.where(known, happened[known].iloc[0])
    lower, flags = said.str.lower(), np.asarray(said)
    for no, yes in (("0", "1"), ("false", "true")):
        if reading.event_is is None and set(lower) <= {no, yes}:
            flags = np.asarray(lower == yes)
    try:
        y = survival(np.where(known, times, 1.0), flags, event_is=reading.event_is)
    except Refusal as error:
        words = re.sub("first row ([0-9]+)", lambda row: f"first row {int(row[1]) + 1}", str(error))
        which = words.split(" ", 1)[0]
        words = words.replace(which, repr(names[which]), 1) if which in names else words
        raise TableError(words, parameter=error.parameter) from None
    lacking = f"{names['time']!r} or {names['event']!r}"
    return Outcome(y[known], known, "survival", warnings=_dropped(known, lacking))


def _no_number(texts: pd.Series, row: int, target: str) -> TableError:
    """Say which value is no number, and what it may be."""
    text = texts.iloc[row]
    held = f"{target!r} holds {text!r} in row {row + 1}"
    if np.isfinite(_as_numbers(pd.Series([text], dtype=object), ",").iloc[0]):
        return TableError(
            f"{held}, a number with a decimal comma: read it with decimal=','.", parameter="decimal"
        )
    if _dates(pd.Series([text])).all():
        return TableError(f"{held}, a date; count the days from one date on.", parameter="target")
    return TableError(
        f"{held}, which is no number; write a number, or what stands for a missing value.",
        parameter="missing",
    )


# Classes.


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
    texts, known = _known_labels(labels, target)
    spelled = plain_text(labels)[known]
    changed = {new for old, new in zip(spelled, texts[known], strict=True) if old != new}
    if both := sorted(changed & set(spelled)):
        warnings.append(
            f"{target!r} writes {listed(both)} in two ways that look the same, with an accent "
            "inside a letter and after it; they were taken for one class."
        )
    warnings += _dropped(known, repr(target))
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
    warnings += alike_but_case("Classes", values)
    positive = _positive(y, target, reading.positive)
    return Outcome(y, chosen, "classes", positive, notes, warnings)


def classes_of_cohort(labels: pd.Series, target: str, content: Content) -> Outcome:
    """Return the classes of a cohort as texts: a signature says what they may be."""
    texts, known = _known_labels(labels, target)
    names = content.extra.get("class_names")
    if names is not None and labels_beside(content, target) is not None:
        texts = _named_classes(texts, known, names)
    return Outcome(texts[known].to_numpy(dtype=object), known)


def _known_labels(labels: pd.Series, target: str) -> tuple[pd.Series, NDArray[np.bool_]]:
    """Return labels as texts, and which rows have one."""
    texts = plain_text(labels)
    known = texts.notna().to_numpy()
    # Letters are written in one way: an accent may be a character of its own.
    texts = texts.where(~known, texts.map(lambda text: normalize("NFC", text), na_action="ignore"))
    if not known.any():
        raise TableError(f"no row has a value of {target!r}; choose another.", parameter="target")
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
        raise TableError(f"no class of {target!r} is left.", parameter=OF_CLASSES[1:])
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
