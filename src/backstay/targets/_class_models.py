"""Models of classes: those that a study fits by default, what they say, and faster ways to it.

On a few dozen rows a scikit-learn pipeline spends a millisecond or two on validation, cloning
and configuration, many times what libsvm or a nearest neighbour needs; a study fits one for
every model, size, method and resample. A linear SVM and 1-NN, each behind a ``MinMaxScaler``
with its usual settings, are therefore fitted directly: same libsvm, same predictions.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC, LinearSVC

from backstay._libsvm import matches_svc, train_linear
from backstay.targets._class_signature import ClassSignature
from backstay.targets._target import MANY_ROWS, Shortcut, Target

Array = NDArray[np.float64]
ClassNumbers = NDArray[np.intp]
# Training rows, their class numbers 0, 1, … and test rows, to class numbers and scores.
Fit = Callable[[Array, ClassNumbers, Array], tuple[ClassNumbers, Array]]


def class_models(target: Target) -> dict[str, Any]:
    """Return a linear SVM that weighs classes by their rarity, and 1-NN, on features in [0, 1].

    On many rows, libsvm and 1-NN would take longer than everything else in a study: the SVM is
    liblinear's then, and there is no 1-NN.
    """
    if len(target) > MANY_ROWS:
        svm = LinearSVC(dual=False, class_weight="balanced")
        return {"svm": make_pipeline(MinMaxScaler(), svm)}
    return {
        "svm": make_pipeline(MinMaxScaler(), SVC(kernel="linear", class_weight="balanced")),
        "1nn": make_pipeline(MinMaxScaler(), KNeighborsClassifier(n_neighbors=1)),
    }


def class_outputs(
    target: ClassSignature, model: Any, X: Any, keep: str, learned: NDArray[Any]
) -> Array:
    """Return the predicted class number of every row, and scores beside it unless none are kept."""
    classes = target.seen
    predicted = np.searchsorted(classes, model.predict(X))[:, None].astype(np.float64)
    if keep == "predictions":
        return predicted
    return np.hstack([predicted, _scores(model, X, classes, keep)])


def _scores(model: Any, X: Any, classes: NDArray[Any], keep: str) -> Array:
    """Return how much the model leans towards the second class, or to each of more than two."""
    score = getattr(model, "decision_function", None)
    if score is None or keep == "probabilities":
        score = model.predict_proba
    values = np.asarray(score(X), dtype=np.float64)
    if values.ndim == 1:
        values = values[:, None]
    n_present = len(model.classes_)
    if values.shape[1] != n_present and not values.shape[1] == n_present - 1 == 1:
        raise ValueError(
            f"decision_function gives {values.shape[1]} columns for {n_present} classes; "
            "ranking the rows needs one per class."
        )
    numbers = np.searchsorted(classes, model.classes_)
    absent = 0.0 if keep == "probabilities" else -np.inf
    return _on_all_classes(values, numbers, len(classes), absent)


def _on_all_classes(
    scores: Array, numbers: ClassNumbers, n_classes: int, absent: float = -np.inf
) -> Array:
    """Return scores of the second class, or a column per class, `absent` for untrained ones."""
    if n_classes == 2:
        return scores[:, -1:]
    if scores.shape[1] == 1:
        scores = np.hstack([-scores, scores])
    wide = np.full((len(scores), n_classes), absent)
    wide[:, numbers] = scores
    return wide


def shortcut_of(target: ClassSignature, model: Any, keep: str) -> Shortcut | None:
    """Return the direct way to a model's outputs on scaled features, if it has one."""
    fit = None if keep == "probabilities" else _fit_of(model)
    return None if fit is None else partial(_shortened, fit, target.n_classes, keep)


def _shortened(
    fit: Fit,
    n_classes: int,
    keep: str,
    train: Array,
    coded: tuple[ClassNumbers, ClassNumbers],
    test: Array,
) -> Array:
    numbers, codes = coded
    predicted, scores = fit(train, codes, test)
    first = numbers[predicted][:, None].astype(np.float64)
    if keep == "predictions":
        return first
    return np.hstack([first, _on_all_classes(scores, numbers, n_classes)])


def _fit_of(model: Any) -> Fit | None:
    if type(model) is not Pipeline or model.memory is not None:
        return None
    steps = [step for _, step in model.steps]
    if len(steps) != 2 or not _equal(steps[0], MinMaxScaler()):
        return None
    if _equal(steps[1], KNeighborsClassifier(n_neighbors=1)):
        return _nearest
    for weight in (None, "balanced"):
        svm = SVC(kernel="linear", C=getattr(steps[1], "C", 1.0), class_weight=weight)
        if _equal(steps[1], svm) and matches_svc():
            return partial(_linear, C=float(svm.C), balanced=weight == "balanced")
    return None


def _equal(step: Any, wanted: Any) -> bool:
    return type(step) is type(wanted) and step.get_params() == wanted.get_params()


def _nearest(train: Array, codes: ClassNumbers, test: Array) -> tuple[ClassNumbers, Array]:
    """Class of the nearest row; of rows equally near, the first. It has all the votes."""
    nearest = codes[cdist(test, train, "sqeuclidean").argmin(axis=1)]
    return nearest, np.eye(int(codes.max()) + 1)[nearest]


def _linear(
    train: Array, codes: ClassNumbers, test: Array, C: float, balanced: bool
) -> tuple[ClassNumbers, Array]:
    return train_linear(train, codes, C, balanced=balanced).predict(test)
