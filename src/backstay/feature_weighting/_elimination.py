"""Recursive elimination: train, drop the features of the smallest weights, train again."""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from backstay._scaling import Scaling
from backstay._validation import PROPER_SHARE, StrOptions, check_is_fitted, param, positive_int
from backstay.base import Array, FeatureRanker, Indices


class EliminationRound(NamedTuple):
    """What one round of the elimination saw; columns are in ascending order."""

    features: Indices  # columns that the machines of this round were trained on
    weights: Array  # their normalised weights r_j = |w_j| / Σ|w|


@dataclass(frozen=True)
class Elimination:
    """The course of an elimination."""

    last_round: Indices  # the round each feature was dropped in; the survivor has the highest
    last_weight: Array  # its criterion |w_j| in that round
    path: list[EliminationRound]  # every round, when recorded
    n_rounds: int
    n_steps: int  # the most that a machine took

    def importances(self) -> Array:
        """Share of the features a feature outlasts, itself included; exact ties share theirs."""
        d = len(self.last_round)
        order = np.lexsort((self.last_weight, self.last_round))
        rounds, weights = self.last_round[order], self.last_weight[order]
        ties = (rounds[1:] == rounds[:-1]) & (weights[1:] == weights[:-1])
        first_of_tie = np.maximum.accumulate(np.where(np.r_[False, ties], 0, np.arange(d)))
        importances = np.empty(d)
        importances[order] = (first_of_tie + 1) / d
        return importances


# Added before a share of features is rounded down. One tenth of 30 must stay 3 when rounding up,
# though it is a little more in floating point.
LIFT = {"down": 0.0, "up": 1.0 - 1e-9}


def _n_dropped(step: int | float, lift: float, remaining: int) -> int:
    count = int(step) if isinstance(step, Integral) else max(1, int(step * remaining + lift))
    return min(count, remaining - 1)


def smallest(weights: Array, features: Indices, count: int) -> NDArray[np.bool_]:
    """Mark the `count` smallest weights; of equal ones the later columns."""
    marked = weights <= np.partition(weights, count - 1)[count - 1]
    if np.count_nonzero(marked) == count:
        return np.asarray(marked)
    weights = np.where(np.isnan(weights), np.inf, weights)  # or none would be dropped, for ever
    cut = np.partition(weights, count - 1)[count - 1]
    marked = weights < cut
    tied = np.flatnonzero(weights == cut)
    latest = np.argsort(-features[tied])[: count - np.count_nonzero(marked)]
    marked[tied[latest]] = True
    return np.asarray(marked)


def run_rounds(
    machine: Any, step: int | float, rounding: str, record_path: bool = False
) -> Elimination:
    """Eliminate features down to one, by a machine with ``weights()`` and ``drop(marked)``."""
    last_round = np.empty(len(machine.features), dtype=np.intp)
    last_weight = np.zeros(len(machine.features))
    path: list[EliminationRound] = []
    lift = LIFT[rounding]
    number = 0
    while machine.remaining > 1 or (record_path and len(path) == number):
        features = machine.features[: machine.remaining]
        weights = machine.weights()
        if record_path:
            order, total = np.argsort(features), weights.sum()
            shares = weights[order] / total if total > 0.0 else np.zeros(len(weights))
            path.append(EliminationRound(features[order], shares))
        if machine.remaining == 1:
            break
        dropped = smallest(weights, features, _n_dropped(step, lift, machine.remaining))
        gone = features[dropped]
        last_round[gone], last_weight[gone] = number, weights[dropped]
        machine.drop(dropped)
        number += 1
    last_round[machine.features[0]] = number
    return Elimination(last_round, last_weight, path, number + 1, machine.n_steps)


@dataclass(eq=False, repr=False)
class EliminationRanker(FeatureRanker):
    """Base of rankers by recursive elimination: how many features a round drops, and the path."""

    _: KW_ONLY
    step: int | float = param(0.1, positive_int(), PROPER_SHARE)
    rounding: str = param("down", StrOptions({*LIFT}))
    scaling: str | None = param("minmax", *Scaling.OPTIONS)
    record_path: bool = param(False, "boolean")

    def _importances(self, course: Elimination) -> Array:
        """Keep the path if it was recorded."""
        if self.record_path:
            self.path_ = course.path
        elif hasattr(self, "path_"):
            del self.path_  # of an earlier fit
        return course.importances()

    def path_matrix(self) -> Array:
        """Return ``path_`` as one table: normalised weights by round, 0 for eliminated features."""
        check_is_fitted(self, "path_", msg="path_matrix() needs fit with record_path=True.")
        table = np.zeros((len(self.path_), self.n_features_in_))
        for row, (features, weights) in zip(table, self.path_, strict=True):
            row[features] = weights
        return table
