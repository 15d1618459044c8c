"""From an inducer's scores on folds to J of the candidates of a step."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import joblib
import numpy as np
from joblib.parallel import get_active_backend
from numpy.typing import NDArray
from sklearn.base import clone, is_regressor
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.utils.parallel import Parallel, delayed

from backstay._orphans import worker_options
from backstay._validation import take
from backstay.base import Array, Fold, Indices, one_thread
from backstay.wrappers._discriminant import Discriminant
from backstay.wrappers._fast import FastFold, KernelMachine, Neighbors
from backstay.wrappers._inducers import candidate_columns
from backstay.wrappers._regression import NumberNeighbors, RidgeFold
from backstay.wrappers._units import NOTHING, columns_of

# The others are k-NN.
FAST: dict[str, type[FastFold]] = {
    "lda": Discriminant,
    "svm_linear": KernelMachine,
    "svm_rbf": KernelMachine,
    "ridge": RidgeFold,
}


class FastInducer:
    """J of a built-in inducer over all folds; with numbers, errors are in units of `total`."""

    def __init__(
        self,
        name: str,
        X: Any,
        y: Any,
        folds: Sequence[Fold],
        scaling: str | None,
        n_jobs: int | None = None,
        total: float | None = None,
    ) -> None:
        X = np.asarray(X, dtype=np.float64)
        self.n_jobs, self.total = n_jobs, total
        self.n_test = np.array([len(test) for _, test in folds])
        kind = FAST.get(name, Neighbors if total is None else NumberNeighbors)
        # Threads inside these small matrix products cost more than they give, and their number
        # must not show in the result.
        with one_thread():
            self.folds = [kind(X, y, fold, scaling, name) for fold in folds]

    def scores(self, subset: Indices, units: Sequence[Indices], adding: bool) -> Array:
        """Accuracies, or shares in R², per candidate and fold."""
        threads, n_folds = joblib.effective_n_jobs(self.n_jobs), len(self.folds)
        with one_thread():
            if threads == 1:
                counts = [fold.correct(subset, units, adding) for fold in self.folds]
            else:
                n_parts = min(len(units), -(-threads // n_folds))
                borders = [part * len(units) // n_parts for part in range(n_parts + 1)]
                counts = joblib.Parallel(n_jobs=self.n_jobs, require="sharedmem")(
                    joblib.delayed(fold.correct)(subset, units[begin:end], adding)
                    for fold in self.folds
                    for begin, end in pairwise(borders)
                )
        by_fold = np.concatenate(counts).reshape(n_folds, -1).T
        return by_fold / self.n_test if self.total is None else 1.0 - by_fold / self.total


@dataclass(frozen=True)
class GeneralInducer:
    """J by fitting and scoring an estimator from scratch on every subset and fold."""

    estimator: Any
    X: Any
    y: NDArray[Any]
    folds: Sequence[Fold]
    scorer: Callable[..., float]
    n_jobs: int | None = None
    names: NDArray[Any] | None = None  # of features, for error messages

    def scores(self, subset: Indices, units: Sequence[Indices], adding: bool) -> Array:
        """Scores per candidate and fold."""
        subsets = [candidate_columns(subset, unit, adding) for unit in units]
        if len(subsets) == 1:
            rows = [self.fold_scores(subsets[0])]
        else:
            options = worker_options(get_active_backend()[0])
            rows = Parallel(n_jobs=self.n_jobs, **options)(
                delayed(self.fold_scores)(columns) for columns in subsets
            )
        return np.array(rows)

    def fold_scores(self, columns: Indices) -> list[float]:
        """Score one subset on every fold."""
        table = take(self.X, columns, axis=1)
        scores = []
        for number, (train, test) in enumerate(self.folds):
            try:
                fitted = clone(self.estimator).fit(take(table, train), self.y[train])
                score = float(self.scorer(fitted, take(table, test), self.y[test]))
                if np.isnan(score):
                    raise ValueError("its score is nan.")
            except Exception as error:
                kind = ValueError if isinstance(error, ValueError) else RuntimeError
                shown = [str(c) for c in (columns if self.names is None else self.names[columns])]
                if len(shown) > 20:
                    shown = [*shown[:20], f"… {len(shown)} in all"]
                raise kind(
                    f"{type(self.estimator).__name__} failed on the subset "
                    f"[{', '.join(shown)}], fold {number}: {type(error).__name__}: {error}"
                ) from error
            scores.append(score)
        return scores

    def empty_scores(self) -> list[float]:
        """Scores of predicting without features: the training rows' class frequencies, or mean."""
        numbers = is_regressor(self.estimator)
        dummy = DummyRegressor() if numbers else DummyClassifier(strategy="prior")
        return replace(self, estimator=dummy).fold_scores(NOTHING)


@dataclass
class Evaluator:
    """J of a set of units with each of several units added to it or removed from it."""

    inducer: Any  # its scores(subset, units, adding) are per candidate and fold
    units: list[Indices]
    empty: float | None  # J(∅); None computes it by the inducer's empty_scores
    weights: Array | None = None  # of the folds; None if all count the same

    def __call__(self, members: NDArray[np.bool_], moved: Indices, adding: bool) -> Array:
        """Return J of every candidate; of `members` itself if `moved` is empty."""
        n_left = int(members.sum())
        if len(moved):
            n_left += 1 if adding else -1
        if n_left == 0:
            if self.empty is None:
                self.empty = float(np.average(self.inducer.empty_scores(), weights=self.weights))
            return np.full(max(1, len(moved)), self.empty)
        candidates = [self.units[u] for u in moved] if len(moved) else [NOTHING]
        subset = columns_of(self.units, members)
        scores = self.inducer.scores(subset, candidates, adding or not len(moved))
        return np.asarray(np.average(scores, axis=1, weights=self.weights))
