"""Folds to judge subsets on."""

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold, check_cv

from backstay._validation import check_random_state
from backstay.base import Array, Fold, dealt_folds

BOOTSTRAPS = 20


def bootstrap_folds(y: NDArray[Any], rng: np.random.RandomState) -> list[Fold]:
    """Return draws of every class's rows and what they leave out; last, all rows as both."""
    rows = np.arange(len(y))
    classes = [rows[y == label] for label in np.unique(y)]
    trains = (np.concatenate([rng.choice(c, len(c)) for c in classes]) for _ in range(BOOTSTRAPS))
    return [*((train, np.setdiff1d(rows, train)) for train in trains), (rows, rows)]


def fold_weights(cv: Any) -> Array | None:
    """Return how much every fold counts in J; None if all count the same."""
    whole = isinstance(cv, str) and cv == ".632"
    return np.append(np.full(BOOTSTRAPS, 0.632 / BOOTSTRAPS), 0.368) if whole else None


def draw_folds(
    cv: Any, random_state: Any, y: NDArray[Any], groups: Any, numbers: bool
) -> list[Fold]:
    """Return (train, test) row numbers that an inducer can learn from; None is 5×2 [Prat 3.2]."""
    if numbers and (cv is None or isinstance(cv, Integral)):
        n_folds, n_repeats = (2, 5) if cv is None else (int(cv), 1)
        if n_folds > len(y):
            raise ValueError(f"cv={cv!r} needs as many rows; y has {len(y)}.")
        rng = check_random_state(random_state)
        return [fold for _ in range(n_repeats) for fold in dealt_folds(y, n_folds, rng)]
    if cv is None:
        seed = check_random_state(random_state).randint(2**31 - 1)
        cv = RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=seed)
    elif not numbers and fold_weights(cv) is not None:
        if groups is not None:
            raise ValueError("cv='.632' draws single rows; give a splitter that keeps groups.")
        cv = bootstrap_folds(y, check_random_state(random_state))
    splitter = check_cv(cv, y, classifier=not numbers)
    if isinstance(splitter, RepeatedStratifiedKFold | StratifiedKFold):
        repeated = isinstance(splitter, RepeatedStratifiedKFold)
        n_splits = splitter.cvargs["n_splits"] if repeated else splitter.n_splits
        classes, sizes = np.unique(y, return_counts=True)
        if sizes.min() < n_splits:
            rarest = classes.tolist()[sizes.argmin()]
            raise ValueError(
                f"y has {sizes.min()} row(s) of class {rarest!r}, fewer than the {n_splits} folds "
                "of cv; every class needs a row in each fold."
            )
    folds = [
        (np.asarray(train, dtype=np.intp), np.asarray(test, dtype=np.intp))
        for train, test in splitter.split(np.zeros(len(y)), y, groups)
    ]
    if not folds:
        raise ValueError(f"cv={cv!r} gives no folds; it must give at least one.")
    what = "rows" if numbers else "classes"
    for number, (train, test) in enumerate(folds):
        n_trained = len(train) if numbers else len(np.unique(y[train]))
        if n_trained < 2 or not len(test):
            raise ValueError(
                f"cv: fold {number} has {n_trained} {what} in {len(train)} training rows, and "
                f"{len(test)} test rows; it needs 2 {what} and a test row."
            )
    return folds
