"""Which rows count, for how many, and in which folds."""

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, check_cv

from backstay._validation import check_random_state
from backstay.base import Array, Fold, Indices, dealt_folds


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

    Integer weights are repetitions. Weights that sum to less than the number of rows,
    such as the published ones that sum to 1, are raised to mean 1. Otherwise all rows together
    would count as one, and no cut or test could be significant.
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


def number_folds(cv: Any, y: Array, weights: Array | None, random_state: Any) -> list[Fold]:
    """Return folds of the rows that have weight, for an outcome of numbers."""
    rows = np.flatnonzero(np.ones(len(y)) if weights is None else weights)
    if len(rows) < 3:
        raise ValueError(
            f"cross-validation inside the training rows needs 3 rows or more, and {len(rows)} have "
            "weight."
        )
    if isinstance(cv, Integral):
        folds = dealt_folds(y[rows], min(int(cv), len(rows)), check_random_state(random_state))
        return [(rows[a], rows[b]) for a, b in folds]
    given = check_cv(cv).split(np.zeros((len(y), 1)), y)
    return [(a[np.isin(a, rows)], b[np.isin(b, rows)]) for a, b in given]


def inner_folds(
    cv: Any, y: Indices, weights: Array | None, classes: NDArray[Any], random_state: Any
) -> list[Fold]:
    """Return folds of the rows that have weight; all of their classes are in every training part.

    A number of folds is stratified, and less if a class has fewer rows.
    """
    counted = np.flatnonzero(np.ones(len(y)) if weights is None else weights)
    counts = np.bincount(y[counted], minlength=len(classes))
    present = np.flatnonzero(counts)
    rarest = int(present[counts[present].argmin()])
    if counts[rarest] < 2:
        raise ValueError(
            "cross-validation inside the training rows needs at least 2 rows of every class, and "
            f"class {classes.tolist()[rarest]!r} has 1; leave the class out."
        )
    if isinstance(cv, Integral):
        draw = StratifiedKFold(
            min(int(cv), int(counts[rarest])),
            shuffle=True,
            random_state=check_random_state(random_state),
        )
        return [(counted[a], counted[b]) for a, b in draw.split(counted, y[counted])]
    given = check_cv(cv, y, classifier=True).split(np.zeros((len(y), 1)), y)
    folds = [(a[np.isin(a, counted)], b[np.isin(b, counted)]) for a, b in given]
    for number, (train, _) in enumerate(folds):
        lacking = np.setdiff1d(present, y[train])
        if len(lacking):
            raise ValueError(
                f"cv: fold {number} has no training row of class "
                f"{classes.tolist()[lacking[0]]!r}; use stratified folds."
            )
    return folds
