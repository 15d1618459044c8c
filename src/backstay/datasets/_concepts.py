"""Concepts: the class is a function of the features [Prat 2.4.2, 5.3.2, 6.1]."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from backstay._validation import check_random_state

Data = tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.float64]]


def require(condition: bool, message: str) -> None:
    """Raise ValueError with the message unless the condition holds."""
    if not condition:
        raise ValueError(message)


def check_shape(n_samples: int, n_features: int, n_relevant: int) -> None:
    """Refuse fewer than two rows, and more relevant features than there are."""
    require(n_samples >= 2, f"n_samples={n_samples!r} must be at least 2.")
    require(
        1 <= n_relevant <= n_features,
        f"n_relevant={n_relevant!r} must lie between 1 and n_features={n_features!r}.",
    )


def first_relevant(n_features: int, n_relevant: int) -> NDArray[np.float64]:
    """Return 1/n_relevant for the first features and 0 for the others."""
    relevance = np.zeros(n_features)
    relevance[:n_relevant] = 1.0 / n_relevant
    return relevance


def make_xor(
    n_samples: int = 1000, *, n_features: int = 10, n_relevant: int = 3, random_state: Any = None
) -> Data:
    """Parity of the signs of the first features, the rest noise [Prat 2.4.2].

    x_j is uniform on [−1, 1]; the label is 1 when an odd number of the first `n_relevant` features
    is positive. No proper subset of them says anything. All other concepts take and return the
    same, unless they say otherwise.

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
    >>> X, y, relevance = make_xor(n_samples=200, random_state=0)
    >>> bool((y == (X[:, :3] > 0).sum(axis=1) % 2).all())
    True
    """
    check_shape(n_samples, n_features, n_relevant)
    rng = check_random_state(random_state)
    X = rng.uniform(-1.0, 1.0, (n_samples, n_features))
    y = ((X[:, :n_relevant] > 0).sum(axis=1) % 2).astype(np.intp)
    return X, y, first_relevant(n_features, n_relevant)


def make_majority(
    n_samples: int = 100, *, n_features: int = 20, n_relevant: int = 10, random_state: Any = None
) -> Data:
    """MajorityN: whether more than half of the relevant boolean features are 1.

    y = 1 if Σ_{j ≤ n} x_j > n/2, else 0, with every feature 0 or 1 with probability ½. Takes and
    returns what `make_xor` does.

    Examples
    --------
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
    n_samples, n_features, n_relevant, random_state
        As in `make_xor`.
    p : int, default=3
        Values of a feature, and classes. The values are names, so give Relief
        ``categorical_features``.

    Notes
    -----
    The thesis prints c = Σ (r mod p) [Prat eq. 5.22], which is the plain sum as every r is less
    than p; here the modulus is taken of the sum, as the name has it. The thesis gives no p.

    Examples
    --------
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


def make_non_monotonic(
    n_samples: int = 100,
    *,
    n_features: int = 20,
    n_relevant: int = 10,
    alternate: str = "rows",
    random_state: Any = None,
) -> Data:
    """NonMonotonic: multiples of a hidden value, of its root in every other row.

    Each relevant feature a has a factor r_a uniform on [0, 1], each row i a value r_i uniform on
    [0, N], N the number of relevant features. The feature is r_a·r_i in odd rows and r_a·√r_i in
    even ones [Prat eq. 5.21]; the class is the integer part of r_i. Others are uniform on [0, 1].

    Parameters
    ----------
    n_samples, n_features, n_relevant, random_state
        As in `make_xor`. Classes are as many as relevant features, so two is the least; with few
        rows some have none.
    alternate : {"rows", "features"}, default="rows"
        Take the root in every other row, as printed; or in every other relevant feature, which
        leaves each of them monotonic.

    Notes
    -----
    Rows and features are counted from 0, so the first is even. The thesis begins with one relevant
    feature, which by its formula puts every row in class 0. It reports that ReliefF separates well
    here for any number of features: that is so with every other feature, not with every other row.

    Examples
    --------
    >>> X, y, relevance = make_non_monotonic(n_relevant=3, random_state=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((100, 20), [0, 1, 2])
    """
    check_shape(n_samples, n_features, n_relevant)
    require(
        n_relevant >= 2,
        f"n_relevant={n_relevant!r} must be at least 2: classes are as many as relevant features.",
    )
    require(alternate in ("rows", "features"), f"alternate={alternate!r} must be rows or features.")
    rng = check_random_state(random_state)
    factors = rng.uniform(size=n_relevant)
    hidden = rng.uniform(0.0, n_relevant, size=n_samples)
    rows, features = np.ogrid[:n_samples, :n_relevant]
    odd = (rows if alternate == "rows" else features) % 2 != 0
    X = rng.uniform(size=(n_samples, n_features))
    X[:, :n_relevant] = np.where(odd, hidden[:, None], np.sqrt(hidden)[:, None]) * factors
    return X, np.floor(hidden).astype(np.intp), first_relevant(n_features, n_relevant)


def make_corral(
    n_samples: int = 128, *, correlation: float = 0.75, random_state: Any = None
) -> Data:
    """CorrAl: a boolean concept, an irrelevant feature and one that is mostly the class.

    The features are A0, A1, B0, B1, I and C, all boolean. The class is (A0 ∧ A1) ∨ (B0 ∧ B1); I is
    irrelevant; C equals the class with probability `correlation`. C is the best single feature and
    no part of the best subset.

    Parameters
    ----------
    n_samples, random_state
        As in `make_xor`.
    correlation : float, default=0.75
        Probability that C equals the class, in [0, 1]. The relevance of I and C is 0.

    Examples
    --------
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


def make_decision_list(
    n_samples: int = 100,
    *,
    n_features: int = 20,
    n_relevant: int = 10,
    boolean: bool = False,
    n_classes: int = 2,
    min_rule_size: int = 1,
    max_rule_size: int = 10,
    random_state: Any = None,
) -> Data:
    """RDG1: rows labelled by the first rule of a random decision list that is true for them.

    Features are uniform on [0, 1], or 0 and 1 with probability ½ each (`boolean`). A rule is a
    conjunction c := t_1 ∧ … ∧ t_n of terms on different relevant features: x_j < v or x_j ≥ v with
    v uniform on [0, 1], or x_j = 0 or x_j = 1 [Prat eq. 5.19]. Rows come one by one; one that no
    rule covers brings a new rule, true for itself, to the end of the list.

    Parameters
    ----------
    n_samples, n_features, n_relevant, random_state
        As in `make_xor`; rules test relevant features only.
    boolean : bool, default=False
        Boolean features instead of numeric ones.
    n_classes : int, default=2
        Classes; the rules of a list are given them in turn.
    min_rule_size, max_rule_size : int, default=1, 10
        Least and most terms of a rule, drawn evenly; never more than `n_relevant`.

    Notes
    -----
    A list whose first rules cover every row leaves later classes without rows. As in the thesis, a
    feature that rules may test is relevant whether or not one does. The thesis does not say how
    many classes there were, nor which class a new rule gets: two here, in turn, as in its example.

    Examples
    --------
    >>> X, y, relevance = make_decision_list(random_state=0)
    >>> X.shape, int((relevance > 0).sum())
    ((100, 20), 10)
    """
    check_shape(n_samples, n_features, n_relevant)
    require(n_classes >= 2, f"n_classes={n_classes!r} must be at least 2.")
    require(
        1 <= min_rule_size <= min(max_rule_size, n_relevant),
        f"min_rule_size={min_rule_size!r} must lie between 1 and the smaller of "
        f"max_rule_size={max_rule_size!r} and n_relevant={n_relevant!r}.",
    )
    rng = check_random_state(random_state)
    if boolean:
        X = rng.randint(2, size=(n_samples, n_features)).astype(np.float64)
    else:
        X = rng.uniform(size=(n_samples, n_features))
    sizes = (min_rule_size, min(max_rule_size, n_relevant))
    y = _first_true_rule(X[:, :n_relevant], sizes, boolean, rng) % n_classes
    return X, y, first_relevant(n_features, n_relevant)


def _first_true_rule(
    X: NDArray[np.float64], sizes: tuple[int, int], boolean: bool, rng: Any
) -> NDArray[np.intp]:
    """Return the number of the rule that covers each row."""
    # A rule is applied to all rows left as soon as it is made. That is the same as going row by
    # row: the row that brings a rule is the first that no rule covers, and rules made after a row
    # was covered come after the one that covers it.
    rules = np.empty(len(X), np.intp)
    left = np.arange(len(X))
    n_rules = 0
    while len(left):
        features = rng.permutation(X.shape[1])[: rng.randint(sizes[0], sizes[1] + 1)]
        own = X[left[0], features]
        if boolean:
            covered = (X[np.ix_(left, features)] == own).all(axis=1)
        else:
            thresholds = rng.uniform(size=len(features))
            sides = X[np.ix_(left, features)] < thresholds
            covered = (sides == (own < thresholds)).all(axis=1)
        rules[left[covered]] = n_rules
        left = left[~covered]
        n_rules += 1
    return rules


def separability(weights: ArrayLike, relevance: ArrayLike) -> float:
    """Largest weight of a relevant feature minus the largest of an irrelevant one.

    s = max_{a∈R} w(a) − max_{a∈I} w(a) [Prat eq. 5.23]. Positive when the best
    feature of a ranking is relevant; it says nothing of the other relevant ones.

    Parameters
    ----------
    weights : array-like of shape (n_features,)
        Weights of a method, higher is better.
    relevance : array-like of shape (n_features,)
        True relevance; relevant is what is above 0.

    Returns
    -------
    float
        In the unit of the weights: comparable between methods on one scale only.

    Examples
    --------
    >>> separability([0.5, 0.125, 0.25], relevance=[0.5, 0.5, 0.0])
    0.25
    """
    w, r = (np.asarray(given, dtype=np.float64) for given in (weights, relevance))
    require(
        w.ndim == 1 and w.shape == r.shape and bool(np.isfinite([w, r]).all()),
        f"weights of shape {w.shape} and relevance of shape {r.shape} must be finite numbers, one "
        "per feature.",
    )
    relevant = r > 0
    require(
        bool(0 < relevant.sum() < len(r)),
        f"relevance marks {relevant.sum()} of {len(r)} features as relevant; at least one must be "
        "relevant and one irrelevant.",
    )
    return float(w[relevant].max() - w[~relevant].max())
