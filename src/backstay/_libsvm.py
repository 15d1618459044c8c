"""libsvm through the binding that ``SVC`` uses, without checks that cost more than the training.

``SVC.fit`` spends about a millisecond per call on validation, ten times what libsvm needs for a
hundred rows. Its binding is therefore called directly, as long as it gives what ``SVC`` gives;
:func:`matches_svc` finds that out once.
"""

from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

from backstay._validation import libsvm, ovr_decision_function

Array = NDArray[np.float64]
ClassNumbers = NDArray[np.intp]
Machines = tuple[NDArray[Any], NDArray[Any], Array, Array]

CACHE = 200.0  # megabytes, as in SVC
SETTINGS = {"svm_type": 0, "tol": 1e-3, "shrinking": 1, "cache_size": CACHE, "max_iter": -1}


def train_machines(kernel: Array, classes: Array) -> Machines:
    """Train one-vs-one machines with C=1 on a precomputed kernel, laid out as libsvm does."""
    return _machines(kernel, classes) if matches_svc() else _machines_of_svc(kernel, classes)


def _machines(kernel: Array, classes: Array) -> Machines:
    libsvm.set_verbosity_wrap(0)
    support, _, n_support, coefficients, intercepts, *_ = libsvm.fit(
        kernel, classes, kernel="precomputed", C=1.0, **SETTINGS
    )
    return support, n_support, coefficients, intercepts


def _machines_of_svc(kernel: Array, classes: Array) -> Machines:
    machine = SVC(C=1.0, kernel="precomputed").fit(kernel, classes)
    # With two classes SVC turns the signs round, so that positive means the second class.
    sign = -1.0 if len(machine.classes_) == 2 else 1.0
    coefficients, intercepts = sign * machine.dual_coef_, sign * machine.intercept_
    return machine.support_, machine.n_support_, coefficients, intercepts


@dataclass(frozen=True)
class LinearMachine:
    """A linear SVM as libsvm returns it: the model's arrays, and the weights of the classes."""

    model: tuple[NDArray[Any], ...]
    class_weight: Array

    def predict(self, rows: Array) -> tuple[ClassNumbers, Array]:
        """Return the class number of every row, and scores as ``decision_function`` gives them."""
        pairs = libsvm.decision_function(
            np.ascontiguousarray(rows),
            *self.model,
            svm_type=0,
            kernel="linear",
            cache_size=CACHE,
            class_weight=self.class_weight,
        )
        n_classes = len(self.class_weight)
        if n_classes == 2:
            return (pairs[:, 0] <= 0).astype(np.intp), -pairs
        votes = np.zeros((len(rows), n_classes), dtype=np.intp)
        for place, (a, b) in enumerate(combinations(range(n_classes), 2)):
            np.add.at(votes, (np.arange(len(rows)), np.where(pairs[:, place] > 0, a, b)), 1)
        return votes.argmax(axis=1), ovr_decision_function(pairs < 0, -pairs, n_classes)


def train_linear(
    rows: Array, classes: ClassNumbers, C: float, *, balanced: bool = False
) -> LinearMachine:
    """Train a linear SVM on class numbers 0, 1, …, all present; only where :func:`matches_svc`."""
    libsvm.set_verbosity_wrap(0)
    rows, numbers = np.ascontiguousarray(rows), classes.astype(np.float64)
    counts = np.bincount(classes)
    weight = len(classes) / (len(counts) * counts) if balanced else np.ones(len(counts))
    model = libsvm.fit(rows, numbers, kernel="linear", C=C, class_weight=weight, **SETTINGS)
    return LinearMachine(model[:7], weight)


@cache
def matches_svc() -> bool:
    """Whether scikit-learn's binding has the form known here and gives what ``SVC`` gives."""
    rng = np.random.default_rng(0)
    X, three_classes = rng.random((12, 3)), np.arange(9) % 3
    try:
        return all(
            _same_machines(X[:9], classes) and _same_predictions(X, classes)
            for classes in (three_classes, three_classes % 2)
        )
    except Exception:  # pragma: no cover - another scikit-learn
        return False


def _same_machines(rows: Array, classes: ClassNumbers) -> bool:
    kernel, numbers = rows @ rows.T, classes.astype(np.float64)
    pairs = zip(_machines(kernel, numbers), _machines_of_svc(kernel, numbers), strict=True)
    return all(np.array_equal(ours, theirs) for ours, theirs in pairs)


def _same_predictions(X: Array, classes: ClassNumbers) -> bool:
    n = len(classes)
    for balanced in (False, True):
        svc = SVC(kernel="linear", class_weight="balanced" if balanced else None)
        svc.fit(X[:n], classes)
        labels, scores = train_linear(X[:n], classes, 1.0, balanced=balanced).predict(X[n:])
        theirs = svc.decision_function(X[n:]).reshape(scores.shape)
        if not np.array_equal(labels, svc.predict(X[n:])) or not np.array_equal(scores, theirs):
            return False
    return True
