"""Predicted numbers beside observed ones, row by row."""

from __future__ import annotations

import numpy as np
import pandas as pd

from backstay.report._words import count, number_text, percent
from backstay.report.figures._axis import padded_limits
from backstay.report.figures._canvas import Canvas
from backstay.report.figures._display import Display, Point
from backstay.report.figures._style import MUTED, Style


class PredictionBandDisplay(Display):
    """Predicted numbers by observed ones, with their prediction intervals where there are any.

    Parameters
    ----------
    data : DataFrame
        ``outcome`` and ``predicted`` of every row; two more columns are the ends of its interval.

    Examples
    --------
    >>> import pandas as pd
    >>> from backstay.report.figures._prediction_band import PredictionBandDisplay
    >>> data = pd.DataFrame({"outcome": [1.0, 2.0, 4.0], "predicted": [1.1, 1.9, 3.0],
    ...                      "low 90%": [0.6, 1.4, 2.5], "high 90%": [1.6, 2.4, 3.5]})
    >>> PredictionBandDisplay(data).finding()
    'Predicted and observed numbers of 3 rows; 67\u202f% are inside their prediction intervals.'
    """

    wide, narrow = (760, 440), (350, 330)

    def __init__(self, data: pd.DataFrame) -> None:
        super().__init__(data, {})
        self._ends = [str(name) for name in data if name not in ("outcome", "predicted")]
        outcome = data["outcome"].to_numpy(dtype=float)
        low, high = (data[name].to_numpy() for name in self._ends or ["outcome", "outcome"])
        self._inside = (low <= outcome) & (outcome <= high)

    def series(self) -> list[tuple[str, Style]]:
        """Return whether rows are inside their intervals."""
        if not self._ends:
            return [("rows", Style(0))]
        return [("inside the interval", Style(0)), ("outside", Style(1))]

    def finding(self) -> str:
        """Say how many rows there are, and how many are inside their intervals."""
        text = f"Predicted and observed numbers of {count(len(self._data), 'row')}"
        share = percent(float(np.mean(self._inside)))
        return (
            f"{text}; {share} are inside their prediction intervals." if self._ends else f"{text}."
        )

    def _draw(self, canvas: Canvas, width: float) -> list[Point]:
        data, points = self._data, []
        ends = padded_limits(data["predicted"], 0.05)
        canvas.plot(ends, ends, color=MUTED, linewidth=1, linestyle=(0, (1, 2)))
        if self._ends:
            x, low, high = data[["predicted", *self._ends]].sort_values("predicted").to_numpy().T
            canvas.fill_between(x, low, high, color=MUTED, alpha=0.15)
        for place, (_, style) in enumerate(self.series()):
            shown = data[self._inside == (place == 0)]
            canvas.plot(shown["predicted"], shown["outcome"], **style.marks(place, 6, 1.4))
            for name, row in shown.iterrows():
                words = f"row {name}: predicted {number_text(row['predicted'])}, "
                words += f"observed {number_text(row['outcome'])}"
                points.append(Point(row["predicted"], row["outcome"], place, words))
        canvas.set_xlim(*ends)
        canvas.set_ylim(*padded_limits(data.drop(columns="predicted").to_numpy().ravel(), 0.05))
        canvas.set_xlabel("predicted")
        canvas.set_ylabel("observed")
        canvas.grid(True)
        return points
