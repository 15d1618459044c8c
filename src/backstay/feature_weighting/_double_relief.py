"""dReliefF and pdReliefF: ReliefF whose distance uses the weights so far [Prat 5.3]."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np

from backstay._validation import param
from backstay.base import Array, Indices, distance_weights, warn_single_members
from backstay.feature_weighting._relief import ReliefF, relative_weights
from backstay.feature_weighting._relief_table import ReliefColumns, ReliefTable


@dataclass(eq=False, repr=False)
class DoubleReliefF(ReliefF):
    """dReliefF and pdReliefF: the weights so far enter the distance [Prat 5.3].

    Instances are visited one after the other in random order; neighbours are
    sought under Σ_j w_j diff_j (or √Σ_j w_j diff_j², if `metric` is Euclidean) with w the
    weights so far, as max(w, 0)/max(w).

    Parameters
    ----------
    progressive : bool, default=False
        pdReliefF: blend from no weights to the weights so far by
        f(w, t) = 1 + (w − 1)·c/(c + s), c = (t/m)^a.
    schedule : (float, float), default=(2, 0.0633657)
        a and s: a larger a starts later, a smaller s converges earlier [Prat eq. 5.16].
    n_neighbors, miss, sigma, neighbor_weights, n_draws, metric, missing, categorical_features, \
n_features_to_select, random_state
        As in :class:`ReliefF`; the seed also draws the order of the visits, which matters here.

    Examples
    --------
    >>> from backstay import DoubleReliefF
    >>> from backstay.datasets import make_xor
    >>> X, y, relevance = make_xor(n_samples=200, random_state=0)
    >>> ranker = DoubleReliefF(progressive=True, n_features_to_select=3, random_state=0)
    >>> ranker.fit(X, y).get_support(indices=True)
    array([0, 1, 2])
    """

    _: KW_ONLY
    progressive: bool = param(False, "boolean")
    schedule: tuple[float, float] = param((2, 0.0633657), tuple)
    n_jobs: int | None = field(default=None, init=False)

    def _score(self, X: ReliefColumns, y: Indices, sample_weight: Array | None) -> Array:
        warn_single_members(self.classes_, y)
        table = ReliefTable.build(X, y, self.metric, self.missing)
        omega = relative_weights(sample_weight, table.n)[table.order]
        return relief_by_visits(self, table, lambda t, w: omega)


def relief_by_visits(
    ranker: ReliefF, table: ReliefTable, omega_at: Callable[[int, Array], Array]
) -> Array:
    """Visit row after row, with the instance weights that `omega_at(visit, weights)` returns."""
    visits, k = ranker._visits(table), ranker._n_listed(table)
    double = isinstance(ranker, DoubleReliefF)
    total, used, visited = np.zeros(table.n_features), np.zeros(len(visits)), 0.0
    for t, visit in enumerate(visits):
        # Hits and misses that cancel leave rounding errors, which must not become weights.
        rounding = 16.0 * np.finfo(table.dense.dtype).eps * visited
        weights = distance_weights(np.where(total > rounding, total, 0.0))
        if isinstance(ranker, DoubleReliefF) and ranker.progressive:
            weights = 1.0 + (weights - 1.0) * progress(t / len(visits), *ranker.schedule)
        omega, queries = omega_at(t, weights), np.array([visit])
        D = table.distances(queries, weights if double else None)
        total += table.sums(queries, *ranker._from_distances(table, queries, D, k, omega))
        used[t] = omega[visit]
        visited += omega[visit]
    return total / ranker._mass(used)


def progress(elapsed: Any, a: float = 2, s: float = 0.0633657) -> Any:
    """c/(c + s) of f(w, t) = 1 + (w − 1)·c/(c + s), c = (t/m)^a [Prat eq. 5.15, 5.16]."""
    c = elapsed**a
    return c / (c + s)
