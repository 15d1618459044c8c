"""Figures of a validation: scores beside expected ones, calibration, and features that moved."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
import pandas as pd

from backstay.report._words import count, interval, listed, metric_title, two_decimals
from backstay.report.figures._axis import padded_limits, wrapped
from backstay.report.figures._canvas import Canvas
from backstay.report.figures._display import Display, Point
from backstay.report.figures._style import MUTED, Style
from backstay.signature import Validation
from backstay.targets import find_metric

# Features shown, those furthest from the training rows first.
SHOWN = 30
KINDS = {"cohort": Style(0), "expected": Style(1, control=True)}


def _looks(style: Style, place: int) -> dict[str, Any]:
    """Return how the points of a series look."""
    return {
        "color": style.color,
        "marker": style.marker,
        "markersize": 6,
        "markerfacecolor": style.face,
        "gid": f"series-{place}",
    }


class ExpectedScoreDisplay(Display):
    """Scores in a cohort beside the expected ones, with 95 % intervals."""

    def __init__(self, data: pd.DataFrame) -> None:
        super().__init__(data, {})
        n = data["metric"].nunique()
        self.wide, self.narrow = (760, 70 + 62 * n), (350, 70 + 62 * n)

    @classmethod
    def from_validation(cls, validation: Validation) -> Self:
        """Take the data from a validation: scores that share an axis with the deciding one."""
        rows, unit = [], find_metric(validation.main.metric).has_unit
        for score in validation.scores:
            if find_metric(score.metric).has_unit != unit:
                continue
            for kind, known in (("cohort", score.found), ("expected", score.expected)):
                rows.append({"metric": score.metric, "kind": kind, **vars(known)})
        frame = pd.DataFrame(rows)
        chances = {score.metric: score.chance for score in validation.scores}
        return cls(frame.assign(chance=frame["metric"].map(chances)))

    def series(self) -> list[tuple[str, Style]]:
        """Return both kinds of score."""
        return list(KINDS.items())

    def finding(self) -> str:
        """Say every score and what was expected."""
        words = []
        for metric, rows in self._data.groupby("metric", sort=False):
            known = {row["kind"]: row for row in rows.to_dict("records")}
            words.append(
                f"{metric_title(str(metric))} {two_decimals(known['cohort']['value'])} "
                f"({interval(known['cohort']['low'], known['cohort']['high'])}), expected "
                f"{two_decimals(known['expected']['value'])}"
            )
        return f"Scores in the cohort: {'; '.join(words)}."

    def _draw(self, canvas: Canvas, width: float) -> list[Point]:
        points, metrics = [], list(dict.fromkeys(self._data["metric"]))
        for row in self._data.to_dict("records"):
            place = list(KINDS).index(str(row["kind"]))
            style = KINDS[str(row["kind"])]
            y = metrics.index(row["metric"]) + (-0.16 if place == 0 else 0.16)
            if not math.isfinite(row["value"]):
                continue
            canvas.hlines(y, row["low"], row["high"], color=style.color, linewidth=2)
            looks = {**_looks(style, place), "markersize": 9, "markeredgewidth": 1.6}
            canvas.plot([row["value"]], [y], linestyle="none", **looks)
            words = (
                f"{metric_title(str(row['metric']))}, {row['kind']}: {two_decimals(row['value'])}"
            )
            words += f" ({interval(row['low'], row['high'])})"
            points.append(Point(row["value"], y, place, words))
        for place, metric in enumerate(metrics):
            chance = float(self._data.loc[self._data["metric"] == metric, "chance"].iloc[0])
            if math.isfinite(chance):
                canvas.vlines(chance, place - 0.4, place + 0.4, color=MUTED, linestyle=(0, (1, 2)))
        ends = self._data[["low", "high", "chance"]].to_numpy(dtype=float).ravel()
        canvas.set_xlim(*padded_limits(ends, 0.05))
        canvas.set_ylim(len(metrics) - 0.5, -0.5)
        canvas.set_yticks(
            range(len(metrics)), [wrapped(metric_title(str(m)), width, 0.25) for m in metrics]
        )
        canvas.grid(True, axis="x")
        return points


class CalibrationDisplay(Display):
    """Observed shares of the second class by predicted probability, with 95 % intervals."""

    wide, narrow = (420, 380), (350, 330)

    def __init__(self, data: pd.DataFrame, label: str, slope: float) -> None:
        super().__init__(data, {})
        self.label, self.slope = label, slope

    @classmethod
    def from_validation(cls, validation: Validation) -> Self:
        """Take the data from a validation with probabilities of two classes."""
        if validation.calibration is None:
            raise ValueError("the validation has no probabilities of two classes.")
        known = validation.calibration
        return cls(known.bins, known.name, known.slope)

    def series(self) -> list[tuple[str, Style]]:
        """Return the second class."""
        return [(self.label, Style(0))]

    def finding(self) -> str:
        """Say the slope, and what was observed where."""
        shown = [
            f"{row['observed']:.0%} of {count(int(row['n']), 'row')} at {row['predicted']:.0%}"
            for row in self._data.to_dict("records")
        ]
        slope = (
            f", slope {two_decimals(self.slope)} (1 is right)" if self.slope == self.slope else ""
        )
        return f"Calibration{slope}: {self.label} observed in {listed(shown, 10)}."

    def _draw(self, canvas: Canvas, width: float) -> list[Point]:
        style, points = Style(0), []
        canvas.plot([0, 1], [0, 1], color=MUTED, linewidth=1, linestyle=(0, (1, 2)))
        for row in self._data.to_dict("records"):
            canvas.vlines(
                row["predicted"], row["low"], row["high"], color=style.color, linewidth=1.4
            )
            words = f"predicted {row['predicted']:.0%}, observed {row['observed']:.0%} of "
            points.append(
                Point(row["predicted"], row["observed"], 0, words + count(int(row["n"]), "row"))
            )
        shown = (self._data["predicted"], self._data["observed"])
        canvas.plot(*shown, linewidth=1.2, **_looks(style, 0))
        canvas.set_xlim(-0.02, 1.02)
        canvas.set_ylim(-0.02, 1.04)
        canvas.set_xlabel(f"predicted probability of {self.label}")
        canvas.set_ylabel("observed share")
        canvas.grid(True)
        return points


class ShiftDisplay(Display):
    """Mean and spread of the features in a cohort, in the units of the training rows."""

    def __init__(self, data: pd.DataFrame) -> None:
        super().__init__(data, {})
        n = min(len(data), SHOWN)
        self.wide, self.narrow = (760, 80 + 24 * n), (350, 80 + 24 * n)

    @classmethod
    def from_validation(cls, validation: Validation) -> Self:
        """Take the data from a validation."""
        frame = pd.DataFrame([vars(shift) for shift in validation.shifts])
        far = np.maximum(frame["shift"].abs(), np.log(frame["ratio"]).abs())
        return cls(frame.iloc[np.argsort(-far.fillna(0), kind="stable")].reset_index(drop=True))

    def series(self) -> list[tuple[str, Style]]:
        """Return whether features moved."""
        shown = [("as in training", Style(0)), ("moved", Style(1))]
        return [one for one, any_ in zip(shown, self._either(), strict=True) if any_]

    def _either(self) -> tuple[bool, bool]:
        moved = self._data["moved"].to_numpy(dtype=bool)
        return bool((~moved).any()), bool(moved.any())

    def finding(self) -> str:
        """Say how many features moved, and which did most."""
        moved = self._data[self._data["moved"]]
        if moved.empty:
            return f"None of {count(len(self._data), 'feature')} is measured differently."
        shown = [f"{r['feature']} by {two_decimals(r['shift'])}" for r in moved.to_dict("records")]
        return (
            f"{len(moved)} of {count(len(self._data), 'feature')} moved, in standard deviations: "
            f"{listed(shown)}."
        )

    def _draw(self, canvas: Canvas, width: float) -> list[Point]:
        data, points = self._data.head(SHOWN), []
        n = len(data)
        canvas.fill_between([-1, 1], [-0.5, -0.5], [n - 0.5, n - 0.5], color=MUTED, alpha=0.12)
        canvas.axvline(0, color=MUTED, linewidth=1)
        offset = 0 if self._either()[0] else -1
        for y, row in enumerate(data.to_dict("records")):
            if not math.isfinite(row["shift"] + row["ratio"]):
                continue
            style, place = Style(int(row["moved"])), int(row["moved"]) + offset
            low, high = row["shift"] - row["ratio"], row["shift"] + row["ratio"]
            canvas.hlines(y, low, high, color=style.color, linewidth=2, gid=f"band-{place}")
            canvas.plot([row["shift"]], [y], linestyle="none", **_looks(style, place))
            words = (
                f"{row['feature']}: mean {two_decimals(row['shift'])} standard deviations away, "
            )
            words += f"spread {two_decimals(row['ratio'])} times as large"
            points.append(Point(row["shift"], y, place, words))
        ends = np.concatenate(
            [data["shift"] - data["ratio"], data["shift"] + data["ratio"], [-1.2]]
        )
        canvas.set_xlim(*padded_limits(np.append(ends, 1.2), 0.03))
        canvas.set_ylim(n - 0.5, -0.5)
        canvas.set_yticks(range(n), [wrapped(str(name), width, 0.25) for name in data["feature"]])
        canvas.set_xlabel("standard deviations of the training rows")
        canvas.grid(True, axis="x")
        return points
