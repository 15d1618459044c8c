"""Data scattered around random centres, each of one class [Prat 5.3.2]."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay._validation import check_random_state
from backstay.datasets._truth import Data, check_shape, first_relevant, require


def make_random_rbf(
    n_samples: int = 100,
    *,
    n_features: int = 20,
    n_relevant: int = 10,
    n_classes: int = 2,
    n_centers: int = 50,
    random_state: Any = None,
) -> Data:
    """Random radial basis functions: the class is that of the centre a row was drawn around.

    Each centre has a point, a weight and a standard deviation σ, all uniform on
    [0, 1], and a class. A row takes a centre with probability proportional to its
    weight and lies off its point in a random direction, at a distance that is
    Gaussian, f(x) = exp(−(x − μ)²/2σ²)/(σ√2π) with μ = 0 [Prat eq. 5.20].

    Parameters
    ----------
    n_samples, n_features, n_relevant : int, default=100, 20, 10
        Size of the table; the first `n_relevant` features are relevant.
    n_classes : int, default=2
        Classes; the centres are shared out evenly among them.
    n_centers : int, default=50
        Centres, at least one per class.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Rows.
    y : ndarray of shape (n_samples,)
        Labels 0 to n_classes − 1.
    relevance : ndarray of shape (n_features,)
        1/n_relevant for the relevant features, 0 for the others.

    Notes
    -----
    The irrelevant features have centres of their own, drawn in the same way and
    chosen by each row regardless of its class: "the same Gaussian distribution
    for some random centers and standard deviation". The thesis gives no number of
    centres or classes: 50 and 2 here. The direction is that of a vector of
    uniforms on [−1, 1].

    Examples
    --------
    >>> from backstay.datasets import make_random_rbf
    >>> X, y, relevance = make_random_rbf(random_state=0)
    >>> X.shape, int((relevance > 0).sum())
    ((100, 20), 10)
    """
    check_shape(n_samples, n_features, n_relevant)
    require(n_classes >= 2, f"n_classes={n_classes!r} must be at least 2.")
    require(
        n_centers >= n_classes, f"n_centers={n_centers!r} must be at least n_classes={n_classes!r}."
    )
    rng = check_random_state(random_state)
    classes = rng.permutation(np.arange(n_centers) % n_classes)
    relevant, chosen = _around_centers(n_samples, n_relevant, n_centers, rng)
    irrelevant, _ = _around_centers(n_samples, n_features - n_relevant, n_centers, rng)
    X = np.concatenate([relevant, irrelevant], axis=1)
    return X, classes[chosen].astype(np.intp), first_relevant(n_features, n_relevant)


def _around_centers(
    n_samples: int, n_features: int, n_centers: int, rng: Any
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Rows and the centre of each."""
    points = rng.uniform(size=(n_centers, n_features))
    weights, deviations = rng.uniform(size=(2, n_centers))
    chosen = rng.choice(n_centers, size=n_samples, p=weights / weights.sum())
    offsets = rng.uniform(-1.0, 1.0, size=(n_samples, n_features))
    distances = rng.normal(0.0, deviations[chosen])
    if n_features:
        offsets *= (distances / np.linalg.norm(offsets, axis=1))[:, None]
    return points[chosen] + offsets, chosen
