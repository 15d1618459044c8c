"""Run times."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

import numpy as np
import pandas as pd

from backstay.report.figures._axis import wrapped
from backstay.report.figures._canvas import Canvas
from backstay.report.figures._display import Display, Point
from backstay.report.figures._style import Style
from backstay.results import Results, Role

# What the time was spent on, and the hue of each.
PARTS = (("preprocess", 5), ("method", 0), ("model", 4))


class FitTimesDisplay(Display):
    """Mean seconds of a method on a resample, by what they were spent on."""

    def __init__(self, data: pd.DataFrame, roles: Mapping[str, Role]) -> None:
        super().__init__(data, roles)
        height = 76 + 30 * max(len(data), 1)
        self.wide, self.narrow = (760, height), (350, height + 12 * len(data))

    @classmethod
    def from_results(cls, results: Results) -> Self:
        """Take the data from results of one data set, ``results["name"]`` of several."""
        return cls(results.runs.times().frame(), results.data.methods)

    def series(self) -> list[tuple[str, Style]]:
        """Return what the time was spent on."""
        return [(name, Style(hue, area=True)) for name, hue in PARTS]

    def finding(self) -> str:
        """Say which methods take longest and shortest."""
        if self._data.empty:
            return "No task has finished."
        spent = self._data["method_seconds"]
        slow, quick = self._data.iloc[int(spent.argmax())], self._data.iloc[int(spent.argmin())]
        return (
            f"Seconds per resample in the method itself: most {slow['method']} "
            f"({slow['method_seconds']:.3g} s), least {quick['method']} "
            f"({quick['method_seconds']:.3g} s)."
        )

    def _draw(self, canvas: Canvas, width: float) -> list[Point]:
        left = np.zeros(len(self._data))
        for place, (part, style) in enumerate(self.series()):
            seconds = self._data[f"{part}_seconds"].to_numpy()
            bars = np.arange(len(seconds))
            canvas.barh(bars, seconds, 0.62, left, color=style.color, gid=f"series-{place}")
            left = left + seconds
        canvas.set_yticks(range(len(left)), [wrapped(name, width) for name in self._data["method"]])
        canvas.set_ylim(len(left) - 0.4, -0.6)
        canvas.set_xlim(0, 1.05 * float(left.max(initial=0)) or 1.0)
        canvas.set_xlabel("seconds per resample")
        canvas.grid(True, axis="x")
        points = []
        for i, (_, row) in enumerate(self._data.iterrows()):
            spent = ", ".join(f"{part} {row[f'{part}_seconds']:.3g} s" for part, _ in PARTS)
            points.append(Point(left[i] / 2, i, -1, f"{row['method']}: {spent}"))
        return points
