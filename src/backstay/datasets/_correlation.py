"""Problems in which a correlated feature misleads sequential search [Prat 6.1]."""

from __future__ import annotations

from typing import Any

import numpy as np

from backstay._validation import check_random_state
from backstay.datasets._truth import Data, require


def make_corral(
    n_samples: int = 128, *, correlation: float = 0.75, random_state: Any = None
) -> Data:
    """CorrAl: a boolean concept, an irrelevant feature and one that is mostly the class.

    The features are A0, A1, B0, B1, I and C, all boolean. The class is
    (A0 ∧ A1) ∨ (B0 ∧ B1); I is irrelevant; C equals the class with probability
    `correlation`. C is the best single feature and no part of the best subset.

    Parameters
    ----------
    n_samples : int, default=128
        Rows.
    correlation : float, default=0.75
        Probability that C equals the class, in [0, 1].
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, 6)
        Zeros and ones.
    y : ndarray of shape (n_samples,)
        Labels 0 and 1.
    relevance : ndarray of shape (6,)
        1/4 for the features of the concept, 0 for I and C.

    Examples
    --------
    >>> from backstay.datasets import make_corral
    >>> X, y, relevance = make_corral(random_state=0)
    >>> X.shape, relevance.tolist()
    ((128, 6), [0.25, 0.25, 0.25, 0.25, 0.0, 0.0])
    """
    require(n_samples >= 2, f"n_samples={n_samples!r} must be at least 2.")
    require(0 <= correlation <= 1, f"correlation={correlation!r} must lie in [0, 1].")
    rng = check_random_state(random_state)
    X = rng.randint(2, size=(n_samples, 6)).astype(np.float64)
    y = ((X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3]) > 0).astype(np.intp)
    X[:, 5] = np.where(rng.uniform(size=n_samples) < correlation, y, 1 - y)
    return X, y, np.array([0.25, 0.25, 0.25, 0.25, 0.0, 0.0])


def make_anti_corral(n_samples: int = 200, *, random_state: Any = None) -> Data:
    """AntiCorrAl: two features that separate three classes, masked by nine that nearly do.

    The class Y is 1, 2 or 3. I1 to I9 are N(Y, 1), C1 is N(Y, 0.5) and
    C2 = C1 − Y + N(1, 0.2): C1 − C2 determines the class, while C2 alone says nothing.

    Parameters
    ----------
    n_samples : int, default=200
        Rows, the classes as even as can be.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, 11)
        I1 to I9, C1, C2.
    y : ndarray of shape (n_samples,)
        Labels 1, 2 and 3.
    relevance : ndarray of shape (11,)
        1/2 for C1 and C2, the best subset; 0 for the others, which are redundant beside it.

    Examples
    --------
    >>> from backstay.datasets import make_anti_corral
    >>> X, y, relevance = make_anti_corral(random_state=0)
    >>> X.shape, relevance.nonzero()[0].tolist()
    ((200, 11), [9, 10])
    """
    require(n_samples >= 3, f"n_samples={n_samples!r} must be at least 3, one per class.")
    rng = check_random_state(random_state)
    y = rng.permutation(np.arange(n_samples) % 3 + 1).astype(np.intp)
    X = np.empty((n_samples, 11))
    X[:, :9] = rng.normal(y[:, None], 1.0, size=(n_samples, 9))
    X[:, 9] = rng.normal(y, 0.5)
    X[:, 10] = X[:, 9] - y + rng.normal(1.0, 0.2, size=n_samples)
    relevance = np.zeros(11)
    relevance[9:] = 0.5
    return X, y, relevance
