"""Both weights in predictions: of k nearest neighbours [PB alg. 2; Prat alg. 8.2], of any model."""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if

from backstay._kernels._distances import pad, pair_distances
from backstay._scaling import Scaling
from backstay._validation import (
    Interval,
    Parameters,
    check_is_fitted,
    encode_labels,
    fit_context,
    param,
    positive_int,
    validate_rows,
    validate_sample_weight,
    validate_X_y,
)
from backstay.base import Array, Indices, distance_weights, fit_weighted, importances_of

__all__ = ["DoublyWeighted", "DoublyWeightedKNeighborsClassifier"]

BLOCK_BYTES = 32_000_000


@dataclass(eq=False, repr=False)
class DoublyWeightedKNeighborsClassifier(Parameters, ClassifierMixin, BaseEstimator):
    """k-NN whose distance uses feature weights and whose votes use instance weights.

    The distance is √Σ w_j² (x_j − y_j)² (``power=2``) or √Σ w_j (x_j − y_j)²
    (``power=1``); each of the k nearest training rows votes with its ω, if that is above 0. Ties
    in distance go to the earlier row, ties in votes to the earlier class.

    Parameters
    ----------
    n_neighbors : int, default=1
        k; at most the number of training rows is used.
    feature_weights : array-like of shape (n_features,), ranker or None, default=None
        Weights w ≥ 0, or a ranker fitted inside on the training rows (with
        their ``sample_weight`` where it takes them), whose importances are used
        as max(w, 0)/max(w). None weighs all features alike.
    power : {1, 2}, default=2
        Exponent of w in the squared distance.
    scaling : {"minmax", "standard"} or None, default="minmax"
        Scale features by the training rows' range or standard deviation first.
    n_jobs : int, default=None
        Threads used by ``predict``.

    Attributes
    ----------
    feature_weights_ : ndarray of shape (n_features,)
        The weights w in use.

    Examples
    --------
    >>> from backstay import DoublyWeightedKNeighborsClassifier, Simba
    >>> from backstay.datasets import make_xor
    >>> X, y, _ = make_xor(n_samples=400, random_state=0)
    >>> plain = DoublyWeightedKNeighborsClassifier(5).fit(X[:300], y[:300])
    >>> weighted = DoublyWeightedKNeighborsClassifier(5, feature_weights=Simba(random_state=0))
    >>> weighted = weighted.fit(X[:300], y[:300])
    >>> weighted.score(X[300:], y[300:]) > plain.score(X[300:], y[300:])
    True
    """

    n_neighbors: int = param(1, positive_int())
    _: KW_ONLY
    feature_weights: Any = None
    power: int = param(2, Interval(Integral, 1, 2, closed="both"))
    scaling: str | None = param("minmax", *Scaling.OPTIONS)
    n_jobs: int | None = param(None, Integral)

    @fit_context(prefer_skip_nested_validation=False)  # feature_weights may be a ranker
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Keep the training rows, their votes ω (`sample_weight`) and the feature weights."""
        X, y = validate_X_y(self, X, y)
        self.classes_, codes = encode_labels(self, y)
        omega = validate_sample_weight(sample_weight, X)
        self.feature_weights_ = self._weights(X, codes, omega)
        self._scale = Scaling(X, self.scaling)
        if omega is None:
            omega = np.ones(len(codes))
        voting = omega > 0
        self._rows = pad(self._stretch(X[voting]))
        self._votes = np.zeros((voting.sum(), len(self.classes_)))
        self._votes[np.arange(len(self._votes)), codes[voting]] = omega[voting]
        return self

    def _weights(self, X: Any, y: Indices, omega: Array | None) -> Array:
        given = self.feature_weights
        if given is None:
            return np.ones(X.shape[1])
        if hasattr(given, "fit"):
            return distance_weights(importances_of(fit_weighted(clone(given), X, y, omega)))
        weights = np.asarray(given, dtype=np.float64)
        if weights.shape != (X.shape[1],):
            raise ValueError(
                f"feature_weights has shape {weights.shape}; X has {X.shape[1]} features, and each "
                "must have one weight."
            )
        if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
            raise ValueError(
                "feature_weights must be finite, 0 or more, and not all zero; "
                f"got values from {weights.min()!r} to {weights.max()!r}."
            )
        return weights

    def _stretch(self, X: Any) -> Array:
        """Scale rows and stretch them so that plain Euclidean distance is the weighted one."""
        factor = self.feature_weights_ if self.power == 2 else np.sqrt(self.feature_weights_)
        return np.ascontiguousarray(self._scale(X) * factor, dtype=np.float64)

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the shares of the weighted votes, by row and class."""
        check_is_fitted(self)
        queries = self._stretch(validate_rows(self, X))
        size = max(1, BLOCK_BYTES // (8 * len(self._rows)))
        blocks = [queries[i : i + size] for i in range(0, len(queries), size)]
        votes = Parallel(n_jobs=self.n_jobs, require="sharedmem")(
            delayed(self._count)(block) for block in blocks
        )
        counted = np.concatenate(votes)
        return counted / counted.sum(axis=1, keepdims=True)

    def _count(self, queries: Array) -> Array:
        distances = pair_distances(queries, self._rows, True)[:, : len(self._votes)]
        k = min(self.n_neighbors, len(self._votes))
        if k == 1:
            return self._votes[np.argmin(distances, axis=1)]
        nearest = np.argsort(distances, axis=1, kind="stable")[:, :k]
        return self._votes[nearest].sum(axis=1)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class with the most weighted votes of every row."""
        shares = self.predict_proba(X)  # before anything of the fit is asked for
        return self.classes_[np.argmax(shares, axis=1)]


def _inner(name: str) -> Any:
    """Make a method available if the estimator has it."""
    return available_if(lambda self: hasattr(self.estimator, name))


@dataclass(eq=False, repr=False)
class DoublyWeighted(Parameters, MetaEstimatorMixin, BaseEstimator):
    """Any model with both weights: columns scaled by feature weights, rows by instance weights.

    The training rows get instance weights ω; the ranker finds feature weights w under ω; the model
    is fitted to columns scaled to [0, 1] times w, with ω where it takes ``sample_weight``.

    Parameters
    ----------
    estimator : classifier or regressor
        The model.
    ranker : FeatureRanker or other estimator with importances
        Gives w, used as max(w, 0)/max(w).
    weighting : InstanceWeighter or None, default=None
        Gives ω; None weighs all rows alike.

    Attributes
    ----------
    feature_weights_, sample_weight_ : ndarray of shape (n_features,), ndarray of shape (n_samples,)
        The weights w and ω; the latter None if there are none.
    model_ : Pipeline
        The scaled columns and the fitted model; what a frozen signature holds.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from backstay import DoublyWeighted, Simba
    >>> from backstay.datasets import make_xor
    >>> X, y, _ = make_xor(n_samples=400, random_state=0)
    >>> plain = KNeighborsClassifier().fit(X[:300], y[:300])
    >>> weighted = DoublyWeighted(KNeighborsClassifier(), Simba(random_state=0))
    >>> weighted.fit(X[:300], y[:300]).score(X[300:], y[300:]) > plain.score(X[300:], y[300:])
    True
    """

    estimator: Any
    ranker: Any
    weighting: Any = None

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> Self:
        """Find both weights on the training rows, and fit the model with them."""
        X, y = validate_X_y(self, X, y)
        omega = None if self.weighting is None else clone(self.weighting).fit_weight(X, y)
        self.sample_weight_ = omega
        ranked = fit_weighted(clone(self.ranker), X, y, omega)
        self.feature_weights_ = distance_weights(importances_of(ranked))
        columns = MinMaxScaler().fit(X)
        columns.scale_ *= self.feature_weights_
        columns.min_ *= self.feature_weights_
        model = fit_weighted(clone(self.estimator), columns.transform(X), y, omega)
        self.model_ = Pipeline([("columns", columns), ("model", model)])
        return self

    @property
    def classes_(self) -> NDArray[Any]:
        """Classes of the model, if it has any."""
        return np.asarray(self.model_.classes_)

    def _asked(self, method: str, X: Any, *others: Any) -> Array:
        check_is_fitted(self)
        return np.asarray(getattr(self.model_, method)(validate_rows(self, X), *others))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the model's predictions."""
        return self._asked("predict", X)

    @_inner("predict_proba")
    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the model's probabilities."""
        return self._asked("predict_proba", X)

    @_inner("decision_function")
    def decision_function(self, X: ArrayLike) -> Array:
        """Return the model's scores."""
        return self._asked("decision_function", X)

    def score(self, X: ArrayLike, y: ArrayLike) -> float:
        """Return the model's own score, such as the accuracy."""
        return float(self._asked("score", X, y))

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        for part in ("estimator_type", "classifier_tags", "regressor_tags", "target_tags"):
            setattr(tags, part, getattr(inner, part))
        return tags
