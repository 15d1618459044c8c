"""A frozen model: what of a fitted one decides, as numbers. Each kind of outcome has its own.

Sums run over the features one by one. That is as fast as needed for a few of them, and gives the
same bits on every machine, which a matrix product does not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from backstay.signature._error import SignatureError
from backstay.targets import Target

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
Content = dict[str, Any]


class Model(ABC):
    """A model made of numbers."""

    # What a score must exceed for the second of two classes to be predicted.
    threshold: float | None = None
    # Where the model's own probabilities come from; None if it has none.
    probabilities: str | None = None

    def __init__(self, content: Content, n_classes: int) -> None:
        self.content, self.n_classes = content, n_classes

    @abstractmethod
    def scores(self, X: Array) -> Array:
        """Return what the prediction follows from: row × column."""

    @abstractmethod
    def predict(self, X: Array, threshold: float | None) -> NDArray[Any]:
        """Return what is predicted, as the first column of outputs."""

    def probability(self, X: Array) -> Array:
        """Return a column per outcome; asked only of models that have probabilities."""
        raise NotImplementedError


class Models(ABC):
    """The models of one kind of outcome that can be frozen.

    Attributes
    ----------
    kinds : dict of str to type
        Models by the kind that a document names.
    loaded : type
        Model of one more kind, "skops".
    calibrations : tuple of str
        Kinds of calibration that suit the outcome.
    neighbors : type
        scikit-learn's k-NN for it.
    """

    kinds: ClassVar[Mapping[str, Any]]
    loaded: ClassVar[Any]
    calibrations: ClassVar[tuple[str, ...]]
    neighbors: ClassVar[Any]

    def __init__(self, target: Target) -> None:
        self.n_classes = len(target.names)  # 0 for an outcome without classes

    def content(self, fitted: Any, include_rows: bool) -> Content | None:
        """Return a fitted model as numbers; None if it is not known how."""
        if self.holds_rows(fitted) and not include_rows:
            raise SignatureError(
                f"{type(fitted).__name__} predicts from the rows of the data themselves, so its "
                "file would hold values of samples; allow that with include_rows, or choose "
                "another model.",
                parameter="include_rows",
            )
        return self._content(fitted)

    def holds_rows(self, fitted: Any) -> bool:
        """Return whether a model is a k-NN that its rows describe completely."""
        return (
            type(fitted) is self.neighbors
            and fitted.weights in ("uniform", "distance")
            and fitted.effective_metric_ == "euclidean"
        )

    @abstractmethod
    def _content(self, fitted: Any) -> Content | None:
        """Return a fitted model as numbers. Exact types only: a subclass may decide otherwise."""

    def model(self, content: Content, trusted: Sequence[str]) -> Model:
        """Return the model that a document holds."""
        if content["kind"] == "skops":
            return self.loaded(content, self.n_classes, trusted)
        return self.kinds[content["kind"]](content, self.n_classes)

    @abstractmethod
    def shapes(self, content: Content, n_features: int) -> dict[str, tuple[int, ...]]:
        """Return the shapes that a model's lists must have, those that it holds and others."""

    def misfit(self, document: Content) -> str | None:
        """Say which values of a document contradict each other, or None."""
        for part, known in (("model", (*self.kinds, "skops")), ("calibration", self.calibrations)):
            if document[part] is not None and document[part]["kind"] not in known:
                return f"{part}.kind must be one of {', '.join(known)} for this target"
        model = document["model"]
        if "n_neighbors" in model and model["n_neighbors"] > len(model["rows"]):
            return "model.n_neighbors exceeds the number of rows"
        return self._misfit(document)

    @abstractmethod
    def _misfit(self, document: Content) -> str | None:
        """Say what contradicts the kind of outcome, or None."""


def coefficients(fitted: Any) -> Content:
    """Return coefficients and intercept of a linear model: a row per score."""
    coef = np.atleast_2d(np.asarray(fitted.coef_, dtype=np.float64))
    intercept = np.broadcast_to(np.asarray(fitted.intercept_, dtype=np.float64), len(coef))
    return {"coef": coef.tolist(), "intercept": intercept.tolist()}


def products(X: Array, content: Content) -> Array:
    """Return the scores of a linear model: row × score."""
    coef, intercept = content["coef"], content["intercept"]
    scores = np.empty((len(X), len(coef)))
    for row, (weights, start) in enumerate(zip(coef, intercept, strict=True)):
        total = np.zeros(len(X))
        for j, weight in enumerate(weights):
            total += X[:, j] * weight
        scores[:, row] = total + start
    return scores


def squared_distances(X: Array, points: Array, scale: Array) -> Array:
    """Return squared distances of rows to points, in units of the scale."""
    total = np.zeros((len(X), len(points)))
    for j in range(X.shape[1]):
        total += ((X[:, j, None] - points[None, :, j]) / scale[j]) ** 2
    return total


def nearest(X: Array, content: Content) -> tuple[Codes, Array]:
    """Return the nearest training rows and their weights; of rows equally near, the first."""
    rows = np.asarray(content["rows"])
    distances = np.sqrt(squared_distances(X, rows, np.ones(X.shape[1])))
    near = np.argsort(distances, axis=1, kind="stable")[:, : content["n_neighbors"]]
    weights = np.ones(near.shape)
    if content["weights"] == "distance":
        close = np.take_along_axis(distances, near, axis=1)
        same = (close == 0).any(axis=1, keepdims=True)
        # A row that is there already decides alone, as in scikit-learn.
        weights = np.where(same, close == 0, 1 / np.where(close == 0, 1, close))
    return near, weights
