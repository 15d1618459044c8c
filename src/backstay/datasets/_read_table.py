"""Reading a table of rows with classes from a file, with a note on every decision."""

from __future__ import annotations

import difflib
import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from backstay.datasets._classes import ClassRules, classes_of, groups_of
from backstay.datasets._columns import (
    SortedColumns,
    leaking_columns,
    left_out_sentences,
    sort_columns,
)
from backstay.datasets._content import (
    Content,
    Limit,
    Reading,
    plain_text,
    repeated,
)
from backstay.datasets._duplicates import DEDUPE, unique_columns
from backstay.datasets._formats import ONE_WAY, kind_of, read_content
from backstay.datasets._labelled import LabelledTable, TableError, listed
from backstay.datasets._samples import SampleSheet, join_samples
from backstay.datasets._suspicions import drift, looks_raw, many_missing, suspicions


def read_table(
    path: str | os.PathLike[str],
    target: str | None = None,
    *,
    samples: str | os.PathLike[str] | pd.DataFrame | None = None,
    allow_unmatched: bool = False,
    annotation: Iterable[str] = (),
    covariates: Iterable[str] = (),
    drop: Iterable[str] = (),
    keep: Iterable[str] = (),
    groups: str | None = None,
    time: str | None = None,
    ids: str | None = None,
    categories: Iterable[str] = (),
    exclude_classes: Iterable[str] = (),
    min_class_size: int | None = None,
    positive: str | None = None,
    log2: float | None = None,
    dedupe: str | None = None,
    transpose: bool = False,
    sheet: str | int | None = None,
    layer: str | None = None,
    delimiter: str | None = None,
    decimal: str = ".",
    encoding: str = "utf-8",
    missing: Sequence[str] = (),
    max_size: float | None = None,
) -> LabelledTable:
    r"""Read rows with their classes from a file.

    The format follows from the name: ``.csv``, ``.tsv``, ``.tab``, ``.txt``, ``.gct`` (each also
    ``.gz``), ``.xlsx``, ``.h5ad``, ``.parquet``, ``.arff``, ``.npz`` or ``.mat``. A text file that
    begins like a series matrix of GEO is read as one. Nothing in a file is executed or unpickled.

    Parameters
    ----------
    path : path
        The file.
    target : str, default=None
        Name of the column that holds the classes. In NPZ and MATLAB files None takes the
        array ``y``.
    samples : path or DataFrame, default=None
        The sheet of samples, where the file holds numbers only: a row per sample, with the
        target. Which side of the file holds the samples is found by their names. AnnData
        files, GCT 1.3 and series matrices have a sheet of their own.
    allow_unmatched : bool, default=False
        Whether samples that are in one of file and sheet only are left out; otherwise they
        are an error.
    annotation : iterable of str
        Columns of a file with a feature per row that describe the features, such as symbols.
        If there are none, leading columns of text are taken.
    covariates : iterable of str
        Columns of the sheet to use as features, such as age; the others are not used.
    drop : iterable of str
        Columns to leave out.
    keep : iterable of str
        Columns to keep although they look like row numbers or free text.
    groups : str, default=None
        Column that says which rows belong together.
    time : str, default=None
        Column that says when a sample was taken or measured. It is no feature; if the classes
        differ in it, that is a warning.
    ids : str, default=None
        Column that names the rows; with `samples`, the column of the sheet.
    categories : iterable of str
        Columns whose values are categories although they are numbers.
    exclude_classes : iterable of str
        Classes to leave out, with their rows.
    min_class_size : int, default=None
        Leave out classes of fewer rows.
    positive : str, default=None
        Of two classes, the one that metrics such as average precision are about; None is the
        last in alphabetical order.
    log2 : float, default=None
        Raise values below this to it and take log2, as usual for raw microarray
        intensities (20); see :func:`log2_floor`.
    dedupe : {"first", "mean", "max-variance"}, default=None
        What becomes of features of the same name; None refuses them.
    transpose : bool, default=False
        Whether the file has a feature per row and a sample per column, as tables
        of gene expression often do. Without `samples`, the target is a row then, too.
    sheet : str or int, default=None
        Name or number (from 1) of the sheet of an Excel file; None is the first.
    layer : str, default=None
        Layer of an AnnData file; None is ``X``.
    delimiter : str, default=None
        None takes the one that cuts the first lines into equally many fields, as many as possible.
    decimal, encoding : str
        Of text files.
    missing : sequence of str
        Texts that mean a missing value, beside the empty one, "?", "NA", "NaN", "null" and
        the others that pandas knows.
    max_size : float, default=None
        Gigabytes that a compressed file may unpack to. None refuses more than 4, and more
        than 100 times its own size beyond a quarter of a gigabyte.

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
    if dedupe is not None and dedupe not in DEDUPE:
        raise TableError(f"dedupe={dedupe!r} must be {', '.join(DEDUPE[:-1])} or {DEDUPE[-1]}.")
    path = Path(path)
    described, categories = tuple(annotation), tuple(categories)
    reading = Reading(
        delimiter, decimal, encoding, tuple(missing), transpose, described, sheet, layer,
        Limit(max_size), target, labels=frozenset({groups or "", ids or "", *categories} - {""}),
    )  # fmt: skip
    roles = _Roles(
        target, groups, time, ids, tuple(drop), frozenset(keep), frozenset(categories),
        tuple(covariates),
    )  # fmt: skip
    if samples is None:
        content = read_content(path, reading)
        if described and content.annotation is None:
            raise TableError(
                "annotation is for files with a feature per row; give the sheet of samples, or "
                "say transpose."
            )
    else:
        content = with_sheet(path, samples, reading, ids, allow_unmatched)
        roles = replace(roles, ids=None)
    content = unique_columns(content, dedupe)
    rules = ClassRules(tuple(exclude_classes), min_class_size, positive)
    return _labelled_table(content, roles, rules, log2)


def with_sheet(
    path: Path, samples: Any, reading: Reading, ids: str | None, allow_unmatched: bool
) -> Content:
    """Read a file and the sheet of its samples, and join them."""
    about = Reading(
        decimal=reading.decimal, encoding=reading.encoding, missing=reading.missing,
        limit=reading.limit, as_text=True,
    )  # fmt: skip
    if isinstance(samples, pd.DataFrame):
        name, frame = "the sheet", samples.copy()
        frame.columns = frame.columns.map(str)
    else:
        known = read_content(Path(samples), about)
        name, frame = known.file, known.frame
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.rename_axis("row name").reset_index()
    if twice := repeated(frame.columns):
        raise TableError(f"{name} has columns of the same name: {listed(twice)}.")
    if ids is not None:
        _check_column(ids, frame.columns, name)
    # Columns are parsed as they lie: as text they would take many times the memory.
    plain = replace(reading, transpose=False, annotation=(), target=None, named=True)
    if reading.transpose and (kind := kind_of(path, reading.limit)) in ONE_WAY:
        raise TableError(f"{path.name} always has {ONE_WAY[kind]}; leave transpose out.")
    found = SampleSheet(name, frame, ids, allow_unmatched, reading.annotation, reading.transpose)
    content = join_samples(read_content(path, plain), found)
    return replace(content, details={**content.details, "samples": name})


@dataclass(frozen=True)
class _Roles:
    """The columns that were named by the caller, by what they are for."""

    target: str | None
    groups: str | None
    time: str | None
    ids: str | None
    drop: tuple[str, ...]
    keep: frozenset[str]
    categories: frozenset[str]
    covariates: tuple[str, ...]

    def check(self, content: Content) -> None:
        """Refuse columns that do not exist, or that have two roles."""
        columns = [*([] if content.sheet is None else content.sheet), *content.frame.columns]
        extra = content.extra
        found = [name for name in (self.time, self.ids) if name is not None]
        if self.target is not None and not ("y" in extra and self.target in ("y", extra["target"])):
            found.append(self.target)
        if self.groups is not None and not ("groups" in extra and self.groups == "groups"):
            found.append(self.groups)
        given = (self.target, self.groups, self.time, self.ids)
        apart = [name for name in given if name is not None]
        where = content.details.get("samples", content.file)
        for name in (*found, *self.drop, *self.keep, *self.categories, *self.covariates):
            _check_column(name, columns, where, sheet=content.sheet is not None)
        if len(set(apart)) < len(apart):
            raise TableError("target, groups, time and ids must be different columns.")
        if self.covariates and content.sheet is None:
            raise TableError(
                "covariates are columns of a sheet of samples; here every column is a feature."
            )


def _check_column(name: str, columns: Collection[str], file: str, *, sheet: bool = True) -> None:
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
    elif not sheet:
        hint += ". If another file says it of every sample, give that as the sheet of samples"
    raise TableError(f"{file} has no column {name!r}{hint}.")


@dataclass
class _Parts:
    """A table as it is taken apart: features, what stands beside them, names of rows, notes."""

    features: pd.DataFrame
    sheet: pd.DataFrame
    samples: pd.Series | None
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def column(self, name: str) -> pd.Series:
        """Return a column of the sheet, or else of the table."""
        return self.sheet[name] if name in self.sheet.columns else self.features[name]

    def of_rows(self, chosen: Any) -> _Parts:
        """Return the same with some of the rows, numbered anew."""
        samples = None if self.samples is None else self.samples[chosen].reset_index(drop=True)
        features = self.features[chosen].reset_index(drop=True)
        sheet = self.sheet[chosen].reset_index(drop=True)
        return _Parts(features, sheet, samples, self.notes, self.warnings)


def _labelled_table(
    content: Content, roles: _Roles, rules: ClassRules, log2: float | None
) -> LabelledTable:
    """Take target, groups and names out of the columns and sort the others."""
    parts = _taken_apart(content, roles)
    roles.check(replace(content, frame=parts.features))
    labels, target = _labels(parts, content, roles)
    classes = classes_of(labels, content.extra.get("class_names"), target, rules)
    parts.notes += classes.notes
    parts.warnings += classes.warnings
    groups = None
    if roles.groups is not None or "groups" in content.extra:
        named = roles.groups is not None and roles.groups in {*parts.features, *parts.sheet}
        given = parts.column(str(roles.groups)) if named else pd.Series(content.extra["groups"])
        groups, said = groups_of(given[classes.rows], roles.groups or "groups")
        parts.warnings += said
        if roles.groups is None:
            parts.notes.append("Rows are grouped by the array groups.")
    if roles.ids is not None:
        parts.samples = plain_text(parts.column(roles.ids))
    if not classes.rows.all():
        parts = parts.of_rows(classes.rows)
    if roles.time is not None:
        parts.warnings += drift(parts.column(roles.time), roles.time, classes.y)
    frame = _features(parts, content, roles, target)
    found = sort_columns(frame, roles.categories, roles.keep, log2)
    if log2 is not None:
        parts.notes.append(f"Values below {log2:g} were raised to it, then log2 was taken.")
    parts.warnings += left_out_sentences(found)
    samples = parts.samples
    if samples is None and found.identifiers:
        name, samples = next(iter(found.identifiers.items()))
        parts.notes.append(f"Rows are named by column {name!r}.")
    X = _assembled(frame, found, samples, content.file)
    leaks = leaking_columns(found, np.unique(classes.y, return_inverse=True)[1])
    parts.warnings += suspicions(X, leaks, target, groups, samples)
    parts.warnings += [*many_missing(X), *([] if log2 is not None else looks_raw(X))]
    details = content.details if log2 is None else {**content.details, "log2": log2}
    return LabelledTable(
        X, classes.y, groups, target, details, parts.notes, parts.warnings,
        _annotation(content, X), classes.positive,
    )  # fmt: skip


def _taken_apart(content: Content, roles: _Roles) -> _Parts:
    """Return the rows, numbered, the sheet beside them, and names of rows if there are any."""
    frame, notes = content.frame, list(content.notes)
    names = content.row_names
    samples = None if names is None else pd.Series(names.map(str), dtype=object)
    frame = frame.reset_index(drop=True)
    taken = (roles.target, roles.groups, roles.time, *roles.keep)
    if content.named and roles.ids is None and frame.columns[0] not in taken:
        samples = plain_text(frame.iloc[:, 0])
        frame = frame.iloc[:, 1:]
        notes.append("The first column names the rows.")
    sheet = pd.DataFrame(index=frame.index)
    if content.sheet is not None:
        sheet = content.sheet.reset_index(drop=True)
    return _Parts(frame, sheet, samples, notes)


def _labels(parts: _Parts, content: Content, roles: _Roles) -> tuple[pd.Series, str]:
    """Return the column or array of classes, and its name."""
    target, extra = roles.target, content.extra
    if "y" in extra and (target is None or target in (extra["target"], "y")):
        return pd.Series(extra["y"]), str(extra["target"])
    if target is None:
        held = [*parts.features.columns[-1:], *parts.sheet.columns]
        last = f"The last is {held[0]!r}." if len(held) == 1 else (
            f"The samples have {listed(parts.sheet.columns, 12)}."
        )  # fmt: skip
        raise TableError(f"{content.file}: which column holds the classes? {last}")
    return parts.column(target), target


def _features(parts: _Parts, content: Content, roles: _Roles, target: str) -> pd.DataFrame:
    """Return the columns that are features, covariates of the sheet among them."""
    gone = {target, roles.groups, roles.time, roles.ids, *roles.drop}
    frame = parts.features
    frame = frame.drop(columns=[name for name in gone if name in frame.columns])
    if roles.drop:
        parts.notes.append(f"Dropped as requested: {listed(roles.drop)}.")
    if content.sheet is None:
        return frame
    clash = [name for name in roles.covariates if name in frame.columns]
    if clash:
        raise TableError(f"{listed(clash)} is a feature and a column of the sheet; rename one.")
    unused = [n for n in parts.sheet.columns if n not in {*gone, *roles.covariates}]
    if unused:
        parts.notes.append(
            f"Columns of the sheet that are not used: {listed(unused)}; covariates would be."
        )
    if not roles.covariates:
        return frame
    return pd.concat([frame, parts.sheet[list(roles.covariates)]], axis=1)


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


def _annotation(content: Content, X: pd.DataFrame) -> pd.DataFrame | None:
    """Return what is known of the features that are left, as text."""
    if content.annotation is None:
        return None
    about = content.annotation[~content.annotation.index.duplicated()].reindex(X.columns)
    return about.apply(plain_text).rename_axis("feature")
