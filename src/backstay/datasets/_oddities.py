"""What is odd about the values of a table: texts among numbers, codes for gaps, raw values."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay._columns import column_chunks, numeric_columns
from backstay._words import listed
from backstay.datasets._labelled import TableError, count_missing
from backstay.datasets._reading import Reading

# Fewer features than this are not taken for gene expression.
MANY_FEATURES = 100
# The rule of GEO2R: values with a 99th percentile above this are not logarithms.
RAW_PERCENTILE = 100
# Raw values trail off to the right: their mean is well above their median.
RAW_SKEW = 1.3
MANY_MISSING = 0.05
# Numbers that programs write for a missing value, and how many times as large as any other value of
# the column they are then.
CODES, FAR = (-99, -999, -9999, 999, 9999, 99999), 3
LIMIT = re.compile(r"<\s*(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)")
# Percent signs, thousands separators, and other minus signs than '-'.
DECORATED = re.compile(
    r"[+-]?\d+(\.\d+)? ?%"
    r"|[+-]?\d{1,3}([,' \u00a0\u2009\u202f]\d{3})+(\.\d+)?"
    r"|[\u2212\u2012\u2013]\d+(\.\d+)?([eE][+-]?\d+)?"
)
SHOWN = 12


def numbers_in(values: Iterable[Any], reading: Reading) -> NDArray[np.float64]:
    """Return texts as numbers, nan for what is none; half of a limit of detection, if asked."""
    known = pd.Series(list(values), dtype=object)
    if reading.decimal != ".":
        known = known.map(lambda v: v.replace(reading.decimal, ".") if isinstance(v, str) else v)
    numbers = pd.to_numeric(known, errors="coerce").to_numpy(np.float64, copy=True)
    if reading.lod == "half":
        for i in np.flatnonzero(np.isnan(numbers)):
            if (limit := LIMIT.fullmatch(str(known[i]).strip())) is not None:
                numbers[i] = float(limit[1]) / 2
    return numbers


def is_like_number(text: str) -> bool:
    """Whether a text is a number to people, if not to programs."""
    return LIMIT.fullmatch(text) is not None or DECORATED.fullmatch(text) is not None


class OddTexts:
    """What stands among the numbers of a table, to be named at once."""

    def __init__(self) -> None:
        self.first, self.times = "", Counter[str]()

    def add(self, texts: Iterable[str], place: str) -> None:
        """Remember the odd texts of a column and the place of the first."""
        found = list(texts)
        self.first = self.first or f"{found[0]!r} {place}"
        self.times.update(found)

    def check(self, file: str) -> None:
        """Refuse them, if there are any, and say what can be done about each."""
        if not self.times:
            return
        often = self.times.most_common()
        shown = ", ".join(f"{t!r} ({n} {'time' if n == 1 else 'times'})" for t, n in often[:SHOWN])
        more = f" and {len(often) - SHOWN} others" if len(often) > SHOWN else ""
        limits = [text for text in self.times if LIMIT.fullmatch(text)]
        decorated = [text for text in self.times if DECORATED.fullmatch(text)]
        gaps = [text for text in self.times if text not in {*limits, *decorated}]
        advice = ["correct the file"]
        if gaps:
            advice.append(f"name what stands for a gap as missing ({listed(gaps, SHOWN)})")
        if limits:
            advice.append(f"take half of a limit such as {limits[0]!r} with lod 'half'")
        if decorated:
            advice.append(f"write {listed(decorated)} as plain numbers")
        raise TableError(
            f"{file} has texts among numbers: {shown}{more}; first {self.first}. What to do: "
            f"{', '.join(advice)}, or treat such a column as a category, or drop it.",
            parameter=("missing", "lod", "categories", "drop"),
        )


def twins(X: pd.DataFrame) -> list[str]:
    """Return a sentence on features that hold the values of another, if there are any."""
    first: dict[bytes, str] = {}
    pairs = []
    with np.errstate(invalid="ignore"):  # of a gap that signals
        for places, table in column_chunks(X, numeric_columns(X)):
            for name, column in zip(X.columns[places], table.T, strict=True):
                values = (column + 0.0).tobytes()  # no -0.0
                known = first.setdefault(hashlib.blake2b(values, digest_size=16).digest(), name)
                if known != name:
                    pairs.append(f"{name} = {known}")
    if not pairs:
        return []
    what = "feature holds" if len(pairs) == 1 else "features hold"
    return [
        f"{len(pairs)} {what} exactly the values of another ({listed(pairs, 3)}); "
        "methods can only choose between them at random."
    ]


def codes_for_missing(X: pd.DataFrame) -> list[str]:
    """Return a question on numbers, far from others of their column, that may stand for gaps."""
    times = dict.fromkeys(CODES, 0)
    for _, table in column_chunks(X, numeric_columns(X)):
        coded = np.isin(table, CODES)
        others = np.where(coded | np.isnan(table), 0.0, np.abs(table)).max(axis=0, initial=0.0)
        for code in CODES:
            times[code] += int(((table == code) & (np.abs(code) > FAR * others)).sum())
    return [
        f"{code} appears {n} times, far from the other values of its columns: does it stand for "
        f"missing values? Then say so: missing=['{code}'], or --missing {code} on the command line."
        for code, n in times.items()
        if n > 1
    ]


def looks_raw(X: pd.DataFrame) -> list[str]:
    """Return a hint at logarithms where values look like raw intensities or counts."""
    numeric = X.select_dtypes("number")
    if numeric.shape[1] < MANY_FEATURES:
        return []
    step = max(1, numeric.shape[1] // 1000)  # a thousand features tell
    values = numeric.iloc[:, ::step].to_numpy(np.float64)
    values = values[np.isfinite(values)]
    if not len(values) or values.min() < 0:
        return []
    median, high = np.percentile(values, [50, 99])
    if high <= RAW_PERCENTILE or values.mean() < RAW_SKEW * median:
        return []
    counts = bool((values % 1 == 0).all())
    floor = 1 if counts else 20
    return [
        f"Values run from {values.min():g} to {values.max():g} with a median of {median:g}, as raw "
        f"{'counts' if counts else 'intensities'} do; if they are, take logarithms: log2={floor}, "
        f"or --log2 {floor} on the command line."
    ]


def many_missing(X: pd.DataFrame) -> list[str]:
    """Return a sentence on missing values, if they are many."""
    share = count_missing(X)[0] / X.size if X.size else 0.0
    if share < MANY_MISSING:
        return []
    return [
        f"{share:.0%} of the values are missing; what is filled in shapes the result. Leave out "
        "features or samples that are mostly empty."
    ]
