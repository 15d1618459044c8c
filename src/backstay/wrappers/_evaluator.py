"""From an inducer's scores on folds to J of the candidates of a step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import check_scoring

from backstay.base import Array, Indices
from backstay.wrappers._discriminant import Discriminant
from backstay.wrappers._fast import (
    FastFold,
    FastInducer,
    KernelMachine,
    Neighbors,
    VotingNeighbors,
)
from backstay.wrappers._folds import FoldSource, SharedFolds
from backstay.wrappers._fresh import FreshInducer
from backstay.wrappers._inducers import GeneralInducer, equivalent
from backstay.wrappers._units import NOTHING, columns_of

FAST: dict[str, type[FastFold]] = {
    "lda": Discriminant,
    "svm_linear": KernelMachine,
    "svm_rbf": KernelMachine,
}


@dataclass
class Evaluator:
    """J of a set of units with each of several units added to it or removed from it."""

    inducer: Any  # its scores(subset, units, adding) are per candidate and fold
    units: list[Indices]
    empty: float | None  # J(∅); None computes it by the inducer's empty_score

    def __call__(self, members: NDArray[np.bool_], moved: Indices, adding: bool) -> Array:
        """Return J of every candidate; of `members` itself if `moved` is empty."""
        n_left = int(members.sum())
        if len(moved):
            n_left += 1 if adding else -1
        if n_left == 0:
            if self.empty is None:
                self.empty = self.inducer.empty_score()
            return np.full(max(1, len(moved)), self.empty)
        candidates = [self.units[u] for u in moved] if len(moved) else [NOTHING]
        subset = columns_of(self.units, members)
        scores = self.inducer.scores(subset, candidates, adding or not len(moved))
        return np.asarray(scores.mean(axis=1))


@dataclass(frozen=True)
class Judge:
    """How subsets are judged: the parameters of a selector that J depends on."""

    estimator: Any  # a built-in inducer's name, or a scikit-learn classifier
    scoring: Any
    scaling: str | None
    ties: str
    n_jobs: int | None

    def evaluator(
        self,
        X: Any,
        y: NDArray[Any],
        folds: FoldSource,
        units: list[Indices],
        names: NDArray[Any] | None = None,
    ) -> Evaluator:
        """Return J of units on the folds; `names` of features are for error messages."""
        accuracy = self.scoring in (None, "accuracy")
        codes = np.unique(y, return_inverse=True)[1]
        majority = float(np.bincount(codes).max() / len(codes)) if accuracy else None
        if isinstance(self.estimator, str) and accuracy:
            return Evaluator(self._built_in(self.estimator, X, codes, folds), units, majority)
        estimator = self.estimator
        if isinstance(estimator, str):
            estimator = equivalent(estimator, self.scaling, self.ties)
        scorer = check_scoring(estimator, scoring="accuracy" if accuracy else self.scoring)
        general = GeneralInducer(estimator, X, y, folds, scorer, self.n_jobs, names)
        return Evaluator(general, units, majority)

    def _built_in(self, name: str, X: Any, codes: Indices, folds: FoldSource) -> Any:
        neighbors = VotingNeighbors if self.ties == "vote" else Neighbors
        kind = FAST.get(name, neighbors)
        if isinstance(folds, SharedFolds):
            return FastInducer(kind, name, X, codes, folds.folds, self.scaling, self.n_jobs)
        return FreshInducer(kind, name, X, codes, folds, self.scaling, self.ties, self.n_jobs)
