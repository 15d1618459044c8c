"""A quantity by number of features: what the figures of stability and accuracy share."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from backstay.report._words import count, interval, two_decimals
from backstay.report.figures._axis import set_size_axis
from backstay.report.figures._canvas import Canvas
from backstay.report.figures._display import Display, Point
from backstay.results import Results


class CurveDisplay(Display):
    """A curve with its band for every method, over an axis of subset sizes.

    ``too_few`` names the methods with too few runs to be compared.
    """

    too_few: frozenset[str] = frozenset()

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
        set_size_axis(canvas, sorted(self._data["size"].unique().tolist()), width)
        canvas.set_xlabel("features selected")
        canvas.grid(True, axis="y")
        points = []
        for place, name, style, rows in self._groups:
            strength = self._strength(name)
            canvas.fill_between(
                rows["size"],
                rows["low"],
                rows["high"],
                color=style.color,
                alpha=0.03 * strength**3,
                linewidth=0,
                gid=f"band-{place}",
            )
            canvas.plot(
                rows["size"],
                rows["value"],
                color=style.color,
                linestyle=style.line,
                linewidth=1.3 * strength,
                marker=style.marker,
                markersize=5,
                markerfacecolor=style.face,
                markeredgewidth=1.2,
                gid=f"series-{place}",
            )
            points += _curve_points(place, name, rows)
        return points


def too_few_runs(results: Results) -> frozenset[str]:
    """Return the methods with too few runs to be compared."""
    runs = results.runs().frame()
    return frozenset(runs.loc[~runs["judged"].to_numpy(dtype=bool), "method"])


def _curve_points(place: int, name: str, rows: pd.DataFrame) -> list[Point]:
    """Return the points of a curve with their numbers."""
    points = []
    columns = (rows[name].tolist() for name in ("size", "value", "low", "high"))
    for size, value, low, high in zip(*columns, strict=True):
        ends = f" (95\u202f% {low:.2f} to {high:.2f})" if math.isfinite(low + high) else ""
        points.append(Point(size, value, place, f"{name}, {size} features: {value:.3f}{ends}"))
    return points
