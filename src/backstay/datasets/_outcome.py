"""What a target column holds: classes, or a number for every row; or times until an event.

Texts are classes, and so are whole numbers of few values. Numbers with fractions are measured.
"""

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay._refusal import Refusal
from backstay.datasets._beside import DATE
from backstay.datasets._exact import plain_text
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
    texts = plain_text(column)
    known = texts.notna().to_numpy()
    if not known.any():
        raise TableError(
            f"no row has a value of {target!r}; choose another target.", parameter="target"
        )
    # Numbers of a column that is no text are exact as they are.
    given = texts if column.dtype.kind not in "iuf" else column.astype(np.float64)
    values = _as_numbers(given, reading.decimal).to_numpy()
    lost = known & np.isnan(values)
    if lost.any():
        raise _no_number(texts, int(np.argmax(lost)), target)
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
    n_gaps = int((~known).sum())
    warnings = [f"{n_gaps} rows without a value of {target!r} were dropped."] if n_gaps else []
    note = f"{target!r} is read as numbers{' as asked' if reading.kind else ''}, not as classes."
    return Outcome(y, known, "numbers", notes=[note], warnings=warnings)


def survival_of(time: pd.Series, event: pd.Series, reading: Reading) -> Outcome:
    """Return the times until an event that two columns hold, or refuse them in a sentence."""
    names = {"time": str(reading.time), "event": str(reading.event)}
    texts = plain_text(time)
    happened = plain_text(event).str.replace(r"^([0-9]+)[.]0+$", r"\1", regex=True)
    given = texts if time.dtype.kind not in "iuf" else time.astype(np.float64)
    times = _as_numbers(given, reading.decimal).to_numpy()
    if (lost := texts.notna().to_numpy() & np.isnan(times)).any():
        raise _no_number(texts, int(np.argmax(lost)), names["time"])
    known = texts.notna().to_numpy() & happened.notna().to_numpy()
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
    n_gaps = int((~known).sum())
    lacking = f"{names['time']!r} or {names['event']!r}"
    warnings = [f"{n_gaps} rows without a value of {lacking} were dropped."] if n_gaps else []
    return Outcome(y[known], known, "survival", warnings=warnings)


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
