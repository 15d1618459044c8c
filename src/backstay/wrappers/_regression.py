"""Built-in inducers of numbers, whose candidates differ by a rank-one term, and their score."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from backstay._kernels._inducers import neighbor_errors
from backstay.base import Array, Fold, Indices
from backstay.wrappers._fast import FastFold, flattened
from backstay.wrappers._inducers import candidate_columns

ALPHA = 1.0  # of scikit-learn's Ridge()


@dataclass(frozen=True)
class PooledR2:
    """A score whose mean over the folds is R² of all test rows together."""

    total: float  # mean over folds of the test rows' squared deviations from the training mean

    @classmethod
    def of(cls, y: Array, folds: Sequence[Fold]) -> Self:
        """Return the score for some folds."""
        sums = [((y[test] - y[train].mean()) ** 2).sum() for train, test in folds]
        if not any(sums):
            raise ValueError("cv: y is the same in all test rows as on average in training rows.")
        return cls(float(np.mean(sums)))

    def __call__(self, model: Any, X: Any, y: NDArray[Any]) -> float:
        """Return a fold's share."""
        return 1.0 - float(((model.predict(X) - y) ** 2).sum()) / self.total


class NumberFold(FastFold):
    """One fold of an inducer of numbers; subclasses sum squared errors."""

    def keep_outcome(self, train: Any, test: Any) -> None:
        """Keep the numbers."""
        self.y, self.y_test = train, test


class NumberNeighbors(NumberFold):
    """k-NN from squared distances; of equally near rows the first count."""

    def correct(self, subset: Indices, units: Sequence[Indices], adding: bool) -> Array:
        """Sum from the distances over `subset`, updated per candidate."""
        errors = np.zeros(len(units))
        candidates = (subset.astype(np.int64), *flattened(units), adding, errors)
        neighbor_errors(self.train, self.test, self.y, self.k, self.y_test, *candidates)
        return errors


class RidgeFold(NumberFold):
    """Ridge regression; all single candidates from one inverse for the present subset."""

    def prepare(self, train_rows: Array, test_rows: Array, name: str) -> None:
        """Centre by the training rows."""
        mean, y_mean = train_rows.mean(axis=0), self.y.mean()
        self.train, self.test = train_rows - mean, test_rows - mean
        self.y, self.y_test = self.y - y_mean, self.y_test - y_mean

    def correct(self, subset: Indices, units: Sequence[Indices], adding: bool) -> Array:
        """Sum the errors of the updated coefficients."""
        if any(len(unit) != 1 for unit in units):
            return np.array([self._from_scratch(subset, unit, adding) for unit in units])
        moved = np.concatenate(units)
        Z, T = self.train[:, subset], self.test[:, subset]
        inverse = np.linalg.inv(Z.T @ Z + ALPHA * np.eye(len(subset)))
        weights = inverse @ (Z.T @ self.y)
        left = self.y_test - T @ weights
        if adding:
            # Block elimination: what the new column adds to all those before.
            new, along = self.train[:, moved], inverse @ (Z.T @ self.train[:, moved])
            own = (new**2).sum(axis=0) + ALPHA - ((Z.T @ new) * along).sum(axis=0)
            steps = (new.T @ self.y - (Z.T @ new).T @ weights) / own
            change = (self.test[:, moved] - T @ along) * steps
        else:
            place = np.searchsorted(subset, moved)
            change = -(T @ inverse[:, place]) * (weights[place] / np.diagonal(inverse)[place])
        return np.asarray(((left[:, None] - change) ** 2).sum(axis=0))

    def _from_scratch(self, subset: Indices, unit: Indices, adding: bool) -> float:
        columns = candidate_columns(subset, unit, adding)
        Z = self.train[:, columns]
        factor = cho_factor(Z.T @ Z + ALPHA * np.eye(len(columns)))
        weights = cho_solve(factor, Z.T @ self.y)
        return float(((self.y_test - self.test[:, columns] @ weights) ** 2).sum())
