"""Reading a table of rows with their outcomes from a file, with a note on every decision."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay._words import listed
from backstay.datasets._beside import (
    associations,
    confounded,
    followed_up,
    listed_tests,
    repeats,
    times,
)
from backstay.datasets._columns import SortedColumns, left_out_sentences, sort_columns
from backstay.datasets._content import Content, unique_columns
from backstay.datasets._exact import alike_but_case, plain_text, two_spellings
from backstay.datasets._formats import content_of
from backstay.datasets._labelled import LabelledTable, TableError
from backstay.datasets._named import Parts, take_apart, with_also
from backstay.datasets._oddities import codes_for_missing, looks_raw, many_missing, twins
from backstay.datasets._outcome import labels_beside, outcome_of, survival_of
from backstay.datasets._reading import Reading
from backstay.targets import as_target


def read_table(
    path: str | os.PathLike[str],
    target: str | None = None,
    *,
    reading: Reading | None = None,
    **options: Any,
) -> LabelledTable:
    r"""Read rows with their outcomes, classes, numbers or times until an event, from a file.

    The format follows from the name: ``.csv``, ``.tsv``, ``.tab``, ``.txt``, ``.gct`` (each also
    ``.gz``), ``.xlsx``, ``.h5ad``, ``.parquet`` or ``.npz``. A text file that begins like a series
    matrix of GEO is read as one. Nothing in a file is executed or unpickled. A file that cannot be
    used raises a `TableError` that says what to do.

    Parameters
    ----------
    path : path
        The file.
    target : str, default=None
        Name of the column that holds the outcome. In NPZ files None takes the array ``y``.
    reading : Reading, default=None
        How to read it.
    **options
        The options of :class:`Reading` by name, such as ``groups="patient"``; they come before
        those of `reading`.

    Returns
    -------
    LabelledTable
        With ``X``, ``y``, ``groups``, and sentences on what was done and what to check.

    Notes
    -----
    Texts of up to 20 different values become categories. Left out, with a warning: columns without
    a value or with a single one, texts of more values, and columns that only number or name the
    rows; the first of those names them. Rows without an outcome are dropped, with a warning.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "cells.csv")
    >>> _ = path.write_text("size,colour,kind\n1.5,red,a\n2.5,blue,b\n3.0,red,b\n2.2,red,a\n")
    >>> table = read_table(path, "kind")
    >>> table.X.shape, table.classes, table.categorical
    ((4, 2), {'a': 2, 'b': 2}, ['colour'])
    >>> folder.cleanup()
    """
    reading = Reading.of(reading, target, options)
    content = unique_columns(content_of(Path(path), reading), reading.dedupe)
    if reading.samples is not None:  # the names of the rows are taken already
        reading = replace(reading, ids=None)
    return _labelled_table(content, reading)


def _labelled_table(content: Content, reading: Reading) -> LabelledTable:
    """Take target, groups and names out of the columns and sort the others."""
    design = (reading.batch, *reading.adjust)
    taken = (*reading.outcome, reading.groups, reading.measured, *design, *reading.keep)
    parts, log2 = take_apart(content, reading, taken), reading.log2
    if reading.time is not None and reading.event is not None:
        columns_of_it = parts.column(reading.time), parts.column(reading.event)
        outcome = survival_of(*columns_of_it, reading)
        target = f"{reading.time} until {reading.event}"
    else:
        labels, target = _labels(parts, content, reading.target)
        outcome = outcome_of(labels, target, content, reading)
    parts.notes += outcome.notes
    parts.warnings += outcome.warnings
    groups = _groups(parts, content, reading.groups, outcome.rows)
    if not outcome.rows.all():
        parts = parts.of_rows(outcome.rows)
    batch = None
    if (name := reading.batch) is not None:
        batch = _kinds_of_rows(parts.column(name), name, "batch").to_numpy().astype(str)
    others = [] if (name := reading.measured) is None else [(name, times(parts.column(name), name))]
    frame = _features(parts, content, reading, target)
    columns = sort_columns(frame, reading, content.file)
    if log2 is not None:
        parts.notes.append(f"Values below {log2:g} were raised to it, then log2 was taken.")
    samples, first = parts.samples, frame.columns[0] if len(frame.columns) else None
    # That the first column names the rows is as it should be, and no warning.
    naming = {first} if samples is None and first in columns.identifiers else set()
    parts.warnings += left_out_sentences(columns, naming)
    if samples is None and columns.identifiers:
        name, samples = next(iter(columns.identifiers.items()))
        parts.notes.append(f"Rows are named by column {name!r}.")
    X = _assembled(frame, columns, samples, content.file)
    parts.warnings += alike_but_case("Names of features", X.columns)
    parts.warnings += [] if samples is None else alike_but_case("Names of rows", samples.dropna())
    parts.warnings += [*twins(X), *many_missing(X), *codes_for_missing(X)]
    parts.warnings += [*([] if log2 is not None else looks_raw(X))]
    known = as_target(outcome.y, outcome.kind, horizon=reading.horizon)
    others += _beside(parts, columns, reading, target)
    tests = associations(others, known)
    found = [*confounded(tests), *followed_up(X, others, known)]
    if tests:
        parts.notes.append(f"Beside the features, against {target!r}: {listed_tests(tests)}.")
    if groups is None:
        # A few patients, named in a column of texts, are taken for categories.
        found += repeats([*others, *columns.categories.items()], samples, known)
    scale: dict[str, Any] = (
        {"log2": log2} if log2 is not None else {"scale": "log2"} if reading.logged else {}
    )
    if odd := {n: v for n, v in reading.given().items() if n in ("missing", "lod")}:
        scale["odd_texts"] = {n: list(v) if n == "missing" else v for n, v in odd.items()}
    about = content.annotation
    if about is not None:
        about = about[~about.index.duplicated()].reindex(X.columns)
        about = about.apply(plain_text).rename_axis("feature")
    return LabelledTable(
        X, outcome.y, groups, target, {**content.details, **scale}, parts.notes, parts.warnings,
        about, outcome.positive, found, outcome.kind, reading.horizon,
        _covariates(parts, reading), batch,
    )  # fmt: skip


def _covariates(parts: Parts, reading: Reading) -> pd.DataFrame | None:
    """Return the columns that features are adjusted for: numbers, or texts of kinds."""
    columns = {}
    for name in reading.adjust:
        texts = plain_text(parts.column(name))
        numbers = pd.to_numeric(texts, errors="coerce")
        numeric = name not in reading.categories and (numbers.notna() == texts.notna()).all()
        columns[name] = numbers if numeric else texts
    return pd.DataFrame(columns) if columns else None


def _kinds_of_rows(column: pd.Series, name: str, parameter: str) -> pd.Series:
    """Return the group or batch of every row; there are two at least."""
    texts = plain_text(column)
    if len(gaps := np.flatnonzero(texts.isna())):
        raise TableError(
            f"row {gaps[0] + 1} has no value of {name!r}; every row needs one.", parameter=parameter
        )
    if texts.nunique() < 2:
        raise TableError(
            f"{name!r} is the same in every row; at least two are needed.", parameter=parameter
        )
    return texts


def _beside(
    parts: Parts, columns: SortedColumns, reading: Reading, target: str
) -> Iterator[tuple[str, pd.Series]]:
    """Yield the columns that are neither features nor named for another purpose."""
    known = {target, *reading.outcome, reading.groups, reading.measured, reading.ids}
    known |= {*reading.also, reading.batch, *reading.adjust}
    for name in [n for n in (*reading.drop, *parts.sheet.columns) if n not in known]:
        known.add(name)
        yield name, parts.column(name)
    for name in [*columns.texts, *columns.identifiers]:
        yield name, parts.column(name)


def _labels(parts: Parts, content: Content, target: str | None) -> tuple[pd.Series, str]:
    """Return the column or array of the target, and its name."""
    if (beside := labels_beside(content, target)) is not None:
        return beside
    if target is None:
        hint = f"The last is {str(parts.features.columns[-1])!r}."
        if len(parts.sheet.columns):
            hint = f"The samples have {listed(parts.sheet.columns, 12)}."
        raise TableError(
            f"{content.file}: which column holds the outcome? {hint}", parameter="target"
        )
    return parts.column(target), target


def _groups(
    parts: Parts, content: Content, groups: str | None, rows: NDArray[np.bool_]
) -> NDArray[Any] | None:
    """Return the group of every row, if a column or an array says it."""
    if groups is None and "groups" not in content.extra:
        return None
    named = groups is not None and groups in {*parts.features, *parts.sheet}
    given = parts.column(str(groups)) if named else pd.Series(content.extra["groups"])
    if groups is None:
        parts.notes.append("Rows are grouped by the array groups.")
    name = groups or "groups"
    texts = _kinds_of_rows(given[rows], name, "groups")
    if (alike := two_spellings(texts)) is not None:
        parts.warnings.append(
            f"{name!r} holds {alike[0]!r} and {alike[1]!r}, two spellings of one number, as two "
            "groups; if they are one, write them one way."
        )
    parts.warnings += alike_but_case(f"Groups of {name!r}", texts)
    return texts.to_numpy().astype(str)


def _features(parts: Parts, content: Content, reading: Reading, target: str) -> pd.DataFrame:
    """Return the columns that are features, some of the sheet among them."""
    gone = {target, *reading.outcome, reading.groups, reading.measured, reading.ids}
    gone |= {*reading.drop, reading.batch, *reading.adjust}
    frame = parts.features
    frame = frame.drop(columns=[name for name in gone if name in frame.columns])
    if reading.drop:
        parts.notes.append(f"Dropped as requested: {listed(reading.drop)}.")
    if content.sheet is None:
        return frame
    frame = with_also(frame, parts.sheet, reading)
    if unused := [n for n in parts.sheet.columns if n not in {*gone, *reading.also}]:
        parts.notes.append(
            f"Columns of the sheet that are not used: {listed(unused)}; name them with also to "
            "use them as features."
        )
    return frame


def _assembled(
    frame: pd.DataFrame, columns: SortedColumns, samples: pd.Series | None, file: str
) -> pd.DataFrame:
    """Put numbers and categories together again, in the order of the file."""
    left = {*columns.numbers.columns, *columns.categories}
    order = [n for n in frame.columns if n in left]
    if not order:
        raise TableError(f"{file} has no column left that could predict the outcome.")
    X = columns.numbers
    if list(X.columns) != order and not columns.categories:
        X = X[order]
    if samples is not None:
        X = X.set_axis(pd.Index(samples.fillna("").to_numpy().astype(str)), axis=0)
    if columns.categories:
        texts = {n: pd.Series(c, index=X.index) for n, c in columns.categories.items()}
        X = pd.concat([X, pd.DataFrame(texts)], axis=1)[order]
    return X
