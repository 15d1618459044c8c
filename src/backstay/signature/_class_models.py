"""Models of classes as numbers: what of a fitted one decides, and how it decides."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from scipy.special import expit, softmax
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import (
    LogisticRegression,
    LogisticRegressionCV,
    RidgeClassifier,
    RidgeClassifierCV,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid
from sklearn.svm import SVC, LinearSVC

from backstay._validation import ovr_decision_function
from backstay.feature_weighting import NearestShrunkenCentroids
from backstay.signature._document import SignatureError
from backstay.signature._model import (
    Array,
    Codes,
    Content,
    LoadedModel,
    Model,
    coefficients,
    holds_rows,
    nearest,
    neighbors,
    products,
    squared_distances,
)
from backstay.targets import Target

LINEAR = (
    LogisticRegression,
    LogisticRegressionCV,
    LinearDiscriminantAnalysis,
    LinearSVC,
    NearestShrunkenCentroids,
    RidgeClassifier,
    RidgeClassifierCV,
)


class ClassModel(Model):
    """Scores are of the second of two classes, or of every class."""

    threshold: float | None = 0.0
    probabilities: str | None = "those of the model, not calibrated"

    def __init__(self, content: Content, target: Target, trusted: Sequence[str] = ()) -> None:
        super().__init__(content, target, trusted)
        if self.n_classes > 2:
            self.threshold = None
        if content.get("link") == "none":
            self.probabilities = None

    def predict(self, X: Array, threshold: float | None) -> Codes:
        scores = self.scores(X)
        if threshold is not None:
            return (scores[:, 0] > threshold).astype(np.intp)
        return scores.argmax(axis=1)


class Linear(ClassModel):
    """Logistic regression, linear SVMs, linear discriminants, ridge."""

    def scores(self, X: Array) -> Array:
        return products(X, self.content)

    def probability(self, X: Array) -> Array:
        scores = self.scores(X)
        if self.n_classes == 2:
            second = expit(scores)
            return np.hstack([1 - second, second])
        if self.content["link"] == "softmax":
            return np.asarray(softmax(scores, axis=1))
        each = expit(scores)
        return np.asarray(each / each.sum(axis=1, keepdims=True))


class Pairs(ClassModel):
    """A linear SVM of more than two classes: every two of them vote."""

    probabilities = None

    def scores(self, X: Array) -> Array:
        pairs = products(X, self.content)
        return np.asarray(ovr_decision_function(pairs < 0, -pairs, self.n_classes))

    def predict(self, X: Array, threshold: float | None) -> Codes:
        pairs = products(X, self.content)
        votes = np.zeros((len(X), self.n_classes), dtype=np.intp)
        for place, (a, b) in enumerate(combinations(range(self.n_classes), 2)):
            first = pairs[:, place] > 0
            votes[first, a] += 1
            votes[~first, b] += 1
        return votes.argmax(axis=1)


class Discriminant(ClassModel):
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
        return -squared_distances(X, centroids, scale) + 2 * np.log(self.content["priors"])

    def predict(self, X: Array, threshold: float | None) -> Codes:
        priors = np.asarray(self.content["priors"])
        if np.allclose(priors, 1 / self.n_classes):
            centroids = np.asarray(self.content["centroids"])
            return squared_distances(X, centroids, np.ones(X.shape[1])).argmin(axis=1)
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


class Neighbors(ClassModel):
    """k-NN; of rows equally near, the first counts. Scores are shares of the votes."""

    threshold = 0.5
    probabilities = "shares of the neighbours, not calibrated"

    def _votes(self, X: Array) -> Array:
        near, weights = nearest(X, self.content)
        codes = np.asarray(self.content["codes"])
        votes = np.zeros((len(X), self.n_classes))
        for place in range(near.shape[1]):
            votes[np.arange(len(X)), codes[near[:, place]]] += weights[:, place]
        return np.asarray(votes / votes.sum(axis=1, keepdims=True))

    def scores(self, X: Array) -> Array:
        votes = self._votes(X)
        return votes[:, 1:] if self.n_classes == 2 else votes

    def probability(self, X: Array) -> Array:
        return self._votes(X)


class Loaded(ClassModel, LoadedModel):
    """A classifier of scikit-learn's."""

    threshold = None
    probabilities: str | None = "those of the model"

    def __init__(self, content: Content, target: Target, trusted: Sequence[str] = ()) -> None:
        super().__init__(content, target, trusted)
        if len(getattr(self.fitted, "classes_", ())) != self.n_classes:
            raise SignatureError(f"model.data is not a model of {self.n_classes} classes.")
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


CLASS_MODELS: Mapping[str, type[ClassModel]] = {
    "linear": Linear,
    "pairs": Pairs,
    "centroids": Centroids,
    "gaussian": Gaussian,
    "neighbors": Neighbors,
    "skops": Loaded,
}


def class_content(fitted: Any, target: Target) -> Content | None:
    """Return a fitted classifier as numbers; None if it is not known how."""
    kind, n_classes = type(fitted), len(target.names)
    probable = getattr(fitted, "probability", False) is True
    by_margin = kind is SVC and fitted.kernel == "linear" and not probable
    # scikit-learn turns the signs of an SVM of two classes round: positive is the second.
    if kind in LINEAR or (by_margin and n_classes == 2):
        link = "none"
        if hasattr(fitted, "predict_proba"):
            # liblinear trains each class against the rest; so does its probability.
            solver = getattr(fitted, "solver", "")
            link = "one-vs-rest" if solver == "liblinear" and n_classes > 2 else "softmax"
        return {"kind": "linear", **coefficients(fitted), "link": link}
    if by_margin and not fitted.break_ties and fitted.decision_function_shape == "ovr":
        return {"kind": "pairs", **coefficients(fitted)}
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
    if holds_rows(fitted):
        codes = np.asarray(fitted._y).ravel().astype(int).tolist()
        return {"kind": "neighbors", "codes": codes, **neighbors(fitted)}
    return None
