"""Reading the rows of a cohort: the few columns that a signature names, as they are.

Unlike :func:`read_table`, nothing is left out because it looks useless: one row is a cohort, and in
it every column is constant.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay.datasets._classes import check_exact, named_classes
from backstay.datasets._columns import log2_floor
from backstay.datasets._content import Content, Limit, Reading, plain_text
from backstay.datasets._formats import read_content
from backstay.datasets._labelled import TableError, check_texts_told_apart, listed
from backstay.datasets._read_table import with_sheet


@dataclass(frozen=True)
class CohortTable:
    """Rows of a cohort.

    Attributes
    ----------
    X : DataFrame
        The columns that were asked for and are there; the index names the rows where they have
        names.
    y : ndarray or None
        Classes, where a target was named.
    n_dropped : int
        Rows left out because they have no class.
    """

    X: pd.DataFrame
    y: NDArray[Any] | None
    n_dropped: int = 0


def read_cohort(
    path: str | os.PathLike[str],
    features: Collection[str],
    target: str | None = None,
    *,
    samples: str | os.PathLike[str] | None = None,
    ids: str | None = None,
    log2: float | None = None,
    transpose: bool = False,
    sheet: str | int | None = None,
    layer: str | None = None,
    delimiter: str | None = None,
    decimal: str = ".",
    encoding: str = "utf-8",
    missing: Sequence[str] = (),
    max_size: float | None = None,
) -> CohortTable:
    r"""Read some columns of a table, and its classes if they are named.

    Parameters
    ----------
    path : path
        The file, in any format of :func:`read_table`.
    features : collection of str
        Names of the columns to read. Those that the file does not have are left out.
    target : str, default=None
        Column of the classes. Rows without a class are left out.
    samples : path, default=None
        Sheet of the samples, where the table holds numbers only.
    ids : str, default=None
        Column that names the rows; of the sheet, if there is one.
    log2, transpose, sheet, layer, delimiter, decimal, encoding, missing, max_size
        As in :func:`read_table`.

    Returns
    -------
    CohortTable
        With ``X`` and ``y``.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "new.csv")
    >>> _ = path.write_text("size,colour,weight\n1.5,red,3\n")
    >>> read_cohort(path, ["size", "weight", "age"]).X
       size  weight
    0   1.5     3.0
    >>> folder.cleanup()
    """
    path = Path(path)
    reading = Reading(
        delimiter, decimal, encoding, tuple(missing), transpose, (), sheet, layer,
        Limit(max_size), target, labels=frozenset({ids or ""} - {""}),
    )  # fmt: skip
    if samples is None:
        content = read_content(path, reading)
    else:
        content = with_sheet(path, samples, reading, ids, False)
        ids = None
    return _taken(content, set(features), target, ids, log2)


def _taken(
    content: Content, features: set[str], target: str | None, ids: str | None, log2: float | None
) -> CohortTable:
    """Take names, classes and the wanted columns out of what a file holds."""
    frame, index = content.frame.reset_index(drop=True), content.row_names
    if content.named and ids is None and frame.columns[0] not in (target, *features):
        index = pd.Index(plain_text(frame.iloc[:, 0]))
        frame = frame.iloc[:, 1:]
    if ids is not None:
        index = pd.Index(plain_text(_column(content, frame, ids)))
    if index is not None:
        index = pd.Index(index.map(str), name=None)
    y, kept = None, np.ones(len(frame), dtype=bool)
    if target is not None:
        given = _column(content, frame, target)
        check_exact(given, target, "classes", "class 1")
        labels = plain_text(given)
        kept = labels.notna().to_numpy()
        if not kept.any():
            raise TableError(f"no row has a value of {target!r}; choose another target.")
        names = content.extra.get("class_names")
        if names is not None and target in ("y", content.extra.get("target")):
            labels = named_classes(labels, kept, names)
        y = labels[kept].to_numpy(dtype=object)
    places = [j for j, name in enumerate(frame.columns) if str(name) in features and name != target]
    found = [str(frame.columns[j]) for j in places]
    if len(set(found)) < len(found):
        twice = sorted({name for name in found if found.count(name) > 1})
        raise TableError(f"{content.file} has more than one column {listed(twice)}; keep one.")
    columns = {
        name: _numbers(frame.iloc[:, j], name, log2) for name, j in zip(found, places, strict=True)
    }
    X = pd.DataFrame(columns, index=pd.RangeIndex(len(frame)) if index is None else index)
    X = X[kept] if index is not None else X[kept].reset_index(drop=True)
    return CohortTable(X, y, int((~kept).sum()))


def _column(content: Content, frame: pd.DataFrame, name: str) -> pd.Series:
    """Return a column of the sheet, of the table, or an array beside it."""
    extra = content.extra
    if "y" in extra and name in ("y", extra.get("target")):
        return pd.Series(extra["y"])
    if content.sheet is not None and name in content.sheet.columns:
        return content.sheet[name].reset_index(drop=True)
    if name not in frame.columns:
        columns = [*([] if content.sheet is None else content.sheet.columns), *frame.columns]
        shown = listed(columns, 8)
        raise TableError(f"{content.file} has no column {name!r}; its columns are {shown}.")
    return frame[name]


def _numbers(column: pd.Series, name: str, log2: float | None) -> NDArray[np.float64]:
    """Return a column as numbers, or say which cell is none."""
    values = pd.Series(np.asarray(column), dtype=object)
    numbers = pd.to_numeric(values, errors="coerce")
    lost = values.notna().to_numpy() & numbers.isna().to_numpy()
    if lost.any():
        row = int(np.argmax(lost))
        raise TableError(
            f"column {name!r} holds {values.iloc[row]!r} in row {row + 1}, which is no number."
        )
    if numbers.abs().max() >= 2**53:
        check_texts_told_apart(name, plain_text(values).dropna())
    found = numbers.to_numpy(dtype=np.float64)
    return found if log2 is None else log2_floor(found[:, None], log2)[:, 0]
