"""What a file holds before its columns are told apart, and how much it may hold."""

import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay._words import counted, listed
from backstay.datasets._exact import as_names
from backstay.datasets._labelled import TableError, float_type, wide_frame

GIGABYTE = 10**9
# Unpacked files beyond this are refused unless a larger limit is given.
MAX_UNPACKED = 4 * GIGABYTE
# Real tables shrink by a factor of ten or so; a small file that grows this much is not a table.
BOMB_RATIO, BOMB_BYTES = 100, 2**28
# What becomes of features of the same name, and how a note says it.
DEDUPE = {
    "first": "the first of each was kept",
    "mean": "their means were taken",
    "max-variance": "the one of largest variance was kept",
}


def check_unpacked(path: Path, unpacked: int, max_size: float | None) -> None:
    """Refuse a file that unpacks to too many bytes; None takes the limits above."""
    bounds: dict[str, float] = {
        f"{BOMB_RATIO} times its size": max(BOMB_BYTES, BOMB_RATIO * path.stat().st_size),
        f"{MAX_UNPACKED / GIGABYTE:g} GB": MAX_UNPACKED,
    }
    if max_size is not None:
        bounds = {f"the {max_size:g} GB allowed": max_size * GIGABYTE}
    for bound, most in bounds.items():
        if unpacked > most:
            raise TableError(
                f"{path.name} unpacks to more than {bound}; if that is right, raise max_size, the "
                "number of gigabytes that are read.",
                parameter="max_size",
            )


@dataclass(frozen=True)
class Content:
    """What is in a file."""

    file: str  # its name
    frame: pd.DataFrame  # names of columns may repeat; an index other than 0, 1, … names the rows
    named: bool = False  # whether the first column names the rows
    # Arrays that stand beside the rows: y, target, groups, class_names.
    extra: dict[str, Any] = field(default_factory=dict)
    sheet: pd.DataFrame | None = None  # what is known of the samples, in the order of the rows
    annotation: pd.DataFrame | None = None  # of the features, in the order of the columns
    oriented: bool = False  # whether rows are known to be samples
    details: dict[str, Any] = field(default_factory=dict)  # how the file was read
    notes: list[str] = field(default_factory=list)  # what was done

    @property
    def row_names(self) -> pd.Index | None:
        """Names of the rows that the index holds, if it does."""
        return None if isinstance(self.frame.index, pd.RangeIndex) else self.frame.index


@contextmanager
def read_as(what: str, path: Path, *broken: type[Exception]) -> Iterator[None]:
    """Say that a file is not what its name says, when its reader stumbles over it."""
    try:
        yield
    except TableError:
        raise
    except broken as error:
        said = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
        raise TableError(f"{path.name} is not {what} ({said}).") from error


def package(name: str, path: Path, extra: str) -> Any:
    """Return a package that a format needs, or say how to install it."""
    try:
        return import_module(name)
    except ImportError as error:
        needed = name.partition(".")[0]
        raise TableError(
            f"{path.name} needs {needed} to be read; install it with pip install "
            f'"backstay[{extra}]".'
        ) from error


def is_text(column: pd.Series) -> bool:
    """Whether a column holds texts rather than numbers or truth values."""
    return not pd.api.types.is_numeric_dtype(column.dtype)


def repeated(names: Any) -> list[str]:
    """Return the names that occur more than once, each once."""
    series = pd.Series(list(names), dtype=object)
    return [str(name) for name in series[series.duplicated() & series.notna()].unique()]


def features_by_name(values: Any, samples: Any, names: Any) -> pd.DataFrame:
    """Return rows of numbers as one block of memory, with the names of samples and features."""
    values = np.asarray(values)
    kind = float_type([values.dtype], *values.shape)
    block = np.ascontiguousarray(values, dtype=kind)
    index = pd.RangeIndex(len(block)) if samples is None else pd.Index(list(samples), dtype=object)
    return wide_frame(block, index, pd.Index(list(names), dtype=object))


def check_table(file: str, name: str, X: Any) -> None:
    """Refuse an array or a sparse matrix that is not a table of numbers."""
    shape = X.shape or ()
    if len(shape) != 2 or X.dtype.kind not in "biuf" or X.dtype.itemsize > 8:
        raise TableError(
            f"{file}: {name} holds {X.dtype} values of shape {shape}; it must hold numbers of up "
            "to 64 bits in rows and columns."
        )


def check_names(names: pd.Series, file: str, what: str) -> None:
    """Refuse names of rows or columns that are empty."""
    gaps = np.flatnonzero(names.isna().to_numpy())
    if len(gaps):
        raise TableError(
            f"{file} has {counted(len(gaps), what)} without a name; the first is {what} "
            f"{gaps[0] + 1}."
        )


def exchanged(content: Content, annotation: Collection[str] = ()) -> Content:
    """Exchange rows and columns of a table; columns that describe features are taken out."""
    frame = content.frame
    if content.row_names is None:
        texts = as_names(frame.iloc[:, 0])
        check_names(texts, content.file, "row")
        frame = frame.iloc[:, 1:].set_axis(pd.Index(texts, dtype=object), axis=0)
    about = None
    if annotation:
        check_annotation(annotation, list(frame.columns), content.file)
        about = frame[list(annotation)]
        frame = frame.drop(columns=list(annotation))
    if frame.shape[1] == 0:
        raise TableError(
            f"{content.file} has one column only; nothing can be exchanged.", parameter="transpose"
        )
    note = "Rows and columns were exchanged: the file has a feature per row."
    return replace(
        content,
        frame=frame.T.infer_objects(),
        named=False,
        annotation=about,
        oriented=True,
        notes=[*content.notes, note],
    )


def check_annotation(names: Collection[str], columns: Sequence[Any], file: str) -> None:
    """Refuse columns of annotation that a file does not have."""
    for name in names:
        if name not in columns:
            raise TableError(
                f"{file} has no column {name!r} to describe its features; it begins with "
                f"{listed(columns)}.",
                parameter="annotation",
            )


# Features of the same name.


def unique_columns(content: Content, how: str | None) -> Content:
    """Return the content with a column for every name; repeated names are refused or joined."""
    names = content.frame.columns
    if names.is_unique:
        return content
    twice = repeated(names)
    if how is None:
        places = np.flatnonzero(names == twice[0]) + 1
        what = "feature" if content.oriented else "column"
        raise TableError(
            f"{content.file} has {counted(len(twice), 'name')} more than once ({listed(twice)}, "
            f"the first in {what}s {places[0]} and {places[1]}); give every {what} its own name, "
            f"or say what to do with dedupe: {' or '.join(DEDUPE)}.",
            parameter="dedupe",
        )
    frame, chosen = _joined(content, how)
    annotation = content.annotation
    if annotation is not None and len(annotation) == len(names):
        annotation = annotation.iloc[chosen]
    gone = len(names) - len(chosen)
    note = (
        f"{counted(len(twice), 'name')} of features occurred more than once, {gone} columns too "
        f"many: {DEDUPE[how]}."
    )
    return replace(content, frame=frame, annotation=annotation, notes=[*content.notes, note])


def _joined(content: Content, how: str) -> tuple[pd.DataFrame, NDArray[np.intp]]:
    """Return the frame with one column per name, and the place of each in the old one."""
    frame, names = content.frame, content.frame.columns
    codes = pd.factorize(names)[0]
    chosen = np.flatnonzero(~names.duplicated())
    if how == "first":
        return frame.iloc[:, chosen], chosen
    several = np.flatnonzero(names.duplicated(keep=False))
    if texts := [names[j] for j in several.tolist() if is_text(frame.iloc[:, j])]:
        raise TableError(
            f"{content.file} has several columns {texts[0]!r}, which hold text; dedupe "
            f"{how!r} is for numbers.",
            parameter="dedupe",
        )
    values = frame.iloc[:, several].to_numpy(np.float64, na_value=np.nan)
    means: dict[Any, NDArray[Any]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of columns without a value
        variance = np.nan_to_num(np.nanvar(values, axis=0), nan=-1.0)
        for code in np.unique(codes[several]):
            own = np.flatnonzero(codes[several] == code)
            if how == "mean":
                means[code] = np.nanmean(values[:, own], axis=1)
            else:
                chosen[code] = several[own[np.argmax(variance[own])]]
    kept = frame.iloc[:, chosen]
    if means:
        columns = {j: means.get(j, kept.iloc[:, j].to_numpy()) for j in range(len(chosen))}
        kept = pd.DataFrame(columns, frame.index)
        kept.columns = names[chosen]
    return kept, chosen
