"""Models of numbers and of times until an event as numbers, and which there are of each outcome.

Numbers: coefficients, or the rows that a k-NN averages. Times: log hazard ratios, and a hazard on
a grid of times.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import (
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    LinearRegression,
    Ridge,
    RidgeCV,
)

from backstay.signature._class_models import CLASS_MODELS, class_content
from backstay.signature._document import SignatureError
from backstay.signature._model import (
    Array,
    Content,
    LoadedModel,
    Model,
    coefficients,
    holds_rows,
    nearest,
    neighbors,
    products,
)
from backstay.targets import CoxRidge, Target

LINEAR = (Ridge, RidgeCV, LinearRegression, Lasso, LassoCV, ElasticNet, ElasticNetCV)
# Steps of the grid between 0 and the last event of the training rows.
N_STEPS = 100


class NumberModel(Model):
    """The score is the predicted number itself, and no number is cut off."""

    def predict(self, X: Array, threshold: float | None) -> NDArray[Any]:
        return self.scores(X)[:, 0]


class Line(NumberModel):
    """Ridge and other linear regressions."""

    def scores(self, X: Array) -> Array:
        return products(X, self.content)


class NeighborMeans(NumberModel):
    """k-NN: the mean of the outcomes of the nearest rows."""

    def scores(self, X: Array) -> Array:
        near, weights = nearest(X, self.content)
        outcomes = np.asarray(self.content["outcomes"])[near]
        total = np.zeros(len(X))
        for place in range(near.shape[1]):
            total += outcomes[:, place] * weights[:, place]
        return (total / weights.sum(axis=1))[:, None]


class LoadedRegressor(LoadedModel, NumberModel):
    """A regressor of scikit-learn's."""

    def scores(self, X: Array) -> Array:
        return np.asarray(self.fitted.predict(X), dtype=np.float64).reshape(len(X), 1)


def _number_content(fitted: Any, target: Target) -> Content | None:
    if type(fitted) in LINEAR:
        return {"kind": "linear", **coefficients(fitted), "link": "none"}
    if holds_rows(fitted):
        outcomes = np.asarray(fitted._y, dtype=np.float64).ravel().tolist()
        return {"kind": "neighbor means", "outcomes": outcomes, **neighbors(fitted)}
    return None


class CoxModel(Model):
    """Cox regression: a row's hazard is a common one times the exponential of its risk."""

    def predict(self, X: Array, threshold: float | None) -> NDArray[Any]:
        """Return the risk: the log of the hazard ratio to the mean training row."""
        ends = CoxRidge.largest_risk
        return np.clip(products(X, self.content)[:, 0], -ends, ends)

    def scores(self, X: Array) -> Array:
        """Return survival at the horizon, and the group of the risk."""
        group = np.searchsorted(self.content["cuts"], self.predict(X, None))
        horizon = self.target.to_json()["horizon"]
        return np.column_stack([self.survival(X, [horizon]), group])

    def survival(self, X: Array, times: Sequence[float]) -> Array:
        """Return the chance of rows to have no event up to times within the grid."""
        grid = self.content["times"]
        outside = [time for time in times if not 0 <= time <= grid[-1]]
        if outside:
            raise SignatureError(
                f"time {outside[0]:g} is outside 0 to {grid[-1]:g}, the last event of the training "
                "rows; what comes later is not known.",
                parameter="times",
            )
        passed = np.searchsorted(grid, times, side="right") - 1
        hazard = np.asarray(self.content["hazard"])[passed]
        return np.exp(-np.outer(np.exp(self.predict(X, None)), hazard))


class LoadedRisk(LoadedModel):
    """A model of risks of another package: survival and groups are not known."""

    def predict(self, X: Array, threshold: float | None) -> NDArray[Any]:
        return np.asarray(self.fitted.predict(X), dtype=np.float64).ravel()

    def scores(self, X: Array) -> Array:
        return np.empty((len(X), 0))


def _cox_content(fitted: Any, target: Target) -> Content | None:
    """Return the model with its hazard on a grid, which hides when single rows had events."""
    if type(fitted) is not CoxRidge:
        return None
    horizon = target.to_json()["horizon"]
    last = max(float(fitted.times_[-1]), horizon)
    grid = np.union1d(np.linspace(0, last, N_STEPS + 1), [horizon])
    hazard = np.append(0, fitted.hazard_)[np.searchsorted(fitted.times_, grid, side="right")]
    return {
        "kind": "cox",
        "coef": [fitted.coef_.tolist()],
        "intercept": [-fitted.offset_],
        "times": grid.tolist(),
        "hazard": hazard.tolist(),
        "cuts": fitted.cuts_.tolist(),
    }


# How models of each outcome are described, and made again, by the kind that a document names.
FROZEN: Mapping[str, tuple[Callable[..., Content | None], Mapping[str, type[Model]]]] = {
    "classes": (class_content, CLASS_MODELS),
    "numbers": (
        _number_content,
        {"linear": Line, "neighbor means": NeighborMeans, "skops": LoadedRegressor},
    ),
    "survival": (_cox_content, {"cox": CoxModel, "skops": LoadedRisk}),
}


def frozen_content(fitted: Any, target: Target, include_rows: bool) -> Content | None:
    """Return a fitted model of a known type, no subclass of it, as numbers; None for others."""
    if holds_rows(fitted) and not include_rows:
        raise SignatureError(
            f"{type(fitted).__name__} predicts from the rows of the data themselves, so its "
            "file would hold values of samples; allow that with include_rows, or choose "
            "another model.",
            parameter="include_rows",
        )
    return FROZEN[target.kind][0](fitted, target)


def frozen_model(content: Content, target: Target, trusted: Sequence[str] = ()) -> Model:
    """Return the model that a document holds."""
    models = FROZEN[target.kind][1]
    if content["kind"] not in models:
        raise SignatureError(f"model.kind must be one of {', '.join(models)} for this target.")
    return models[content["kind"]](content, target, trusted)
