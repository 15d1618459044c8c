"""What a fitted method says of the order of the features, without that of their columns.

Rankers break ties by column, which is right for a single ranking. Between resamples, or between
the members of an ensemble, it would make all features of importance 0 agree, and a method that
finds nothing look stable. Studies and ensembles therefore read a method by the same rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay.base import Array, FeatureRanker, Indices, n_ranked_of, ranking_from_importances

__all__ = ["TiedGroups", "groups_by", "groups_of"]


@dataclass(frozen=True)
class TiedGroups:
    """Features in groups, within which nothing but the column tells them apart.

    `numbers` has the group of every feature, 0 for the best.
    """

    numbers: Indices

    @property
    def sizes(self) -> Indices:
        """Number of features in every group, the best first."""
        return np.bincount(self.numbers)

    @property
    def n_ordered(self) -> int:
        """Features whose place is more than one by lot among the last.

        Those that share the last place have no order: most often the method found nothing in
        them. If one feature alone is last, all have an order.
        """
        last = int(self.sizes[-1])
        return len(self.numbers) - (last if last > 1 else 0)

    def none_cut_by(self, support: NDArray[np.bool_]) -> bool:
        """Whether a selection has each group as a whole or not at all."""
        inside = np.bincount(self.numbers[support], minlength=len(self.sizes))
        return bool(((inside == 0) | (inside == self.sizes)).all())

    def order(self, lot: np.random.Generator) -> Indices:
        """Return the features from best to worst, those of a group by lot."""
        chance = lot.permutation(len(self.numbers))
        return chance[np.argsort(self.numbers[chance], kind="stable")]


def groups_by(importances: Array, totals: NDArray[Any] | None = None) -> TiedGroups:
    """Group features of equal importance, and of equal totals where there are any: less is better.

    Examples
    --------
    >>> groups_by(np.array([0.0, 3.0, 0.0, 5.0])).numbers
    array([2, 1, 2, 0])
    """
    keys = (-importances,) if totals is None else (totals, -importances)
    order = np.lexsort(keys)
    apart = np.zeros(len(order), dtype=np.intp)
    for key in keys:
        apart[1:] |= key[order[1:]] != key[order[:-1]]
    numbers = np.empty_like(apart)
    numbers[order] = np.cumsum(apart)
    return TiedGroups(numbers)


def groups_of(fitted: Any, importances: Array) -> TiedGroups:
    """Read the groups off a fitted method, whose importances have been read.

    A ranker's ranking may say more than its importances and is then kept, as far as it ranks; that
    of an ensemble whose members have ties, as far as the sums of their ranks differ. The
    ``ranking_`` of any other selector, such as scikit-learn's RFE, is its importances: features
    that share a rank are tied.
    """
    if not isinstance(fitted, FeatureRanker):
        return groups_by(importances)
    totals = _sums_of_ranks(fitted)
    if totals is not None:
        return groups_by(importances, totals)
    ranking = fitted.ranking_
    if np.array_equal(ranking, ranking_from_importances(importances)):
        return groups_by(importances)
    return TiedGroups(np.minimum(ranking - 1, n_ranked_of(fitted, importances)))


def _sums_of_ranks(fitted: FeatureRanker) -> Indices | None:
    """Return what an ensemble orders features of equal importance by, if its members have ties.

    Features without an order in a member share its last rank. Many then have equal sums, too, and
    the ensemble's own ranking has these by column. Otherwise None: its ranking is as it should be.
    """
    rankings = getattr(fitted, "rankings_", None)
    if rankings is None or np.count_nonzero(rankings == rankings.shape[1]) <= len(rankings):
        return None
    return np.asarray(rankings.sum(axis=0))
