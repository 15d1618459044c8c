"""How nearly some of the other features are a Markov blanket of a feature [Prat 4.2]."""

from collections.abc import Container, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from backstay.redundancy._joint import (
    Array,
    Codes,
    Subset,
    check_number,
    groups_by_subset,
    joint,
    mass_table,
)


class RedundancyLevels(NamedTuple):
    """How redundant each feature is, and the features that make it so."""

    levels: Array
    blankets: list[Codes]


def redundancy_level(
    X: Any,
    y: ArrayLike,
    *,
    max_features: int = 16,
    configurations: str = "observed",
    among: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> RedundancyLevels:
    """Measure how nearly some of the other features are a Markov blanket of each feature.

    R'(α) = max_S 1 − mean_u |P(α|s) − P(α|s, rest)|, over the subsets S of the other features,
    where the rest is every feature but S and α, and the class [Prat eq. 4.3, corrected]. It is 1 if
    some S says all that the others and the class say about α: then α is redundant.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Discrete features: numbers or names of values.
    y : array-like of shape (n_samples,)
        Classes.
    max_features : int, default=16
        All subsets of the others are tried for each feature; more features are refused.
    configurations : {"observed", "possible"}, default="observed"
        What the mean is over, each counted once: the different rows of features
        and class; or, as in the thesis, the different rows without α, each with
        every value of α, also those never met there.
    among : array-like of int, default=None
        Column numbers U that S is chosen from: R'(α, U). The rest is every other feature
        even so, in U or not. None takes all features.
    sample_weight : array-like of shape (n_samples,), default=None
        Probabilities of the rows, up to a factor: for a distribution that is known.

    Returns
    -------
    levels : ndarray of shape (n_features,)
        In [0, 1]; 1 is redundant.
    blankets : list of ndarray
        Column numbers of the S of each feature, the smallest and then the first of the best.

    Notes
    -----
    The thesis maximises the difference, which finds the worst S; whether
    a blanket exists depends on the best one. Without the class in the rest,
    S = all other features would make every feature redundant.

    R'(α, U) never falls when U grows: a larger U offers every S that a smaller one does. Leaving
    columns out of X changes the rest as well, and then the level may fall or rise.

    Probabilities are frequencies of rows. Where nearly every row is different, every
    level is near 1: compare with the level of the feature's values shuffled.

    Examples
    --------
    Two relevant features and ¬(f1 ∧ f2), determined by neither alone [Prat table 4.1]:

    >>> import numpy as np
    >>> from backstay.redundancy import redundancy_level
    >>> X = np.array([[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 0]])
    >>> levels, blankets = redundancy_level(X, [0, 0, 0, 1])
    >>> levels[2], blankets[2]
    (np.float64(1.0), array([0, 1]))
    """
    if configurations not in ("observed", "possible"):
        raise ValueError(f"configurations={configurations!r} must be 'observed' or 'possible'.")
    cells, mass = joint(X, y, sample_weight)
    d = cells.shape[1] - 1
    choice = range(d) if among is None else sorted({int(j) for j in np.asarray(among)})
    if not set(choice) <= set(range(d)):
        raise ValueError(f"among={among!r} must hold column numbers from 0 to {d - 1}.")
    check_number(len(choice), max_features)
    levels, blankets = np.empty(d), []
    for feature in range(d):
        tried = _tried(cells, mass, feature, choice, configurations == "possible")
        # Levels that differ by rounding alone are equal.
        levels[feature], best = min(tried, key=lambda s: (round(-s[0], 12), len(s[1]), s[1]))
        blankets.append(np.array(best, dtype=np.intp))
    return RedundancyLevels(levels, blankets)


def _tried(
    cells: Codes, mass: Array, feature: int, choice: Container[int], possible: bool
) -> Iterator[tuple[float, Subset]]:
    """Yield the level 1 − mean |P(α|s) − P(α|s, rest)| of a feature α for every S."""
    contexts, of_cell = np.unique(np.delete(cells, feature, axis=1), axis=0, return_inverse=True)
    held = mass_table(of_cell.ravel(), cells[:, feature], mass)
    met = held > 0
    if possible:  # only values of α that occur at all
        met = np.broadcast_to(held.sum(axis=0) > 0, held.shape)
    context, value = np.nonzero(met)
    given_all = (held / held.sum(axis=1, keepdims=True))[met]
    others = [j for j in range(cells.shape[1] - 1) if j != feature]
    columns = {j: contexts[:, i] for i, j in enumerate(others) if j in choice}
    for subset, groups in groups_by_subset(columns, len(contexts)):
        n_groups = int(groups.max()) + 1
        table = np.column_stack([np.bincount(groups, part, n_groups) for part in held.T])
        table = table / table.sum(axis=1, keepdims=True)
        yield 1.0 - float(np.abs(table[groups[context], value] - given_all).mean()), subset
