"""What the names of the built-in inducers stand for."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from backstay.base import Fold, Indices, outcomes_of

# A tree of one leaf offers the training rows in their order, with distances summed directly: ties
# go by row order. scikit-learn's brute force expands ‖a−b‖², which breaks ties by rounding.
ONE_LEAF = 2**31 - 1


def n_neighbors_of(name: str) -> int | None:
    """Return K of "1nn" or "knn:K", None for the other built-in inducers."""
    if name == "1nn":
        return 1
    if name in ("lda", "svm_linear", "svm_rbf", "ridge"):
        return None
    head, colon, k = name.partition(":")
    if head == "knn" and colon and k.isdecimal() and int(k) >= 1:
        return int(k)
    raise ValueError(
        f"estimator={name!r} is not a built-in inducer; use '1nn', 'knn:K' with K a positive "
        "integer, 'lda', 'svm_linear', 'svm_rbf', 'ridge', or any scikit-learn classifier or "
        "regressor."
    )


def inducer_outcomes(estimator: Any) -> tuple[str, ...]:
    """Return the kinds of outcome that an inducer takes: k-NN takes both."""
    if not isinstance(estimator, str):
        return outcomes_of(estimator)
    if n_neighbors_of(estimator) is not None:
        return ("classes", "numbers")
    return ("numbers",) if estimator == "ridge" else ("classes",)


def check_n_neighbors(name: str, folds: Sequence[Fold]) -> None:
    """Raise if a fold has fewer training rows than "knn:K" needs."""
    k, fewest = n_neighbors_of(name), min(len(train) for train, _ in folds)
    if k is not None and k > fewest:
        raise ValueError(f"estimator={name!r} needs {k} training rows; a fold of cv has {fewest}.")


def scaler(scaling: str | None) -> Any:
    """Return the unfitted scikit-learn scaler of a ``scaling`` option, None for none."""
    return {"minmax": MinMaxScaler, "standard": StandardScaler}[scaling]() if scaling else None


def equivalent(name: str, scaling: str | None, numbers: bool = False) -> Any:
    """Return the scikit-learn estimator that a built-in inducer stands for."""
    k = n_neighbors_of(name)
    classifier: Any
    if k is not None:
        kind = KNeighborsRegressor if numbers else KNeighborsClassifier
        classifier = kind(n_neighbors=k, algorithm="kd_tree", leaf_size=ONE_LEAF)
    elif name == "ridge":
        classifier = Ridge()
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
