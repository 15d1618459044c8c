"""Metrics of times until an event, from the outputs that ``_survival_models`` describes.

Concordance is the share of pairs in the right order: of two rows, the one with the earlier event
should have the higher risk. As for the AUC, the order of every two rows is averaged over the
resamples that tested both; risks of different models are never compared. Rows that left the study
early are made up for by weights, one over the chance Ĝ of being followed so long. Ĝ, τ and the
horizon are facts of all rows (:class:`FollowUp`), the same for every resample and draw.
"""

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from backstay.targets._metric import Floats, Metric, Run, ordered_share, ratio, some_rows
from backstay.targets._number_metrics import R2

if TYPE_CHECKING:
    from backstay.targets._survival import SurvivalTarget
    from backstay.targets._target import Rows

Pairs = tuple[tuple["Rows", "Rows"], Floats]


@dataclass(frozen=True)
class OfPairs(Metric):
    """The weighted share of pairs in which the row with the earlier event has the higher risk."""

    # Rows whose share has the variance that one event brings about: for random risks and 30 to 70 %
    # censored rows, 1.9 to 2.3 by simulation; 9/4 by theory where none is censored.
    event_worth: ClassVar[float] = 2.0

    def chance(self, target: "SurvivalTarget") -> float:
        """Return a half."""
        return 0.5

    def score(self, target: "SurvivalTarget", outputs: Floats) -> Floats:
        """Return the share among these rows; risks that are equal count as halves."""
        (first, second), weight = self.pairs(target)
        risk = outputs[..., 0]
        high, low = risk[..., first][..., None], risk[..., None, second]
        right = (((high > low) + 0.5 * (high == low)) * weight).sum(axis=(-2, -1))
        return ratio(right, np.broadcast_to(weight.sum(), right.shape))

    def pooled(self, target: "SurvivalTarget", runs: Sequence[Run], copies: Floats) -> Floats:
        """Return the share of drawn pairs, their order averaged over resamples."""
        sides, weight = self.pairs(target)
        return ordered_share([(rows, out[..., 0]) for rows, out in runs], sides, copies, weight)

    def rows_worth(self, target: "SurvivalTarget", n_runs: int = 1) -> float:
        """Return so many rows per event: rows without one say little."""
        return self.event_worth * max(target.n_events // n_runs, 1)

    @abstractmethod
    def pairs(self, target: "SurvivalTarget") -> Pairs:
        """Return rows with an event, rows to compare with, and the weight of every pair."""


class _Harrell(OfPairs):
    def pairs(self, target: "SurvivalTarget") -> Pairs:
        """Return every event and the rows known to have had none so early."""
        return _comparable(target, target.event)


class _Uno(OfPairs):
    def pairs(self, target: "SurvivalTarget") -> Pairs:
        """Return events before τ, weighted by 1/Ĝ(t)² (Uno et al. 2011)."""
        (first, second), known = _comparable(
            target, target.event & (target.time < target.follow_up.tau)
        )
        return (first, second), known / target.followed[first, None] ** 2


class _AreaAt(OfPairs):
    event_worth: ClassVar[float] = 0.75  # by simulation 0.8 to 1.1

    def pairs(self, target: "SurvivalTarget") -> Pairs:
        """Return events up to the horizon, weighted by 1/Ĝ(t), and rows without one by then."""
        return pairs_at(target, target.follow_up.horizon)


def pairs_at(target: "SurvivalTarget", at: float) -> Pairs:
    """Return rows with an event up to a time, weighted by 1/Ĝ(t), and rows without one by then."""
    had = target.event & (target.time <= at)
    first, second = some_rows(had), some_rows(~had & (target.time >= at))
    return (first, second), np.tile(1 / target.followed[first, None], (1, len(second)))


def _comparable(target: "SurvivalTarget", wanted: NDArray[np.bool_]) -> Pairs:
    """Return events, all rows, and pairs of known order; an event is before a censoring then."""
    first, second = some_rows(wanted), some_rows(np.ones(len(target), dtype=bool))
    own, other = target.time[first, None], target.time[second]
    known = (own < other) | ((own == other) & ~target.event[second])
    return (first, second), known.astype(np.float64)


class _Ipa(R2):
    """1 − Brier score over that of the training rows' Kaplan–Meier curve, at the horizon."""

    def rows_worth(self, target: "SurvivalTarget", n_runs: int = 1) -> float:
        return float(max(target.n_events // n_runs, 1))

    def _figures(self, target: "SurvivalTarget", outputs: Floats) -> Floats:
        """Return squared errors, weighted for rows that left before the horizon (Graf 1999)."""
        horizon = target.follow_up.horizon
        had = target.event & (target.time <= horizon)
        free = ~had & (target.time >= horizon)
        later = target.follow_up.at_horizon if target.follow_up.reaches_horizon else np.nan
        weight = np.where(had, 1 / target.followed, free / later)
        return np.asarray(weight * (free - np.moveaxis(outputs[..., 1:3], -1, 0)) ** 2)


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        _Uno("uno_c", "concordance (Uno's C)"),
        _Harrell("harrell_c", "concordance (Harrell's C)"),
        _AreaAt("auc_t", "AUC at the horizon"),
        _Ipa("ipa", "index of prediction accuracy", low=-math.inf),
    )
}
