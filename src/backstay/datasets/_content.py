"""What a file holds before its columns are told apart, and how much it may hold."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from backstay._words import counted, listed
from backstay.datasets._exact import as_names
from backstay.datasets._labelled import TableError
from backstay.datasets._wide import float_type, wide_frame

GIGABYTE = 10**9
# Unpacked files beyond this are refused unless a larger limit is given.
MAX_UNPACKED = 4 * GIGABYTE
# Real tables shrink by a factor of ten or so; a small file that grows this much is not a table.
BOMB_RATIO, BOMB_BYTES = 100, 2**28


@dataclass(frozen=True)
class Limit:
    """How large a file may become when it is unpacked; None takes the limits above."""

    gigabytes: float | None = None

    def __post_init__(self) -> None:
        if self.gigabytes is not None and not self.gigabytes > 0:  # nan is not, either
            raise TableError(
                f"max_size={self.gigabytes:g} must be a number of gigabytes above 0.",
                parameter="max_size",
            )

    def check(self, path: Path, unpacked: int) -> None:
        """Refuse a file that unpacks to too many bytes."""
        bounds: dict[str, float] = {
            f"{BOMB_RATIO} times its size": max(BOMB_BYTES, BOMB_RATIO * path.stat().st_size),
            f"{MAX_UNPACKED / GIGABYTE:g} GB": MAX_UNPACKED,
        }
        if self.gigabytes is not None:
            bounds = {f"the {self.gigabytes:g} GB allowed": self.gigabytes * GIGABYTE}
        for bound, most in bounds.items():
            if unpacked > most:
                raise TableError(
                    f"{path.name} unpacks to more than {bound}; if that is right, raise max_size, "
                    "the number of gigabytes that are read.",
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


def first_line(error: BaseException) -> str:
    """Return the first line of an error, without its full stop."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")


@contextmanager
def read_as(what: str, path: Path, *broken: type[Exception]) -> Iterator[None]:
    """Say that a file is not what its name says, when its reader stumbles over it."""
    try:
        yield
    except TableError:
        raise
    except broken as error:
        raise TableError(f"{path.name} is not {what} ({first_line(error)}).") from error


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
