"""Figures of a validation: calibration, and features that moved."""

import math
from typing import Self

import numpy as np
import pandas as pd

from backstay.report._words import count, listed, two_decimals
from backstay.report.figures._axis import padded_limits, wrapped
from backstay.report.figures._display import Canvas, Display, Point
from backstay.report.figures._style import DOTTED, MUTED, Looks, Style
from backstay.signature import Validation

# Features shown, those furthest from the training rows first.
SHOWN = 30


class CalibrationDisplay(Display):
    """Observed shares of the second class by predicted probability, with 95 % intervals."""

    wide, narrow = (420, 380), (350, 330)

    def __init__(self, data: pd.DataFrame, label: str, slope: float = math.nan) -> None:
        super().__init__(data)
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
        known = math.isfinite(self.slope)
        slope = f", slope {two_decimals(self.slope)} (1 is right)" if known else ""
        return f"Calibration{slope}: {self.label} observed in {listed(shown, 10)}."

    def _draw(self, canvas: Canvas, width: float) -> list[Point]:
        style, points = Style(0), []
        canvas.plot([0, 1], [0, 1], color=MUTED, linewidth=1, linestyle=DOTTED)
        for row in self._data.to_dict("records"):
            x, y = row["predicted"], row["observed"]
            canvas.vlines(x, row["low"], row["high"], color=style.color, linewidth=1.4)
            words = f"predicted {x:.0%}, observed {y:.0%} of {count(int(row['n']), 'row')}"
            points.append(Point(x, y, 0, words))
        shown = (self._data["predicted"], self._data["observed"])
        canvas.plot(*shown, **style.marks(0, 6, 1.0) | style.curve(0, 1.2))
        canvas.set_xlim(-0.02, 1.02)
        canvas.set_ylim(-0.02, 1.04)
        canvas.set_xlabel(f"predicted probability of {self.label}")
        canvas.set_ylabel("observed share")
        canvas.grid(True)
        return points


class ShiftDisplay(Display):
    """Mean and spread of the features in a cohort, in the units of the training rows."""

    def __init__(self, data: pd.DataFrame) -> None:
        super().__init__(data)
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
        return [("as in training", Style(0)), ("moved", Style(1))]

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
        for y, row in enumerate(data.to_dict("records")):
            place, by, ratio = int(row["moved"]), row["shift"], row["ratio"]
            style = Style(place)
            looks: Looks = {"color": style.color, "linewidth": 2, "gid": f"band-{place}"}
            canvas.hlines(y, by - ratio, by + ratio, **looks)
            canvas.plot([by], [y], **style.marks(place, 6, 1.0))
            words = f"{row['feature']}: mean {two_decimals(by)} standard deviations away, "
            words += f"spread {two_decimals(ratio)} times as large"
            points.append(Point(by, y, place, words))
        ends = [*(data["shift"] - data["ratio"]), *(data["shift"] + data["ratio"]), -1.2, 1.2]
        canvas.set_xlim(*padded_limits(ends, 0.03))
        canvas.set_ylim(n - 0.5, -0.5)
        canvas.set_yticks(range(n), [wrapped(str(name), width, 0.25) for name in data["feature"]])
        canvas.set_xlabel("standard deviations of the training rows")
        canvas.grid(True, axis="x")
        return points
