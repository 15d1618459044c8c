"""Margin-based instance weighting, MBIW [HY IV; Han 4]."""

import warnings
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from backstay._kernels._distances import (
    distance_blocks,
    mean_euclidean_distances,
    mean_manhattan_distances,
)
from backstay._kernels._margin import margins_of_all, margins_of_neighbors
from backstay._metric import DISTANCES, rows_for_metric
from backstay._scaling import Scaling
from backstay._validation import NOT_NEGATIVE, StrOptions, param, positive_int
from backstay.base import Array, Indices, InstanceWeighter, one_thread, warn_single_members


def nearest_mask(distances: Array, candidates: NDArray[np.bool_], k: int | None) -> Any:
    """Mask of the k nearest candidates in each row; ties by row number; None keeps all."""
    if k is None or k >= candidates.shape[1]:
        return candidates
    order = np.argsort(np.where(candidates, distances, np.inf), axis=1, kind="stable")[:, :k]
    nearest = np.zeros_like(candidates)
    np.put_along_axis(nearest, order, True, axis=1)
    return nearest & candidates


def neighbor_blocks(
    X: Any, y: Indices, k: int | None, metric: str = "euclidean"
) -> Iterator[tuple[Any, ...]]:
    """Yield blocks of rows with their distances to all rows and masks of hits and misses."""
    for start, distances in distance_blocks(X, euclidean=metric != "manhattan"):
        block = np.arange(start, start + len(distances))
        same = y[block, None] == y[None, :]
        misses = nearest_mask(distances, ~same, k)
        same[np.arange(len(block)), block] = False  # a row is not its own hit
        yield block, distances, nearest_mask(distances, same, k), misses


def inverse_distance_shares(distances: Array, chosen: NDArray[np.bool_]) -> Array:
    """v ∝ 1/distance over the chosen [Han eq. 4.4, 4.5]; those at distance 0 share all of it."""
    at_zero = chosen & (distances == 0.0)
    inverse = np.divide(1.0, distances, out=np.zeros_like(distances), where=chosen & ~at_zero)
    inverse = np.where(at_zero.any(axis=1, keepdims=True), at_zero, inverse)
    total = inverse.sum(axis=1, keepdims=True)
    return np.divide(inverse, total, out=np.zeros_like(inverse), where=total > 0.0)


@dataclass(eq=False, repr=False)
class MarginWeighting(InstanceWeighter):
    """Weigh instances by how typical their margin vector is (MBIW).

    The margin vector of x holds, per feature, its distance to the misses less
    its distance to the hits: the local profile of relevance at x. Instances
    whose profile is far from the others' get less weight, ω ∝ 1/(mean distance).

    Parameters
    ----------
    n_neighbors : int, default=None
        Nearest hits and nearest misses used; None uses all, as published.
    neighbor_weights : {"uniform", "distance"}, default="uniform"
        Every neighbour counts 1, or 1/distance normalised over the hits and
        over the misses [Han eq. 4.3-4.5].
    max_iter : int, default=1
        More than 1 repeats with the neighbours weighted by the ω of the round
        before [Han eq. 4.7].
    tol : float, default=1e-6
        Stop once no weight (of mean 1) changes by more.
    metric : {"euclidean", "manhattan", "mahalanobis"}, default="euclidean"
        Distance between rows and between margin vectors. "mahalanobis" is Euclidean on rows
        whitened by the covariance within classes, shrunk by Ledoit and Wolf's method [Prat 9.1].
    scale : {"mean", "sum"}, default="mean"
        Weights of mean 1, or summing to 1 as published. The sum matters: an
        SVM with costs C·ω is n times more regularised under "sum".
    scaling : {"minmax", "standard"} or None, default="minmax"
        Scale features by the training rows' range or standard deviation first.

    Attributes
    ----------
    sample_weight_ : ndarray of shape (n_samples,)
        The weights ω.
    margin_vectors_ : ndarray of shape (n_samples, n_features)
        The margin vectors x' on the scaled (and whitened) features.
    n_iter_ : int
        Rounds done.

    Examples
    --------
    >>> from backstay import MarginWeighting
    >>> X = [[0.0], [0.1], [0.9], [1.0]]
    >>> MarginWeighting().fit_weight(X, ["a", "a", "b", "b"]).round(3)
    array([1., 1., 1., 1.])
    """

    n_neighbors: int | None = param(None, positive_int())
    _: KW_ONLY
    neighbor_weights: str = param("uniform", StrOptions({"uniform", "distance"}))
    max_iter: int = param(1, positive_int())
    tol: float = param(1e-6, NOT_NEGATIVE)
    metric: str = param("euclidean", *DISTANCES)
    scaling: str | None = param("minmax", *Scaling.OPTIONS)

    def _weigh(self, X: Any, y: Indices) -> Array:
        warn_single_members(self.classes_, y)
        X = rows_for_metric(Scaling(X, self.scaling)(X), y, self.metric)
        manhattan = self.metric == "manhattan"
        mean_distances = mean_manhattan_distances if manhattan else mean_euclidean_distances
        coefficients = self._coefficients(X, y)
        omega = np.ones(len(y))
        for n_iter in range(1, self.max_iter + 1):
            previous = omega
            margins = self._margins(X, y, coefficients, None if n_iter == 1 else previous)
            with one_thread():
                distances = mean_distances(margins)
            # ω ∝ 1/distance; uniform where all margin vectors coincide [Han eq. 4.6].
            omega = distances.min() / distances if distances.all() else np.ones(len(y))
            omega = omega / omega.mean()
            if np.abs(omega - previous).max() < self.tol:
                break
        else:
            if self.max_iter > 1:
                warnings.warn(
                    f"MarginWeighting's weights still moved after max_iter={self.max_iter} rounds; "
                    "raise max_iter or tol.",
                    ConvergenceWarning,
                    stacklevel=4,
                )
        self.margin_vectors_ = margins
        self.n_iter_ = n_iter
        return omega

    def _coefficients(self, X: Any, y: Indices) -> tuple[Array, Array] | None:
        """First-round and later coefficients of each pair; None when all rows count alike."""
        if self.n_neighbors is None and self.neighbor_weights == "uniform":
            return None
        n = len(y)
        first, later = np.empty((n, n)), np.empty((n, n))
        for block, distances, hits, misses in neighbor_blocks(X, y, self.n_neighbors, self.metric):
            later[block] = misses.astype(np.float64) - hits
            if self.neighbor_weights == "distance":
                first[block] = inverse_distance_shares(distances, misses)
                first[block] -= inverse_distance_shares(distances, hits)
            else:
                first[block] = later[block]
        return first, later

    def _margins(
        self, X: Any, y: Indices, coefficients: tuple[Array, Array] | None, omega: Array | None
    ) -> Array:
        if coefficients is None:
            return margins_of_all(X, y, np.ones(len(y)) if omega is None else omega)
        first, later = coefficients
        margins = np.empty(X.shape)
        X = X.astype(np.float64, copy=False)
        margins_of_neighbors(X, first if omega is None else later * omega[None, :], margins)
        return margins
