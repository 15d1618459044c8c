"""Built-in inducers whose candidates differ from the present subset by a rank-one term.

Every inducer gives, fold by fold, the predictions of the scikit-learn estimator
that ``_inducers.equivalent`` names. A score depends on the subset alone, never on
the path that led to it, so any number of threads agree.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay._kernels._inducers import (
    nearest_correct,
    neighbors_correct,
    one_vs_one_correct,
    squared_distances,
    update_gram,
    update_rbf,
)
from backstay._libsvm import train_machines
from backstay.base import Array, Fold, Indices
from backstay.wrappers._inducers import n_neighbors_of, scaler

Counts = NDArray[np.int64]


def flattened(units: Sequence[Indices]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the units' columns in one array, and where each unit begins and ends."""
    offsets = np.zeros(len(units) + 1, dtype=np.int64)
    offsets[1:] = np.cumsum([len(u) for u in units])
    return np.concatenate([np.empty(0), *units]).astype(np.int64), offsets


class FastFold:
    """One fold of a built-in inducer, scaled by its training rows; subclasses count."""

    def __init__(self, X: Array, y: Any, fold: Fold, scaling: str | None, name: str) -> None:
        train, test = fold
        train_rows, test_rows = X[train], X[test]
        if scaling is not None:
            fitted = scaler(scaling).fit(train_rows)
            train_rows, test_rows = fitted.transform(train_rows), fitted.transform(test_rows)
        self.keep_outcome(y[train], y[test])
        self.prepare(train_rows, test_rows, name)

    def keep_outcome(self, train: Indices, test: Indices) -> None:
        """Give the classes of the training rows numbers, and -1 to a class that they lack."""
        present, classes = np.unique(train, return_inverse=True)
        self.classes = classes.astype(np.int64)
        self.n_classes = len(present)
        place = np.full(int(max(train.max(), test.max())) + 1, -1)
        place[present] = np.arange(self.n_classes)
        self.test_classes = place[test]

    def prepare(self, train_rows: Array, test_rows: Array, name: str) -> None:
        """Compute what no subset changes."""
        self.k = n_neighbors_of(name) or 1
        self.train = np.ascontiguousarray(train_rows.T)
        self.test = np.ascontiguousarray(test_rows.T)

    def correct(self, subset: Indices, units: Sequence[Indices], adding: bool) -> Any:
        """Count the test rows predicted right with each unit added to or removed from `subset`."""
        raise TypeError(f"{type(self).__name__} must define correct(subset, units, adding).")


class Neighbors(FastFold):
    """k-NN from squared distances; of equally near rows the first count."""

    def prepare(self, train_rows: Array, test_rows: Array, name: str) -> None:
        """Sort the training rows by class for k=1."""
        self.rows = np.arange(len(train_rows))
        if n_neighbors_of(name) == 1:
            self.rows = np.argsort(self.classes, kind="stable")
            counts = np.bincount(self.classes, minlength=self.n_classes)
            self.starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        super().prepare(train_rows[self.rows], test_rows, name)

    def correct(self, subset: Indices, units: Sequence[Indices], adding: bool) -> Counts:
        """Count from the distances over `subset`, updated per candidate."""
        counts = np.zeros(len(units), dtype=np.int64)
        candidates = (self.test_classes, subset.astype(np.int64), *flattened(units), adding, counts)
        if self.k == 1:
            nearest_correct(self.train, self.test, self.starts, self.rows, *candidates)
        else:
            neighbors_correct(
                self.train, self.test, self.classes, self.n_classes, self.k, *candidates
            )
        return counts


class KernelMachine(FastFold):
    """Linear or RBF support vector machine from a precomputed kernel."""

    def prepare(self, train_rows: Array, test_rows: Array, name: str) -> None:
        """Keep the features' means and squared deviations, from which γ follows."""
        super().prepare(train_rows, test_rows, name)
        self.rbf = name == "svm_rbf"
        self.labels = self.classes.astype(np.float64)
        self.means = self.train.mean(axis=1)
        self.deviations = ((self.train - self.means[:, None]) ** 2).sum(axis=1)

    def gamma(self, columns: Indices) -> float:
        """Return 1/(|S|·variance of all entries): scikit-learn's gamma="scale"."""
        n = self.train.shape[1]
        means = self.means[columns]
        total = self.deviations[columns].sum() + n * ((means - means.mean()) ** 2).sum()
        return float(n / total) if total > 0.0 else 1.0

    def correct(self, subset: Indices, units: Sequence[Indices], adding: bool) -> Counts:
        """Train libsvm on each candidate's kernel."""
        columns = subset.astype(np.int64)
        if self.rbf:
            base = squared_distances(self.train, self.train, columns)
            test_base = squared_distances(self.test, self.train, columns)
        else:
            base = self.train[columns].T @ self.train[columns]
            test_base = self.test[columns].T @ self.train[columns]
        kernel, test_kernel = np.empty_like(base), np.empty_like(test_base)
        sign = 1.0 if adding else -1.0
        counts = np.zeros(len(units), dtype=np.int64)
        for u, unit in enumerate(units):
            moved = unit.astype(np.int64)
            if self.rbf:
                kept = np.union1d(subset, unit) if adding else np.setdiff1d(subset, unit)
                gamma = self.gamma(kept)
                update_rbf(base, self.train, self.train, moved, sign, gamma, kernel)
                update_rbf(test_base, self.test, self.train, moved, sign, gamma, test_kernel)
            else:
                update_gram(base, self.train, self.train, moved, sign, kernel)
                update_gram(test_base, self.test, self.train, moved, sign, test_kernel)
            machines = train_machines(kernel, self.labels)
            counts[u] = one_vs_one_correct(test_kernel, *machines, self.test_classes)
        return counts
