"""RReliefF: ReliefF for an outcome that is a number [Robnik-Šikonja & Kononenko 1997, 2003]."""

from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from backstay._validation import StrOptions, param
from backstay.base import Array, Indices
from backstay.feature_weighting._relief import (
    ReliefF,
    block_slices,
    listed,
    relative_weights,
    run_calls,
)
from backstay.feature_weighting._relief_table import EUCLIDEAN, ReliefColumns, ReliefTable
from backstay.feature_weighting._rows import counted_numbers


def evidence(shares: Array, differences: Array) -> Array:
    """Return what a feature's difference counts between each row and each of its neighbours.

    W = N_dCdA/N_dC − (N_dA − N_dCdA)/(m − N_dC) is a sum over these pairs.
    """
    differ, all_pairs = float((shares * differences).sum()), float(shares.sum())
    alike = all_pairs - differ
    factors = differences / differ if differ > 0.0 else np.zeros_like(differences)
    if alike > 1e-12 * all_pairs:
        factors -= (1.0 - differences) / alike
    return shares * factors


@dataclass(eq=False, repr=False)
class RReliefF(ReliefF):
    """RReliefF: features that differ between near rows whose outcomes differ, and not otherwise.

    For an outcome that is a number. Every visited instance is compared with its k nearest rows. A
    feature gains by its differences as far as the outcomes differ, and loses by them as far as the
    outcomes are alike. Like ReliefF it finds features that matter only together
    [Robnik-Šikonja & Kononenko 1997, 2003].

    Parameters
    ----------
    metric : {"heom", "euclidean", "mahalanobis"}, default="heom"
        How neighbours are sought; see :class:`ReliefF`. "mahalanobis" whitens by the covariance
        of all rows.
    missing : {"distribution", "worst"}, default="distribution"
        Differences to missing nominal values: by how often the values occur, or 1 − 1/#values.
    n_neighbors, sigma, n_draws, categorical_features, n_features_to_select, n_jobs, random_state
        As in :class:`ReliefF`.

    Notes
    -----
    Differences of y are in units of its range. ``sample_weight`` works as in :class:`ReliefF`: an
    instance's contribution is multiplied by ω, and its neighbours share their influence by ω.
    Weka's ReliefF computes the same for a numeric class, with ``missing="worst"``.

    Examples
    --------
    >>> import numpy as np
    >>> from backstay import RReliefF
    >>> X = np.random.default_rng(0).uniform(-1, 1, size=(300, 6))
    >>> y = X[:, 0] * X[:, 1]
    >>> RReliefF(n_features_to_select=2).fit(X, y).get_support(indices=True)
    array([0, 1])
    """

    _: KW_ONLY
    metric: str = param("heom", StrOptions({"heom", *EUCLIDEAN}))
    missing: str = param("distribution", StrOptions({"distribution", "worst"}))
    miss: str = field(default="per_class", init=False)

    outcomes = ("numbers",)
    instead: ClassVar = {"classes": "ReliefF"}

    def _score(self, X: ReliefColumns, y: Any, sample_weight: Array | None) -> Array:
        counted_numbers(y, sample_weight, type(self).__name__)
        # To the table all rows are of one class, in the order given.
        table = ReliefTable.build(X, np.zeros(len(y), np.intp), self.metric, self.missing)
        omega = relative_weights(sample_weight, table.n)
        visits = np.arange(table.n) if self.n_draws is None else np.sort(self._visits(table))
        self._mass(omega[visits])
        k = min(self.n_neighbors, table.n - 1)
        at_once = self._fits_at_once(table, k)
        blocks = block_slices(table, len(visits), k)
        if at_once:
            rows = self._lists_at_once(table, k)[1]
        else:
            find = partial(_nearest, table, k)
            rows = np.concatenate(
                run_calls(self.n_jobs, [partial(find, visits[block]) for block in blocks])
            )
        shares = self._shares(visits, rows, omega)[:, 0]
        neighbors = rows[:, 0]
        differences = np.abs(y[visits][:, None] - y[neighbors]) / np.ptp(y)
        coefficients = evidence(shares, differences)
        if at_once:
            return self._sums_at_once(table, neighbors, coefficients)
        calls = [partial(table.sums, visits[b], neighbors[b], coefficients[b]) for b in blocks]
        return np.asarray(np.sum(run_calls(self.n_jobs, calls), axis=0))


def _nearest(table: ReliefTable, k: int, queries: Indices) -> NDArray[Any]:
    return listed(table, queries, table.distances(queries), k)[1]
