"""What all displays share: a frame, a way to draw it, and the points worth pointing at."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from backstay.report._sheet import Sheet
from backstay.report._style import GRID, INK, MUTED, Style, styles
from backstay.results._metrics import chance_level

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from backstay.results import Results

__all__ = [
    "Display",
    "Point",
    "axes_width",
    "chance_of",
    "fitted",
    "one_dataset",
    "padded",
    "pyplot",
    "size_axis",
]

# A character of the axis labels is about this wide, in points.
CHARACTER = 7.0


@dataclass(frozen=True)
class Point:
    """A place in a figure, in data coordinates, with the words that belong to it."""

    x: float
    y: float
    series: int
    label: str


class Display:
    """A figure of a study's results, with the frame it shows.

    Made by ``from_results``; ``plot(ax=None)`` draws it with matplotlib and
    ``frame()`` returns the data.

    Attributes
    ----------
    ax_ : matplotlib Axes
        What it was last drawn on.
    figure_ : matplotlib Figure
        The figure of those axes.
    """

    # Width and height in points: in a window or on a page, and on a phone.
    wide: tuple[float, float] = (760, 380)
    narrow: tuple[float, float] = (350, 320)
    # A method to draw more strongly than the others.
    highlight: str | None = None

    def __init__(self, data: pd.DataFrame, roles: dict[str, dict[str, Any]]) -> None:
        self._data = data
        self._styles = styles(roles)
        self._points: list[Point] = []

    def frame(self) -> pd.DataFrame:
        """Return the data of the figure as a frame of one's own."""
        return self._data.copy()

    def plot(self, ax: Axes | None = None, *, legend: bool = True) -> Self:
        """Draw the figure.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure with pyplot.
        legend : bool, default=True
            Whether to name the methods beside the axes, where there are several.

        Returns
        -------
        self
            With ``ax_`` and ``figure_``.
        """
        if ax is None:
            size = (self.wide[0] / 72, self.wide[1] / 72)
            _, ax = pyplot().subplots(figsize=size, layout="constrained")
        assert ax is not None
        _dress(ax)
        self._draw_on(ax)
        _finish(ax)
        if legend:
            self._beside(ax)
        self.ax_ = ax
        self.figure_ = ax.figure
        return self

    def _svg(self, size: tuple[float, float], prefix: str) -> tuple[str, list[list[float]]]:
        """Draw the figure for a page.

        Parameters
        ----------
        size : pair of float
            Width and height in CSS pixels.
        prefix : str
            Put before every id, to keep figures of a page apart.

        Returns
        -------
        tuple of str and list
            The SVG; x, y and number of the series of every point.
        """
        sheet = Sheet(*size, prefix)
        self._draw_on(sheet)
        svg = sheet.svg()
        x, y = sheet.pixels([p.x for p in self._points], [p.y for p in self._points])
        places = zip(x.round(1).tolist(), y.round(1).tolist(), strict=True)
        return svg, [[a, b, p.series] for (a, b), p in zip(places, self._points, strict=True)]

    def series(self) -> list[tuple[str, Style]]:
        """Return names and styles of what the figure shows, in order."""
        shown = set(self._data["method"]) if "method" in self._data else set()
        return [(str(name), style) for name, style in self._styles.items() if name in shown]

    def _draw_on(self, ax: Axes | Sheet) -> None:
        self._points = []
        self._draw(ax)
        self._points = [p for p in self._points if math.isfinite(p.x) and math.isfinite(p.y)]

    def _draw(self, ax: Axes | Sheet) -> None:
        raise NotImplementedError

    def _beside(self, ax: Axes) -> None:
        """Put the legend outside, where it cannot cover data."""
        handles = [_handle(style) for _, style in self.series()]
        if not handles:
            return
        # matplotlib drops labels that begin with an underscore.
        names = [f"\u200b{name}" if name.startswith("_") else name for name, _ in self.series()]
        found = ax.legend(
            handles, names, loc="upper left", bbox_to_anchor=(1.02, 1), frameon=False, fontsize=10
        )
        for text in found.get_texts():
            text.set_parse_math(False)
            text.set_color(INK)

    def _strength(self, name: str) -> float:
        """Return how strongly to draw a method: many bands on top of each other hide it all."""
        if name == self.highlight:
            return 1.9
        return 1.4 if self.highlight is None and len(self.series()) <= 4 else 1.15

    @cached_property
    def _groups(self) -> list[tuple[int, str, Style, pd.DataFrame]]:
        """Number, name, style and rows of every series."""
        rows = dict(iter(self._data.groupby("method", sort=False)))
        return [
            (place, name, style, rows[name]) for place, (name, style) in enumerate(self.series())
        ]


def _handle(style: Style) -> Any:
    """Return a sample of a style for a legend."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    if style.area:
        return Patch(facecolor=style.color)
    return Line2D(
        [],
        [],
        color=style.color,
        linestyle=style.line,
        marker=style.marker,
        markersize=6,
        markerfacecolor=style.face,
    )


def pyplot() -> Any:
    """Import pyplot, or say what is missing."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError('figures need matplotlib: pip install "backstay[app]"') from error
    return plt


def one_dataset(results: Results) -> tuple[str, dict[str, Any]]:
    """Return name and facts of the only data set; several are refused."""
    found = results.facts["datasets"]
    if len(found) != 1:
        raise ValueError(
            f"there are {len(found)} data sets ({', '.join(found)}); choose one with results[name]."
        )
    ((name, facts),) = found.items()
    return name, facts


def chance_of(results: Results, metric: str) -> float:
    """Return what a method that knows nothing reaches, nan where that has no fixed value."""
    if metric == "roc_auc":
        return 0.5
    if metric in ("accuracy", "balanced_accuracy"):
        return chance_level(metric, results._one().codes)
    return math.nan


def padded(values: Any, share: float) -> tuple[float, float]:
    """Return limits of an axis that leave some air around values, undefined ones aside."""
    known = np.asarray(values, dtype=float)
    known = known[np.isfinite(known)]
    if not len(known):
        return 0.0, 1.0
    low, high = float(known.min()), float(known.max())
    air = share * (high - low) or 0.05
    return low - air, high + air


def size_axis(ax: Axes | Sheet, sizes: Sequence[int]) -> None:
    """Give an axis of subset sizes its scale, and as many labels as there is room for."""
    low, high = min(sizes), max(sizes)
    log = high >= 20 * low
    if log:
        ax.set_xscale("log")
    value = np.log(sizes) if log else np.asarray(sizes, dtype=float)
    span = float(value[-1] - value[0]) or 1.0
    room = 0.82 * axes_width(ax)
    kept: list[int] = []
    last = -np.inf
    for size, place in zip(sizes, (value - value[0]) / span * room, strict=True):
        half = CHARACTER * len(_short_number(size)) / 2 + 5
        if place - half >= last:
            kept.append(size)
            last = place + half
    ax.set_xticks(kept, [_short_number(size) for size in kept])
    pad = 0.03 * span
    left, right = (value[0] - pad, value[-1] + pad) if span else (value[0] - 1, value[0] + 1)
    ax.set_xlim(*((np.exp(left), np.exp(right)) if log else (left, right)))


def axes_width(ax: Axes | Sheet) -> float:
    """Return the width of axes with their labels, in points."""
    if isinstance(ax, Sheet):
        return ax.width
    # Axes alone in a figure have this share of it to themselves.
    return float(ax.figure.bbox.width / ax.figure.dpi * 72 * ax.get_position().width / 0.775)


def _short_number(size: int) -> str:
    return f"{size / 1000:g}k" if size >= 10_000 else str(size)


def fitted(ax: Axes | Sheet, name: str, share: float = 0.34) -> str:
    """Break a name into at most two lines that leave room for the data, or shorten its middle."""
    room = max(int(share * axes_width(ax) / CHARACTER), 8)
    lines = textwrap.wrap(name, room) or [name]
    if len(lines) > 2:
        # Long names tend to differ at their ends.
        lines = [lines[0], "…" + name[-(room - 1) :]]
    return "\n".join(lines)


def _dress(ax: Axes) -> None:
    """Take away what carries no information."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(MUTED)
        ax.spines[side].set_linewidth(0.8)
    ax.tick_params(colors=MUTED, labelcolor=INK, labelsize=11, width=0.8, length=3)
    ax.set_axisbelow(True)


def _finish(ax: Axes) -> None:
    """Give labels and grid, which exist only now, their looks; names are no formulas."""
    ax.minorticks_off()
    for label in (ax.xaxis.label, ax.yaxis.label):
        label.set_parse_math(False)
        label.set_color(INK)
        label.set_fontsize(12)
    for text in (*ax.get_xticklabels(), *ax.get_yticklabels()):
        text.set_parse_math(False)
    for line in (*ax.get_xgridlines(), *ax.get_ygridlines()):
        line.set_color(GRID)
        line.set_linewidth(0.8)
