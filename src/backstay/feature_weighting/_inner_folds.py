"""Folds of the training rows, for what a ranker must judge on rows that its model has not seen."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, check_cv

from backstay._validation import check_random_state
from backstay.base import Array, Indices

Fold = tuple[Indices, Indices]  # rows to train on, rows to test on


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
