"""Accuracy, or another score, by number of features."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Self

import numpy as np
import pandas as pd

from backstay.report.figures._canvas import Canvas
from backstay.report.figures._curve import CurveDisplay
from backstay.report.figures._display import Point
from backstay.report.figures._style import INK
from backstay.results import Results, Role


class AccuracyDisplay(CurveDisplay):
    """Mean score of every method by number of features, with corrected intervals."""

    narrow = (350, 300)

    def __init__(
        self,
        data: pd.DataFrame,
        roles: Mapping[str, Role],
        metric: str,
        classifier: str,
        chance: float,
    ) -> None:
        super().__init__(data, roles)
        self.metric, self.classifier, self.chance = metric, classifier, chance

    @classmethod
    def from_results(
        cls,
        results: Results,
        metric: str | None = None,
        classifier: str | None = None,
        *,
        confidence: float = 0.95,
    ) -> Self:
        """Take the data from results of one data set, ``results["name"]`` of several.

        Parameters
        ----------
        metric, classifier : str, default=None
            The metric that decides and the study's first classifier if None.
        confidence : float, default=0.95
            Coverage of the intervals.
        """
        data = results.data
        metric = results.metric if metric is None else metric
        scores = results.accuracy(metric, confidence=confidence).frame()
        classifier = data.classifiers[0] if classifier is None else classifier
        if classifier not in data.classifiers:
            raise ValueError(
                f"classifier={classifier!r} was not studied; there are "
                f"{', '.join(data.classifiers)}."
            )
        scores = scores[scores["classifier"] == classifier].reset_index(drop=True)
        return cls(scores, data.methods, metric, classifier, results.chance(metric))

    def finding(self) -> str:
        """Say which method is most accurate, and how far each ranges."""
        score = self.metric.replace("_", " ").capitalize()
        chance = "" if math.isnan(self.chance) else f" Chance is {self.chance:.2f}."
        title = f"{score} of {self.classifier} by number of features"
        return f"{title}: {self._range()}{chance}"

    def _draw(self, canvas: Canvas, width: float) -> list[Point]:
        if np.isfinite(self.chance):
            canvas.axhline(self.chance, color=INK, linewidth=1, linestyle=(0, (1, 2)))
        points = self._draw_curves(canvas, width)
        values = self._data["value"].to_numpy()
        values = np.append(values[np.isfinite(values)], self.chance)
        low = float(np.nanmin(values)) if np.isfinite(values).any() else 0.0
        canvas.set_ylim(max(-0.02, np.floor((low - 0.08) * 10) / 10), 1.02)
        canvas.set_ylabel(self.metric.replace("_", " "))
        return points
