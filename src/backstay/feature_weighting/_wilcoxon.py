"""Rank-sum filter: how well a feature orders one class above the others."""

from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from backstay.base import Array, Indices
from backstay.feature_weighting._rows import counted_rows
from backstay.feature_weighting._significance import SignificanceFilter, smallest_p

# Columns sorted at a time, to spare memory.
BLOCK = 512
# Up to so many differences, and without ties, the signed-rank test is exact.
EXACT = 50


class Order(NamedTuple):
    """Rows in ascending order of a feature, a feature a line, and where tied values lie.

    ``tied`` are the features that have equal values, ``first`` and ``last`` the first and last
    place of each of their values.
    """

    rows: Indices
    tied: Indices
    first: Indices
    last: Indices

    def bounds(self, mass: Array) -> tuple[Array, Array]:
        """Return, for rows in this order, the mass below their value and the mass up to it."""
        through = np.cumsum(mass, axis=1)
        before = through - mass
        if len(self.tied):
            before[self.tied] = np.take_along_axis(before[self.tied], self.first, axis=1)
            through[self.tied] = np.take_along_axis(through[self.tied], self.last, axis=1)
        return before, through


def ordered(X: NDArray[Any], omega: Array) -> Order:
    """Sort every column. Sums of unequal weights depend on the order of ties: it is kept."""
    features = np.ascontiguousarray(X.T)
    order = np.argsort(features, axis=1, kind="stable" if (omega != 1).any() else None)
    values = np.take_along_axis(features, order, axis=1)
    same = values[:, 1:] == values[:, :-1]
    tied = np.flatnonzero(same.any(axis=1))
    places = np.arange(len(X))
    begins, ends = np.ones((2, len(tied), len(X)), dtype=bool)
    begins[:, 1:] = ends[:, :-1] = ~same[tied]
    first = np.maximum.accumulate(np.where(begins, places, 0), axis=1)
    last = np.where(ends, places, len(X) - 1)[:, ::-1]
    return Order(order, tied, first, np.minimum.accumulate(last, axis=1)[:, ::-1])


def midranks(X: NDArray[Any], omega: Array) -> Array:
    """Return the ranks in every column about their mean, rows counted ω times; ties share one."""
    order = ordered(X, omega)
    before, through = order.bounds(omega[order.rows])
    ranks = np.empty(order.rows.shape)
    np.put_along_axis(ranks, order.rows, (before + through - through[:, -1:]) / 2.0, axis=1)
    return ranks.T


def areas(order: Order, positive: NDArray[np.bool_], omega: Array) -> Array:
    """Return each feature's AUC, ties as halves, rows counted ω times."""
    # Between its first and last place every row of a tied value stands at their middle.
    before, through = order.bounds(np.where(positive, 0.0, omega)[order.rows])
    ours = np.where(positive, omega, 0.0)[order.rows]
    pairs = omega[positive].sum() * omega[~positive].sum()
    return np.asarray((ours * (before + through)).sum(axis=1) / (2 * pairs))


def tied_cubes(order: Order, omega: Array) -> Array:
    """Return Σ (m³ − m) over the tied values of each feature, m rows each."""
    mass = omega[order.rows]
    before, through = order.bounds(mass)
    # A sum over rows counts a value's m rows with (m² − 1) each.
    return np.asarray((mass * ((through - before) ** 2 - 1)).sum(axis=1))


def rank_sum_p(auc: Array, masses: Array, cubes: Array) -> Array:
    """P of areas (classes × features): normal, corrected for ties and continuity."""
    total = masses.sum()
    ours = masses[: len(auc), None]
    pairs = ours * (total - ours)
    variance = pairs / 12 * (total + 1 - cubes / (total * (total - 1)))
    distance = np.maximum(np.abs(auc - 0.5) * pairs - 0.5, 0.0)
    z = np.divide(
        distance, np.sqrt(variance), out=np.zeros(auc.shape), where=variance > 1e-12 * pairs
    )
    return smallest_p(2 * special.ndtr(-z))


def signed_rank_p(ranks: Array) -> Array:
    """P of signed ranks: exact for few differences without ties, else normal with continuity."""
    total, squares = np.abs(ranks.sum(axis=0)), (ranks**2).sum(axis=0)
    spread = np.sqrt(squares)  # corrected for ties, as they are in the ranks
    z = np.divide(np.maximum(total - 1, 0), spread, out=np.zeros_like(total), where=spread > 0)
    p, n = 2 * special.ndtr(-z), (ranks != 0).sum(axis=0)
    plain = (squares == n * (n + 1) * (2 * n + 1) / 6) & (n > 0) & (n <= EXACT)
    for m in np.unique(n[plain]):
        ways = np.ones(1)
        for rank in range(1, m + 1):  # ways to reach every sum of positive ranks
            ways = np.pad(ways, (0, rank)) + np.pad(ways, (rank, 0))
        own = plain & (n == m)
        fewer = ((m * (m + 1) / 2 - total[own]) / 2).astype(np.intp)
        p[own] = np.minimum(2 * np.cumsum(ways)[fewer] / 2.0**m, 1.0)
    return p


class Wilcoxon(SignificanceFilter):
    """Wilcoxon's rank-sum filter: |2 AUC − 1|, without regard to the shape of distributions.

    The area under the ROC curve of a single feature is Mann and Whitney's share of pairs in the
    right order. It depends on ranks alone, so neither outliers nor monotone transformations
    matter [Wilcoxon 1945; Mann & Whitney 1947]. With more than two classes each is set against all
    others, and the largest counts.

    Parameters
    ----------
    n_features_to_select, alpha
        As in :class:`BetweenWithinRatio`.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        |2 AUC − 1|: 0 without any difference in order, 1 where a cut separates a class.
    auc_ : ndarray of shape (n_classes, n_features)
        The area for every class against the others.
    pvalues_, qvalues_ : ndarray of shape (n_features,)
        Two-sided p-value of the rank-sum test (normal approximation, corrected for ties
        and continuity), and Benjamini and Hochberg's q-value. With more than two classes
        the smallest p-value times the number of classes.

    Notes
    -----
    ``sample_weight`` makes a row count for ω rows, also in the test. With `pairs` it is the sum of
    signed ranks of the differences over the largest that it can be, with the signed-rank test
    (exact for up to 50 pairs without ties); ``auc_`` is the share of pairs with the class higher.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from backstay.feature_weighting import Wilcoxon
    >>> Wilcoxon().fit(*load_iris(return_X_y=True)).feature_importances_.round(2)
    array([0.92, 0.76, 1.  , 1.  ])
    """

    instead: ClassVar = {"numbers": "Spearman", "survival": "CoxScore"}
    designs: ClassVar = ("groups", "pairs")

    def _score_pairs(self, first: Array, second: Array) -> Array:
        apart = second - first
        higher = ((apart > 0) + 0.5 * (apart == 0)).mean(axis=0)
        self.auc_ = np.array([1 - higher, higher])
        # Midranks of the sizes of differences, with their signs; 0 for no difference.
        ranks = stats.rankdata(np.abs(apart), axis=0) - (apart == 0).sum(axis=0)
        ranks *= np.sign(apart)
        self._p = partial(signed_rank_p, ranks)
        most = np.abs(ranks).sum(axis=0)
        return np.divide(np.abs(ranks.sum(axis=0)), most, out=np.zeros_like(most), where=most > 0)

    def _score(self, X: Any, y: Indices, sample_weight: Array | None) -> Array:
        rows, codes, omega = counted_rows(y, sample_weight, self.classes_, type(self).__name__)
        X, present = X[rows], np.unique(y[rows])
        self.auc_ = np.full((len(self.classes_), X.shape[1]), np.nan)
        cubes = np.empty(X.shape[1])
        # Two classes are each other's opposite.
        compared = present[:1] if len(present) == 2 else present
        for start in range(0, X.shape[1], BLOCK):
            part = slice(start, start + BLOCK)
            order = ordered(X[:, part], omega)
            cubes[part] = tied_cubes(order, omega)
            for code, c in enumerate(compared):
                self.auc_[c, part] = areas(order, codes == code, omega)
        if len(present) == 2:
            self.auc_[present[1]] = 1 - self.auc_[present[0]]
        masses = np.array([omega[codes == code].sum() for code in range(len(present))])
        self._p = partial(rank_sum_p, self.auc_[compared], masses, cubes)
        return np.asarray(np.abs(2 * self.auc_[present] - 1).max(axis=0))
