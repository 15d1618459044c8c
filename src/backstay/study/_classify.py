"""The default study without the checks that cost more than the work.

On a few dozen rows a scikit-learn pipeline spends a millisecond or two on validation, cloning
and configuration, many times what libsvm or a nearest neighbour needs; a study fits one for
every classifier, size, method and resample. A linear SVM and 1-NN, each behind a
``MinMaxScaler`` with its usual settings, are therefore fitted directly: same scale, same libsvm,
same predictions. And a frame of numbers, which every fit would turn into an array, is turned
into one once for all. Everything else goes the general way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from backstay._validation import libsvm

__all__ = ["Shortcut", "numbers_of", "reads_numbers", "shortcuts_of", "unit_range"]

Array = NDArray[np.float64]
# Scaled training rows, their class numbers 0, 1, …, and scaled test rows, to class numbers.
Shortcut = Callable[[Array, NDArray[np.intp], Array], NDArray[np.intp]]


def numbers_of(X: Any) -> Array | None:
    """Return a frame of nothing but float64 as an array, None for any other table."""
    if not isinstance(X, pd.DataFrame) or any(kind != np.float64 for kind in X.dtypes):
        return None
    return np.ascontiguousarray(X.to_numpy())


def reads_numbers(method: Any) -> bool:
    """Whether a method is backstay's own throughout, and so never asks for a column by name."""
    inside = [value for value in method.get_params(deep=True).values() if hasattr(value, "fit")]
    named = getattr(method, "categorical_features", "from_dtype")
    return isinstance(named, str) and all(
        type(part).__module__.startswith("backstay.") for part in (method, *inside)
    )


def unit_range(train: Array, test: Array) -> tuple[Array, Array]:
    """Scale features to [0, 1] on the training rows, as ``MinMaxScaler`` does."""
    scaler = MinMaxScaler().fit(train)
    # What transform does, without looking at the same rows again.
    return train * scaler.scale_ + scaler.min_, test * scaler.scale_ + scaler.min_


def shortcuts_of(classifiers: Mapping[str, Any]) -> dict[str, Shortcut]:
    """Return the direct ways to predictions, of the classifiers that have one, by name."""
    found = {name: _shortcut_of(classifier) for name, classifier in classifiers.items()}
    return {name: shortcut for name, shortcut in found.items() if shortcut is not None}


def _shortcut_of(classifier: Any) -> Shortcut | None:
    if type(classifier) is not Pipeline or classifier.memory is not None:
        return None
    steps = [step for _, step in classifier.steps]
    if len(steps) != 2 or not _is(steps[0], MinMaxScaler()):
        return None
    if _is(steps[1], KNeighborsClassifier(n_neighbors=1)):
        return _nearest
    if _is(steps[1], SVC(kernel="linear", C=getattr(steps[1], "C", 1.0))) and _same_as_svc():
        return partial(_linear, C=float(steps[1].C))
    return None


def _is(step: Any, wanted: Any) -> bool:
    return type(step) is type(wanted) and step.get_params() == wanted.get_params()


def _nearest(train: Array, classes: NDArray[np.intp], test: Array) -> NDArray[np.intp]:
    """Class of the nearest row; of rows equally near, the first."""
    nearest: NDArray[np.intp] = classes[cdist(test, train, "sqeuclidean").argmin(axis=1)]
    return nearest


def _linear(train: Array, classes: NDArray[np.intp], test: Array, C: float) -> NDArray[np.intp]:
    """Predict with libsvm itself, through the binding that ``SVC`` uses."""
    libsvm.set_verbosity_wrap(0)
    train, test = np.ascontiguousarray(train), np.ascontiguousarray(test)
    weights = np.ones(int(classes.max()) + 1)
    model = libsvm.fit(
        train,
        classes.astype(np.float64),
        svm_type=0,
        kernel="linear",
        C=C,
        tol=1e-3,
        shrinking=1,
        cache_size=200.0,
        max_iter=-1,
        class_weight=weights,
    )
    predicted = libsvm.predict(
        test, *model[:7], svm_type=0, kernel="linear", cache_size=200.0, class_weight=weights
    )
    numbers: NDArray[np.intp] = predicted.astype(np.intp)
    return numbers


@cache
def _same_as_svc() -> bool:
    """Whether scikit-learn's binding still has the form known here."""
    if libsvm is None:  # pragma: no cover - another scikit-learn
        return False
    rng = np.random.default_rng(0)
    X, classes = rng.random((12, 3)), np.arange(12) % 3
    try:
        ways = [
            (SVC(kernel="linear").fit(X[:9], c).predict(X[9:]), _linear(X[:9], c, X[9:], 1.0))
            for c in (classes[:9], classes[:9] % 2)
        ]
    except Exception:  # pragma: no cover - another scikit-learn
        return False
    return all(np.array_equal(a, b) for a, b in ways)
