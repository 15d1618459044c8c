"""Built-in inducers judged on folds of their own: each subset from scratch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from backstay._kernels._inducers import fresh_neighbors_correct
from backstay.base import Array, Indices, one_thread
from backstay.wrappers._fast import FastFold
from backstay.wrappers._folds import FreshFolds
from backstay.wrappers._inducers import candidate_columns, n_neighbors_of
from backstay.wrappers._units import NOTHING


class FreshInducer:
    """J of a built-in inducer, every subset on its own folds."""

    def __init__(
        self,
        kind: type[FastFold],
        name: str,
        X: Any,
        y: Indices,
        folds: FreshFolds,
        scaling: str | None,
        ties: str,
        n_jobs: int | None,
    ) -> None:
        self.kind = kind
        self.name = name
        self.X = np.asarray(X, dtype=np.float64)
        self.table = np.ascontiguousarray(self.X.T)
        self.y = y
        self.folds = folds
        self.scaling = scaling
        self.ties = ties
        self.n_jobs = n_jobs

    def scores(self, subset: Indices, units: Sequence[Indices], adding: bool) -> Array:
        """Accuracies per candidate and fold."""
        subsets = [candidate_columns(subset, unit, adding) for unit in units]
        # As in FastInducer: no threads inside, and none that show in the result.
        with one_thread():
            if effective_n_jobs(self.n_jobs) == 1:
                return np.array([self.accuracies(columns) for columns in subsets])
            found = Parallel(n_jobs=self.n_jobs, require="sharedmem")(
                delayed(self.accuracies)(columns) for columns in subsets
            )
            return np.array(list(found))

    def accuracies(self, columns: Indices) -> Array:
        """Accuracies of one subset, fold by fold."""
        if self.scaling is None and n_neighbors_of(self.name) is not None:
            return self._unscaled_neighbors(columns)
        rows, every = self.X[:, columns], np.arange(len(columns))
        found = []
        for fold in self.folds(columns):
            judged = self.kind(rows, self.y, fold, self.scaling, self.name)
            found.append(judged.correct(every, [NOTHING], True)[0] / len(fold[1]))
        return np.array(found)

    def _unscaled_neighbors(self, columns: Indices) -> Array:
        """Without scaling by training rows, distances are the same in every fold."""
        parts = self.folds.parts(columns)
        n_splits = self.folds.n_splits
        correct = np.zeros((len(parts), n_splits), dtype=np.int64)
        fresh_neighbors_correct(
            self.table,
            self.y,
            int(self.y.max()) + 1,
            n_neighbors_of(self.name),
            self.ties == "vote",
            columns.astype(np.int64),
            parts,
            correct,
        )
        sizes = [np.bincount(part, minlength=n_splits) for part in parts]
        return np.asarray((correct / np.array(sizes)).ravel())
