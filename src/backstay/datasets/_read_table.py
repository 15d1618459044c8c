"""Reading a table of rows with classes from a file, with a note on every decision."""

from __future__ import annotations

import difflib
import hashlib
import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay.datasets._arrays import read_arff, read_mat, read_npz, read_parquet
from backstay.datasets._columns import (
    SortedColumns,
    leaking_columns,
    left_out_sentences,
    plain_text,
    sort_columns,
)
from backstay.datasets._labelled import LabelledTable, TableError, listed, whole_numbers
from backstay.datasets._text import check_file, read_text

TEXT = {".csv", ".tsv", ".tab", ".txt"}
FORMATS = "CSV, TSV (also .gz), Parquet, ARFF, NPZ and MATLAB"
# More different numbers than this, and a target is a measurement, not a class.
MAX_NUMERIC_CLASSES = 10


def read_table(
    path: str | os.PathLike[str],
    target: str | None = None,
    *,
    drop: Iterable[str] = (),
    keep: Iterable[str] = (),
    groups: str | None = None,
    ids: str | None = None,
    categories: Iterable[str] = (),
    log2: float | None = None,
    transpose: bool = False,
    delimiter: str | None = None,
    decimal: str = ".",
    encoding: str = "utf-8",
    missing: Sequence[str] = (),
) -> LabelledTable:
    r"""Read rows with their classes from a file.

    The format follows from the name: ``.csv``, ``.tsv``, ``.tab``, ``.txt`` (each also ``.gz``),
    ``.parquet``, ``.arff``, ``.npz`` or ``.mat``. Nothing in a file is executed or unpickled.

    Parameters
    ----------
    path : path
        The file.
    target : str, default=None
        Name of the column that holds the classes. In NPZ and MATLAB files None takes the
        array ``y``.
    drop : iterable of str
        Columns to leave out.
    keep : iterable of str
        Columns to keep although they look like row numbers or free text.
    groups : str, default=None
        Column that says which rows belong together.
    ids : str, default=None
        Column that names the rows.
    categories : iterable of str
        Columns whose values are categories although they are numbers.
    log2 : float, default=None
        Raise values below this to it and take log2, as usual for raw microarray
        intensities (20); see :func:`log2_floor`.
    transpose : bool, default=False
        Whether a text file has a feature per row and a sample per column, as tables
        of gene expression often do. The target is a row then, too.
    delimiter : str, default=None
        None takes the one that cuts the first lines into equally many fields, as many as possible.
    decimal, encoding : str
        Of text files.
    missing : sequence of str
        Texts that mean a missing value, beside the empty one, "?", "NA", "NaN", "null" and
        the others that pandas knows.

    Returns
    -------
    LabelledTable
        With ``X``, ``y``, ``groups``, and sentences on what was done and what to check.

    Raises
    ------
    TableError
        If the file cannot be used as it is, in a sentence that says what to do.

    See Also
    --------
    read_selections : Reads what runs of another program selected.

    Notes
    -----
    Texts of up to 20 different values become categories. Left out, with a warning: columns without
    a value or with a single one, texts of more values, and columns that only number or name the
    rows; the first of those names them. Rows without a class are dropped, with a warning.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "cells.csv")
    >>> _ = path.write_text("size,colour,kind\n1.5,red,a\n2.5,blue,b\n3.0,red,b\n2.2,red,a\n")
    >>> table = read_table(path, "kind")
    >>> table.X.shape, table.classes, table.categorical
    ((4, 2), {'a': 2, 'b': 2}, ['colour'])
    >>> read_table(path, "Kind")
    Traceback (most recent call last):
    backstay.datasets._labelled.TableError: cells.csv has no column 'Kind'; did you mean 'kind'?
    >>> folder.cleanup()
    """
    path = Path(path)
    kind = _kind(path)
    roles = _Roles(target, groups, ids, tuple(drop), frozenset(keep), frozenset(categories))
    details: dict[str, Any] = {"file": path.name, "sha256": _sha256(path), "format": kind}
    if transpose and kind != "text":
        raise TableError(f"only text files can be transposed; transpose {path.name} yourself.")
    if kind == "text":
        frame, named, found, notes = read_text(
            path,
            delimiter=delimiter,
            encoding=encoding,
            decimal=decimal,
            missing=missing,
            transpose=transpose,
        )
        content = _Content(path.name, frame, named, notes=notes)
        details |= found
    elif kind in ("parquet", "arff"):
        content = _Content(path.name, (read_parquet if kind == "parquet" else read_arff)(path))
    else:
        frame, extra, notes = (read_npz if kind == "npz" else read_mat)(path, target)
        content = _Content(path.name, frame, extra=extra, notes=notes)
    if len(content.frame) == 0:
        raise TableError(f"{path.name} has no rows.")
    return _labelled_table(content, roles, log2, details)


@dataclass(frozen=True)
class _Roles:
    """The columns that were named by the caller, by what they are for."""

    target: str | None
    groups: str | None
    ids: str | None
    drop: tuple[str, ...]
    keep: frozenset[str]
    categories: frozenset[str]

    def check(self, columns: Collection[str], content: _Content) -> None:
        """Refuse columns that do not exist, or that have two roles."""
        apart = [name for name in (self.target, self.groups, self.ids) if name is not None]
        for name in (*apart, *self.drop, *self.keep, *self.categories):
            if name not in content.separate:
                _check_column(name, columns, content.file)
        if len(set(apart)) < len(apart):
            raise TableError("target, groups and ids must be different columns.")


@dataclass(frozen=True)
class _Content:
    """What is in a file: its rows, whether the first column names them, and other arrays."""

    file: str
    frame: pd.DataFrame
    named: bool = False
    extra: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def separate(self) -> set[Any]:
        """Names of arrays that stand beside the rows."""
        return {self.extra.get("target"), *(k for k in ("y", "groups") if k in self.extra)}


def _kind(path: Path) -> str:
    check_file(path)
    suffix = path.suffix.lower()
    if suffix == ".gz":
        suffix = Path(path.stem).suffix.lower()
        if suffix not in TEXT:
            raise TableError(f"{path.name}: only text files may be gzipped; unpack it first.")
    if path.stat().st_size == 0:
        raise TableError(f"{path.name} is empty.")
    kinds = dict.fromkeys(TEXT, "text") | {
        ".parquet": "parquet", ".pq": "parquet", ".arff": "arff", ".npz": "npz", ".mat": "mat",
    }  # fmt: skip
    if suffix in (".xls", ".xlsx", ".ods"):
        raise TableError(f"{path.name} is a spreadsheet; save the sheet as CSV.")
    if suffix not in kinds:
        raise TableError(
            f"{path.name} ends in {suffix or 'nothing'!r}; {FORMATS} files are read, known by "
            ".csv, .tsv, .txt, .parquet, .arff, .npz and .mat."
        )
    return kinds[suffix]


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _check_column(name: str, columns: Collection[str], file: str) -> None:
    """Refuse a column that does not exist, and name those that may be meant."""
    if name in columns:
        return
    lower = {str(column).lower(): str(column) for column in columns}
    near = [lower[key] for key in difflib.get_close_matches(name.lower(), lower, 3, 0.6)]
    if near:
        raise TableError(
            f"{file} has no column {name!r}; did you mean {' or '.join(map(repr, near))}?"
        )
    hint = f"; its columns are {listed(columns, 8)}"
    numbers = pd.to_numeric(pd.Series(list(columns), dtype=object), errors="coerce").notna()
    if numbers.mean() > 0.9:
        hint += " (numbers: does its first line lack the names?)"
    raise TableError(f"{file} has no column {name!r}{hint}.")


def _labelled_table(
    content: _Content, roles: _Roles, log2: float | None, details: dict[str, Any]
) -> LabelledTable:
    """Take target, groups and names out of the columns and sort the others."""
    notes, warnings = list(content.notes), list[str]()
    frame, samples = _sample_names(content, roles, notes)
    roles.check(frame.columns, content)
    labels, target = _labels(frame, content, roles)
    y, classed = _classes(labels, content.extra.get("class_names"), target, warnings)
    groups = None
    if roles.groups is not None or "groups" in content.extra:
        in_frame = roles.groups in frame.columns
        given = frame[roles.groups] if in_frame else pd.Series(content.extra["groups"])
        groups = _groups(given[classed], roles.groups or "groups")
        if roles.groups is None:
            notes.append("Rows are grouped by the array groups.")
    if roles.ids is not None:
        samples = plain_text(frame[roles.ids])
    gone = {target, roles.groups, roles.ids, *roles.drop}
    frame = frame.drop(columns=[name for name in gone if name in frame.columns])
    if roles.drop:
        notes.append(f"Dropped as requested: {listed(roles.drop)}.")
    if not classed.all():
        frame = frame[classed].reset_index(drop=True)
        samples = None if samples is None else samples[classed].reset_index(drop=True)
    found = sort_columns(frame, roles.categories, roles.keep, log2)
    if log2 is not None:
        notes.append(f"Values below {log2:g} were raised to it, then log2 was taken.")
    warnings += left_out_sentences(found)
    if samples is None and found.identifiers:
        name, samples = next(iter(found.identifiers.items()))
        notes.append(f"Rows are named by column {name!r}.")
    X = _assembled(frame, found, samples, content.file)
    leaks = leaking_columns(found, np.unique(y, return_inverse=True)[1])
    warnings += _suspicions(X, leaks, target, groups, samples)
    return LabelledTable(X, y, groups, target, details, notes, warnings)


def _sample_names(
    content: _Content, roles: _Roles, notes: list[str]
) -> tuple[pd.DataFrame, pd.Series | None]:
    """Return the rows, numbered, and their names if there are any."""
    frame = content.frame
    samples = None if isinstance(frame.index, pd.RangeIndex) else pd.Series(frame.index.map(str))
    frame = frame.reset_index(drop=True)
    taken = (roles.target, roles.groups, *roles.keep)
    if content.named and roles.ids is None and frame.columns[0] not in taken:
        samples = plain_text(frame.iloc[:, 0])
        frame = frame.iloc[:, 1:]
        notes.append("The first column names the rows.")
    if "sample_names" in content.extra:
        samples = pd.Series(content.extra["sample_names"])
    return frame, samples


def _labels(frame: pd.DataFrame, content: _Content, roles: _Roles) -> tuple[pd.Series, str]:
    """Return the column or array of classes, and its name."""
    target, extra = roles.target, content.extra
    if "y" in extra and (target is None or target in content.separate):
        return pd.Series(extra["y"]), str(extra["target"])
    if target is None:
        last = frame.columns[-1]
        raise TableError(f"{content.file}: which column holds the classes? The last is {last!r}.")
    return frame[target], target


def _classes(
    labels: pd.Series, names: list[str] | None, target: str, warnings: list[str]
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the class of every row that has one, and which rows do."""
    texts = plain_text(labels)
    known = texts.notna().to_numpy()
    if not known.any():
        raise TableError(f"no row has a value of {target!r}; choose another target.")
    if not known.all():
        warnings.append(f"{int((~known).sum())} rows without a value of {target!r} were dropped.")
    if labels.dtype.kind == "f" and 2**53 < labels.abs().max() < np.inf:
        raise TableError(
            f"{target!r} was read as floating point, which does not tell whole numbers as large as "
            f"{labels.abs().max():.17g} apart; write the classes as text, such as 'class 1'."
        )
    values = texts[known]
    numbers = pd.to_numeric(values, errors="coerce")
    distinct = values.nunique()
    if numbers.notna().all():
        codes = whole_numbers(values)
        whole = codes is not None
        distinct = numbers.nunique() if codes is None else len(np.unique(codes))
        many = distinct > MAX_NUMERIC_CLASSES and (not whole or distinct > len(values) / 5)
        if names is None and (many or distinct > 100 or distinct > max(2, len(values) / 2)):
            raise TableError(
                f"{target!r} holds {distinct} different numbers in {len(values)} rows: a "
                "measurement, not classes; cut it into classes (such as low and high) first."
            )
        if codes is not None:
            if names is None:
                values = pd.Series(codes)
            elif codes.dtype.kind not in "iu" or codes.min() < 0 or codes.max() >= len(names):
                raise TableError(
                    f"y holds numbers other than 0 to {len(names) - 1}, the class_names."
                )
            else:
                values = pd.Series(np.array(names)[codes])
    elif distinct == len(values) and distinct > 2:
        raise TableError(f"{target!r} has another value in every row: names, not classes.")
    if distinct < 2:
        raise TableError(
            f"{target!r} holds one class only, {values.iloc[0]!r}; at least two are compared."
        )
    different = pd.Series(values.unique())
    alike = different[different.astype(str).str.lower().duplicated(keep=False)]
    if len(alike):
        warnings.append(f"Classes differ in upper and lower case only: {listed(alike)}.")
    y = values.to_numpy()
    return (y if y.dtype.kind in "iu" else y.astype(str)), known


def _groups(given: pd.Series, name: str) -> NDArray[Any]:
    texts = plain_text(given)
    if texts.isna().any():
        row = int(np.flatnonzero(texts.isna().to_numpy())[0]) + 1
        raise TableError(f"row {row} has no value of {name!r}; every row needs its group.")
    if texts.nunique() < 2:
        raise TableError(f"{name!r} puts every row into one group; at least two are needed.")
    return texts.to_numpy().astype(str)


def _assembled(
    frame: pd.DataFrame, found: SortedColumns, samples: pd.Series | None, file: str
) -> pd.DataFrame:
    """Put numbers and categories together again, in the order of the file."""
    left = {*found.numbers.columns, *found.categories}
    order = [n for n in frame.columns if n in left]
    if not order:
        raise TableError(f"{file} has no column left that could tell the classes apart.")
    X = found.numbers
    if list(X.columns) != order and not found.categories:
        X = X[order]
    if samples is not None:
        X = X.set_axis(pd.Index(samples.fillna("").to_numpy().astype(str)), axis=0)
    if found.categories:
        texts = {n: pd.Series(c, index=X.index) for n, c in found.categories.items()}
        X = pd.concat([X, pd.DataFrame(texts)], axis=1)[order]
    return X


def _suspicions(
    X: pd.DataFrame,
    leaks: list[str],
    target: str,
    groups: NDArray[Any] | None,
    samples: pd.Series | None,
) -> list[str]:
    """Return what could make a result look better than it is."""
    sentences = []
    if leaks:
        sentences.append(
            f"{listed(leaks)} determine{'s' if len(leaks) == 1 else ''} the classes of {target!r} "
            "without an error; if that is the target in other words, drop it."
        )
    if groups is None:
        copies = _copies(X) if X.shape[1] > 1 else 0
        if copies:
            sentences.append(
                f"{copies} {'row is an exact copy' if copies == 1 else 'rows are exact copies'} of "
                "others and may be trained on and tested on; take them out of the file or name a "
                "column of groups."
            )
        if samples is not None and samples.dropna().duplicated().any():
            name = samples.dropna()[samples.dropna().duplicated()].iloc[0]
            sentences.append(
                f"Row names repeat ({name!r}, for one); if rows of one name belong together, name "
                "that column as groups."
            )
    return sentences


def _copies(X: pd.DataFrame) -> int:
    """Count the rows that repeat an earlier one in every value."""
    codes = [n for n, kind in X.dtypes.items() if str(kind) == "category"]
    table = X.drop(columns=codes).to_numpy(np.float64)
    if codes:
        table = np.column_stack([table, *(X[n].cat.codes for n in codes)])
    return len(table) - len({row.tobytes() for row in np.ascontiguousarray(table)})
