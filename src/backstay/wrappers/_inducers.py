"""Inducers: what the built-in names stand for, and J through any scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib.parallel import get_active_backend
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC
from sklearn.utils.parallel import Parallel, delayed

from backstay._orphans import worker_options
from backstay._validation import take
from backstay.base import Array, Indices
from backstay.wrappers._folds import Fold, FoldSource
from backstay.wrappers._tied_neighbors import TiedNeighborsClassifier
from backstay.wrappers._units import NOTHING

# A tree of one leaf offers the training rows in their order, with distances summed directly: ties
# go by row order. scikit-learn's brute force expands ‖a−b‖², which breaks ties by rounding.
ONE_LEAF = 2**31 - 1


def n_neighbors_of(name: str) -> int | None:
    """Return K of "1nn" or "knn:K", None for the other built-in inducers."""
    if name == "1nn":
        return 1
    if name in ("lda", "svm_linear", "svm_rbf"):
        return None
    head, colon, k = name.partition(":")
    if head == "knn" and colon and k.isdecimal() and int(k) >= 1:
        return int(k)
    raise ValueError(
        f"estimator={name!r} is no built-in inducer; use '1nn', 'knn:K' with K a positive "
        "integer, 'lda', 'svm_linear', 'svm_rbf', or any scikit-learn classifier."
    )


def check_n_neighbors(name: str, folds: Sequence[Fold]) -> None:
    """Raise if a fold has fewer training rows than "knn:K" needs."""
    k, fewest = n_neighbors_of(name), min(len(train) for train, _ in folds)
    if k is not None and k > fewest:
        raise ValueError(f"estimator={name!r} needs {k} training rows; a fold of cv has {fewest}.")


def scaler(scaling: str | None) -> Any:
    """Return the unfitted scikit-learn scaler of a ``scaling`` option, None for none."""
    return {"minmax": MinMaxScaler, "standard": StandardScaler}[scaling]() if scaling else None


def equivalent(name: str, scaling: str | None, ties: str = "first") -> Any:
    """Return the scikit-learn estimator that a built-in inducer stands for."""
    k = n_neighbors_of(name)
    classifier: Any
    if k is not None and ties == "vote":
        classifier = TiedNeighborsClassifier(k)
    elif k is not None:
        classifier = KNeighborsClassifier(n_neighbors=k, algorithm="kd_tree", leaf_size=ONE_LEAF)
    elif name == "lda":
        classifier = LinearDiscriminantAnalysis()
    else:
        classifier = SVC(C=1.0, kernel=name.removeprefix("svm_"), gamma="scale")
    return classifier if scaling is None else make_pipeline(scaler(scaling), classifier)


def candidate_columns(subset: Indices, unit: Indices, adding: bool) -> Indices:
    """Columns of the subset with the unit added or removed, in ascending order."""
    if adding:
        return np.sort(np.concatenate([subset, unit]))
    return np.setdiff1d(subset, unit, assume_unique=True)


def _label(columns: Indices, names: NDArray[Any] | None) -> str:
    shown = [str(c) for c in (columns if names is None else names[columns])]
    if len(shown) > 20:
        shown = [*shown[:20], f"… {len(shown)} in all"]
    return ", ".join(shown)


@dataclass(frozen=True)
class GeneralInducer:
    """J by fitting and scoring an estimator from scratch on every subset and fold."""

    estimator: Any
    X: Any
    y: NDArray[Any]
    folds: FoldSource
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
        for number, (train, test) in enumerate(self.folds(columns)):
            try:
                fitted = clone(self.estimator).fit(take(table, train), self.y[train])
                score = float(self.scorer(fitted, take(table, test), self.y[test]))
                if np.isnan(score):
                    raise ValueError("its score is nan.")
            except Exception as error:
                kind = ValueError if isinstance(error, ValueError) else RuntimeError
                raise kind(
                    f"{type(self.estimator).__name__} failed on the subset "
                    f"[{_label(columns, self.names)}], fold {number}: "
                    f"{type(error).__name__}: {error}"
                ) from error
            scores.append(score)
        return scores

    def empty_score(self) -> float:
        """Score of predicting without features, from the class frequencies of the training rows."""
        dummy = replace(self, estimator=DummyClassifier(strategy="prior"))
        return float(np.mean(dummy.fold_scores(NOTHING)))
