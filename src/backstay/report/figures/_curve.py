"""A quantity by number of features: what the figures of stability and accuracy share."""

import math
from typing import Self

import numpy as np

from backstay.report._words import count, interval, two_decimals
from backstay.report.figures._axis import set_size_axis
from backstay.report.figures._display import Canvas, Display, Point
from backstay.report.figures._labels import LEAST_WIDTH, SIZE, Label, fitting, shortened, write
from backstay.report.figures._svg import text_width
from backstay.results import Results


class CurveDisplay(Display):
    """A curve with its band for every method, over an axis of subset sizes.

    ``too_few`` names the methods with too few runs to be compared.
    """

    too_few: frozenset[str] = frozenset()

    def _with_too_few(self, results: Results) -> Self:
        runs = results.runs.counts().frame()
        self.too_few = frozenset(runs.loc[~runs["judged"].to_numpy(dtype=bool), "method"])
        return self

    def _range(self) -> str:
        """Say which method is highest and where, and how far each ranges."""
        known = self._data[np.isfinite(self._data["value"])]
        if known.empty:
            return "Nothing could be computed."
        judged = known[~known["method"].isin(self.too_few)]
        if judged.empty:
            return "No method has enough runs to be compared."
        best = judged.iloc[int(judged["value"].argmax())]
        words = [
            f"highest is {best['method']} with {best['value']:.2f} at "
            f"{count(int(best['size']), 'feature')} "
            f"(95\u202f% {interval(best['low'], best['high'])})"
        ]
        for method, curve in known.groupby("method", sort=False):
            low, high = curve["value"].min(), curve["value"].max()
            few = " (too few runs to compare)" if method in self.too_few else ""
            words.append(f"{method} between {two_decimals(low)} and {two_decimals(high)}{few}")
        return "; ".join(words) + "."

    def _draw_curves(self, canvas: Canvas, width: float) -> list[Point]:
        names = [name for name, _ in self.series()]
        named = width >= LEAST_WIDTH and len(names) > 1
        beside = max(text_width(shortened(name), SIZE) for name in names) + 12 if named else 0.0
        sizes = sorted(self._data["size"].unique().tolist())
        self._axis = set_size_axis(canvas, sizes, width, beside)
        canvas.set_xlabel("features selected")
        canvas.grid(True, axis="y")
        points = []
        for place, name, style, rows in self._groups:
            strength = self._strength(name)
            band = style.band(place, 0.2 if self._banded(name) else 0.0)
            canvas.fill_between(rows["size"], rows["low"], rows["high"], **band)
            looks = style.marks(place, 5, 1.2) | style.curve(place, 1.3 * strength)
            canvas.plot(rows["size"], rows["value"], **looks)
            for row in rows[["size", "value", "low", "high"]].itertuples(index=False):
                size, value, low, high = row
                ends = f" (95\u202f% {low:.2f} to {high:.2f})" if math.isfinite(low + high) else ""
                words = f"{name}, {size} features: {value:.3f}{ends}"
                points.append(Point(size, value, place, words))
        return points

    def _name_curves(self, canvas: Canvas, width: float, limits: tuple[float, float]) -> None:
        """Name curves at their right ends, the strongest first, where the names fit."""
        if width < LEAST_WIDTH or len(self._groups) < 2:
            return
        axis = self._axis
        labels = []
        for _, name, _, rows in sorted(self._groups, key=lambda group: group[1] != self.highlight):
            known = rows[np.isfinite(rows["value"])]
            if len(known):
                end = known.iloc[-1]
                labels.append(Label(axis.place(end["size"]), float(end["value"]), name))
        for one in fitting(labels, ((axis.left, axis.right), limits), self.wide):
            write(canvas, Label(axis.size(one.x), one.y, one.name))
