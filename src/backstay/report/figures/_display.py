"""What all displays share: a frame, a way to draw it, and the points worth pointing at."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay.report.figures._sheet import Sheet
from backstay.report.figures._style import GRID, HEAT, INK, MUTED, Style, styles
from backstay.results import Results, Role
from backstay.targets import Target

# What a display draws on, checked against both. Limits are always set, because a sheet does not
# guess them. Labels of the y axis may have several lines.
if TYPE_CHECKING:
    from matplotlib.axes import Axes

    Canvas: TypeAlias = Axes | Sheet
else:
    Canvas = Sheet

# Up to this number of series can be drawn strongly, with bands.
FEW = 4


@dataclass(frozen=True)
class Point:
    """A place in a figure, in data coordinates, with the words that belong to it."""

    x: float
    y: float
    series: int
    label: str


@dataclass(frozen=True)
class Drawing:
    """A figure for a page: SVG, the places worth pointing at, and [x, y, series] in pixels."""

    svg: str
    points: list[Point]
    places: list[list[float]]


class Display(ABC):
    """A figure of a study's results, with the frame it shows, built by ``from_results``.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes it was last plotted on.
    figure_ : matplotlib Figure
        The figure of those axes.
    points_ : list of Point
        The places worth pointing at on those axes.
    """

    # Width and height in points: in a window or on a page, and on a phone.
    wide: tuple[float, float] = (760, 380)
    narrow: tuple[float, float] = (350, 320)
    # A method to draw more strongly than the others.
    highlight: str | None = None
    # What a display of scores was scored with, and what chance gives.
    model: str | None = None
    chance: float = math.nan

    def __init__(self, data: pd.DataFrame, roles: Mapping[str, Role] | None = None) -> None:
        self._data = data
        self._styles = styles(roles or {})

    @abstractmethod
    def finding(self) -> str:
        """Say what the figure shows, with the numbers, for those who do not see it."""

    @abstractmethod
    def _draw(self, canvas: Canvas, width: float) -> list[Point]:
        """Draw on a canvas that is `width` points wide; return the places worth pointing at."""

    def frame(self) -> pd.DataFrame:
        """Return a copy of the data of the figure."""
        return self._data.copy()

    def plot(self, ax: Axes | None = None, *, legend: bool = True) -> Self:
        """Draw the figure with matplotlib, and return it.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure with pyplot.
        legend : bool, default=True
            Whether to name the methods beside the axes, where there are several.
        """
        if ax is None:
            size = (self.wide[0] / 72, self.wide[1] / 72)
            _, ax = _pyplot().subplots(figsize=size, layout="constrained")
        assert ax is not None
        _remove_clutter(ax)
        # Axes alone in a figure have this share of it to themselves.
        width = ax.figure.bbox.width / ax.figure.dpi * 72 * ax.get_position().width / 0.775
        self.points_ = self._draw_points(ax, float(width))
        _style_labels(ax)
        if legend:
            self._add_legend(ax)
        self.ax_ = ax
        self.figure_ = ax.figure
        return self

    def draw(self, size: tuple[float, float], prefix: str) -> Drawing:
        """Draw the figure for a page, in CSS pixels, with a prefix to its ids that is its own."""
        sheet = Sheet(*size, prefix)
        points = self._draw_points(sheet, sheet.width)
        svg = sheet.svg()
        x, y = sheet.pixels([p.x for p in points], [p.y for p in points])
        series = [p.series for p in points]
        places = zip(x.round(1).tolist(), y.round(1).tolist(), series, strict=True)
        return Drawing(svg, points, [list(place) for place in places])

    def series(self) -> list[tuple[str, Style]]:
        """Return names and styles of what the figure shows, in order."""
        shown = set(self._data["method"]) if "method" in self._data else set()
        return [(str(name), style) for name, style in self._styles.items() if name in shown]

    def legend(self) -> list[str]:
        """Return what the legend says of every series: its name."""
        return [name for name, _ in self.series()]

    def _draw_points(self, canvas: Canvas, width: float) -> list[Point]:
        points = self._draw(canvas, width)
        return [p for p in points if math.isfinite(p.x) and math.isfinite(p.y)]

    def _add_legend(self, ax: Axes) -> None:
        """Put the legend outside, where it cannot cover data."""
        handles = [_legend_handle(style) for _, style in self.series()]
        if not handles:
            return
        # matplotlib drops labels that begin with an underscore.
        names = [f"\u200b{name}" if name.startswith("_") else name for name in self.legend()]
        legend = ax.legend(
            handles, names, loc="upper left", bbox_to_anchor=(1.02, 1), frameon=False, fontsize=10
        )
        for text in legend.get_texts():
            text.set(parse_math=False, color=INK)

    def _strength(self, name: str) -> float:
        """Return how strongly to draw a method's line."""
        if name == self.highlight:
            return 1.9
        return 1.4 if self.highlight is None and len(self.series()) <= FEW else 0.95

    def _banded(self, name: str) -> bool:
        """Return whether to show a method's interval: many of them would hide each other.

        Those not shown are there, invisible; a page shows them when they are pointed at.
        """
        if self.highlight is None:
            return len(self.series()) <= FEW
        return name == self.highlight

    @cached_property
    def _groups(self) -> list[tuple[int, str, Style, pd.DataFrame]]:
        """Number, name, style and rows of every series."""
        rows = dict(iter(self._data.groupby("method", sort=False)))
        return [
            (place, name, style, rows[name]) for place, (name, style) in enumerate(self.series())
        ]


class PredictionDisplay(Display):
    """A figure of one of the tables of predictions that a kind of outcome has."""

    table: ClassVar[str]

    @classmethod
    def from_results(
        cls,
        results: Results,
        method: str | None = None,
        size: int | None = None,
        model: str | None = None,
    ) -> Self:
        """Take the data from results of one data set, ``results["name"]`` of several.

        Parameters
        ----------
        method, size, model
            As in ``results.predictions.table``; those of ``results.choice()`` if None.
        """
        data = results.predictions.table(cls.table, method, size, model).frame()
        return cls._of(data, results.data.target)

    @classmethod
    def _of(cls, data: pd.DataFrame, target: Target) -> Self:
        """Return the figure of such a table."""
        return cls(data)


class SizeDisplay(Display):
    """A figure of what is selected at one size; ``question`` is asked of ``results.selections``."""

    question: ClassVar[str] = ""

    def __init__(self, data: pd.DataFrame, roles: Mapping[str, Role], size: int) -> None:
        super().__init__(data, roles)
        self.size = size

    @classmethod
    def from_results(cls, results: Results, size: int) -> Self:
        """Take the data from results of one data set, ``results["name"]`` of several.

        Parameters
        ----------
        size : int
            Number of features selected in each run.
        """
        return cls(cls._table(results, size), results.data.methods, size)

    @classmethod
    def _table(cls, results: Results, size: int) -> pd.DataFrame:
        table: pd.DataFrame = getattr(results.selections, cls.question)(size).frame()
        return table


def draw_cells(canvas: Canvas, width: float, shares: NDArray[Any], said: list[str]) -> None:
    """Draw a square of cells, shares as colour, with what is said in each where that fits."""
    n = len(shares)
    for (i, j), share in np.ndenumerate(shares):
        # At most 0.6 opaque, so that the figure in the cell stays legible.
        shade = 0.04 + 0.5 * float(np.clip(np.nan_to_num(share), 0, 1))
        canvas.barh(i, 0.94, 0.9, j - 0.47, color=HEAT, alpha=shade)
        if (cell := said[i * n + j]) and 0.6 * width / n >= 8 * len(cell) + 2:
            canvas.text(j, i, cell, ha="center", va="center", fontsize=11, color=INK)
    canvas.set_xlim(-0.5, n - 0.5)
    canvas.set_ylim(n - 0.5, -0.5)
    canvas.tick_params(length=0, labeltop=True, labelbottom=False)
    canvas.set_frame_on(False)


def number_columns(canvas: Canvas, width: float, n: int) -> None:
    """Write numbers above the columns of such a square, as far as they fit."""
    shown = range(0, n, int(np.ceil(18 * n / (0.6 * width))))
    canvas.set_xticks(shown, [str(i + 1) for i in shown])


def _pyplot() -> Any:
    """Import pyplot, or say what is missing."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError('figures need matplotlib: pip install "backstay[app]"') from error
    return plt


def _legend_handle(style: Style) -> Any:
    """Return a sample of a style for a legend of matplotlib's."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    if style.area:
        return Patch(facecolor=style.color)
    looks: Any = style.marks(0, 6, 1.0) | style.curve(0, 1.5)
    return Line2D([], [], **looks)


def _remove_clutter(ax: Axes) -> None:
    """Remove or soften what carries no information."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set(color=MUTED, linewidth=0.8)
    ax.tick_params(colors=MUTED, labelcolor=INK, labelsize=11, width=0.8, length=3)
    ax.set_axisbelow(True)


def _style_labels(ax: Axes) -> None:
    """Style labels and grid, which exist only after drawing; names are no formulas."""
    ax.minorticks_off()
    for label in (ax.xaxis.label, ax.yaxis.label):
        label.set(parse_math=False, color=INK, fontsize=12)
    for text in (*ax.get_xticklabels(), *ax.get_yticklabels()):
        text.set_parse_math(False)
    for text in ax.texts:
        text.set_parse_math(False)
    for line in (*ax.get_xgridlines(), *ax.get_ygridlines()):
        line.set(color=GRID, linewidth=0.8)
