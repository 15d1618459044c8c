"""Selection along a path of penalties, over many runs [Meinshausen & Bühlmann 2010]."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from backstay.base import Array, fit_weighted

# On half of the rows slopes are steeper than on all: the grid starts higher by this factor.
HIGHER = 2.0


def common_grid(estimator: Any, X: Any, y: NDArray[Any], sample_weight: Array | None) -> Array:
    """Return the λ that all runs share: those of a path on all rows, and some above them."""
    name = type(estimator).__name__
    if "lambdas" not in estimator.get_params():
        raise ValueError(
            f"path=True needs an estimator with the parameter lambdas and the fitted "
            f"selection_path_, such as LassoPath; {name} has no such parameter."
        )
    if estimator.lambdas is not None:
        return np.asarray(estimator.lambdas, dtype=np.float64)
    lambdas = np.asarray(
        fit_weighted(clone(estimator), X, y, sample_weight).lambdas_, dtype=np.float64
    )
    if len(lambdas) < 2:
        raise ValueError(f"path=True needs a path, but no feature enters that of {name}.")
    fall = lambdas[1] / lambdas[0]
    above = int(np.ceil(np.log(HIGHER) / -np.log(fall)))
    return np.concatenate([lambdas[0] * fall ** -np.arange(above, 0.0, -1.0), lambdas])


def cut_path(paths: list[Any], n_steps: int, q: float) -> tuple[Array, NDArray[np.bool_]]:
    """Cut the common path where runs have selected more than q features on average.

    Takes one sparse table (λ × feature) per run; a run whose path ends early keeps its last
    selection. Returns how often each feature is selected at every λ that is left, and what every
    run selected at any of these.
    """
    n_features = paths[0].shape[1]
    counts = np.zeros((n_steps, n_features))
    first = np.full((len(paths), n_features), n_steps)
    for run, path in enumerate(paths):
        steps, features = path.nonzero()
        counts[steps, features] += 1
        counts[path.shape[0] :, features[steps == path.shape[0] - 1]] += 1
        np.minimum.at(first[run], features, steps)
    entered = np.array([(first <= step).sum() for step in range(n_steps)]) / len(paths)
    left = int(np.searchsorted(entered, q + 1e-9, side="right"))
    if left == 0:
        raise ValueError(
            f"at the first penalty runs select {entered[0]:.3g} features on average, more than "
            f"the {q} that the bound allows; let lambdas begin higher, or raise pfer."
        )
    return counts[:left] / len(paths), first < left
