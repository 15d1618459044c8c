"""A frozen model: what of a fitted one decides, as numbers. Each kind of outcome has its own.

Sums run over the features one by one. That is as fast as needed for a few of them, and gives the
same bits on every machine, which a matrix product does not. Other models are in the format of
skops, which says what a file would load before it does.
"""

import base64
import io
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from backstay.signature._document import SignatureError
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

    def __init__(self, content: Content, target: Target, trusted: Sequence[str] = ()) -> None:
        self.content, self.target, self.n_classes = content, target, len(target.names)

    @abstractmethod
    def scores(self, X: Array) -> Array:
        """Return what the prediction follows from: row × column."""

    @abstractmethod
    def predict(self, X: Array, threshold: float | None) -> NDArray[Any]:
        """Return what is predicted, as the first column of outputs."""

    def probability(self, X: Array) -> Array:
        """Return a column per outcome; asked only of models that have probabilities."""
        raise NotImplementedError


class LoadedModel(Model):
    """A model that numbers do not describe, loaded by skops."""

    def __init__(self, content: Content, target: Target, trusted: Sequence[str] = ()) -> None:
        super().__init__(content, target)
        self.fitted = _loaded(content, trusted)


def holds_rows(fitted: Any) -> bool:
    """Return whether a model is a k-NN that its rows describe completely."""
    return (
        type(fitted) in (KNeighborsClassifier, KNeighborsRegressor)
        and fitted.weights in ("uniform", "distance")
        and fitted.effective_metric_ == "euclidean"
    )


def neighbors(fitted: Any) -> Content:
    """Return what a k-NN of any outcome looks at."""
    return {
        "rows": np.asarray(fitted._fit_X, dtype=np.float64).tolist(),
        "n_neighbors": int(fitted.n_neighbors),
        "weights": fitted.weights,
    }


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
        for column, weight in zip(X.T, weights, strict=True):
            total += column * weight
        scores[:, row] = total + start
    return scores


def squared_distances(X: Array, points: Array, scale: Array) -> Array:
    """Return squared distances of rows to points, in units of the scale."""
    total = np.zeros((len(X), len(points)))
    for own, other, unit in zip(X.T, points.T, scale, strict=True):
        total += ((own[:, None] - other) / unit) ** 2
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


def _skops() -> Any:
    try:
        import skops.io
    except ImportError as error:
        raise ImportError(
            'this model needs skops to be frozen or loaded: pip install "backstay[skops]"'
        ) from error
    return skops.io


def skops_content(fitted: Any) -> Content:
    """Return a fitted model in the format of skops."""
    data = base64.b64encode(_skops().dumps(fitted)).decode("ascii")
    return {"kind": "skops", "model": type(fitted).__name__, "data": data}


def types_in(content: Content) -> list[str]:
    """Return the types that a file would load, beyond those that skops itself trusts."""
    data = base64.b64decode(content["data"])
    if not zipfile.is_zipfile(io.BytesIO(data)):
        raise SignatureError("model.data is not in the format of skops: it is no zip file.")
    try:
        types: list[str] = _skops().get_untrusted_types(data=data)
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError, RecursionError) as error:
        said = f"{type(error).__name__}: {error}"
        raise SignatureError(f"model.data is not in the format of skops ({said}).") from error
    return types


def _loaded(content: Content, trusted: Sequence[str]) -> Any:
    """Load a model if all types in it are trusted."""
    unknown = sorted(set(types_in(content)) - set(trusted))
    if unknown:
        raise SignatureError(
            f"its model {content['model']} would load {', '.join(unknown)}; if you know these "
            "types and where the file comes from, name them as trusted.",
            parameter="trusted",
        )
    return _skops().loads(base64.b64decode(content["data"]), trusted=list(trusted))
