"""Folds: drawn once per search and shared by all subsets, or drawn anew for each of them."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold, check_cv

from backstay._validation import check_random_state
from backstay.base import Indices

Fold = tuple[Indices, Indices]  # rows to train on, rows to test on


@dataclass(frozen=True)
class SharedFolds:
    """The same folds for every subset."""

    folds: list[Fold]

    def __call__(self, columns: Indices) -> list[Fold]:
        """Return the folds on which the subset is judged."""
        return self.folds


@dataclass(frozen=True)
class FreshFolds:
    """Stratified folds of its own for every subset.

    They follow from the seed and the set of columns alone, so J stays a function of the subset:
    neither the path that led to it, nor resuming, nor the number of threads changes it.
    """

    seed: int
    classes: Indices
    n_splits: int
    n_repeats: int

    def parts(self, columns: Indices) -> NDArray[np.int64]:
        """Return in which fold each row is tested, one line per repeat."""
        # Their number keeps {0} and ∅ apart: zeros at the end do not change a seed.
        entropy = np.concatenate([[self.seed, len(columns)], np.sort(columns)])
        rng = np.random.default_rng(entropy.astype(np.uint32))
        by_class = np.argsort(self.classes, kind="stable")
        n = len(by_class)
        # Rows stand by class, in random order within each; dealt out in turn, every fold gets its
        # share of every class.
        keys = self.classes[by_class] + rng.random((self.n_repeats, n))
        shuffled = by_class[np.argsort(keys, axis=1)]
        found = np.empty((self.n_repeats, n), dtype=np.int64)
        np.put_along_axis(found, shuffled, (np.arange(n) % self.n_splits)[None], axis=1)
        return found

    def __call__(self, columns: Indices) -> list[Fold]:
        """Return the folds on which the subset is judged."""
        return [
            (np.flatnonzero(part != fold), np.flatnonzero(part == fold))
            for part in self.parts(columns)
            for fold in range(self.n_splits)
        ]


FoldSource = SharedFolds | FreshFolds


def fresh_folds(cv: Any, random_state: Any, y: NDArray[Any], groups: Any) -> FreshFolds:
    """Return folds drawn anew for every subset, as many as `cv` has; None is 5×2."""
    if groups is not None:
        raise ValueError(
            "cv_draw='fresh' cannot keep groups of rows together; use cv_draw='shared' with groups."
        )
    n_repeats = 5 if cv is None else 1
    if isinstance(cv, RepeatedStratifiedKFold):
        n_splits, n_repeats = cv.cvargs["n_splits"], cv.n_repeats
    elif isinstance(cv, StratifiedKFold):
        n_splits = cv.n_splits
    elif cv is None or (isinstance(cv, Integral) and not isinstance(cv, bool) and int(cv) >= 2):
        n_splits = 2 if cv is None else int(cv)
    else:
        raise ValueError(
            f"cv={cv!r} cannot be drawn anew for every subset; with cv_draw='fresh' it must be "
            "None, an integer of at least 2, StratifiedKFold or RepeatedStratifiedKFold."
        )
    _check_class_sizes(y, n_splits)
    seed = int(check_random_state(random_state).randint(2**31 - 1))
    return FreshFolds(seed, np.unique(y, return_inverse=True)[1], n_splits, n_repeats)


def _check_class_sizes(y: NDArray[Any], n_splits: int) -> None:
    classes, sizes = np.unique(y, return_counts=True)
    if sizes.min() < n_splits:
        raise ValueError(
            f"y has {sizes.min()} row(s) of class {classes.tolist()[sizes.argmin()]!r}, fewer than "
            f"the {n_splits} folds of cv; every class needs a row in each fold."
        )


def draw_folds(cv: Any, random_state: Any, y: NDArray[Any], groups: Any) -> list[Fold]:
    """Return (train, test) row numbers that a classifier can learn from; None is 5×2 [Prat 3.2]."""
    if cv is None:
        seed = check_random_state(random_state).randint(2**31 - 1)
        cv = RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=seed)
    splitter = check_cv(cv, y, classifier=True)
    if isinstance(splitter, RepeatedStratifiedKFold | StratifiedKFold):
        repeated = isinstance(splitter, RepeatedStratifiedKFold)
        n_splits = splitter.cvargs["n_splits"] if repeated else splitter.n_splits
        _check_class_sizes(y, n_splits)
    folds = [
        (np.asarray(train, dtype=np.intp), np.asarray(test, dtype=np.intp))
        for train, test in splitter.split(np.zeros(len(y)), y, groups)
    ]
    if not folds:
        raise ValueError(f"cv={cv!r} gives no folds; it must give at least one.")
    for number, (train, test) in enumerate(folds):
        n_classes = len(np.unique(y[train]))
        if n_classes < 2 or not len(test):
            raise ValueError(
                f"cv: fold {number} has {n_classes} class(es) in its {len(train)} training rows, "
                f"and {len(test)} test rows; it needs 2 classes and a test row."
            )
    return folds
