"""What the columns that are no features say: rows that belong together, and other causes."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay._suspicion import Suspicion
from backstay.datasets._exact import plain_text
from backstay.datasets._labelled import TableError
from backstay.targets import Association, Target

Floats = NDArray[np.float64]
Tests = list[tuple[str, Association]]
# Columns that are looked at, and rows that must have a value.
MOST_COLUMNS, FEWEST_ROWS = 200, 10
# A column with so many different values per row, or fewer, has kinds of rows; one with more names
# what a few rows have in common, unless they are nearly all different.
KINDS, DISTINCT = 1 / 6, 0.8
# Numbers of up to so many values may be codes.
CODES = 10
# Below this probability, after Bonferroni's correction, it is no chance.
CHANCE = 0.001
SHOWN = 10
DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\b.*")
# Whole numbers in the order of the rows, such as 1, 2, 3, …, only number them, except in these.
TIME = re.compile(r"run|order|inject|acqui|scan|date|time|day|batch|plate", re.IGNORECASE)
# Names of a time that rows were followed, and outcomes that may have happened by then.
FOLLOWED = re.compile(
    r"(?<![a-z])(time|days?|weeks?|months?|follow[ _.-]?up|survival)(?![a-z0-9])", re.IGNORECASE
)
HAPPENED = (
    {"0", "1"}, {"1", "2"}, {"no", "yes"}, {"false", "true"}, {"alive", "dead"},
    {"living", "deceased"}, {"censored", "event"}, {"censored", "dead"},
)  # fmt: skip


@dataclass(frozen=True)
class _Column:
    """A column beside the features, where it has values: as texts, and as numbers if they are."""

    name: str
    texts: NDArray[Any]
    numbers: Floats | None
    target: Target

    @property
    def n_values(self) -> int:
        return len(np.unique(self.texts))


def repeats(
    columns: Iterable[tuple[str, Any]], names: pd.Series | None, target: Target
) -> list[Suspicion]:
    """Suspect columns, and row names, of which a few rows share a value, and their outcome."""
    found = [
        [one.name, one.n_values, len(one.texts)]
        for one in _usable(columns, target)
        if _repeats(one)
    ]
    twice = [] if names is None else [*names.dropna()[names.dropna().duplicated()]]
    if not found and not twice:
        return []
    figures = {"columns": found[:SHOWN], "row_names": [str(name) for name in twice[:1]]}
    return [Suspicion("repeats", 2 if found else 1, figures)]


def _usable(columns: Iterable[tuple[str, Any]], target: Target) -> list[_Column]:
    found = []
    for name, column in [*columns][:MOST_COLUMNS]:
        texts = plain_text(pd.Series(column))
        rows, known = texts.notna().to_numpy(), texts.dropna()
        one = _Column(name, known.to_numpy(str), _numbers(known), target.take(rows))
        if len(known) >= FEWEST_ROWS and one.n_values > 1:
            found.append(one)
    return found


def _numbers(texts: pd.Series) -> Floats | None:
    """Return texts as numbers, dates as seconds, or None."""
    numbers = pd.to_numeric(texts, errors="coerce").to_numpy(np.float64)
    if np.isfinite(numbers).all():
        return numbers
    if texts.map(DATE.fullmatch).notna().all():
        dates = pd.to_datetime(texts, format="mixed", errors="coerce")
        if dates.notna().all():
            return np.array([date.timestamp() for date in dates])
    return None


def times(column: pd.Series, name: str) -> pd.Series:
    """Return a column of times, or refuse it."""
    texts = plain_text(column)
    if _numbers(known := texts.dropna()) is None:
        for text in (text for text in known if _numbers(pd.Series([text])) is None):
            raise TableError(
                f"{name!r} holds {text!r}; times are numbers or dates such as 2024-05-31.",
                parameter="measured",
            )
    return texts


def _repeats(column: _Column) -> bool:
    """Return whether a few rows share a value, and with it their outcome."""
    n, values = len(column.texts), column.n_values
    if not KINDS * n <= values <= DISTINCT * n:
        return False
    if column.numbers is not None and (column.numbers % 1 != 0).any():
        return False
    strata = pd.factorize(np.array(column.target.row_labels(), dtype=object))[0]
    pairs = pd.DataFrame({"value": column.texts, "stratum": strata}).drop_duplicates()
    alike = float((np.bincount(strata) ** 2).sum() / n**2)  # two rows by chance
    return bool(len(pairs) == values and alike ** (n - values) < CHANCE)


def associations(columns: Iterable[tuple[str, Any]], target: Target) -> Tests:
    """Return how columns that are no features go with the outcome, all that can be tested."""
    return [
        (one.name, one.target.association(values))
        for one in _usable(columns, target)
        if (values := _testable(one)) is not None
    ]


def listed_tests(tests: Tests) -> str:
    """Return the tests in words, the smallest p-values first."""
    first = sorted(tests, key=lambda pair: pair[1].p_value)
    said = [f"{name!r} {one.measure} {one.value:.2f}, p {one.p_value:.2g}" for name, one in first]
    more = [f"and {len(said) - SHOWN} more"] if len(said) > SHOWN else []
    return "; ".join([*said[:SHOWN], *more])


def confounded(tests: Tests) -> list[Suspicion]:
    """Suspect columns that go with the outcome, the strongest first."""
    found = [(name, test) for name, test in tests if test.p_value * len(tests) < CHANCE]
    if not found:
        return []
    found.sort(key=lambda pair: (not pair[1].strong, pair[1].p_value))
    shown = [[name, t.measure, t.value, t.p_value * len(tests)] for name, t in found[:SHOWN]]
    severity = 2 if found[0][1].strong else 1
    return [Suspicion("confounded", severity, {"columns": shown})]


def followed_up(
    X: pd.DataFrame, others: Iterable[tuple[str, Any]], target: Target
) -> list[Suspicion]:
    """Suspect columns named like a time, beside an outcome that may say what happened by then."""
    labels = {str(label).lower() for label in target.names}
    if len(labels) != 2 or not any(labels <= pair for pair in HAPPENED):
        return []
    columns = [*((str(n), X[n], True) for n in X.columns if FOLLOWED.search(str(n))),
               *((n, column, False) for n, column in others if FOLLOWED.search(n))]  # fmt: skip
    found = []
    for name, column, is_feature in columns[:MOST_COLUMNS]:
        numbers = _numbers(plain_text(pd.Series(column)).dropna())
        if numbers is not None and len(numbers) and (numbers > 0).all() and np.ptp(numbers):
            found.append([name, is_feature])
    severity = 2 if any(is_feature for _, is_feature in found) else 1
    return [Suspicion("follow_up", severity, {"columns": found[:SHOWN]})] if found else []


def _testable(column: _Column) -> NDArray[Any] | None:
    """Return numbers, texts of few kinds, or None for a column that only names rows."""
    n, values, numbers = len(column.texts), column.n_values, column.numbers
    if _repeats(column):
        return None
    if numbers is None or not np.ptp(numbers) or values <= min(CODES, KINDS * n):
        return column.texts if values <= KINDS * n else None
    steps = np.diff(numbers)
    counts = bool(((steps > 0).all() or (steps < 0).all()) and (numbers % 1 == 0).all())
    return numbers if not counts or TIME.search(column.name) else None
