"""k-NN in which all rows as near as the K-th vote: what ``ties="vote"`` stands for."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from backstay._kernels._inducers import EQUAL
from backstay.base import Array


class TiedNeighborsClassifier(ClassifierMixin, BaseEstimator):
    """k-NN like R's ``class::knn``; of classes with equal votes the lowest wins.

    R draws among those classes. A drawn winner would make J a matter of luck.
    """

    def __init__(self, n_neighbors: int = 1) -> None:
        self.n_neighbors = n_neighbors

    def fit(self, X: Any, y: Any) -> Self:
        """Keep the rows."""
        self.rows_ = np.asarray(X, dtype=np.float64)
        self.classes_, self.labels_ = np.unique(y, return_inverse=True)
        return self

    def predict_proba(self, X: Any) -> Array:
        """Return each class's share of the votes."""
        queries = np.asarray(X, dtype=np.float64)
        away = np.zeros((len(queries), len(self.rows_)))
        for query, row in zip(queries.T, self.rows_.T, strict=True):
            away += (query[:, None] - row) ** 2
        k = self.n_neighbors - 1
        voters = away <= np.partition(away, k, axis=1)[:, k : k + 1] * (1.0 + EQUAL)
        votes = voters.astype(np.float64) @ (self.labels_[:, None] == np.arange(len(self.classes_)))
        return np.asarray(votes / votes.sum(axis=1, keepdims=True))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with the most votes."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])
