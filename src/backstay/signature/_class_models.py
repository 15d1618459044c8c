"""Models of classes as numbers: what of a fitted one decides, and how it decides.

Sums run over the features one by one. That is as fast as needed for a few of them, and gives the
same bits on every machine, which a matrix product does not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import (
    LogisticRegression,
    LogisticRegressionCV,
    RidgeClassifier,
    RidgeClassifierCV,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.svm import SVC, LinearSVC

from backstay._validation import ovr_decision_function
from backstay.feature_weighting import NearestShrunkenCentroids
from backstay.signature._error import SignatureError
from backstay.signature._skops import loaded_model
from backstay.targets import Target

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
Content = dict[str, Any]

LINEAR = (
    LogisticRegression,
    LogisticRegressionCV,
    LinearDiscriminantAnalysis,
    LinearSVC,
    NearestShrunkenCentroids,
    RidgeClassifier,
    RidgeClassifierCV,
)


def _content(fitted: Any, n_classes: int) -> Content | None:
    """Return a fitted model as numbers; None if it is not known how.

    Exact types only: a subclass may decide otherwise.
    """
    kind = type(fitted)
    if kind in LINEAR:
        return _linear(fitted, n_classes)
    if (
        kind is SVC
        and fitted.kernel == "linear"
        and getattr(fitted, "probability", False) is not True
    ):
        # scikit-learn turns the signs of two classes round: positive is the second.
        if n_classes == 2:
            return _linear(fitted, n_classes)
        if not fitted.break_ties and fitted.decision_function_shape == "ovr":
            return {"kind": "pairs", **_coefficients(fitted)}
    if kind is NearestCentroid and fitted.metric == "euclidean":
        spread = np.asarray(fitted.within_class_std_dev_)
        return {
            "kind": "centroids",
            "centroids": fitted.centroids_.tolist(),
            "scale": np.where(spread == 0, 1.0, spread).tolist(),
            "priors": fitted.class_prior_.tolist(),
        }
    if kind is GaussianNB:
        return {
            "kind": "gaussian",
            "means": fitted.theta_.tolist(),
            "variances": fitted.var_.tolist(),
            "priors": fitted.class_prior_.tolist(),
        }
    if _holds_rows(fitted):
        return {
            "kind": "neighbors",
            "rows": np.asarray(fitted._fit_X, dtype=np.float64).tolist(),
            "codes": np.asarray(fitted._y).ravel().astype(int).tolist(),
            "n_neighbors": int(fitted.n_neighbors),
            "weights": fitted.weights,
        }
    return None


def _holds_rows(fitted: Any) -> bool:
    """Return whether a model is a k-NN that its rows describe completely."""
    return (
        type(fitted) is KNeighborsClassifier
        and fitted.weights in ("uniform", "distance")
        and fitted.effective_metric_ == "euclidean"
    )


def _coefficients(fitted: Any) -> Content:
    coef = np.atleast_2d(np.asarray(fitted.coef_, dtype=np.float64))
    intercept = np.broadcast_to(np.asarray(fitted.intercept_, dtype=np.float64), len(coef))
    return {"coef": coef.tolist(), "intercept": intercept.tolist()}


def _linear(fitted: Any, n_classes: int) -> Content:
    link = "none"
    if hasattr(fitted, "predict_proba"):
        # liblinear trains each class against the rest; so does its probability.
        solver = getattr(fitted, "solver", "")
        link = "one-vs-rest" if solver == "liblinear" and n_classes > 2 else "softmax"
    return {"kind": "linear", **_coefficients(fitted), "link": link}


class Model(ABC):
    """A model made of numbers. Scores are of the second of two classes, or of every class."""

    # What a score of the second class must exceed, to be predicted.
    threshold: float | None = 0.0
    # Where the model's own probabilities come from; None if it has none.
    probabilities: str | None = "those of the model, not calibrated"

    def __init__(self, content: Content, n_classes: int) -> None:
        self.content, self.n_classes = content, n_classes
        if n_classes > 2:
            self.threshold = None

    @abstractmethod
    def scores(self, X: Array) -> Array:
        """Return scores: one column for two classes, else one per class."""

    def predict(self, X: Array, threshold: float | None) -> Codes:
        """Return class numbers."""
        scores = self.scores(X)
        if threshold is not None:
            return (scores[:, 0] > threshold).astype(np.intp)
        return scores.argmax(axis=1)

    @abstractmethod
    def probability(self, X: Array) -> Array:
        """Return a column per class; asked only of models that have probabilities."""


def _products(X: Array, content: Content) -> Array:
    coef, intercept = content["coef"], content["intercept"]
    products = np.empty((len(X), len(coef)))
    for row, (weights, start) in enumerate(zip(coef, intercept, strict=True)):
        total = np.zeros(len(X))
        for j, weight in enumerate(weights):
            total += X[:, j] * weight
        products[:, row] = total + start
    return products


def _squared_distances(X: Array, points: Array, scale: Array) -> Array:
    total = np.zeros((len(X), len(points)))
    for j in range(X.shape[1]):
        total += ((X[:, j, None] - points[None, :, j]) / scale[j]) ** 2
    return total


class Linear(Model):
    """Logistic regression, linear SVMs, linear discriminants, ridge."""

    def __init__(self, content: Content, n_classes: int) -> None:
        super().__init__(content, n_classes)
        if content["link"] == "none":
            self.probabilities = None

    def scores(self, X: Array) -> Array:
        return _products(X, self.content)

    def probability(self, X: Array) -> Array:
        scores = self.scores(X)
        if self.n_classes == 2:
            second = expit(scores)
            return np.hstack([1 - second, second])
        if self.content["link"] == "softmax":
            return np.asarray(softmax(scores, axis=1))
        each = expit(scores)
        return np.asarray(each / each.sum(axis=1, keepdims=True))


class Pairs(Model):
    """A linear SVM of more than two classes: every two of them vote."""

    probabilities = None

    def scores(self, X: Array) -> Array:
        pairs = _products(X, self.content)
        return np.asarray(ovr_decision_function(pairs < 0, -pairs, self.n_classes))

    def predict(self, X: Array, threshold: float | None) -> Codes:
        pairs = _products(X, self.content)
        votes = np.zeros((len(X), self.n_classes), dtype=np.intp)
        for place, (a, b) in enumerate(combinations(range(self.n_classes), 2)):
            first = pairs[:, place] > 0
            votes[first, a] += 1
            votes[~first, b] += 1
        return votes.argmax(axis=1)

    def probability(self, X: Array) -> Array:
        raise NotImplementedError


class Discriminant(Model):
    """What scores every class by itself; for two classes their difference is the score."""

    @abstractmethod
    def _by_class(self, X: Array) -> Array: ...

    def scores(self, X: Array) -> Array:
        each = self._by_class(X)
        return each[:, 1:] - each[:, :1] if self.n_classes == 2 else each

    def probability(self, X: Array) -> Array:
        return np.asarray(softmax(self._by_class(X), axis=1))


class Centroids(Discriminant):
    """Nearest centroids, shrunken or not."""

    threshold = None

    def _by_class(self, X: Array) -> Array:
        centroids, scale = (np.asarray(self.content[key]) for key in ("centroids", "scale"))
        return -_squared_distances(X, centroids, scale) + 2 * np.log(self.content["priors"])

    def predict(self, X: Array, threshold: float | None) -> Codes:
        priors = np.asarray(self.content["priors"])
        if np.allclose(priors, 1 / self.n_classes):
            centroids = np.asarray(self.content["centroids"])
            return _squared_distances(X, centroids, np.ones(X.shape[1])).argmin(axis=1)
        return self._by_class(X).argmax(axis=1)


class Gaussian(Discriminant):
    """Naive Bayes with normal distributions."""

    def _by_class(self, X: Array) -> Array:
        means, variances = (np.asarray(self.content[key]) for key in ("means", "variances"))
        each = np.empty((len(X), self.n_classes))
        for c, prior in enumerate(self.content["priors"]):
            total = np.full(len(X), np.log(prior))
            for j in range(X.shape[1]):
                spread = variances[c, j]
                total -= (np.log(2 * np.pi * spread) + (X[:, j] - means[c, j]) ** 2 / spread) / 2
            each[:, c] = total
        return each


class Neighbors(Model):
    """k-NN; of rows equally near, the first counts. Scores are shares of the votes."""

    threshold = 0.5
    probabilities = "shares of the neighbours, not calibrated"

    def _votes(self, X: Array) -> Array:
        rows, codes = np.asarray(self.content["rows"]), np.asarray(self.content["codes"])
        distances = np.sqrt(_squared_distances(X, rows, np.ones(X.shape[1])))
        near = np.argsort(distances, axis=1, kind="stable")[:, : self.content["n_neighbors"]]
        weights = np.ones(near.shape)
        if self.content["weights"] == "distance":
            close = np.take_along_axis(distances, near, axis=1)
            same = (close == 0).any(axis=1, keepdims=True)
            # A row that is there already decides alone, as in scikit-learn.
            weights = np.where(same, close == 0, 1 / np.where(close == 0, 1, close))
        votes = np.zeros((len(X), self.n_classes))
        for place in range(near.shape[1]):
            votes[np.arange(len(X)), codes[near[:, place]]] += weights[:, place]
        return np.asarray(votes / votes.sum(axis=1, keepdims=True))

    def scores(self, X: Array) -> Array:
        votes = self._votes(X)
        return votes[:, 1:] if self.n_classes == 2 else votes

    def probability(self, X: Array) -> Array:
        return self._votes(X)


class Loaded(Model):
    """A model of scikit-learn's, loaded by skops."""

    threshold = None
    probabilities: str | None = "those of the model"

    def __init__(self, content: Content, n_classes: int, trusted: Sequence[str]) -> None:
        super().__init__(content, n_classes)
        self.fitted = loaded_model(content, trusted)
        if len(getattr(self.fitted, "classes_", ())) != n_classes:
            raise SignatureError(f"model.data is not a model of {n_classes} classes.")
        if not hasattr(self.fitted, "predict_proba"):
            self.probabilities = None

    def scores(self, X: Array) -> Array:
        score = getattr(self.fitted, "decision_function", None) or self.fitted.predict_proba
        values = np.asarray(score(X), dtype=np.float64)
        if values.ndim == 1:
            return values[:, None]
        return values[:, 1:] if self.n_classes == 2 else values

    def predict(self, X: Array, threshold: float | None) -> Codes:
        return np.searchsorted(self.fitted.classes_, self.fitted.predict(X))

    def probability(self, X: Array) -> Array:
        return np.asarray(self.fitted.predict_proba(X))


KINDS: dict[str, type[Model]] = {
    "linear": Linear,
    "pairs": Pairs,
    "centroids": Centroids,
    "gaussian": Gaussian,
    "neighbors": Neighbors,
}


class ClassModels:
    """Frozen models of an outcome of classes."""

    def __init__(self, target: Target) -> None:
        self.n_classes = len(target.names)

    def content(self, fitted: Any, include_rows: bool) -> Content | None:
        """Return a fitted model as numbers; None if it is not known how."""
        if _holds_rows(fitted) and not include_rows:
            raise SignatureError(
                f"{type(fitted).__name__} predicts from the rows of the data themselves, so its "
                "file would hold values of samples; allow that with include_rows, or choose "
                "another model.",
                parameter="include_rows",
            )
        return _content(fitted, self.n_classes)

    def model(self, content: Content, trusted: Sequence[str]) -> Model:
        """Return the model that a document holds."""
        if content["kind"] == "skops":
            return Loaded(content, self.n_classes, trusted)
        return KINDS[content["kind"]](content, self.n_classes)

    def shapes(self, content: Content, n_features: int) -> dict[str, tuple[int, ...]]:
        """Return the shapes that a model's lists must have."""
        n, k = self.n_classes, n_features
        by_kind = {"linear": 1 if n == 2 else n, "pairs": n * (n - 1) // 2}
        rows = by_kind.get(content["kind"], len(content.get("codes", ())) or n)
        shapes: dict[str, tuple[int, ...]] = dict.fromkeys(
            ("coef", "centroids", "means", "variances", "rows"), (rows, k)
        )
        shapes |= {"intercept": (rows,), "priors": (n,), "scale": (k,), "codes": (rows,)}
        return {key: shape for key, shape in shapes.items() if key in content}

    def misfit(self, document: dict[str, Any]) -> str | None:
        """Say which values of a document contradict each other, or None."""
        model, calibration, n = document["model"], document["calibration"], self.n_classes
        if model["kind"] == "pairs" and n == 2:
            return "model.kind 'pairs' needs more than two classes"
        if model["kind"] == "neighbors" and max(model["codes"]) >= n:
            return f"model.codes must be class numbers below {n}"
        if model["kind"] == "neighbors" and model["n_neighbors"] > len(model["codes"]):
            return "model.n_neighbors exceeds the number of rows"
        if calibration is not None and n > 2:
            return "calibration is for two classes"
        if calibration is not None and calibration["kind"] == "isotonic":
            scores, heights = calibration["scores"], calibration["probabilities"]
            rise = sorted(scores) == scores and sorted(heights) == heights
            if len(scores) != len(heights) or not rise:
                return "calibration must map rising scores to rising probabilities"
        # The nearest centroid, and a model in skops' format, decide without one.
        if (document["threshold"] is None) != (n > 2 or model["kind"] in ("centroids", "skops")):
            return "threshold is for the score of two classes"
        return None
