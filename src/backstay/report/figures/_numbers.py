"""Figures of outcomes that are numbers: predicted against observed, and what is left over."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from backstay.report._words import count, listed, number_text, two_decimals
from backstay.report.figures._axis import padded_limits
from backstay.report.figures._canvas import Canvas
from backstay.report.figures._display import Point, PredictionDisplay
from backstay.report.figures._style import DOTTED, HUES, INK, Style
from backstay.targets import Target

Ends = tuple[float, float]
# Samples that a finding names.
NAMED = 3
# The colour of outcomes that are numbers, other than those of a heat map.
OUTCOME = HUES[3][0]
# How much of their colour the lowest and the highest outcome have.
FAINT, FULL = 0.12, 1.0


def strengths(values: ArrayLike) -> NDArray[np.float64]:
    """Return how strongly numbers are coloured: the lowest faintly, the highest fully.

    Examples
    --------
    >>> strengths([0.0, 5.0, 10.0]).tolist()
    [0.12, 0.56, 1.0]
    """
    known = np.asarray(values, dtype=float)
    span = float(np.ptp(known)) or 1.0
    return FAINT + (FULL - FAINT) * (known - known.min()) / span


def shaded(values: ArrayLike) -> NDArray[np.uint8]:
    """Return a row of pixels in the colours of numbers."""
    strength = strengths(values)
    pixels = np.empty((1, len(strength), 4), dtype=np.uint8)
    pixels[..., :3] = [int(OUTCOME[i : i + 2], 16) for i in (1, 3, 5)]
    pixels[..., 3] = np.round(255 * strength)
    return pixels


class RowDisplay(PredictionDisplay):
    """A figure of every tested row: the mean of its predictions, with their spread over runs."""

    table: ClassVar[str] = "predicted"
    across: ClassVar[str]
    along: ClassVar[str]
    titles: ClassVar[tuple[str, str]]
    wide: tuple[float, float] = (460, 400)
    narrow: tuple[float, float] = (350, 320)

    def __init__(self, data: pd.DataFrame) -> None:
        super().__init__(data, {})

    @classmethod
    def _of(cls, data: pd.DataFrame, target: Target) -> Self:
        return cls(data)

    def series(self) -> list[tuple[str, Style]]:
        """Return nothing: all rows look alike."""
        return []

    def _draw(self, canvas: Canvas, width: float) -> list[Point]:
        data, style = self._data, Style(0)
        if data.empty:
            return []
        x, y, spread = (data[name].to_numpy() for name in (self.across, self.along, "spread"))
        across, along = self._limits(x, np.concatenate([y - spread, y + spread]))
        self._draw_line(canvas)
        for place, low, high in zip(x, y - spread, y + spread, strict=True):
            canvas.vlines(place, low, high, color=style.color, linewidth=1, alpha=0.35)
        canvas.plot(x, y, **style.marks(0, 6.5, 0))
        canvas.set_xlim(*across)
        canvas.set_ylim(*along)
        canvas.set_xlabel(self.titles[0])
        canvas.set_ylabel(self.titles[1])
        canvas.grid(True)
        points = []
        for row in data.to_dict("records"):
            seen, said, around = (number_text(row[k]) for k in ("outcome", "predicted", "spread"))
            words = f"{row['name']}: observed {seen}, predicted {said} ± {around}"
            points.append(Point(row[self.across], row[self.along], 0, words))
        return points

    def _limits(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[Ends, Ends]:
        """Return the limits of both axes."""
        return padded_limits(x, 0.05), padded_limits(y, 0.05)

    @abstractmethod
    def _draw_line(self, canvas: Canvas) -> None:
        """Draw where predictions without an error would lie."""

    def _furthest(self) -> str:
        """Name the samples that are predicted worst."""
        worst = self._data.sort_values("error", ascending=False, kind="stable").iloc[:NAMED]
        named = zip(worst["name"], worst["residual"], strict=True)
        return listed([f"{name} ({number_text(by, sign=True)})" for name, by in named])


class PredictedDisplay(RowDisplay):
    """Predictions of rows that were not trained on, against what was observed.

    Examples
    --------
    >>> import pandas as pd
    >>> from backstay.report import PredictedDisplay
    >>> data = pd.DataFrame({"name": ["s0", "s1"], "outcome": [1.0, 3.0], "predicted": [1.5, 2.5],
    ...                      "spread": 0.1, "residual": [-0.5, 0.5], "error": 0.5, "n_runs": 9})
    >>> PredictedDisplay(data).finding()[:64]
    'Predicted against observed outcome of 2 rows. Outcomes are from '
    """

    across, along = "outcome", "predicted"
    titles = ("observed", "predicted, mean over runs")

    def finding(self) -> str:
        """Say how far predictions range and correlate, and which samples are predicted worst."""
        if len(self._data) < 2:
            return "Too few rows were tested."
        ends = [
            f"from {number_text(self._data[name].min())} to {number_text(self._data[name].max())}"
            for name in ("outcome", "predicted")
        ]
        r = float(self._data["outcome"].corr(self._data["predicted"]))
        alike = "" if np.isnan(r) else f" Their correlation is {two_decimals(r)}."
        return (
            f"Predicted against observed outcome of {count(len(self._data), 'row')}. Outcomes are "
            f"{ends[0]}, mean predictions {ends[1]}.{alike} Largest errors (observed minus "
            f"predicted): {self._furthest()}."
        )

    def _limits(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[Ends, Ends]:
        ends = padded_limits(np.concatenate([x, y]), 0.05)
        return ends, ends

    def _draw_line(self, canvas: Canvas) -> None:
        ends = [self._data["outcome"].min(), self._data["outcome"].max()]
        canvas.plot(ends, ends, color=INK, linewidth=1, linestyle=DOTTED)


class ResidualsDisplay(RowDisplay):
    """Observed minus predicted, against what was predicted."""

    across, along = "predicted", "residual"
    titles = ("predicted, mean over runs", "observed minus predicted")

    def finding(self) -> str:
        """Say whether the errors go with the predictions, and name the largest."""
        if len(self._data) < 2:
            return "Too few rows were tested."
        size = float(np.sqrt((self._data["residual"] ** 2).mean()))
        slope = _slope(self._data["predicted"], self._data["residual"])
        return (
            f"Observed minus predicted, by what was predicted: {number_text(size)} in the root "
            f"mean square over {count(len(self._data), 'row')}. With the prediction it changes by "
            f"{two_decimals(slope)} per unit (0 is best). Largest errors: {self._furthest()}."
        )

    def _draw_line(self, canvas: Canvas) -> None:
        canvas.axhline(0, color=INK, linewidth=1, linestyle=DOTTED)


def _slope(x: Any, y: Any) -> float:
    """Return the slope of a line through points; 0 where x does not vary."""
    apart = np.asarray(x) - np.mean(x)
    squares = float(apart @ apart)
    return float(apart @ np.asarray(y)) / squares if squares else 0.0
