"""Reading the features that runs of any other program selected."""

import csv
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from backstay.datasets._labelled import TableError
from backstay.datasets._text import check_delimiter, choose_delimiter, nonempty_lines
from backstay.datasets._text_file import TextFile, check_file, explained

RUN = re.compile(
    r"(run|resample|fold|split|rep(eat)?|bootstrap|seed|iter(ation)?|sample)s?\b", re.I
)
LABEL = re.compile(r"(run|resample|fold|split|rep|bootstrap|seed|iter|sample)\D{0,8}\d", re.I)
# A short name of a run, such as r1.
SHORT = re.compile(r"r\d+$", re.I)
FEATURE = re.compile(r"(feature|gene|variable|name|probe|selected|marker|protein)s?\b", re.I)
TRUE, FALSE = {"1", "1.0", "true", "t", "yes"}, {"0", "0.0", "false", "f", "no"}


@dataclass(frozen=True)
class Selections:
    """The features that every run selected, by name.

    Attributes
    ----------
    runs : list of list of str
        One list per run.
    n_features : int or None
        Number of all features, if the form of the file gives it.
    form : str
        How the file was read.
    """

    runs: list[list[str]]
    n_features: int | None
    form: str


def read_selections(
    path: str | os.PathLike[str],
    form: str | None = None,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    *,
    transpose: bool | None = None,
    n_features: int | None = None,
    max_size: float | None = None,
) -> Selections:
    r"""Read the features that each of several runs selected.

    Parameters
    ----------
    path : path
        A text file, which may be compressed (``.gz``).
    form : {"long", "rows", "columns", "matrix"}, default=None
        "long" has a column of runs and one of features; "rows" a line of features per run;
        "columns" a column of features per run, named in the first line; "matrix" is a table of
        0 and 1, runs by features or features by runs. None recognises it.
    delimiter, encoding : str
        None takes the delimiter that fits the longest lines.
    transpose : bool, default=None
        Whether a table of 0 and 1 has a line per feature. None goes by the names in its first
        line and column, and by `n_features`.
    n_features : int, default=None
        Number of all features, if it is known.
    max_size : float, default=None
        As in :func:`read_table`.

    Returns
    -------
    Selections
        With ``runs``, ``n_features`` and ``form``, for :func:`backstay.stability.stability_score`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "selected.csv")
    >>> _ = path.write_text("run,gene\n1,TP53\n1,MYC\n2,TP53\n2,EGFR\n")
    >>> read_selections(path).runs
    [['TP53', 'MYC'], ['TP53', 'EGFR']]
    >>> folder.cleanup()
    """
    path = Path(path)
    check_file(path)
    with explained(path, encoding), TextFile(path, encoding, max_size) as file:
        lines = _fields(file, delimiter)
    form = form or _recognise(lines)
    oriented = partial(_matrix, transpose=transpose, n_features=n_features, file=path.name)
    readers: dict[str, Callable[..., Selections]] = {
        "long": _long,
        "rows": _rows,
        "columns": _columns,
        "matrix": oriented,
    }
    if form not in readers:
        raise TableError(f"form={form!r} must be one of {', '.join(readers)}.", parameter="form")
    if transpose is not None and form != "matrix":
        raise TableError(
            f"transpose={transpose} is for a table of 0 and 1; got form={form!r}.",
            parameter="transpose",
        )
    selections = readers[form](lines)
    if len(selections.runs) < 2:
        raise TableError(
            f"{path.name} must hold at least 2 runs; got {len(selections.runs)} "
            f"({selections.form})."
        )
    for number, run in enumerate(selections.runs, start=1):
        if len(set(run)) < len(run):
            twice = min(name for name in run if run.count(name) > 1)
            raise TableError(f"run {number} of {path.name} selects {twice!r} more than once.")
    return selections


def _fields(file: TextFile, delimiter: str | None) -> list[list[str]]:
    name = file.path.name
    lines = nonempty_lines(file.text(), name)
    if delimiter is None:
        # Lines of different length are usual here, so the longest lines decide.
        longest = sorted(lines, key=len)[-5:]
        counts = {d: max(len(row) for row in csv.reader(longest, delimiter=d)) for d in ",\t;| "}
        delimiter = max(counts, key=lambda d: counts[d] if d != " " else 0)
        if counts[delimiter] == 1:
            delimiter = " " if counts[" "] > 1 else choose_delimiter(lines[:5], name)
    check_delimiter(delimiter)
    rows = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    return [[field.strip() for field in row] for row in rows]


def _is_flag(field: str) -> bool:
    return field.lower() in TRUE | FALSE


def _recognise(lines: list[list[str]]) -> str:
    """Return the form of the file, "columns" if nothing speaks for another."""
    header, body = lines[0], lines[1:]
    widths = {len(row) for row in lines}
    if body and len(widths) == 1:
        inner = [field for row in body for field in row[1:]]
        if inner and all(_is_flag(field) for field in inner):
            return "matrix"
        others = [name for name in header if not RUN.match(name)]
        if len(others) < len(header) and any(FEATURE.match(name) for name in others):
            return "long"
    known = {field for row in body for field in row if field}
    return "rows" if known & {field for field in header if field} else "columns"


def _long(lines: list[list[str]]) -> Selections:
    header, body = lines[0], lines[1:]
    if len(header) < 2:
        raise TableError(f"form='long' needs a column of runs and one of features; got {header}.")
    run = next((j for j, name in enumerate(header) if RUN.match(name)), 0)
    feature = next((j for j, n in enumerate(header) if FEATURE.match(n) and j != run), int(not run))
    runs: dict[str, list[str]] = {}
    for number, row in enumerate(body):
        if len(row) <= max(run, feature) or not row[run] or not row[feature]:
            raise TableError(f"line {number + 2} must name a run and a feature.")
        runs.setdefault(row[run], []).append(row[feature])
    form = f"a run and a feature per line ({header[run]!r}, {header[feature]!r})"
    return Selections(list(runs.values()), None, form)


def _rows(lines: list[list[str]]) -> Selections:
    first = [row[0] for row in lines if row]
    others = {field for row in lines for field in row[1:]}
    # Names of runs look like "fold 3", or are numbers where the features are not.
    numbered = all(f.isdigit() for f in first) and not any(f.isdigit() for f in others)
    labels = len(set(first)) == len(first) and not set(first) & others
    labels = labels and (numbered or all(LABEL.match(f) for f in first))
    runs = [[field for field in row[labels:] if field] for row in lines]
    return Selections(runs, None, f"a line of features per run{', named first' if labels else ''}")


def _columns(lines: list[list[str]]) -> Selections:
    header, body = lines[0], lines[1:]
    runs = [[row[j] for row in body if j < len(row) and row[j]] for j, n in enumerate(header) if n]
    return Selections(runs, None, "a column of features per run, named in the first line")


def _matrix(
    lines: list[list[str]], transpose: bool | None, n_features: int | None, file: str
) -> Selections:
    """Read 0 and 1; the first line and the first column may hold names."""
    header = lines[0]
    named = header[0] == "" or not all(_is_flag(field) for field in header[1:])
    body = lines[1:] if named else lines
    if not body:
        raise TableError("form='matrix' needs lines of 0 and 1; got a line of names only.")
    labelled = (named and header[0] == "") or not all(_is_flag(row[0]) for row in body)
    width = len(body[0]) - labelled
    for number, row in enumerate(body):
        if len(row) - labelled != width or not all(_is_flag(field) for field in row[labelled:]):
            raise TableError(f"line {number + 1 + named} must hold {width} times 0 or 1.")
    down = [row[0] for row in body] if labelled else []
    across = header[labelled:] if named else []
    selected = np.array([[field.lower() in TRUE for field in row[labelled:]] for row in body])
    why = "as asked"
    if transpose is None:
        known = (selected.shape[1] == n_features, len(selected) == n_features)
        corner = header[0] if named and labelled else ""
        found = _orientation(down, across, corner, known)
        if found is None:
            raise TableError(
                f"{file} is a table of 0 and 1, {len(selected)} × {width}, and does not show "
                "whether a line is a run or a feature; give transpose=False for a run or "
                "transpose=True for a feature.",
                parameter="transpose",
            )
        transpose, why = found
    names, run, where = across, "line", "columns"
    if transpose:
        selected, names, run, where = selected.T, down, "column", "lines"
    n = selected.shape[1]
    names = names or [str(j) for j in range(n)]
    runs = [[names[j] for j in np.flatnonzero(row)] for row in selected]
    return Selections(runs, n, f"a {run} of 0 and 1 per run, {n} features in {where} ({why})")


def _orientation(
    lines: list[str], columns: list[str], corner: str, known: tuple[bool, bool]
) -> tuple[bool, str] | None:
    """Return whether lines are features, and why; None if nothing shows it."""
    of_features = FEATURE.match(corner) and not corner.lower().startswith("name")
    # Whether lines are runs, whether columns are; the first that speaks for one only decides.
    signs = [
        (_all(LABEL, lines), _all(LABEL, columns), "by the runs' names"),
        (bool(RUN.match(corner)), bool(of_features), f"by the first field, {corner!r}"),
        (_all(SHORT, lines), _all(SHORT, columns), "by the runs' names"),
        (_names(columns) and not _names(lines), _names(lines) and not _names(columns),
         "by the features' names"),
        (*known, "by the number of features"),
    ]  # fmt: skip
    decided = ((columns, why) for lines, columns, why in signs if lines != columns)
    return next(decided, None)


def _all(pattern: re.Pattern[str], names: list[str]) -> bool:
    return bool(names) and all(pattern.match(name) for name in names)


def _names(names: list[str]) -> bool:
    """Whether there are names that are more than 0, 1, 2, … or 1, 2, 3, …."""
    counts = [[str(j + first) for j in range(len(names))] for first in (0, 1)]
    return bool(names) and names not in counts
