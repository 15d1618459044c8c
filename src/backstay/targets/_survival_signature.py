"""What a frozen signature remembers of times until an event, and what it asks of a cohort.

Features are regressed on the martingale residual without features, events less those expected by
a row's time, as they are on an outcome of numbers.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from backstay._kernels._cox import cox_ridge, null_residuals
from backstay._kernels._survival import kaplan_meier, logrank
from backstay._refusal import Refusal
from backstay._words import counted
from backstay.targets._metric import Metric
from backstay.targets._numbers import NumberTarget
from backstay.targets._survival_curves import GROUPS, Z
from backstay.targets._survival_follow_up import FollowUp, as_survival, survival
from backstay.targets._survival_models import survival_at
from backstay.targets._target import Alike, Floats, Rows, TableRows, Target

# Steps between 0 and the longest follow-up at which hazard and follow-up are remembered.
N_STEPS = 100
# Follow-up, and numbers of events, that differ by more than these factors are worth a word, and
# the level at which the latter are beyond chance.
OTHER_FOLLOW_UP, OTHER_EVENTS, LEVEL = 2.0, 1.25, 0.01
# Draws that a standard error is taken from.
N_DRAWS = 200


class SurvivalSignature(Target):
    """The time until an event of every row, as a frozen signature asks for it."""

    def __init__(
        self, values: NDArray[Any], follow_up: FollowUp, followed: Floats | None = None
    ) -> None:
        self.values, self.follow_up = values, follow_up
        self.time, self.event = values["time"], values["event"]
        self.followed = follow_up.followed(self.time) if followed is None else followed

    def readings(self, y: NDArray[Any]) -> list[Self]:
        """Return the times; there is one way to read them."""
        return [self._with_rows(as_survival(np.asarray(y)))]

    def _with_rows(self, values: NDArray[Any]) -> Self:
        """Return other rows, with their own follow-up, and the same τ and horizon."""
        return type(self)(values, self.follow_up.with_rows(values))

    def frozen_moments(self, values: Floats) -> dict[str, Any]:
        """Return regressions on the residuals, hazard and follow-up by time, and usual survival."""
        residuals = null_residuals(self.time, self.event, np.ones(len(self)))
        grid = np.linspace(0, self.time.max(), N_STEPS + 1)
        times, _, at_risk, n_events = kaplan_meier(self.time, self.event)
        passed = np.searchsorted(times, grid, side="right")
        known = self.follow_up
        return {
            **NumberTarget(residuals).frozen_moments(values),
            "times": grid.tolist(),
            "hazard": np.append(0, np.cumsum(n_events / at_risk))[passed].tolist(),
            "followed": known.followed(np.nextafter(grid, np.inf)).tolist(),
            "outcome": [survival_at(self.values, known.horizon), known.median, known.tau],
        }

    def _expected_events(self, moments: Mapping[str, Any]) -> Floats:
        """Return the events expected by every row's time, from the hazard of the training rows."""
        passed = np.searchsorted(moments["times"], self.time, side="right") - 1
        return np.asarray(moments["hazard"])[passed]

    def drawn_like(
        self, moments: Mapping[str, Any], sizes: list[int], n_rows: int, rng: np.random.Generator
    ) -> tuple[Self, Floats]:
        """Return rows with times as by the hazard, and features normal around their regression."""
        times = np.append(moments["times"], moments["times"][-1])
        event = np.searchsorted(moments["hazard"], rng.exponential(size=n_rows))
        left = np.searchsorted(-np.asarray(moments["followed"]), -rng.random(n_rows))
        followed = np.maximum(times[np.minimum(event, left)], times[1])
        drawn = self._with_rows(survival(followed, (event <= left) & (event <= N_STEPS)))
        residuals = drawn.event - drawn._expected_events(moments)
        on_line = np.asarray(moments["intercepts"]) + np.outer(residuals, moments["slopes"])
        return drawn, on_line + self._noise(moments, n_rows, rng)

    def of_cohort(self, y: Any, mapping: Mapping[str, str]) -> Self:
        """Return the cohort's times; concordance ends where too few of its rows are followed."""
        if mapping:
            raise Refusal(
                f"{next(iter(mapping))!r} is mapped, but the signature predicts times until an "
                "event; say which value means the event when you read the times.",
                parameter="mapping",
            )
        values = as_survival(np.asarray(y))
        if not values["event"].any():
            raise Refusal(
                f"none of the {counted(len(values), 'row')} of the cohort has the event, so "
                "nothing can be compared."
            )
        own = self.follow_up.with_rows(values)
        return type(self)(values, replace(own, tau=min(own.tau, own.last)))

    def alike(self, moments: Mapping[str, Any], column: int, x: Floats) -> list[Alike]:
        """Set what the residuals leave of the values against what they left in training."""
        residuals = NumberTarget(self.event - self._expected_events(moments))
        return residuals.alike(moments, column, x)

    def residuals(self, x: Floats) -> Floats:
        """Return values minus their regression on the residuals."""
        own = null_residuals(self.time, self.event, np.ones(len(self)))
        return NumberTarget(own).residuals(x)

    def in_brief(self, predicted: NDArray[Any]) -> str:
        """Return the range of the risks."""
        return f"risk {predicted.min():.3g} to {predicted.max():.3g}"

    def frozen_outputs(
        self, predicted: NDArray[Any], scores: Floats, moments: Mapping[str, Any]
    ) -> Floats:
        """Return risk, survival at the horizon, that of the training rows, and group."""
        usual = np.full(len(predicted), moments["outcome"][0])
        if not scores.shape[1]:  # a model of another package
            return np.column_stack([predicted, usual, usual, np.full(len(predicted), np.nan)])
        return np.column_stack([predicted, scores[:, 0], usual, scores[:, 1]])

    def prediction_columns(
        self, scores: Floats, chances: Floats | None, interval: Floats | None
    ) -> dict[str, Any]:
        """Return survival at the horizon and the name of the risk group, where they are known."""
        if np.isnan(scores[:, 2]).all():
            return {}
        names = np.array(GROUPS, dtype=object)[scores[:, 2].astype(np.intp)]
        return {f"survival at {self.follow_up.horizon:g}": scores[:, 0], "group": names}

    def calibrated(self, tested: pd.DataFrame) -> tuple[dict[str, Any] | None, str]:
        at = f"{self.follow_up.horizon:.4g}"
        return None, f"survival up to {at}, from the hazard that all rows share and their risk"

    def cohort_figures(self, outputs: Floats, interval: Floats | None, draws: Rows) -> TableRows:
        """Return the slope on the risk, observed over predicted events, and the log-rank test."""
        figures = [self._figure("slope", outputs, draws)]
        if math.isfinite(outputs[:, 3].sum()):
            figures.append(self._figure("events", outputs, draws))
            statistic, degrees = logrank(self.time, self.event, outputs[:, 3])
            p_value = float(stats.chi2.sf(statistic, degrees)) if degrees else math.nan
            name = "p-value of the log-rank test between the groups"
            ends = {"low": math.nan, "high": math.nan}
            figures.append({"key": "log_rank", "figure": name, "value": p_value, **ends})
        return figures

    def _figure(self, key: str, outputs: Floats, draws: Rows) -> dict[str, Any]:
        """Return a figure, with an interval from its spread over some draws of rows."""
        name, asked = FIGURES[key]
        value = asked(self, outputs)
        if math.isnan(value):
            return {"key": key, "figure": name, "value": value, "low": value, "high": value}
        spread = np.nanstd([asked(self.take(rows), outputs[rows]) for rows in draws[:N_DRAWS]])
        ends = {"low": value - Z * float(spread), "high": value + Z * float(spread)}
        return {"key": key, "figure": name, "value": value, **ends}

    def scores_of_draws(self, metric: Metric, outputs: Floats, draws: Rows) -> Floats:
        """Return a metric of every draw of rows, the order of pairs looked at once."""
        copies = np.array([np.bincount(rows, minlength=len(self)) for rows in draws])
        runs = [(np.arange(len(self)), outputs[None, None])]
        return metric.pooled(self, runs, copies.astype(np.float64))[:, 0]

    def cohort_concerns(
        self, moments: Mapping[str, Any], sizes: list[int]
    ) -> list[tuple[str, str]]:
        """Return how follow-up and events differ from those of the training rows."""
        own, concerns = self.follow_up, []
        _, median, tau = moments["outcome"]
        ratio = own.median / median
        if not 1 / OTHER_FOLLOW_UP < ratio < OTHER_FOLLOW_UP:
            text = (
                f"The median is {own.median:.4g}, {ratio:.3g} times that of the training rows "
                f"({median:.4g}). Make sure that times have the same unit and the same start."
            )
            concerns.append(("Follow-up differs.", text))
        observed, expected = int(self.event.sum()), float(self._expected_events(moments).sum())
        if expected > 0:
            apart = math.log(observed / expected)
            p_value = 2 * stats.norm.sf(abs(apart) / math.sqrt(1 / observed + 1 / sizes[0]))
            if abs(apart) > math.log(OTHER_EVENTS) and p_value < LEVEL:
                text = (
                    f"{counted(observed, 'event')} happened where {expected:.0f} would have at the "
                    "rate of the training rows, with the same follow-up. Predicted survival is "
                    "for that rate; concordance does not depend on it."
                )
                concerns.append(("Events come at another rate.", text))
        if own.tau < tau:
            text = (
                f"Fewer than a tenth of the rows are followed beyond {own.tau:.4g}, so concordance "
                f"compares events up to then; in the study it was up to {tau:.4g}."
            )
            concerns.append(("Follow-up is too short for all of the comparison.", text))
        if not own.reaches_horizon:
            text = f"Nothing can be said of survival at {own.horizon:.4g}, which is predicted."
            concerns.append(("Follow-up does not reach the horizon.", text))
        return concerns


def _slope(target: SurvivalSignature, outputs: Floats) -> float:
    """Return the coefficient of the risk in a Cox regression of the rows; 1 is right."""
    one = np.ones(1)
    risk = np.ascontiguousarray(outputs[:, :1])
    if not target.event.any() or not np.ptp(risk):
        return math.nan
    return float(cox_ridge(risk, target.time, target.event, np.ones(len(risk)), 0.0, one)[0])


def _observed_over_predicted(target: SurvivalSignature, outputs: Floats) -> float:
    """Return events up to the horizon over those predicted; 1 is right."""
    if not target.follow_up.reaches_horizon:
        return math.nan
    observed = 1 - survival_at(target.values, target.follow_up.horizon)
    return observed / float((1 - outputs[:, 1]).mean())


# Figures of a cohort: how a report names them, and what they are.
FIGURES = {
    "slope": ("calibration slope of the risk score", _slope),
    "events": ("events by the horizon, observed over predicted", _observed_over_predicted),
}
