"""Stability and accuracy at once."""

from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np
import pandas as pd

from backstay.report._words import count, listed, metric_title
from backstay.report.figures._axis import zoomed_limits
from backstay.report.figures._display import Canvas, Display, Point
from backstay.report.figures._labels import LEAST_WIDTH, Label, fitting, write
from backstay.report.figures._style import DOTTED, INK, MUTED
from backstay.results import Results, Role
from backstay.targets import find_metric


class ParetoDisplay(Display):
    """Methods in the plane of stability and accuracy, with the front of those not dominated."""

    narrow = (350, 340)

    def __init__(
        self,
        data: pd.DataFrame,
        roles: Mapping[str, Role],
        size: int | None,
        model: str,
        metric: str,
        chance: float,
        dial: Sequence[str] = (),
    ) -> None:
        super().__init__(data, roles)
        self.size, self.model, self.metric, self.chance = size, model, metric, chance
        known = data.dropna(subset=["stability", "accuracy"]).set_index("method")
        self._dial = known.loc[[name for name in dial if name in known.index]]

    @classmethod
    def from_results(
        cls,
        results: Results,
        *,
        size: int | None = None,
        model: str | None = None,
        metric: str | None = None,
    ) -> Self:
        """Take the data from results of one data set, ``results["name"]`` of several.

        Parameters
        ----------
        size : int, default=None
            A size studied, which brings intervals; None for averages over the sizes.
        model, metric : str, default=None
            The study's first model and the metric that decides if None.
        """
        data = results.comparisons.pareto(size=size, model=model, metric=metric).frame()
        model = results.data.models[0] if model is None else model
        metric = results.data.metric if metric is None else metric
        if size is not None:
            data = _with_intervals(data, results, size, model, metric)
        chance = results.predictions.chance(metric)
        dial = results.facts.dial
        return cls(data, results.data.methods, size, model, metric, chance, dial)

    def finding(self) -> str:
        """Say which methods are on the front."""
        front = self._data[self._data["on_front"]]
        if front.empty:
            return "No method has both a stability and an accuracy."
        points = [
            f"{row['method']} (stability {row['stability']:.2f}, {row['accuracy']:.2f})"
            for _, row in front.iterrows()
        ]
        others = len(self._data) - len(front)
        return (
            f"Stability against {metric_title(self.metric)}: on the front "
            f"{'is' if len(points) == 1 else 'are'} {listed(points)}; {count(others, 'method')} "
            f"{'is' if others == 1 else 'are'} not on it."
        )

    def _draw(self, canvas: Canvas, width: float) -> list[Point]:
        known = self._data.dropna(subset=["stability", "accuracy"])
        front = known.loc[known["on_front"].to_numpy(dtype=bool)].sort_values(by="stability")
        canvas.plot(
            front["stability"], front["accuracy"], color=MUTED, linewidth=1.2, linestyle=DOTTED
        )
        if len(self._dial) > 2:
            canvas.plot(self._dial["stability"], self._dial["accuracy"], color=INK, linewidth=1.2)
        # The methods must lie apart: intervals, and guessing, may lie beyond the ends.
        across = zoomed_limits(known["stability"], 0.05, 1.0)
        along = zoomed_limits(known["accuracy"], 0.02, find_metric(self.metric).high)
        points = []
        for place, name, style, rows in self._groups:
            row = rows.iloc[0]
            x, y = row["stability"], row["accuracy"]
            if not np.isfinite([x, y]).all():
                continue
            if "stability_low" in row:
                # Both intervals, as far as they lie in the figure.
                looks = style.band(place, 0.5 if self._banded(name) else 0.0, 1.2)
                start, end = np.clip([row["stability_low"], row["stability_high"]], *across)
                low, high = np.clip([row["accuracy_low"], row["accuracy_high"]], *along)
                canvas.hlines(y, float(start), float(end), **looks)
                canvas.vlines(x, float(low), float(high), **looks)
            size = 10 if row["on_front"] else 7.5
            canvas.plot([x], [y], **style.marks(place, size, 1.6))
            over = row["dominated_by"]
            where = f"dominated by {over}" if over else "too few runs to compare"
            where = "on the front" if row["on_front"] else where
            words = f"{name}: stability {x:.2f}, {metric_title(self.metric)} {y:.3f}, {where}"
            points.append(Point(x, y, place, words))
        if along[0] <= self.chance <= along[1]:
            canvas.axhline(self.chance, color=INK, linewidth=1, linestyle=DOTTED)
        canvas.grid(True)
        canvas.set_xlabel("stability (Nogueira)")
        canvas.set_ylabel(f"{metric_title(self.metric)} ({self.model})")
        canvas.set_xlim(*across)
        canvas.set_ylim(*along)
        if width >= LEAST_WIDTH:
            sides = ("left", "right")
            marks = [(point.x, point.y) for point in points]
            names = [name for name, _ in self.series()]
            first = sorted(points, key=lambda point: names[point.series] != self.highlight)
            labels = [Label(point.x, point.y, names[point.series]) for point in first]
            for label in fitting(labels, (across, along), self.wide, marks=marks, sides=sides):
                write(canvas, label)
        return points


def _with_intervals(
    data: pd.DataFrame, results: Results, size: int, model: str, metric: str
) -> pd.DataFrame:
    stability = results.stability("nogueira", [size]).frame()
    accuracy = results.scores(metric).frame()
    chosen = (accuracy["model"] == model) & (accuracy["size"] == size)
    for name, table in (("stability", stability), ("accuracy", accuracy[chosen])):
        ends = table[["method", "low", "high"]]
        ends = ends.rename(columns={end: f"{name}_{end}" for end in ("low", "high")})
        data = data.merge(ends, on="method", how="left", sort=False)
    return data
