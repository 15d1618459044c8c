"""Concepts with a formula: NonMonotonic, MajorityN and ModuloP [Prat 5.3.2]."""

from __future__ import annotations

from typing import Any

import numpy as np

from backstay._validation import check_random_state
from backstay.datasets._truth import Data, check_shape, first_relevant, require


def make_non_monotonic(
    n_samples: int = 100,
    *,
    n_features: int = 20,
    n_relevant: int = 10,
    alternate: str = "rows",
    random_state: Any = None,
) -> Data:
    """NonMonotonic: multiples of a hidden value, of its root in every other row.

    Each relevant feature a has a factor r_a uniform on [0, 1], each row i a value
    r_i uniform on [0, N], N the number of relevant features. The feature is
    r_a·r_i in odd rows and r_a·√r_i in even ones [Prat eq. 5.21]; the class is
    the integer part of r_i. Irrelevant features are uniform on [0, 1].

    Parameters
    ----------
    n_samples, n_features, n_relevant : int, default=100, 20, 10
        Size of the table; the first `n_relevant` features are relevant. Classes
        are as many, so two is the least.
    alternate : {"rows", "features"}, default="rows"
        Take the root in every other row, as printed; or in every other relevant
        feature, which leaves each of them monotonic in the hidden value.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Rows.
    y : ndarray of shape (n_samples,)
        Labels 0 to n_relevant − 1; with few rows some have none, or one.
    relevance : ndarray of shape (n_features,)
        1/n_relevant for the relevant features, 0 for the others.

    Notes
    -----
    Rows and features are counted from 0, so the first is even. The thesis begins
    with one relevant feature, which by its formula puts every row in class 0. It
    reports that ReliefF separates well here for any number of features: that is
    so with every other feature, and not with every other row.

    Examples
    --------
    >>> from backstay.datasets import make_non_monotonic
    >>> X, y, relevance = make_non_monotonic(n_relevant=3, random_state=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((100, 20), [0, 1, 2])
    """
    check_shape(n_samples, n_features, n_relevant)
    require(
        n_relevant >= 2,
        f"n_relevant={n_relevant!r} must be at least 2: classes are as many as relevant features.",
    )
    require(
        alternate in ("rows", "features"), f"alternate={alternate!r} must be 'rows' or 'features'."
    )
    rng = check_random_state(random_state)
    factors = rng.uniform(size=n_relevant)
    hidden = rng.uniform(0.0, n_relevant, size=n_samples)
    rows, features = np.ogrid[:n_samples, :n_relevant]
    odd = (rows if alternate == "rows" else features) % 2 != 0
    X = rng.uniform(size=(n_samples, n_features))
    X[:, :n_relevant] = np.where(odd, hidden[:, None], np.sqrt(hidden)[:, None]) * factors
    return X, np.floor(hidden).astype(np.intp), first_relevant(n_features, n_relevant)


def make_majority(
    n_samples: int = 100, *, n_features: int = 20, n_relevant: int = 10, random_state: Any = None
) -> Data:
    """MajorityN: whether more than half of the relevant boolean features are 1.

    y = 1 if Σ_{j ≤ n} x_j > n/2, else 0, with every feature 0 or 1 with
    probability ½.

    Parameters
    ----------
    n_samples, n_features, n_relevant : int, default=100, 20, 10
        Size of the table; the first `n_relevant` features are relevant.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Zeros and ones.
    y : ndarray of shape (n_samples,)
        Labels 0 and 1; a draw is no majority.
    relevance : ndarray of shape (n_features,)
        1/n_relevant for the relevant features, 0 for the others.

    Examples
    --------
    >>> from backstay.datasets import make_majority
    >>> X, y, relevance = make_majority(n_relevant=3, random_state=0)
    >>> bool((y == (X[:, :3].sum(axis=1) >= 2)).all())
    True
    """
    check_shape(n_samples, n_features, n_relevant)
    rng = check_random_state(random_state)
    X = rng.randint(2, size=(n_samples, n_features)).astype(np.float64)
    y = (2 * X[:, :n_relevant].sum(axis=1) > n_relevant).astype(np.intp)
    return X, y, first_relevant(n_features, n_relevant)


def make_modulo(
    n_samples: int = 100,
    *,
    n_features: int = 20,
    n_relevant: int = 3,
    p: int = 3,
    random_state: Any = None,
) -> Data:
    """ModuloP: the sum of the relevant features modulo p, parity being p = 2.

    y = (Σ_{j ≤ n} x_j) mod p, with every feature an integer in [0, p), all
    equally likely. No proper subset of the relevant features says anything.

    Parameters
    ----------
    n_samples, n_features, n_relevant : int, default=100, 20, 3
        Size of the table; the first `n_relevant` features are relevant.
    p : int, default=3
        Values of a feature, and classes.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Integers in [0, p); they are names of values, so give Relief
        ``categorical_features``.
    y : ndarray of shape (n_samples,)
        Labels 0 to p − 1.
    relevance : ndarray of shape (n_features,)
        1/n_relevant for the relevant features, 0 for the others.

    Notes
    -----
    The thesis prints c = Σ (r mod p) [Prat eq. 5.22], which is the plain sum as
    every r is less than p; the modulus is taken of the sum here, as the name and
    the usual definition of the problem have it. The thesis gives no p.

    Examples
    --------
    >>> from backstay.datasets import make_modulo
    >>> X, y, relevance = make_modulo(p=5, random_state=0)
    >>> bool((y == X[:, :3].sum(axis=1) % 5).all())
    True
    """
    check_shape(n_samples, n_features, n_relevant)
    require(p >= 2, f"p={p!r} must be at least 2.")
    rng = check_random_state(random_state)
    X = rng.randint(p, size=(n_samples, n_features)).astype(np.float64)
    y = (X[:, :n_relevant].sum(axis=1) % p).astype(np.intp)
    return X, y, first_relevant(n_features, n_relevant)
