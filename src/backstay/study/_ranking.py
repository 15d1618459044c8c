"""From a fitted method to its ranking of the features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay._design import Design
from backstay._ties import TiedGroups
from backstay.base import importances_of, n_ranked_of
from backstay.targets import Target

# Features of a ranking that are kept one by one: so many at least, and so many times the largest
# size of a study. A store would otherwise grow with all features, for weights nobody looks at.
LEAST_DEPTH, DEPTH_PER_SIZE = 5000, 20


@dataclass(frozen=True)
class Ranking:
    """What a method says: columns best first, importances by column, weights of training rows.

    Behind the first `n_ranked` columns the order is random.
    """

    order: NDArray[np.intp]
    importances: NDArray[np.float64]
    sample_weight: NDArray[np.float64] | None
    n_ranked: int

    def arrays(
        self, columns: NDArray[np.intp], n_features: int, depth: int
    ) -> dict[str, NDArray[Any]]:
        """Return what the store keeps; of more than `depth` features only the best one by one.

        `columns` of the data are those that preprocessing left; others come last, with weight 0.
        """
        order, weights = self.order, self.importances
        if len(columns) < n_features:
            dropped = np.setdiff1d(np.arange(n_features), columns, assume_unique=True)
            order = np.concatenate([columns[order], dropped])
            weights = np.zeros(n_features)
            weights[columns] = self.importances
        kept: dict[str, NDArray[Any]] = {
            "order": order[:depth].astype("<i4"),
            "n_ranked": np.array([self.n_ranked], dtype="<i4"),
        }
        if n_features <= depth:
            kept["weights"] = weights.astype("<f8")
        else:
            kept["best weights"] = weights[order[:depth]].astype("<f8")
            kept["other weights"] = _summary(weights[order[depth:]])
        if self.sample_weight is not None:
            kept["sample_weight"] = self.sample_weight
        return kept


def units_for(method: Any, design: Design, target: Target) -> dict[str, NDArray[Any]]:
    """Return the pairs, or the groups of one outcome each, that a filter is to compare."""
    taken, pairs, groups = getattr(method, "designs", ()), design.pairs, design.groups
    if pairs is not None:
        return {"pairs": pairs} if "pairs" in taken else {}
    means = groups is not None and "groups" in taken and target.by_group(groups) is not None
    return {"groups": groups} if groups is not None and means else {}


def kept_depth(sizes: tuple[int, ...]) -> int:
    """Return how many features of a ranking are kept one by one."""
    return max(LEAST_DEPTH, DEPTH_PER_SIZE * max(sizes))


def _summary(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return number, sum, sum of squares, sum of sizes, least and largest of some weights."""
    with np.errstate(over="ignore", invalid="ignore"):
        sums = [weights.sum(), (weights**2).sum(), np.abs(weights).sum()]
    return np.array([len(weights), *sums, weights.min(), weights.max()], dtype="<f8")


def ranking_of(
    fitted: Any, n_columns: int, n_rows: int, seed: int, indifferent: bool = False
) -> Ranking:
    """Read the ranking off a fitted method; features that it does not tell apart in random order.

    If that is all of them, it is an error, unless the method may be `indifferent`.
    """
    others = ("feature_importances_", "coef_", "ranking_")
    if hasattr(fitted, "scores_") and not any(hasattr(fitted, name) for name in others):
        # As scikit-learn's filters have them; nan for a constant feature.
        importances = np.nan_to_num(np.asarray(fitted.scores_, dtype=np.float64), posinf=np.inf)
    else:
        importances = importances_of(fitted)
    name = type(fitted).__name__
    if importances.shape != (n_columns,):
        raise ValueError(f"{name} gives {importances.size} importances for {n_columns} features.")
    if np.isnan(importances).any():
        feature = int(np.flatnonzero(np.isnan(importances))[0])
        raise ValueError(f"{name} gives feature {feature} the importance nan.")
    if not np.isfinite(importances).any():
        raise ValueError(f"{name} gives no feature a finite importance.")
    groups = TiedGroups.read(fitted, importances)
    if not indifferent and n_columns > 1 and not groups.numbers.any():
        raise ValueError(
            f"{name} gives all {n_columns} features the importance {importances[0]:g}, which is no "
            "ranking."
        )
    order = groups.order(np.random.default_rng(seed))
    sample_weight = getattr(fitted, "sample_weight_", None)
    if sample_weight is not None:
        one_per_row = np.shape(sample_weight) == (n_rows,)
        sample_weight = np.asarray(sample_weight, dtype="<f8") if one_per_row else None
    n_ranked = min(n_ranked_of(fitted, importances), groups.n_ordered)
    return Ranking(order, importances, sample_weight, n_ranked)
