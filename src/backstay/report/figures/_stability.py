"""Stability by number of features."""

from collections.abc import Mapping
from typing import Self

import numpy as np
import pandas as pd

from backstay.report._words import interval, two_decimals
from backstay.report.figures._curve import CurveDisplay
from backstay.report.figures._display import Canvas, Point
from backstay.report.figures._style import DOTTED, MUTED
from backstay.results import Results, Role

# Measures that are 0 for random features; equal for subsets of one size.
ZERO_AT_RANDOM = ("nogueira", "kuncheva")


class StabilityDisplay(CurveDisplay):
    """Stability of every method by number of features selected, with intervals.

    Where the study ran shuffled outcomes, a quiet band shows what they give the highlighted
    method, or the only one.

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
    def from_results(cls, results: Results, measure: str = "nogueira") -> Self:
        """Take the data from results of one data set, ``results["name"]`` of several.

        Parameters
        ----------
        measure : str, default="nogueira"
            Any measure on subsets.
        """
        data = results.stability(measure).frame()
        null = results.null().frame()
        if measure in ZERO_AT_RANDOM and not null.empty:
            names = {"null": "null", "low": "null_low", "high": "null_high"}
            null = null[["method", "size", *names]].rename(columns=names)
            data = data.merge(null, on=["method", "size"], how="left", sort=False)
        return cls(data, results.data.methods, measure)._with_too_few(results)

    def finding(self) -> str:
        """Say which method is stablest, how far each ranges, and what shuffled outcomes give."""
        words = f"Stability by number of features: {self._range()}"
        for name, _, rows in self._nulls():
            low, high = two_decimals(rows["null"].min()), two_decimals(rows["null"].max())
            words += f" With shuffled outcomes {name} is between {low} and {high}."
        return words

    def _draw(self, canvas: Canvas, width: float) -> list[Point]:
        if self.measure in ZERO_AT_RANDOM:
            canvas.axhline(0, color=MUTED, linewidth=1, linestyle=DOTTED)
            canvas.axhline(1, color=MUTED, linewidth=1, linestyle=DOTTED)
        points = [*self._draw_nulls(canvas), *self._draw_curves(canvas, width)]
        shown = self._data[["value", "low", "high"]].to_numpy()
        bottom = min(0.0, float(np.nanmin(shown))) if np.isfinite(shown).any() else 0.0
        limits = (max(bottom, -0.25) - 0.03, 1.04)
        canvas.set_ylim(*limits)
        canvas.set_ylabel(f"stability ({self.measure.capitalize()})")
        self._name_curves(canvas, width, limits)
        return points

    def _nulls(self) -> list[tuple[str, int, pd.DataFrame]]:
        """Return name, place and rows of the method whose null is shown, if it has one."""
        one = len(self._groups) == 1
        known = [
            (name, place, rows[np.isfinite(rows.get("null", np.nan * rows["value"]))])
            for place, name, _, rows in self._groups
            if one or name == self.highlight
        ]
        return [group for group in known if len(group[2])]

    def _draw_nulls(self, canvas: Canvas) -> list[Point]:
        points = []
        for name, place, rows in self._nulls():
            low, high = rows["null_low"], rows["null_high"]
            canvas.fill_between(rows["size"], low, high, color=MUTED, alpha=0.16, linewidth=0)
            canvas.plot(rows["size"], rows["null"], color=MUTED, linewidth=1)
            for row in rows.to_dict("records"):
                words = f"{name} with shuffled outcomes, {row['size']} features: {row['null']:.3f}"
                words += (
                    f" (95\u202f% of permutations {interval(row['null_low'], row['null_high'])})"
                )
                points.append(Point(row["size"], row["null"], place, words))
        return points
