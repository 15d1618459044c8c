"""Accuracy, or another score, by number of features."""

import math
from collections.abc import Mapping
from typing import Self

import numpy as np
import pandas as pd

from backstay.report._words import capital, metric_title
from backstay.report.figures._curve import CurveDisplay
from backstay.report.figures._display import Canvas, Point
from backstay.report.figures._style import DOTTED, INK
from backstay.results import Results, Role
from backstay.targets import find_metric


class AccuracyDisplay(CurveDisplay):
    """Mean score of every method by number of features, with corrected intervals."""

    narrow = (350, 300)

    def __init__(
        self,
        data: pd.DataFrame,
        roles: Mapping[str, Role],
        metric: str,
        model: str,
        chance: float,
    ) -> None:
        super().__init__(data, roles)
        self.metric, self.model, self.chance = metric, model, chance

    @classmethod
    def from_results(
        cls, results: Results, metric: str | None = None, model: str | None = None
    ) -> Self:
        """Take the data from results of one data set, ``results["name"]`` of several.

        Parameters
        ----------
        metric, model : str, default=None
            The metric that decides and the study's first model if None.
        """
        data = results.data
        metric = data.metric if metric is None else metric
        model = data.models[0] if model is None else model
        if model not in data.models:
            raise ValueError(
                f"model={model!r} was not studied; there are {', '.join(data.models)}."
            )
        scores = results.scores(metric).frame()
        scores = scores[scores["model"] == model].reset_index(drop=True)
        display = cls(scores, data.methods, metric, model, results.predictions.chance(metric))
        return display._with_too_few(results)

    def finding(self) -> str:
        """Say which method has the highest score, and how far each ranges."""
        chance = "" if math.isnan(self.chance) else f" Chance is {self.chance:.2f}."
        score = capital(metric_title(self.metric))
        return f"{score} of {self.model} by number of features: {self._range()}{chance}"

    def _draw(self, canvas: Canvas, width: float) -> list[Point]:
        if np.isfinite(self.chance):
            canvas.axhline(self.chance, color=INK, linewidth=1, linestyle=DOTTED)
        points = self._draw_curves(canvas, width)
        values = np.append(self._data["value"].to_numpy(), self.chance)
        values = values[np.isfinite(values)]
        low, high = (values.min(), values.max()) if len(values) else (0.0, 1.0)
        known = find_metric(self.metric)
        # Errors without a bound have units: what is little depends on them.
        span = 1.0 if known.higher_is_better or known.is_bounded else float(high - low) or 1.0
        step = 0.1 * span
        # Scores of which higher ones are better are seen against the best there could be.
        top = known.high if known.higher_is_better else float(high) + 0.08 * span
        bottom = float(np.floor((low - 0.08 * span) / step) * step)
        # Curves far below guessing leave the figure, or nobody could see the others.
        lowest = known.low if np.isfinite(known.low) else 2 * self.chance - top
        ends = (max(lowest - 0.02 * span, bottom), top + 0.02 * span)
        canvas.set_ylim(*ends)
        canvas.set_ylabel(known.title)
        self._name_curves(canvas, width, ends)
        return points
