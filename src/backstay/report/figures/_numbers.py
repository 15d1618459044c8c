"""Outcomes that are numbers: predicted against observed, and how such numbers are coloured."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from backstay.report._words import count, listed, number_text, percent, two_decimals
from backstay.report.figures._axis import padded_limits
from backstay.report.figures._display import Canvas, Point, PredictionDisplay
from backstay.report.figures._style import DOTTED, HUES, INK, Style

# Samples that a finding names.
NAMED = 3
# The colour of outcomes that are numbers, other than those of a heat map.
OUTCOME = HUES[3][0]
# How much of their colour the lowest and the highest outcome have.
FAINT, FULL = 0.12, 1.0


def strengths(values: ArrayLike) -> NDArray[np.float64]:
    """Return how strongly numbers are coloured: the lowest faintly, the highest fully."""
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


class PredictedDisplay(PredictionDisplay):
    """Predictions of rows that were not trained on, against what was observed.

    Parameters
    ----------
    data : DataFrame
        ``outcome`` and ``predicted`` of every row, and its ``name``, the index by default. A line
        is one standard deviation of the predictions (``spread``) to both sides, or the prediction
        interval, where columns are called "low …" and "high …".

    Examples
    --------
    >>> import pandas as pd
    >>> from backstay.report import PredictedDisplay
    >>> data = pd.DataFrame({"name": ["s0", "s1"], "outcome": [1.0, 3.0], "predicted": [1.5, 2.5]})
    >>> PredictedDisplay(data).finding()[:64]
    'Predicted against observed outcome of 2 rows. Outcomes are from '
    """

    table = "predicted"
    wide, narrow = (760, 420), (350, 330)

    def __init__(self, data: pd.DataFrame) -> None:
        super().__init__(data)
        self._rows = data.assign(name=data.get("name", data.index))
        self._intervals = [str(name) for name in data if str(name).startswith(("low ", "high "))]
        ends = [data[name] for name in self._intervals]
        spread = data.get("spread", 0.0)
        low, high = ends or (data["predicted"] - spread, data["predicted"] + spread)
        self._low, self._high = low.to_numpy(dtype=float), high.to_numpy(dtype=float)

    @property
    def _inside(self) -> NDArray[np.bool_]:
        """Which rows are inside their prediction intervals."""
        outcome = self._data["outcome"].to_numpy(dtype=float)
        return (self._low <= outcome) & (outcome <= self._high)

    def series(self) -> list[tuple[str, Style]]:
        """Return whether rows are inside their intervals, where these are known."""
        if not self._intervals:
            return []
        return [("inside the interval", Style(0)), ("outside", Style(1))]

    def finding(self) -> str:
        """Say how far predictions range and correlate, and which samples are predicted worst."""
        data = self._rows
        if len(data) < 2:
            return "Too few rows were tested."
        ends = [
            f"from {number_text(data[name].min())} to {number_text(data[name].max())}"
            for name in ("outcome", "predicted")
        ]
        words = (
            f"Predicted against observed outcome of {count(len(data), 'row')}. Outcomes are "
            f"{ends[0]}, predictions {ends[1]}."
        )
        r = float(data["outcome"].corr(data["predicted"]))
        words += "" if np.isnan(r) else f" Their correlation is {two_decimals(r)}."
        if self._intervals:
            share = percent(float(np.mean(self._inside)))
            words += f" {share} of the rows are inside their prediction intervals."
        error = (data["outcome"] - data["predicted"]).to_numpy(dtype=float)
        worst = np.argsort(-np.abs(error), kind="stable")[:NAMED]
        names = data["name"].tolist()
        far = listed([f"{names[i]} ({number_text(error[i], sign=True)})" for i in worst])
        return f"{words} Largest errors (observed minus predicted): {far}."

    def _draw(self, canvas: Canvas, width: float) -> list[Point]:
        data, points = self._rows, []
        if data.empty:
            return []
        x, y = (data[name].to_numpy(dtype=float) for name in ("outcome", "predicted"))
        ends = padded_limits(np.concatenate([x, self._low, self._high]), 0.05)
        canvas.plot(ends, ends, color=INK, linewidth=1, linestyle=DOTTED)
        series = self.series() or [("", Style(0))]
        inside = self._inside if self._intervals else np.ones(len(data), dtype=bool)
        for place, (_, style) in enumerate(series):
            mine = np.flatnonzero(inside == (place == 0))
            for i in mine:
                line: Any = {"color": style.color, "linewidth": 1, "alpha": 0.35}
                canvas.vlines(x[i], self._low[i], self._high[i], **line)
            canvas.plot(x[mine], y[mine], **style.marks(place, 6.5, 0))
        canvas.set_xlim(*ends)
        canvas.set_ylim(*ends)
        canvas.set_xlabel("observed")
        canvas.set_ylabel("predicted")
        canvas.grid(True)
        numbers = zip(data["name"], x, y, self._low, self._high, ~inside, strict=True)
        for name, seen, said, low, high, place in numbers:
            words = f"{name}: observed {number_text(seen)}, predicted {number_text(said)}"
            words += f" ({number_text(low)} to {number_text(high)})" if high > low else ""
            points.append(Point(float(seen), float(said), int(place), words))
        return points
