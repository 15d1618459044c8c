"""The features of the signature, one small panel each, with a dot per sample."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay.report._words import clean, count, two_decimals
from backstay.report.figures._classes import SampleDisplay
from backstay.report.figures._display import Canvas, Point
from backstay.report.figures._heatmap import SHOWN, cell_label
from backstay.report.figures._labels import one_line
from backstay.report.figures._numbers import OUTCOME
from backstay.report.figures._style import GRID, INK, Looks, Style

# Height of a panel in points; the width of a class in it, and the least width of a panel.
HEIGHT, CLASS, LEAST = 130, 26, 112
# What is left and right of the panels, and what is above their values: the name.
MARGIN, TITLE = 44, 0.17
# Values further from 0 are drawn at this one.
FURTHEST = 3.0
TICKS = (-2, 0, 2)
# More dots than these cannot be pointed at one by one.
POINTED = 2000


class StripDisplay(SampleDisplay):
    """Values of the signature, a panel per feature and a dot per sample.

    Classes stand side by side, with a line at their medians. Numbers and times run from left to
    right; a filled dot is a row with the event, a hollow one a row that was followed no longer.

    Examples
    --------
    >>> import pandas as pd
    >>> from backstay.report import StripDisplay
    >>> rows = [("g", i, f"s{i}", "ab"[i % 2], i - 1.5) for i in range(4)]
    >>> data = pd.DataFrame(rows, columns=["name", "row", "sample", "class", "value"])
    >>> StripDisplay(data, ["a", "b"]).finding()
    'Values of 1 feature in 4 samples. Medians: g a −0.50, b 0.50.'
    """

    def __init__(self, data: pd.DataFrame, classes: Sequence[Any], by: str = "class") -> None:
        super().__init__(data, classes, by)
        panels = [(str(name), own) for name, own in data.groupby("name", sort=False)]
        self.panels = panels[:SHOWN]
        self.wide, self.narrow = (
            (width, 20 + HEIGHT * -(-len(panels[:SHOWN]) // self._columns(width)))
            for width in (760, 350)
        )

    def series(self) -> list[tuple[str, Style]]:
        """Return the classes, or rows with and without the event."""
        if "event" in self._data:
            return [("event", Style(1)), ("followed no longer", Style(0, control=True))]
        return super().series()

    def finding(self) -> str:
        """Say the medians of the classes in every panel."""
        if not self.panels:
            return "There are no values of the signature."
        words = f"Values of {count(len(self.panels), 'feature')} in "
        words += f"{count(self._data['row'].nunique(), 'sample')}."
        if self.classes:
            named = [
                f"{name} " + ", ".join(f"{c} {two_decimals(m)}" for c, m in self._medians[name])
                for name, _ in self.panels
            ]
            words += f" Medians: {'; '.join(named)}."
        return words

    def frame(self) -> pd.DataFrame:
        """Return number and quartiles by feature and class, or the values if there are none."""
        if not self.classes:
            return super().frame()
        values = self._data.groupby(["name", self.by], sort=False)["value"]
        quartiles = {"lower quartile": 0.25, "median": 0.5, "upper quartile": 0.75}
        table = {"n": values.count()} | {key: values.quantile(q) for key, q in quartiles.items()}
        return pd.DataFrame(table).reset_index()

    @cached_property
    def _medians(self) -> dict[str, list[tuple[str, float]]]:
        """The medians of the classes, by feature."""
        names, kinds = self._data["name"].astype(str), self._data[self.by].astype(str)
        known = self._data["value"].groupby([names, kinds]).median().to_dict()
        classes = [str(name) for name in self.classes]
        return {
            name: [(kind, known.get((name, kind), np.nan)) for kind in classes]
            for name, _ in self.panels
        }

    def _columns(self, width: float) -> int:
        """Return how many panels stand side by side."""
        panel = max(LEAST, CLASS * len(self.classes))
        return max(1, min(len(self.panels), int((width - MARGIN) // panel)))

    def _draw(self, canvas: Canvas, width: float) -> list[Point]:
        if not self.panels:
            return []
        columns, points = self._columns(width), []
        rows = -(-len(self.panels) // columns)
        room = (width - MARGIN) / columns - 8
        for place, (name, own) in enumerate(self.panels):
            line, column = divmod(place, columns)
            points += self._panel(canvas, own, column, -line)
            title = one_line(clean(name), room)
            high = 1 - TITLE / 2 - line
            canvas.text(column + 0.5, high, title, ha="center", va="center", fontsize=11, color=INK)
        ticks = [float(_along(v, -line)) for line in range(rows) for v in TICKS]
        canvas.set_yticks(ticks, ["−2", "0", "2"] * rows)
        canvas.set_xticks([], [])
        canvas.set_xlim(0, columns)
        canvas.set_ylim(1 - rows, 1)
        canvas.set_ylabel("standard deviations")
        canvas.set_frame_on(False)
        return points

    def _panel(self, canvas: Canvas, own: pd.DataFrame, left: float, floor: float) -> list[Point]:
        """Draw the dots of one feature in its square; return its places worth pointing at."""
        for v in TICKS:
            width = 1.2 if v == 0 else 0.8
            canvas.hlines(_along(v, floor), left + 0.05, left + 0.95, color=GRID, linewidth=width)
        y = np.clip(own["value"].to_numpy(dtype=float), -FURTHEST, FURTHEST)
        heights, name = _along(y, floor), str(own["name"].iloc[0])
        if not self.classes:
            return self._scatter(canvas, own, left, heights)
        points, kinds = [], own[self.by].astype(str).to_numpy()
        step = 0.9 / len(self.classes)
        for place, ((kind, style), (_, median)) in enumerate(
            zip(self.series(), self._medians[name], strict=True)
        ):
            middle, mine = left + 0.05 + step * (place + 0.5), np.flatnonzero(kinds == kind)
            x = middle + 0.36 * step * _spread(len(mine))
            looks = style.marks(place, 4.4, 0.0) | {"alpha": 0.75}
            canvas.plot(x, heights[mine], **looks)
            if np.isfinite(median):
                at = float(_along(np.clip(median, -FURTHEST, FURTHEST), floor))
                ends = (middle - 0.42 * step, middle + 0.42 * step)
                canvas.hlines(at, *ends, color=INK, linewidth=2)
                said = f"{name}, {kind}: median {two_decimals(median)} of {len(mine)}"
                points.append(Point(middle, at, place, said))
        return points

    def _scatter(
        self, canvas: Canvas, own: pd.DataFrame, left: float, heights: NDArray[np.float64]
    ) -> list[Point]:
        """Draw dots against a number or a time."""
        known = own[self.order] if self.measured else own["row"]
        order = known.to_numpy(dtype=float)
        span = float(np.ptp(order)) or 1.0
        x = left + 0.07 + 0.86 * (order - order.min()) / span
        looks: Looks = {"color": OUTCOME, "marker": "o", "markersize": 4.4, "linestyle": "none"}
        looks |= {"markerfacecolor": OUTCOME, "markeredgewidth": 0.0, "alpha": 0.75}
        if "event" not in own:
            canvas.plot(x, heights, **looks)
        for place, (_, style) in reversed(list(enumerate(self.series()))):
            mine = own["event"].to_numpy(dtype=bool) == (place == 0)
            canvas.plot(x[mine], heights[mine], **style.marks(place, 4.2, 0.9))
        if len(own) * len(self.panels) > POINTED:
            return []
        samples = [self._named(*pair) for pair in zip(own["sample"], own[self.by], strict=True)]
        return [
            Point(float(a), float(b), -1, cell_label(*said))
            for a, b, *said in zip(x, heights, samples, own["name"], own["value"], strict=True)
        ]


def _along(values: Any, floor: float) -> Any:
    """Return where values are in a square of height 1 that stands on a floor."""
    high = 1 - TITLE - 0.06
    return floor + 0.04 + high * (np.asarray(values) + FURTHEST) / (2 * FURTHEST)


def _spread(n: int) -> NDArray[np.float64]:
    """Return places between −1 and 1 that keep neighbours apart, the same for the same n."""
    return np.asarray(2 * ((np.arange(n) * 0.6180339887498949 + 0.5) % 1) - 1, dtype=np.float64)
