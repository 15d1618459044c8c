"""Rows drawn from a distribution per class [HY V-B; Han 6.1; Prat 5.3.2, 6.1]."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay._validation import check_random_state
from backstay.datasets._concepts import Data, check_shape, first_relevant, require


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

    Half of the rows come from N(+shift, Σ) and half from N(−shift, Σ), shifted in the relevant
    features only; Σ has blocks of equal correlation. The label is the sign of Σ r*_j x_j, with r*
    equal over the relevant features and summing to 1.

    Parameters
    ----------
    n_samples, n_features, n_relevant, random_state
        As in `make_xor`, and so is what is returned.
    block_size : int, default=10
        Features per correlated block; must divide `n_features`.
    correlation : float, default=0.8
        Correlation inside a block, in [0, 1).
    shift : float, default=0.5
        Half the distance between the two means in a relevant feature.

    Examples
    --------
    >>> X, y, relevance = make_han_yu(random_state=0)
    >>> X.shape, y.shape, int((relevance > 0).sum())
    ((100, 1000), (100,), 50)
    """
    check_shape(n_samples, n_features, n_relevant)
    rng = check_random_state(random_state)
    X = _correlated_blocks((n_samples, n_features), block_size, correlation, rng)
    side = np.where(np.arange(n_samples) < (n_samples + 1) // 2, shift, -shift)
    X[:, :n_relevant] += rng.permutation(side)[:, None]
    y = (X[:, :n_relevant].mean(axis=1) > 0).astype(np.intp)
    return X, y, first_relevant(n_features, n_relevant)


def _correlated_blocks(
    shape: tuple[int, int], block_size: int, correlation: float, rng: Any
) -> NDArray[np.float64]:
    """Draw standard normal features with equal correlation ρ inside a block."""
    n_samples, n_features = shape
    require(
        block_size >= 1 and n_features % block_size == 0,
        f"block_size={block_size!r} must divide n_features={n_features!r}.",
    )
    require(0 <= correlation < 1, f"correlation={correlation!r} must lie in [0, 1).")
    # √ρ of a shared part plus √(1−ρ) of one's own.
    shared = rng.standard_normal((n_samples, n_features // block_size))
    own = rng.standard_normal((n_samples, n_features))
    X = np.sqrt(correlation) * np.repeat(shared, block_size, axis=1)
    return np.asarray(X + np.sqrt(1 - correlation) * own)


def make_regression_blocks(
    n_samples: int = 100,
    *,
    n_features: int = 1000,
    n_relevant: int = 40,
    block_size: int = 10,
    correlation: float = 0.8,
    interaction: float = 0.0,
    explained: float = 0.7,
    random_state: Any = None,
) -> Data:
    """Correlated blocks of features, the first of them relevant, and a number to predict.

    Features are those of :func:`make_han_yu` without its two classes. Let a be the standardised
    mean of the first half of the relevant features, and b that of the second half. y is (a + b)/√2,
    or in part the product a·b, plus normal noise. A product cannot be seen by looking at one
    feature at a time.

    Parameters
    ----------
    n_samples, n_features, n_relevant, random_state
        As in `make_xor`; `n_relevant` is even.
    block_size : int, default=10
        Features per correlated block; must divide `n_features`, and half of `n_relevant`.
    correlation : float, default=0.8
        Correlation inside a block, in [0, 1).
    interaction : float, default=0.0
        Share of the signal's variance that is the product's: 0 is linear, 1 the product alone.
    explained : float, default=0.7
        Share of the variance of y that is signal, in (0, 1].

    Returns
    -------
    X, y, relevance : ndarray
        As in `make_xor`, with numbers for y.

    Examples
    --------
    >>> X, y, relevance = make_regression_blocks(interaction=0.5, random_state=0)
    >>> X.shape, y.shape, int((relevance > 0).sum())
    ((100, 1000), (100,), 40)
    """
    check_shape(n_samples, n_features, n_relevant)
    require(
        n_relevant % 2 == 0 and block_size >= 1 and (n_relevant // 2) % block_size == 0,
        f"block_size={block_size!r} must divide half of n_relevant={n_relevant!r}.",
    )
    require(0 <= interaction <= 1, f"interaction={interaction!r} must lie in [0, 1].")
    require(0 < explained <= 1, f"explained={explained!r} must lie in (0, 1].")
    rng = check_random_state(random_state)
    X = _correlated_blocks((n_samples, n_features), block_size, correlation, rng)
    half = n_relevant // 2
    # The mean of m features in blocks of c has the variance ((c − 1)ρ + 1)/m.
    deviation = np.sqrt(((block_size - 1) * correlation + 1) / half)
    a, b = (X[:, part].mean(axis=1) / deviation for part in (slice(half), slice(half, n_relevant)))
    signal = np.sqrt(1 - interaction) * (a + b) / np.sqrt(2) + np.sqrt(interaction) * a * b
    noise = rng.standard_normal(n_samples)
    y = np.sqrt(explained) * signal + np.sqrt(1 - explained) * noise
    return X, y, first_relevant(n_features, n_relevant)


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
    n_samples, n_features, n_relevant, random_state
        As in `make_xor`.
    n_classes : int, default=2
        Classes; the centres are shared out evenly among them.
    n_centers : int, default=50
        Centres, at least one per class.

    Notes
    -----
    The irrelevant features have centres of their own, drawn in the same way and chosen by each row
    regardless of its class: "the same Gaussian distribution for some random centers and standard
    deviation". The thesis gives no number of centres or classes: 50 and 2 here. The direction is
    that of a vector of uniforms on [−1, 1].

    Examples
    --------
    >>> X, y, relevance = make_random_rbf(random_state=0)
    >>> X.shape, int((relevance > 0).sum())
    ((100, 20), 10)
    """
    check_shape(n_samples, n_features, n_relevant)
    require(n_classes >= 2, f"n_classes={n_classes!r} must be at least 2.")
    require(
        n_centers >= n_classes, f"n_centers={n_centers!r} is less than n_classes={n_classes!r}."
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


def make_anti_corral(n_samples: int = 200, *, random_state: Any = None) -> Data:
    """AntiCorrAl: two features that separate three classes, masked by nine that nearly do.

    The class Y is 1, 2 or 3. I1 to I9 are N(Y, 1), C1 is N(Y, 0.5) and
    C2 = C1 − Y + N(1, 0.2): C1 − C2 determines the class, while C2 alone says nothing.

    Parameters
    ----------
    n_samples, random_state
        As in `make_xor`; the classes are as even as can be. The relevance is 1/2 for C1 and C2, the
        best subset; 0 for the others, which are redundant beside it.

    Examples
    --------
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
