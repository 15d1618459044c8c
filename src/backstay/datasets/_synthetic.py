"""Generators that return the rows, the labels and the features' true relevance."""

from __future__ import annotations

from typing import Any

import numpy as np

from backstay._validation import check_random_state
from backstay.datasets._truth import Data, check_shape, first_relevant, require


def make_han_yu(
    n_samples: int = 100,
    *,
    n_features: int = 1000,
    n_relevant: int = 50,
    block_size: int = 10,
    correlation: float = 0.8,
    shift: float = 0.5,
    random_state: Any = None,
) -> Data:
    """Correlated blocks of features, the first of them relevant [HY V-B; Han 6.1].

    Half of the rows come from N(+shift, Σ) and half from N(−shift, Σ), shifted
    in the relevant features only; Σ has blocks of equal correlation. The label
    is the sign of Σ r*_j x_j, with r* equal over the relevant features and
    summing to 1.

    Parameters
    ----------
    n_samples, n_features, n_relevant : int, default=100, 1000, 50
        Size of the table; the first `n_relevant` features are relevant.
    block_size : int, default=10
        Features per correlated block; must divide `n_features`.
    correlation : float, default=0.8
        Correlation inside a block, in [0, 1).
    shift : float, default=0.5
        Half the distance between the two means in a relevant feature.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Rows.
    y : ndarray of shape (n_samples,)
        Labels 0 and 1.
    relevance : ndarray of shape (n_features,)
        r*: 1/n_relevant for the relevant features, 0 for the others.

    Examples
    --------
    >>> from backstay.datasets import make_han_yu
    >>> X, y, relevance = make_han_yu(random_state=0)
    >>> X.shape, y.shape, int((relevance > 0).sum())
    ((100, 1000), (100,), 50)
    """
    check_shape(n_samples, n_features, n_relevant)
    require(
        block_size >= 1 and n_features % block_size == 0,
        f"block_size={block_size!r} must divide n_features={n_features!r}.",
    )
    require(0 <= correlation < 1, f"correlation={correlation!r} must lie in [0, 1).")
    rng = check_random_state(random_state)
    # Equal correlation ρ inside a block: √ρ of a shared part plus √(1−ρ) of one's own.
    shared = rng.standard_normal((n_samples, n_features // block_size))
    own = rng.standard_normal((n_samples, n_features))
    X = np.sqrt(correlation) * np.repeat(shared, block_size, axis=1)
    X += np.sqrt(1 - correlation) * own
    side = np.where(np.arange(n_samples) < (n_samples + 1) // 2, shift, -shift)
    X[:, :n_relevant] += rng.permutation(side)[:, None]
    relevance = first_relevant(n_features, n_relevant)
    y = (X[:, :n_relevant].mean(axis=1) > 0).astype(np.intp)
    return X, y, relevance


def make_xor(
    n_samples: int = 1000, *, n_features: int = 10, n_relevant: int = 3, random_state: Any = None
) -> Data:
    """Parity of the signs of the first features, the rest noise [Prat 2.4.2].

    x_j is uniform on [−1, 1]; the label is 1 when an odd number of the first
    `n_relevant` features is positive. No proper subset of them says anything.

    Parameters
    ----------
    n_samples, n_features, n_relevant : int, default=1000, 10, 3
        Size of the table; the first `n_relevant` features are relevant.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Rows.
    y : ndarray of shape (n_samples,)
        Labels 0 and 1.
    relevance : ndarray of shape (n_features,)
        1/n_relevant for the relevant features, 0 for the others.

    Examples
    --------
    >>> from backstay.datasets import make_xor
    >>> X, y, relevance = make_xor(n_samples=200, random_state=0)
    >>> bool((y == (X[:, :3] > 0).sum(axis=1) % 2).all())
    True
    """
    check_shape(n_samples, n_features, n_relevant)
    rng = check_random_state(random_state)
    X = rng.uniform(-1.0, 1.0, (n_samples, n_features))
    y = ((X[:, :n_relevant] > 0).sum(axis=1) % 2).astype(np.intp)
    relevance = first_relevant(n_features, n_relevant)
    return X, y, relevance
