"""Logistic instance weighting, LIW [Prat 8.2]."""

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from backstay._metric import DISTANCES, rows_for_metric
from backstay._scaling import Scaling
from backstay._validation import NOT_NEGATIVE, param, positive_int
from backstay.base import Array, Indices, InstanceWeighter, warn_single_members
from backstay.instance_weighting._margin import neighbor_blocks


def hypothesis_margins(
    X: Any, y: Indices, n_neighbors: int | None, metric: str = "euclidean"
) -> Array:
    """θ(x) = ½ (mean distance to misses − to hits) [Prat eq. 2.53]; lonely rows get the lowest."""
    margins = np.empty(len(y))
    for block, distances, hits, misses in neighbor_blocks(X, y, n_neighbors, metric):
        to_misses = (distances * misses).sum(axis=1) / misses.sum(axis=1)
        to_hits = (distances * hits).sum(axis=1) / np.maximum(hits.sum(axis=1), 1)
        margins[block] = 0.5 * (to_misses - to_hits)
    alone = np.bincount(y)[y] == 1
    # If every row is alone in its class, there is no margin, and all get the same.
    margins[alone] = 0.0 if alone.all() else margins[~alone].min()
    return margins


def logistic_weights(margins: Array, alpha: float) -> Array:
    """ω = 1/(1 + exp(−α z(θ))), z the standard score with sample deviation [Prat eq. 8.2]."""
    spread = margins.std(ddof=1)
    # A spread as small as rounding errors counts as 0: equal margins give equal weights.
    if spread <= 1e-12 * np.abs(margins).max():
        return np.full(len(margins), 0.5)
    return expit(alpha * (margins - margins.mean()) / spread)


@dataclass(eq=False, repr=False)
class LogisticWeighting(InstanceWeighter):
    """Weigh instances by their hypothesis margin through a logistic function (LIW).

    Rows far from their misses and near their hits get more weight than rows
    among the other class.

    Parameters
    ----------
    alpha : float, default=3.03
        Slope; at 3.03 a row one standard deviation above the mean margin gets
        0.954 (before scaling).
    n_neighbors : int, default=None
        Average over this many nearest hits and misses; None averages over all.
    metric, scale, scaling
        As in :class:`MarginWeighting`.

    Attributes
    ----------
    sample_weight_ : ndarray of shape (n_samples,)
        The weights ω.
    margins_ : ndarray of shape (n_samples,)
        The margins θ on the scaled features.

    Examples
    --------
    >>> from backstay import LogisticWeighting
    >>> X = [[0.0], [0.1], [0.6], [0.9], [1.0]]
    >>> LogisticWeighting().fit_weight(X, ["a", "a", "a", "b", "b"]).round(2)
    array([1.27, 1.15, 0.01, 1.19, 1.39])
    """

    alpha: float = param(3.03, NOT_NEGATIVE)
    _: KW_ONLY
    n_neighbors: int | None = param(None, positive_int())
    metric: str = param("euclidean", *DISTANCES)
    scaling: str | None = param("minmax", *Scaling.OPTIONS)

    def _weigh(self, X: Any, y: Indices) -> Array:
        warn_single_members(self.classes_, y)
        rows = rows_for_metric(Scaling(X, self.scaling)(X), y, self.metric)
        self.margins_ = hypothesis_margins(rows, y, self.n_neighbors, self.metric)
        return logistic_weights(self.margins_, self.alpha)
