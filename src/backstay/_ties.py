"""How a fitted method orders the features, apart from the order of their columns.

Rankers break ties by column, which is right for a single ranking. Between resamples, or between
the members of an ensemble, it would make all features of importance 0 agree, and a method that
finds nothing would look stable. Studies and ensembles therefore read a method by the same rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from backstay.base import (
    Array,
    FeatureRanker,
    Indices,
    best_first,
    n_ranked_of,
    ranking_from_importances,
)


@dataclass(frozen=True)
class TiedGroups:
    """Features in groups, within which only the column tells them apart; 0 is the best group."""

    numbers: Indices

    @classmethod
    def by(cls, importances: Array, totals: NDArray[Any] | None = None) -> Self:
        """Group features of equal importance and, if given, of equal totals: less is better."""
        keys = (-importances,) if totals is None else (totals, -importances)
        order = best_first(importances) if totals is None else np.lexsort(keys)
        apart = np.zeros(len(order), dtype=np.intp)
        for key in keys:
            apart[1:] |= key[order[1:]] != key[order[:-1]]
        numbers = np.empty_like(apart)
        numbers[order] = np.cumsum(apart)
        return cls(numbers)

    @classmethod
    def read(cls, fitted: Any, importances: Array) -> Self:
        """Read the groups off a fitted method with these importances.

        A ranker's ranking may say more than its importances and is then kept, as far as it ranks;
        that of an ensemble whose members have ties, as far as the sums of their ranks differ. The
        ``ranking_`` of any other selector, such as scikit-learn's RFE, is its importances: features
        that share a rank are tied.
        """
        if not isinstance(fitted, FeatureRanker):
            return cls.by(importances)
        totals = _totals_of_ranks(fitted)
        ranking = fitted.ranking_
        if totals is not None or np.array_equal(ranking, ranking_from_importances(importances)):
            return cls.by(importances, totals)
        return cls(np.minimum(ranking - 1, n_ranked_of(fitted, importances)))

    @property
    def sizes(self) -> Indices:
        """Number of features in every group, the best first."""
        return np.bincount(self.numbers)

    @property
    def n_ordered(self) -> int:
        """Number of features that have an order: all but those that share the last place."""
        last = int(self.sizes[-1])
        return len(self.numbers) - (last if last > 1 else 0)

    def none_cut_by(self, support: NDArray[np.bool_]) -> bool:
        """Whether a selection has each group as a whole or not at all."""
        inside = np.bincount(self.numbers[support], minlength=len(self.sizes))
        return bool(((inside == 0) | (inside == self.sizes)).all())

    def order(self, rng: np.random.Generator) -> Indices:
        """Return the features from best to worst, those of a group at random."""
        shuffled = rng.permutation(len(self.numbers))
        # Numbers of 16 bits are sorted without comparing them, much sooner.
        small = self.numbers.max(initial=0) < 2**16
        numbers = self.numbers[shuffled].astype(np.uint16 if small else np.intp)
        return shuffled[np.argsort(numbers, kind="stable")]


def _totals_of_ranks(fitted: FeatureRanker) -> Indices | None:
    """Return what an ensemble orders features of equal importance by, if its members have ties."""
    rankings = getattr(fitted, "rankings_", None)
    if rankings is None or np.count_nonzero(rankings == rankings.shape[1]) <= len(rankings):
        return None
    return np.asarray(rankings.sum(axis=0))
