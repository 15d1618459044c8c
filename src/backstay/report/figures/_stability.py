"""Stability by number of features."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

import numpy as np
import pandas as pd

from backstay.report.figures._canvas import Canvas
from backstay.report.figures._curve import CurveDisplay
from backstay.report.figures._display import Point
from backstay.report.figures._style import MUTED
from backstay.results import Results, Role


class StabilityDisplay(CurveDisplay):
    """Stability of every method by number of features selected, with intervals.

    Examples
    --------
        >>> from backstay import ReliefF, Study
        >>> from backstay.datasets import make_xor
        >>> from backstay.report import StabilityDisplay
            >>> from backstay.study import Subsampling
        >>> X, y, _ = make_xor(150, random_state=0)
        >>> study = Study({"relieff": ReliefF()}, Subsampling(10), sizes=[2, 3], random_state=0)
        >>> display = StabilityDisplay.from_results(study.run(X, y))
        >>> display.frame()[["method", "size", "value"]].round(2)
            method  size  value
        0  relieff     2   0.68
        1  relieff     3   0.82
    """

    def __init__(self, data: pd.DataFrame, roles: Mapping[str, Role], measure: str) -> None:
        super().__init__(data, roles)
        self.measure = measure

    @classmethod
    def from_results(
        cls, results: Results, measure: str = "nogueira", *, confidence: float = 0.95
    ) -> Self:
        """Take the data from results of one data set, ``results["name"]`` of several.

        Parameters
        ----------
        measure : str, default="nogueira"
            Any measure on subsets.
        confidence : float, default=0.95
            Coverage of the intervals.
        """
        data = results.stability(measure, confidence=confidence).frame()
        return cls(data, results.data.methods, measure)

    def finding(self) -> str:
        """Say which method is stablest, and how far each ranges."""
        return f"Stability by number of features: {self._range()}"

    def _draw(self, canvas: Canvas, width: float) -> list[Point]:
        if self._data.empty:
            return []
        if self.measure in ("nogueira", "kuncheva"):
            canvas.axhline(0, color=MUTED, linewidth=1, linestyle=(0, (1, 2)))
            canvas.axhline(1, color=MUTED, linewidth=1, linestyle=(0, (1, 2)))
        points = self._draw_curves(canvas, width)
        shown = self._data[["value", "low", "high"]].to_numpy()
        bottom = min(0.0, float(np.nanmin(shown))) if np.isfinite(shown).any() else 0.0
        canvas.set_ylim(max(bottom, -0.25) - 0.03, 1.04)
        canvas.set_ylabel(f"stability ({self.measure.capitalize()})")
        return points
