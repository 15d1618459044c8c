"""Reading the rows of a cohort: the few columns that a signature names, as they are.

Unlike :func:`read_table`, nothing is left out because it looks useless: one row is a cohort, and in
it every column is constant.
"""

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay._words import listed
from backstay.datasets._columns import log2_floor
from backstay.datasets._content import Content, repeated, unique_columns
from backstay.datasets._formats import content_of
from backstay.datasets._labelled import TableError
from backstay.datasets._named import take_apart, with_also
from backstay.datasets._oddities import OddTexts, numbers_in
from backstay.datasets._outcome import classes_of_cohort, labels_beside, survival_of
from backstay.datasets._reading import Reading

# Options that choose features, rows or classes: in a cohort, the signature does.
OF_TRAINING = (
    "groups", "adjust", "batch", "measured", "drop", "keep", "categories", "kind",
    "exclude_classes", "min_class_size", "positive", "logged", "horizon",
)  # fmt: skip


@dataclass(frozen=True)
class CohortTable:
    """Rows of a cohort.

    Attributes
    ----------
    X : DataFrame
        The columns that were asked for and are there; the index names the rows where they have
        names.
    y : ndarray or None
        Outcomes, where they were named: classes, numbers, or times until an event.
    n_dropped : int
        Rows left out because they have no outcome.
    covariates : DataFrame or None
        Columns of covariates, those that are there.
    """

    X: pd.DataFrame
    y: NDArray[Any] | None
    n_dropped: int = 0
    covariates: pd.DataFrame | None = None


def read_cohort(
    path: str | os.PathLike[str],
    features: Collection[str],
    target: str | None = None,
    *,
    beside: Mapping[str, Any] | None = None,
    reading: Reading | None = None,
    **options: Any,
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
    beside : dict, default=None
        Names of covariates, of the table or of its sheet; None for those that are numbers.
    reading, **options
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
    reading = Reading.of(reading, target, options)
    if strange := [name for name in OF_TRAINING if name in reading.given()]:
        raise TableError(
            f"{strange[0]} is for a table to train on; of a cohort, the signature's features are "
            "read as they are.",
            parameter=strange[0],
        )
    content = content_of(Path(path), reading)
    if reading.samples is not None:  # the names of the rows are taken already
        reading = replace(reading, ids=None)
    return _taken(content, {str(name) for name in features}, reading, beside or {})


def _taken(
    content: Content, features: set[str], reading: Reading, beside: Mapping[str, Any]
) -> CohortTable:
    """Take names, classes and the wanted columns out of what a file holds."""
    target = reading.target
    parts = take_apart(content, reading, (*reading.outcome, *features, *beside))
    y, kept = None, np.ones(len(parts.features), dtype=bool)
    if target is not None:
        found = labels_beside(content, target)
        labels = parts.column(target) if found is None else found[0]
        classes = classes_of_cohort(labels, target, content)
        y, kept = classes.y, classes.rows
    elif reading.time is not None and reading.event is not None:
        times = survival_of(parts.column(reading.time), parts.column(reading.event), reading)
        y, kept = times.y, times.rows
    frame = with_also(parts.features, parts.sheet, reading)
    wanted = features - {*reading.outcome}
    places = [j for j, name in enumerate(frame.columns) if str(name) in wanted]
    frame = frame.iloc[:, places].set_axis([str(frame.columns[j]) for j in places], axis=1)
    if reading.dedupe is None and (twice := repeated(frame.columns)):
        raise TableError(
            f"{content.file} has more than one column {listed(twice)}; keep one.",
            parameter="dedupe",
        )
    frame = unique_columns(replace(content, frame=frame), reading.dedupe).frame
    odd = OddTexts()
    columns = {name: _numbers(frame[name], name, reading, odd) for name in frame.columns}
    if reading.log2 is not None:
        columns = {name: log2_floor(values, reading.log2) for name, values in columns.items()}
    X = pd.DataFrame(columns, index=frame.index)[kept].reset_index(drop=True)
    if parts.samples is not None:
        X.index = pd.Index(parts.samples[kept].map(str))
    there = {*parts.sheet, *parts.features}
    covariates: dict[str, Any] = {n: parts.column(n) for n in beside if n in there}
    for name in (name for name in covariates if beside[name] is None):
        covariates[name] = _numbers(covariates[name], name, reading, odd)
    odd.check(content.file)
    Z = pd.DataFrame(covariates, index=frame.index)[kept].reset_index(drop=True)
    return CohortTable(X, y, int((~kept).sum()), Z if beside else None)


def _numbers(column: pd.Series, name: str, reading: Reading, odd: OddTexts) -> NDArray[np.float64]:
    """Return a column as numbers; texts among them are remembered."""
    values = pd.Series(np.asarray(column), dtype=object)
    numbers = numbers_in(values, reading)
    if len(lost := np.flatnonzero(values.notna().to_numpy() & np.isnan(numbers))):
        odd.add(values.iloc[lost].astype(str), f"in column {name!r}, row {lost[0] + 1}")
    return numbers
