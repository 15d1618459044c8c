"""How nearly some of the other features are a Markov blanket of a feature [Prat 4.2]."""

from collections.abc import Container, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from backstay.redundancy._joint import (
    Array,
    Codes,
    Subset,
    check_choice,
    groups_by_subset,
    is_exact,
    joint,
    mass_table,
    refine,
)


class RedundancyLevels(NamedTuple):
    """How redundant each feature is, and the features that make it so."""

    levels: Array
    blankets: list[Codes]


def redundancy_level(
    X: Any,
    y: ArrayLike,
    *,
    method: str = "auto",
    max_exact: int = 12,
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
    method : {"auto", "exact", "greedy"}, default="auto"
        Try all 2^(n_features − 1) subsets for each feature; or grow S from
        nothing and shrink it from everything, one feature at a time, and keep
        the best met, a lower bound. "auto" is exact up to `max_exact` features.
    max_exact : int, default=12
        Most features for which "auto" is exact.
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

    See Also
    --------
    feature_importance_bayes : What a feature adds, in errors.

    Notes
    -----
    The thesis maximises the difference, which finds the worst S; whether
    a blanket exists depends on the best one. Without the class in the rest,
    S = all other features would make every feature redundant.

    R'(α, U) never falls when U grows, as the thesis wants of a measure of redundancy: a larger U
    offers every S that a smaller one does. This holds for the exact search, and for `among` alone.
    Leaving columns out of X changes the rest as well, and then the level may fall or rise.

    Probabilities are frequencies of rows. Where nearly every row is different,
    S = all other features predicts every feature of the rows seen, and every
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
    check_choice("method", method, ("auto", "exact", "greedy"))
    check_choice("configurations", configurations, ("observed", "possible"))
    cells, mass = joint(X, y, sample_weight)
    d = cells.shape[1] - 1
    choice = range(d) if among is None else sorted({int(j) for j in np.asarray(among)})
    if not set(choice) <= set(range(d)):
        raise ValueError(f"among={among!r} must hold column numbers from 0 to {d - 1}.")
    exact = is_exact(method, len(choice), max_exact)
    levels, blankets = np.empty(d), []
    for feature in range(d):
        blanket = _Blanket(cells, mass, feature, choice, configurations == "possible")
        tried = blanket.every_subset() if exact else blanket.greedy_subsets()
        levels[feature], best = min(tried, key=lambda s: (_level_key(s[0]), len(s[1]), s[1]))
        blankets.append(np.array(best, dtype=np.intp))
    return RedundancyLevels(levels, blankets)


class _Blanket:
    """The level 1 − mean |P(α|s) − P(α|s, rest)| of one feature α for any S."""

    def __init__(
        self, cells: Codes, mass: Array, feature: int, choice: Container[int], possible: bool
    ) -> None:
        contexts, of_cell = np.unique(
            np.delete(cells, feature, axis=1), axis=0, return_inverse=True
        )
        self.joint = mass_table(of_cell.ravel(), cells[:, feature], mass)
        given_all = self.joint / self.joint.sum(axis=1, keepdims=True)
        met = np.full(self.joint.shape, possible) | (self.joint > 0)
        if possible:  # only values of α that occur at all
            met &= self.joint.sum(axis=0) > 0
        self.context, self.value = np.nonzero(met)
        self.given_all = given_all[met]
        others = [j for j in range(cells.shape[1] - 1) if j != feature]
        self.columns = {j: contexts[:, i] for i, j in enumerate(others) if j in choice}
        self.one_group: Codes = np.zeros(len(contexts), np.intp)  # of the empty S

    def level(self, groups: Codes) -> float:
        n_groups = int(groups.max()) + 1
        table = np.column_stack([np.bincount(groups, part, n_groups) for part in self.joint.T])
        table = table / table.sum(axis=1, keepdims=True)
        given = table[groups[self.context], self.value]
        return 1.0 - float(np.abs(given - self.given_all).mean())

    def every_subset(self) -> Iterator[tuple[float, Subset]]:
        """Level of every S."""
        for subset, groups in groups_by_subset(self.columns, len(self.one_group)):
            yield self.level(groups), subset

    def greedy_subsets(self) -> Iterator[tuple[float, Subset]]:
        """Level of every S on a forward and a backward path, each step the best one."""
        subset: Subset = ()
        groups = self.one_group
        yield self.level(groups), subset
        while left := [j for j in self.columns if j not in subset]:
            finer = [refine(groups, self.columns[j]) for j in left]
            levels = [self.level(refined) for refined in finer]
            best = min(range(len(left)), key=lambda i: _level_key(levels[i]))
            subset, groups = tuple(sorted((*subset, left[best]))), finer[best]
            yield levels[best], subset
        while subset:
            levels = [self.level(groups) for groups in self._each_left_out(subset)]
            best = min(range(len(levels)), key=lambda i: _level_key(levels[i]))
            subset = subset[:best] + subset[best + 1 :]
            yield levels[best], subset

    def _each_left_out(self, subset: Subset) -> Iterator[Codes]:
        """Group by all features of the subset but one: by those before it and those after it."""
        after = [self.one_group]
        for j in subset[:0:-1]:
            after.append(refine(after[-1], self.columns[j]))
        before = self.one_group
        for j in subset:
            yield refine(before, after.pop())
            before = refine(before, self.columns[j])


def _level_key(level: float) -> float:
    """Key that sorts levels best first; those that differ by rounding alone are equal."""
    return round(-level, 12)
