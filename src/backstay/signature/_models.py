"""Models as numbers: what of a fitted one decides, and how it decides.

Sums run over the features one by one. That is as fast as needed for a few of them, and gives the
same bits on every machine, which a matrix product does not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
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


def model_content(fitted: Any, n_classes: int, *, include_rows: bool) -> Content | None:
    """Return a fitted model as numbers; None if it is not known how.

    Exact types only: a subclass may decide otherwise. A k-NN needs its rows; without
    `include_rows` it is None, too.
    """
    kind = type(fitted)
    if kind in LINEAR:
        return _linear(fitted, n_classes)
    if (
        kind is SVC
        and fitted.kernel == "linear"
        and getattr(fitted, "probability", False) is not True
    ):
        # The signs of two classes are turned round by scikit-learn: positive is the second.
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
    if include_rows and holds_rows(fitted):
        return {
            "kind": "neighbors",
            "rows": np.asarray(fitted._fit_X, dtype=np.float64).tolist(),
            "codes": np.asarray(fitted._y).ravel().astype(int).tolist(),
            "n_neighbors": int(fitted.n_neighbors),
            "weights": fitted.weights,
        }
    return None


def holds_rows(fitted: Any) -> bool:
    """Whether a model is a k-NN that rows alone describe."""
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
    probabilities = "none"

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

    def probability(self, X: Array) -> Array | None:
        """Return a column per class, or None where there are no probabilities."""
        return None


def _products(X: Array, coef: list[list[float]], intercept: list[float]) -> Array:
    found = np.empty((len(X), len(coef)))
    for row, (weights, start) in enumerate(zip(coef, intercept, strict=True)):
        total = np.zeros(len(X))
        for j, weight in enumerate(weights):
            total += X[:, j] * weight
        found[:, row] = total + start
    return found


def _squared_distances(X: Array, points: Array, scale: Array) -> Array:
    total = np.zeros((len(X), len(points)))
    for j in range(X.shape[1]):
        total += ((X[:, j, None] - points[None, :, j]) / scale[j]) ** 2
    return total


class Linear(Model):
    """Logistic regression, linear SVMs, linear discriminants, ridge."""

    def scores(self, X: Array) -> Array:
        return _products(X, self.content["coef"], self.content["intercept"])

    def probability(self, X: Array) -> Array | None:
        link, scores = self.content["link"], self.scores(X)
        if link == "none":
            return None
        if self.n_classes == 2:
            second = expit(scores)
            return np.hstack([1 - second, second])
        if link == "softmax":
            return np.asarray(softmax(scores, axis=1))
        each = expit(scores)
        return np.asarray(each / each.sum(axis=1, keepdims=True))


class Pairs(Model):
    """A linear SVM of more than two classes: every two of them vote."""

    def scores(self, X: Array) -> Array:
        pairs = self._pairs(X)
        return np.asarray(ovr_decision_function(pairs < 0, -pairs, self.n_classes))

    def predict(self, X: Array, threshold: float | None) -> Codes:
        votes = np.zeros((len(X), self.n_classes), dtype=np.intp)
        for place, (a, b) in enumerate(combinations(range(self.n_classes), 2)):
            first = self._pairs(X)[:, place] > 0
            votes[first, a] += 1
            votes[~first, b] += 1
        return votes.argmax(axis=1)

    def _pairs(self, X: Array) -> Array:
        return _products(X, self.content["coef"], self.content["intercept"])


class Discriminant(Model):
    """What scores every class by itself; for two classes their difference is the score."""

    @abstractmethod
    def _by_class(self, X: Array) -> Array: ...

    def scores(self, X: Array) -> Array:
        found = self._by_class(X)
        return found[:, 1:] - found[:, :1] if self.n_classes == 2 else found

    def probability(self, X: Array) -> Array | None:
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
        found = np.empty((len(X), self.n_classes))
        for c, prior in enumerate(self.content["priors"]):
            total = np.full(len(X), np.log(prior))
            for j in range(X.shape[1]):
                spread = variances[c, j]
                total -= (np.log(2 * np.pi * spread) + (X[:, j] - means[c, j]) ** 2 / spread) / 2
            found[:, c] = total
        return found


class Neighbors(Model):
    """k-NN; of rows equally near, the first counts. Scores are shares of the votes."""

    threshold = 0.5

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

    def probability(self, X: Array) -> Array | None:
        return self._votes(X)


KINDS: dict[str, type[Model]] = {
    "linear": Linear,
    "pairs": Pairs,
    "centroids": Centroids,
    "gaussian": Gaussian,
    "neighbors": Neighbors,
}
