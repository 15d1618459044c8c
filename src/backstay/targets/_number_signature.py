"""What a frozen signature remembers of numbers, and what it asks of a cohort's numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay._refusal import Refusal
from backstay.targets._number_intervals import LEVEL, conformal, coverage, observed_on_predicted
from backstay.targets._target import Alike, Floats, Rows, TableRows, Target


class NumberSignature(Target):
    """The number of every row, as a frozen signature asks for it."""

    def __init__(self, values: Floats) -> None:
        self.values = values

    def readings(self, y: NDArray[Any]) -> list[Self]:
        """Return the numbers; there is one way to read them."""
        return [type(self)(np.asarray(y, dtype=np.float64))]

    def frozen_moments(self, values: Floats) -> dict[str, Any]:
        """Return the regression of every feature on the outcome, what it leaves, and the outcome.

        Gaps are left out; in the covariance of what is left they count as 0.
        """
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

    def moment_shapes(self, n_features: int) -> dict[str, tuple[int, ...]]:
        """Return shapes by feature; the outcome has a mean, a standard deviation, a kurtosis."""
        by_feature = dict.fromkeys(("counts", "intercepts", "slopes", "sds"), (n_features,))
        return {**by_feature, "covariance": (n_features, n_features), "outcome": (3,)}

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
        given = self._without_gaps(y)
        try:
            values = given.astype(np.float64)
        except (TypeError, ValueError):
            strange = next(one for one in given.tolist() if not _is_number(one))
            raise Refusal(
                f"the signature predicts numbers, and the cohort's outcome holds {strange!r}."
            ) from None
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
        return conformal(tested)

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

    def interval_columns(self, interval: Floats) -> dict[str, Floats]:
        return {f"low {LEVEL:.0%}": interval[:, 0], f"high {LEVEL:.0%}": interval[:, 1]}

    def cohort_figures(self, outputs: Floats, interval: Floats | None, draws: Rows) -> TableRows:
        """Return R² against the cohort's own mean, calibration, and coverage of the intervals."""
        y, predicted = self.values, outputs[:, 0]
        own = [_r2(y[rows], predicted[rows]) for rows in draws]
        low, high = (float(end) for end in np.nanquantile(own, [0.025, 0.975]))
        name = "R² against the cohort's own mean"
        ends = {"value": _r2(y, predicted), "low": low, "high": high}
        covered = [] if interval is None else [coverage(y, interval)]
        figure = {"key": "own_r2", "figure": name, **ends}
        return [figure, *observed_on_predicted(y, predicted), *covered]

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


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
