"""Strong and weak relevance [Prat 2.1, after John, Kohavi & Pfleger], and that over all subsets."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from backstay._validation import check_random_state
from backstay.redundancy._importance import bayes_accuracy
from backstay.redundancy._joint import (
    ROUNDING,
    Array,
    Codes,
    check_number,
    grouped,
    groups_by_subset,
    joint,
    mass_table,
    refine,
)


def feature_relevance(
    X: Any,
    y: ArrayLike,
    *,
    tol: float = 0.0,
    max_features: int = 16,
    sample_weight: ArrayLike | None = None,
) -> NDArray[np.str_]:
    """Say of each feature whether it is strongly relevant, weakly relevant or irrelevant.

    A feature x is *strong* if the class depends on it even when all other features are known:
    P(C | x, others) ≠ P(C | others). It is *weak* if that is not so, but the class depends on it
    when only some (or none) of the others are known. Otherwise it is *irrelevant* [Prat
    definitions 2.1-2.3]. Copies of one feature, for example, are weak: either will do.

    Parameters
    ----------
    X, y, sample_weight
        As in :func:`redundancy_level`.
    tol : float, default=0.0
        Distributions are different if their total variation distance, averaged over the rows, is
        larger. 0 is the definition and right for a distribution that is known.
    max_features : int, default=16
        As in :func:`redundancy_level`.

    Returns
    -------
    ndarray of shape (n_features,)
        "strong", "weak" or "irrelevant".

    Notes
    -----
    Probabilities are frequencies of rows. In a sample, even a feature that means nothing shifts
    them a little. Use it on distributions that are known, or on few features and many rows with
    a `tol` that shuffled values of the feature do not reach.

    Examples
    --------
    The class is f1 ∧ f2; f3 copies f1, and f4 is noise:

    >>> from itertools import product
    >>> from backstay.redundancy import feature_relevance
    >>> rows = [(a, b, a, noise) for a, b, noise in product([0, 1], repeat=3)]
    >>> feature_relevance(rows, [a & b for a, b, *_ in rows]).tolist()
    ['weak', 'strong', 'weak', 'irrelevant']
    """
    cells, mass = joint(X, y, sample_weight)
    d = cells.shape[1] - 1
    check_number(d, max_features)
    kinds = [_kind(cells, mass, feature, tol + ROUNDING) for feature in range(d)]
    return np.array(kinds, dtype=np.str_)


def _kind(cells: Codes, mass: Array, feature: int, tol: float) -> str:
    others = [j for j in range(cells.shape[1] - 1) if j != feature]
    values, classes = cells[:, feature], cells[:, -1]
    if shift(grouped(cells, others), values, classes, mass) > tol:
        return "strong"
    by_subset = groups_by_subset({j: cells[:, j] for j in others}, len(cells))
    weak = any(shift(groups, values, classes, mass) > tol for _, groups in by_subset)
    return "weak" if weak else "irrelevant"


def shift(groups: Codes, values: Codes, classes: Codes, mass: Array) -> float:
    """Mean total variation between P(C | value, group) and P(C | group)."""
    finer = refine(groups, values)
    tables = [mass_table(numbers, classes, mass) for numbers in (groups, finer)]
    coarse_given, fine_given = (table / table.sum(axis=1, keepdims=True) for table in tables)
    apart = 0.5 * np.abs(fine_given[finer] - coarse_given[groups]).sum(axis=1)
    return float((mass * apart).sum())


def subset_relevance(
    X: Any, y: Any, score: Any = None, *, n_subsets: int = 4096, random_state: Any = None
) -> Array:
    """Mean gain of J when a feature joins a subset, over all subsets of the others [Prat eq. 7.2].

    It sees every interaction, but no redundancy: two copies have the same relevance.

    Parameters
    ----------
    X, y
        Rows and classes; discrete features, unless `score` is given.
    score : function, default=None
        J, from the column numbers of a subset, which may be empty. None is the accuracy of the
        Bayes rule by the frequencies of the rows.
    n_subsets, random_state
        How many subsets to score. If there are more (with more than 12 features, by default), half
        are drawn at random, and the others are what these leave out.

    Returns
    -------
    ndarray of shape (n_features,)
        Mean J with the feature minus mean J without it.

    Examples
    --------
    The class is f1 xor f2, which are worth nothing alone; f3 is noise:

    >>> from itertools import product
    >>> from backstay.redundancy import subset_relevance
    >>> rows = list(product([0, 1], repeat=3))
    >>> subset_relevance(rows, [a ^ b for a, b, _ in rows])
    array([0.25, 0.25, 0.  ])
    """
    d = np.shape(X)[1]
    if score is None:
        score = partial(bayes_accuracy, *joint(X, y, None))
    if 2**d <= n_subsets:
        held = np.arange(2**d)[:, None] >> np.arange(d) & 1
    else:
        drawn = check_random_state(random_state).randint(2, size=(n_subsets // 2, d))
        held = np.vstack([drawn, 1 - drawn])
    scores = np.array([score(np.flatnonzero(row)) for row in held])
    return np.asarray((2 * held - 1).T @ scores / (len(held) / 2))
