"""What the Bayes error loses with a feature [Prat 4.3]."""

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from backstay.redundancy._joint import (
    ROUNDING,
    Array,
    Codes,
    check_number,
    grouped,
    joint,
    mass_table,
)


class BayesImportance(NamedTuple):
    """What each feature adds, and the relevant subset X*."""

    importances: Array
    subset: Codes


def feature_importance_bayes(
    X: Any,
    y: ArrayLike,
    *,
    normalize: bool = True,
    cost: ArrayLike | None = None,
    max_features: int = 16,
    sample_weight: ArrayLike | None = None,
) -> BayesImportance:
    """Rise of the Bayes error when a feature leaves the relevant subset [Prat 4.3].

    R(x) = Pe(X* ∖ {x}) − Pe(X*) for x in the relevant subset X*, else 0, with Pe(S) = 1 − Σ_s max_c
    P(s, c). X* is the cheapest subset whose Bayes error is that of all features.

    Parameters
    ----------
    X, y, sample_weight
        As in `redundancy_level`.
    normalize : bool, default=True
        Divide by the sum, which gives r* of the bias–variance decomposition;
        where no feature lowers the error all are 0.
    cost : array-like of shape (n_features,), default=None
        Cost of each feature, 0 or more; None makes the cheapest subset the
        smallest. Ties: the smaller, then the first.
    max_features : int, default=16
        How many features may be such that each by itself can be left out; all their subsets are
        tried.

    Returns
    -------
    importances : ndarray of shape (n_features,)
        R, or r* if `normalize`.
    subset : ndarray
        Column numbers of X*. Empty where no feature lowers the error.

    Notes
    -----
    The thesis asks of X* only that every removal raise the error [Prat def. 4.8]; that it lose
    nothing against all features is what it needs, and is required here.

    Examples
    --------
    >>> import numpy as np
    >>> from backstay.redundancy import feature_importance_bayes
    >>> X = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]])  # the last copies the first
    >>> feature_importance_bayes(X, X[:, 0] & X[:, 1]).importances
    array([0.5, 0.5, 0. ])
    """
    cells, mass = joint(X, y, sample_weight)
    d = cells.shape[1] - 1
    costs = np.ones(d) if cost is None else np.asarray(cost, dtype=np.float64)
    if costs.shape != (d,) or not (np.isfinite(costs) & (costs >= 0)).all():
        raise ValueError(
            f"cost={cost!r} must hold one number of 0 or more for each of {d} features."
        )
    subset = _relevant_subset(cells, mass, costs, max_features)
    importances = np.zeros(d)
    most = bayes_accuracy(cells, mass, subset)
    for feature in subset:
        without = [other for other in subset if other != feature]
        importances[feature] = most - bayes_accuracy(cells, mass, without)
    if normalize and subset:
        importances /= importances.sum()
    return BayesImportance(importances, np.array(subset, dtype=np.intp))


def bayes_accuracy(cells: Codes, mass: Array, subset: Any) -> float:
    """1 − Pe(S) = Σ_s max_c P(s, c)."""
    return float(mass_table(grouped(cells, subset), cells[:, -1], mass).max(axis=1).sum())


def _relevant_subset(cells: Codes, mass: Array, costs: Array, max_features: int) -> list[int]:
    """Find X*."""
    # Pe never rises with a further feature, so what cannot be left out of all features cannot be
    # left out of X*: only the others are searched.
    every = list(range(len(costs)))
    bound = bayes_accuracy(cells, mass, every) - ROUNDING

    def enough(subset: list[int]) -> bool:
        return bayes_accuracy(cells, mass, subset) >= bound

    core = [j for j in every if not enough([k for k in every if k != j])]
    free = [j for j in every if j not in core]
    check_number(len(free), max_features)
    added = [some for size in range(len(free) + 1) for some in combinations(free, size)]
    added.sort(key=lambda some: (float(costs[list(some)].sum()), len(some), some))
    return next(sorted([*core, *some]) for some in added if enough([*core, *some]))
