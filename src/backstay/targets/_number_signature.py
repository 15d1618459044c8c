"""What a frozen signature remembers of numbers, and what it asks of a cohort's numbers."""

import math
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from backstay._refusal import Refusal
from backstay._wilson import wilson
from backstay.targets._target import Alike, Floats, Rows, TableRows, Target

# Levels that a signature keeps a width for, as far as its rows allow, and the one that is shown.
LEVELS, LEVEL = (0.5, 0.8, 0.9, 0.95, 0.99), 0.9
# Rows that a slope with an interval needs.
LEAST_ROWS = 4


class NumberSignature(Target):
    """The number of every row, as a frozen signature asks for it."""

    def __init__(self, values: Floats) -> None:
        self.values = values

    def readings(self, y: NDArray[Any]) -> list[Self]:
        """Return the numbers; there is one way to read them."""
        return [type(self)(np.asarray(y, dtype=np.float64))]

    def frozen_moments(self, values: Floats) -> dict[str, Any]:
        """Return features' regressions on the outcome, what they leave, and the outcome."""
        moments: dict[str, list[Any]] = {"counts": [], "intercepts": [], "slopes": [], "sds": []}
        residual = np.zeros_like(values)
        for j, column in enumerate(values.T):
            known = ~np.isnan(column)
            intercept, slope = _line(self.values[known], column[known])
            left = column[known] - intercept - slope * self.values[known]
            residual[known, j] = left
            n = int(known.sum())
            figures = (n, intercept, slope, float(np.sqrt((left**2).sum() / max(n - 2, 1))))
            for key, figure in zip(moments, figures, strict=True):
                moments[key].append(figure)
        covariance = residual.T @ residual / max(len(values) - 2, 1)
        outcome = [float(self.values.mean()), float(self.values.std(ddof=1)), self._kurtosis()]
        return {**moments, "covariance": covariance.tolist(), "outcome": outcome}

    def drawn_like(
        self, moments: Mapping[str, Any], sizes: list[int], n_rows: int, rng: np.random.Generator
    ) -> tuple[Self, Floats]:
        """Return rows with outcomes and features from normal distributions."""
        mean, deviation, _ = moments["outcome"]
        y = mean + deviation * rng.normal(size=n_rows)
        noise = self._noise(moments, n_rows, rng)
        on_line = np.asarray(moments["intercepts"]) + np.outer(y, moments["slopes"])
        return type(self)(y), on_line + noise

    def of_cohort(self, y: Any, mapping: Mapping[str, str]) -> Self:
        if mapping:
            raise Refusal(
                f"{next(iter(mapping))!r} is mapped, but the signature predicts numbers, which "
                "have no names.",
                parameter="mapping",
            )
        given = pd.Series(self._without_gaps(y))
        values = pd.to_numeric(given, errors="coerce").to_numpy(dtype=np.float64)
        if strange := given[np.isnan(values)].tolist():
            raise Refusal(
                f"the signature predicts numbers, and the cohort's outcome holds {strange[0]!r}."
            )
        if not np.isfinite(values).all():
            raise Refusal("the cohort's outcome is infinite in some rows; leave them out.")
        if len(values) < 2 or (values == values[0]).all():
            raise Refusal(
                "the cohort's outcome is the same in all rows, so nothing can be compared; it "
                "takes rows with different numbers."
            )
        return type(self)(values)

    def alike(self, moments: Mapping[str, Any], column: int, x: Floats) -> list[Alike]:
        """Set what the outcome leaves of the values against what it left of the training rows."""
        keys = ("counts", "intercepts", "slopes", "sds")
        n, intercept, slope, deviation = (moments[key][column] for key in keys)
        if n < 2 or len(x) < 2:
            return []
        return [Alike(n, 0.0, deviation, x - intercept - slope * self.values)]

    def residuals(self, x: Floats) -> Floats:
        """Return values minus their regression on the outcome."""
        intercept, slope = _line(self.values, x)
        return x - intercept - slope * self.values

    def in_brief(self, predicted: NDArray[Any]) -> str:
        """Return the range of the predictions and their mean."""
        ends = f"{predicted.min():.4g} to {predicted.max():.4g}"
        return f"{ends}, mean {predicted.mean():.4g}"

    def frozen_outputs(
        self, predicted: NDArray[Any], scores: Floats, moments: Mapping[str, Any]
    ) -> Floats:
        """Return predictions beside the mean of the training rows."""
        return np.column_stack([predicted, np.full(len(predicted), moments["outcome"][0])])

    def calibrated(self, tested: pd.DataFrame) -> tuple[dict[str, Any] | None, str]:
        """Return how wide intervals around predictions are, and what they come from.

        Every prediction of a tested row counts, together as one row; rows of a group as one.
        """
        errors = (tested["outcome"] - tested["predicted"]).abs().to_numpy(dtype=np.float64)
        rows = tested["row"].to_numpy()
        units = tested["group"].to_numpy() if "group" in tested else rows
        widths = {level: conformal_width(errors, rows, units, level) for level in LEVELS}
        known = {level: width for level, width in widths.items() if math.isfinite(width)}
        n, of = len(np.unique(units)), "groups" if "group" in tested else "rows"
        if LEVEL not in known:
            return None, f"none: intervals need more than the {n} {of} that were tested"
        kept = {"kind": "conformal", "n": n, "levels": list(known), "widths": list(known.values())}
        return kept, f"none: a number has an interval, from the errors of {n} tested {of}"

    def interval(
        self, calibration: Mapping[str, Any] | None, predicted: Floats, level: float = LEVEL
    ) -> Floats | None:
        """Return the ends of every row's interval: as far to both sides as errors reach."""
        if calibration is None:
            return None
        if level not in calibration["levels"]:
            kept = ", ".join(f"{one:g}" for one in calibration["levels"])
            raise Refusal(f"level={level!r} must be one of {kept}.", parameter="level")
        width = calibration["widths"][calibration["levels"].index(level)]
        return np.column_stack([predicted - width, predicted + width])

    def prediction_columns(
        self, scores: Floats, chances: Floats | None, interval: Floats | None
    ) -> dict[str, Any]:
        if interval is None:
            return {}
        return {f"low {LEVEL:.0%}": interval[:, 0], f"high {LEVEL:.0%}": interval[:, 1]}

    def cohort_figures(self, outputs: Floats, interval: Floats | None, draws: Rows) -> TableRows:
        """Return R² against the cohort's own mean, calibration, and coverage of the intervals."""
        y, predicted = self.values, outputs[:, 0]
        own = [_r2(y[rows], predicted[rows]) for rows in draws]
        low, high = (float(end) for end in np.nanquantile(own, [0.025, 0.975]))
        name = "R² against the cohort's own mean"
        ends = {"value": _r2(y, predicted), "low": low, "high": high}
        figures = [{"key": "own_r2", "figure": name, **ends}, *observed_on_predicted(y, predicted)]
        if interval is not None:
            inside = float(((interval[:, 0] <= y) & (y <= interval[:, 1])).mean())
            low, high = map(float, wilson(inside, len(y)))
            name = f"share of rows inside their {100 * LEVEL:.0f} % intervals"
            ends = {"value": inside, "low": low, "high": high}
            figures.append({"key": "coverage", "figure": name, **ends})
        return figures

    def outcome_alike(self, moments: Mapping[str, Any], sizes: list[int]) -> Alike:
        mean, deviation, kurtosis = moments["outcome"]
        kurtosis = max(kurtosis, self._kurtosis())
        return Alike(sizes[0], mean, deviation, self.values, kurtosis)

    def _kurtosis(self) -> float:
        apart = self.values - self.values.mean()
        variance = float((apart**2).mean())
        return max(float((apart**4).mean()) / variance**2, 1.0) if variance > 0 else 3.0


def _r2(y: Floats, predicted: Floats) -> float:
    """Return R² against the mean of these rows; nan where they are all equal."""
    squares = float(((y - y.mean()) ** 2).sum())
    return 1 - float(((y - predicted) ** 2).sum()) / squares if squares > 0 else np.nan


def _line(y: Floats, x: Floats) -> tuple[float, float]:
    """Return intercept and slope of x on y; a flat line where y does not vary."""
    if not len(y):
        return 0.0, 0.0
    deviation = y - y.mean()
    squares = float((deviation**2).sum())
    slope = float(deviation @ x) / squares if squares > 0 else 0.0
    return float(x.mean() - slope * y.mean()), slope


def conformal_width(errors: Floats, rows: NDArray[Any], units: NDArray[Any], level: float) -> float:
    """Return how far from its prediction a new row's outcome is at most, in `level` of the cases.

    The smallest error with a share of level·(n + 1)/n of all errors at or below it, where each of
    the n units has the same share, each row the same of its unit, and each test the same of its
    row (Lee, Barber & Willett 2023; without groups, split conformal). Infinite if n is too small.
    """
    _, first, row, times = np.unique(
        rows, return_index=True, return_inverse=True, return_counts=True
    )
    _, unit, n_rows = np.unique(units[first], return_inverse=True, return_counts=True)
    share = 1 / (times * n_rows[unit])[row]
    order = np.argsort(errors, kind="stable")
    reached = np.cumsum(share[order]) / (len(n_rows) + 1)
    place = int(np.searchsorted(reached, level - 1e-9))
    return float(errors[order][place]) if place < len(order) else math.inf


def observed_on_predicted(y: Floats, predicted: Floats) -> TableRows:
    """Return slope, intercept and mean difference with HC3 intervals (MacKinnon & White 1985)."""
    n, middle = len(y), float(predicted.mean())
    slope = intercept = (math.nan, math.nan)
    if n >= LEAST_ROWS and np.ptp(predicted) > 0:
        centred = predicted - middle
        squares = float((centred**2).sum())
        value = float(centred @ y) / squares
        left = y - y.mean() - value * centred
        left /= np.maximum(1 - 1 / n - centred**2 / squares, 1e-12)
        # How much every row moves the slope, and the line where the prediction is 0.
        moves = centred / squares
        slope = value, float(np.sqrt(((moves * left) ** 2).sum()))
        error = float(np.sqrt((((1 / n - middle * moves) * left) ** 2).sum()))
        intercept = float(y.mean()) - value * middle, error
    apart = y - predicted
    error = float(apart.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan
    return [
        _figure("slope", "slope of observed on predicted", *slope, n - 2),
        _figure("intercept", "intercept of observed on predicted", *intercept, n - 2),
        _figure("bias", "mean of observed minus predicted", float(apart.mean()), error, n - 1),
    ]


def _figure(key: str, name: str, value: float, error: float, freedom: int) -> dict[str, Any]:
    more = error * float(stats.t.ppf(0.975, max(freedom, 1)))
    return {"key": key, "figure": name, "value": value, "low": value - more, "high": value + more}
