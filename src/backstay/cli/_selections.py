"""Reading selections that any other program made, whatever form the file has."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path

from backstay.datasets import TableError
from backstay.datasets._text import choose_delimiter, open_text

__all__ = ["FORMS", "Selections", "read_selections"]

FORMS = ("long", "rows", "columns", "matrix")
RUN = re.compile(
    r"(run|resample|fold|split|rep(eat)?|bootstrap|seed|iter(ation)?|sample)s?\b", re.I
)
LABEL = re.compile(r"(run|resample|fold|split|rep|bootstrap|seed|iter|sample)\D{0,8}\d", re.I)
FEATURE = re.compile(r"(feature|gene|variable|name|probe|selected|marker|protein)s?\b", re.I)
TRUE, FALSE = {"1", "1.0", "true", "t", "yes"}, {"0", "0.0", "false", "f", "no"}


@dataclass(frozen=True)
class Selections:
    """The features every run selected, by name.

    Attributes
    ----------
    runs : list of list of str
        One list per run.
    n_features : int or None
        Number of all features, where the form tells it.
    form : str
        The form, and why it was taken for that.
    """

    runs: list[list[str]]
    n_features: int | None
    form: str


def read_selections(
    path: Path, form: str | None = None, delimiter: str | None = None, encoding: str = "utf-8"
) -> Selections:
    """Read the features that each of several runs selected.

    Parameters
    ----------
    path : path
        A text file, its fields separated in any usual way.
    form : {"long", "rows", "columns", "matrix"}, default=None
        None finds out: "long" has a column of runs and one of features; "rows" a line of features
        per run; "columns" a column per run, named in the first line; "matrix" a line of 0 and 1
        per run, a column per feature.
    delimiter : str, default=None
        None takes the one that fits.
    encoding : str, default="utf-8"
        Of the file.
    """
    lines = _lines(path, delimiter, encoding)
    found = form or _form(lines)
    if found not in FORMS:
        raise TableError(f"form {found!r} is unknown; there are {', '.join(FORMS)}.")
    selections = {"long": _long, "rows": _rows, "columns": _columns, "matrix": _matrix}[found](
        lines
    )
    if len(selections.runs) < 2:
        raise TableError(
            f"{path.name} holds {len(selections.runs)} run ({selections.form}); stability needs "
            "two."
        )
    for number, run in enumerate(selections.runs):
        twice = {name for name in run if run.count(name) > 1} if len(set(run)) < len(run) else ()
        if twice:
            raise TableError(
                f"run {number + 1} of {path.name} selects {sorted(twice)[0]!r} more than once."
            )
    return selections


def _lines(path: Path, delimiter: str | None, encoding: str) -> list[list[str]]:
    if path.is_dir() or not path.exists():
        raise TableError(
            f"there is no file {path}." if not path.exists() else f"{path} is a folder."
        )
    with open_text(path, encoding) as file:
        text = [line.rstrip("\r\n") for line in file if line.strip()]
    if not text:
        raise TableError(f"{path.name} is empty.")
    if delimiter is None:
        # Lines of different length are usual here, so the longest lines decide.
        longest = sorted(text, key=len)[-5:]
        counts = {d: max(len(row) for row in csv.reader(longest, delimiter=d)) for d in ",\t;| "}
        delimiter = max(counts, key=lambda d: counts[d] if d != " " else 0)
        if counts[delimiter] == 1:
            delimiter = " " if counts[" "] > 1 else choose_delimiter(text[:5], path.name)
    rows = csv.reader(text, delimiter=delimiter, skipinitialspace=True)
    return [[field.strip() for field in row] for row in rows]


def _is_flag(field: str) -> bool:
    return field.lower() in TRUE | FALSE


def _form(lines: list[list[str]]) -> str:
    """Tell the forms apart; what cannot be told is asked for."""
    header, body = lines[0], lines[1:]
    widths = {len(row) for row in lines}
    if body and len(widths) == 1:
        inner = [field for row in body for field in row[1:]]
        if inner and all(_is_flag(field) for field in inner):
            return "matrix"
        runs = [j for j, name in enumerate(header) if RUN.match(name)]
        names = [j for j, name in enumerate(header) if FEATURE.match(name) and j not in runs]
        if runs and names:
            return "long"
    known = {field for row in body for field in row if field}
    return "rows" if known & {field for field in header if field} else "columns"


def _long(lines: list[list[str]]) -> Selections:
    header, body = lines[0], lines[1:]
    run = next((j for j, name in enumerate(header) if RUN.match(name)), 0)
    feature = next(
        (j for j, n in enumerate(header) if FEATURE.match(n) and j != run), 1 - min(run, 1)
    )
    runs: dict[str, list[str]] = {}
    for number, row in enumerate(body):
        if len(row) <= max(run, feature) or not row[run] or not row[feature]:
            raise TableError(f"line {number + 2} lacks a run or a feature.")
        runs.setdefault(row[run], []).append(row[feature])
    form = f"a run and a feature per line ({header[run]!r}, {header[feature]!r})"
    return Selections(list(runs.values()), None, form)


def _rows(lines: list[list[str]]) -> Selections:
    first = [row[0] for row in lines if row]
    others = {field for row in lines for field in row[1:]}
    labels = len(set(first)) == len(first) and not set(first) & others
    labels = labels and (all(LABEL.match(f) for f in first) or _count_up(first, others))
    runs = [[field for field in row[labels:] if field] for row in lines]
    return Selections(runs, None, f"a line of features per run{', named first' if labels else ''}")


def _count_up(first: list[str], others: set[str]) -> bool:
    """Whether first fields number the runs, where features are no numbers."""
    numbers = all(field.isdigit() for field in first)
    return numbers and not any(field.isdigit() for field in others)


def _columns(lines: list[list[str]]) -> Selections:
    header, body = lines[0], lines[1:]
    runs = [
        [row[j] for row in body if j < len(row) and row[j]] for j, name in enumerate(header) if name
    ]
    return Selections(runs, None, "a column of features per run, named in the first line")


def _matrix(lines: list[list[str]]) -> Selections:
    """Read 0 and 1; the first line and the first column may hold names."""
    named = not all(_is_flag(field) for field in lines[0][1:])
    body = lines[1:] if named else lines
    labelled = not all(_is_flag(row[0]) for row in body)
    width = len(body[0]) - labelled
    header = lines[0][labelled:] if named else [str(j) for j in range(width)]
    runs = []
    for number, row in enumerate(body):
        flags = row[labelled:]
        if len(flags) != width or not all(_is_flag(field) for field in flags):
            raise TableError(f"line {number + 1 + named} is not {width} times 0 or 1.")
        runs.append(
            [name for name, flag in zip(header, flags, strict=True) if flag.lower() in TRUE]
        )
    form = f"a line of 0 and 1 per run, {width} features in columns"
    return Selections(runs, width, form)
