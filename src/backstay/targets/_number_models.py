"""Models of numbers: those that a study fits by default, and a faster way to what they say.

As with the models of classes, a scikit-learn pipeline spends most of its time on validation. The
default models, as they are or with other penalties, are therefore fitted directly.
"""

from functools import partial
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.linear_model import RidgeCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from backstay.targets._target import MANY_ROWS, Floats, Shortcut, Target

# Penalties that the ridge tries, for features of deviation 1; a store holds no arrays of models.
PENALTIES = tuple(np.logspace(-2, 6, 33).tolist())


def number_models(target: Target) -> dict[str, Any]:
    """Return ridge regression and, unless rows are many, 5-NN: on features of deviation 1."""
    models = {"ridge": make_pipeline(StandardScaler(), RidgeCV(alphas=PENALTIES))}
    if len(target) <= MANY_ROWS:
        models["5nn"] = make_pipeline(StandardScaler(), KNeighborsRegressor(n_neighbors=5))
    return models


def shortcut_of(target: Target, model: Any, keep: str) -> Shortcut | None:
    """Return the direct way to a model's outputs on scaled features, if it has one."""
    last = after_scaling(model)
    if _equal(last, KNeighborsRegressor(n_neighbors=getattr(last, "n_neighbors", 5))):
        return partial(_outputs, partial(_nearest, k=last.n_neighbors))
    alphas = getattr(last, "alphas", None)
    if isinstance(alphas, tuple | np.ndarray) and _equal(last, RidgeCV(alphas=alphas)):
        return partial(_outputs, partial(_ridge, penalties=np.asarray(alphas)))
    return None


def after_scaling(model: Any) -> Any:
    """Return the model of a pipeline that standardizes and does nothing else before, or None."""
    plain = type(model) is Pipeline and model.memory is None and len(model.steps) == 2
    return model[-1] if plain and _equal(model[0], StandardScaler()) else None


def _equal(step: Any, wanted: Any) -> bool:
    """Return whether an estimator is another; an array must be the very same one."""
    if type(step) is not type(wanted):
        return False
    given, other = step.get_params(), wanted.get_params()
    return all(given[name] is value or given[name] == value for name, value in other.items())


def by_training_rows(train: Floats, test: Floats) -> tuple[Floats, Floats]:
    """Standardize both sides by the training rows."""
    mean, spread = train.mean(axis=0), train.std(axis=0)
    # A constant column, whose spread may be a rounding error, says nothing.
    scale = np.where(spread > 10 * np.finfo(np.float64).eps, spread, 1.0)
    return (train - mean) / scale, (test - mean) / scale


def _outputs(fit: Any, train: Floats, y: Floats, test: Floats) -> Floats:
    """Return predictions from standardized features, and the mean of the training rows."""
    train, test = by_training_rows(train, test)
    predicted = fit(train, y, test)
    return np.column_stack([predicted, np.full(len(predicted), y.mean())])


def _nearest(train: Floats, y: Floats, test: Floats, k: int) -> Floats:
    """Return the mean of the k nearest rows; of rows equally near, the first."""
    near = np.argsort(cdist(test, train, "sqeuclidean"), axis=1, kind="stable")[:, :k]
    return np.asarray(y[near].mean(axis=1))


def _ridge(train: Floats, y: Floats, test: Floats, penalties: Floats) -> Floats:
    """Return predictions with the penalty whose leave-one-out errors are least.

    A row's error without it is that with it over 1 − its leverage (Golub, Heath & Wahba 1979).
    """
    left, s, right = np.linalg.svd(train, full_matrices=False)
    aim = left.T @ (y - y.mean())
    kept = s**2 / (s**2 + penalties[:, None])  # penalty × direction
    error = (y - y.mean()) - (kept * aim) @ left.T
    leverage = kept @ (left**2).T + 1 / len(y)
    best = np.argmin(((error / (1 - leverage)) ** 2).mean(axis=1))
    slopes = (s / (s**2 + penalties[best]) * aim) @ right
    return np.asarray(test @ slopes + y.mean())
