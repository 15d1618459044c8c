"""libsvm on a precomputed kernel, without the checks that cost more than the training.

``SVC.fit`` spends about a millisecond per call on validation, ten times what
libsvm needs for a fold of a hundred rows. scikit-learn's own binding is
therefore called directly where it has the expected form, and ``SVC`` where it
has not; the machine is the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

from backstay._validation import libsvm

__all__ = ["train_machines"]

Array = NDArray[np.float64]
Machines = tuple[NDArray[Any], NDArray[Any], Array, Array]


def _direct(kernel: Array, classes: Array) -> Machines:
    libsvm.set_verbosity_wrap(0)
    support, _, n_support, coefficients, intercepts, *_ = libsvm.fit(
        kernel,
        classes,
        svm_type=0,
        kernel="precomputed",
        C=1.0,
        tol=1e-3,
        shrinking=1,
        cache_size=200.0,
        max_iter=-1,
    )
    return support, n_support, coefficients, intercepts


def _public(kernel: Array, classes: Array) -> Machines:
    machine = SVC(C=1.0, kernel="precomputed").fit(kernel, classes)
    # With two classes SVC turns the signs round, so that positive means the second class.
    sign = -1.0 if len(machine.classes_) == 2 else 1.0
    return (
        machine.support_,
        machine.n_support_,
        sign * machine.dual_coef_,
        sign * machine.intercept_,
    )


def _choose() -> Any:
    """Take the direct way only if it gives what the public one gives."""
    if libsvm is None:  # pragma: no cover - another scikit-learn
        return _public
    x = np.array([0.0, 1.0, 0.4, 2.0, 3.0, 2.2])
    kernel, classes = np.outer(x, x), np.array([0.0, 0.0, 1.0, 1.0, 2.0, 2.0])
    try:
        same = all(
            np.array_equal(a, b)
            for a, b in zip(_direct(kernel, classes), _public(kernel, classes), strict=True)
        )
    except Exception:  # pragma: no cover - another scikit-learn
        return _public
    return _direct if same else _public


_way: Any = None


def train_machines(kernel: Array, classes: Array) -> Machines:
    """Train one-vs-one machines with C=1 on a precomputed kernel.

    Parameters
    ----------
    kernel : ndarray of shape (n, n), C-contiguous float64
        Kernel of the training rows.
    classes : ndarray of shape (n,), float64
        Class numbers 0, 1, …, all present.

    Returns
    -------
    support, n_support, coefficients, intercepts : ndarray
        As libsvm lays them out; the machine of classes a < b votes for a when positive.
    """
    global _way
    if _way is None:
        _way = _choose()
    machines: Machines = _way(kernel, classes)
    return machines
