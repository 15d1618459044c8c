"""Models of numbers as numbers: coefficients, or the rows that a k-NN averages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor
from sklearn.linear_model import (
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    LinearRegression,
    Ridge,
    RidgeCV,
)
from sklearn.neighbors import KNeighborsRegressor

from backstay.signature._error import SignatureError
from backstay.signature._model import (
    Array,
    Content,
    Model,
    Models,
    coefficients,
    nearest,
    products,
)
from backstay.signature._skops import loaded_model

LINEAR = (Ridge, RidgeCV, LinearRegression, Lasso, LassoCV, ElasticNet, ElasticNetCV)


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


class LoadedRegressor(NumberModel):
    """A regressor of scikit-learn's, loaded by skops."""

    def __init__(self, content: Content, n_classes: int, trusted: Sequence[str]) -> None:
        super().__init__(content, n_classes)
        self.fitted = loaded_model(content, trusted)
        if not is_regressor(self.fitted):
            raise SignatureError("model.data is not a model of numbers.")

    def scores(self, X: Array) -> Array:
        return np.asarray(self.fitted.predict(X), dtype=np.float64).reshape(len(X), 1)


class NumberModels(Models):
    """Frozen models of an outcome of numbers."""

    kinds: ClassVar[Mapping[str, type[NumberModel]]] = {
        "linear": Line,
        "neighbor means": NeighborMeans,
    }
    loaded = LoadedRegressor
    calibrations = ("conformal",)
    neighbors = KNeighborsRegressor

    def _content(self, fitted: Any) -> Content | None:
        if type(fitted) in LINEAR:
            return {"kind": "linear", **coefficients(fitted), "link": "none"}
        if self.holds_rows(fitted):
            return {
                "kind": "neighbor means",
                "rows": np.asarray(fitted._fit_X, dtype=np.float64).tolist(),
                "outcomes": np.asarray(fitted._y, dtype=np.float64).ravel().tolist(),
                "n_neighbors": int(fitted.n_neighbors),
                "weights": fitted.weights,
            }
        return None

    def shapes(self, content: Content, n_features: int) -> dict[str, tuple[int, ...]]:
        n_rows = len(content.get("outcomes", ()))
        coef = {"coef": (1, n_features), "intercept": (1,)}
        return {**coef, "rows": (n_rows, n_features), "outcomes": (n_rows,)}

    def _misfit(self, document: Content) -> str | None:
        if document["threshold"] is not None:
            return "threshold is for the score of two classes"
        if document["model"].get("link", "none") != "none":
            return "model.link must be none for numbers"
        known = document["calibration"]
        if known is not None and len(known["levels"]) != len(known["widths"]):
            return "calibration must have a width for every level"
        return None
