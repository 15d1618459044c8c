"""Which rows count, and for how many."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay.base import Array, Indices


def present_rows(
    y: Indices, sample_weight: Array, classes: Any, name: str
) -> tuple[Indices, Indices]:
    """Rows of positive weight, and their classes, two or more, renumbered from 0."""
    rows = np.flatnonzero(sample_weight > 0.0)
    present, codes = np.unique(y[rows], return_inverse=True)
    if len(present) < 2:
        raise ValueError(
            "sample_weight is positive for rows of one class only, "
            f"{np.asarray(classes).tolist()[present[0]]!r}; {name} needs at least 2 classes."
        )
    return rows, codes.astype(np.intp, copy=False)


def counted_rows(
    y: Indices, sample_weight: Array | None, classes: Any, name: str
) -> tuple[Any, Indices, Array]:
    """Rows that count, their classes renumbered from 0, and how many rows each counts for.

    Weights that sum to less than the number of rows are raised to mean 1: otherwise all rows
    together would count as one, and no cut or test could be significant.
    """
    if sample_weight is None:
        return slice(None), y, np.ones(len(y))
    rows, codes = present_rows(y, sample_weight, classes, name)
    return rows, codes, _as_counts(sample_weight[rows])


def counted_numbers(y: Array, sample_weight: Array | None, name: str) -> tuple[Any, Array, Array]:
    """:func:`counted_rows` of an outcome of numbers: rows, their numbers, how often they count."""
    if sample_weight is None:
        return slice(None), y, np.ones(len(y))
    rows = np.flatnonzero(sample_weight > 0.0)
    if (y[rows] == y[rows[0]]).all():
        raise ValueError(
            f"sample_weight is positive only for rows with the same y; {name} needs at least 2 "
            "different numbers."
        )
    return rows, y[rows], _as_counts(sample_weight[rows])


def counted_survival(
    y: NDArray[Any], sample_weight: Array | None, name: str
) -> tuple[Any, NDArray[Any], NDArray[np.bool_], Array]:
    """:func:`counted_rows` of times until an event: rows, their times and events, how often."""
    rows: Any = slice(None)
    omega = np.ones(len(y))
    if sample_weight is not None:
        rows = np.flatnonzero(sample_weight > 0.0)
        omega = _as_counts(sample_weight[rows])
    # Copies, because the fields of a structured array are not contiguous.
    time, event = y["time"][rows].copy(), y["event"][rows].copy()
    if not event.any():
        raise ValueError(
            f"sample_weight is positive only for censored rows; {name} needs at least one event."
        )
    return rows, time, event, omega


def counted(ranker: Any, y: Any, sample_weight: Array | None) -> tuple[Any, Any, Array]:
    """:func:`counted_numbers` or :func:`counted_rows`, by the outcome of a ranker's fit."""
    name = type(ranker).__name__
    if ranker._has_numbers():
        return counted_numbers(y, sample_weight, name)
    return counted_rows(y, sample_weight, ranker.classes_, name)


def standard_numbers(y: Array, omega: Array | None = None) -> Array:
    """Return numbers with mean 0 and variance 1 under ω; models then do not depend on the unit."""
    mean = np.average(y, weights=omega)
    return np.asarray((y - mean) / np.sqrt(np.average((y - mean) ** 2, weights=omega)))


def _as_counts(omega: Array) -> Array:
    return omega * max(1.0, len(omega) / omega.sum())
