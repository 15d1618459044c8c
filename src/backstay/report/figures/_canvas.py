"""What a display draws on: the part of matplotlib's Axes that it shares with our Sheet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol, Required, TypedDict, Unpack

from numpy.typing import ArrayLike


class Looks(TypedDict, total=False):
    """How anything looks; the ``gid`` names its entry in the legend: series-3 or band-3."""

    color: Required[str]
    alpha: float
    gid: str | None
    linewidth: float


class LineLooks(Looks, total=False):
    """How a line looks: solid, or with dashes as matplotlib takes them."""

    linestyle: Any


class CurveLooks(LineLooks, total=False):
    """How a line through points, or the markers at them, look; "none" leaves the line out."""

    drawstyle: str
    marker: str | None
    markersize: float
    markerfacecolor: str
    markeredgewidth: float


class Canvas(Protocol):
    """The methods that displays call, with the arguments they use.

    matplotlib's ``Axes`` and :class:`~backstay.report.figures._sheet.Sheet` both have them, so a
    display draws on either. Limits are always set, because a sheet does not guess them.
    """

    def set_xlim(self, left: float, right: float, /) -> Any:
        """Set the limits of the x axis."""

    def set_ylim(self, bottom: float, top: float, /) -> Any:
        """Set the limits of the y axis."""

    def set_xscale(self, value: str, /) -> Any:
        """Set the scale of the x axis, log or linear."""

    def set_xticks(self, ticks: Sequence[float], labels: Sequence[str], /) -> Any:
        """Set the ticks of the x axis."""

    def set_yticks(self, ticks: Sequence[float], labels: Sequence[str], /) -> Any:
        """Set the ticks of the y axis; labels may have several lines."""

    def set_xlabel(self, label: str, /) -> Any:
        """Name the x axis."""

    def set_ylabel(self, label: str, /) -> Any:
        """Name the y axis."""

    def grid(self, visible: bool, /, *, axis: Literal["both", "x", "y"] = "both") -> Any:
        """Draw lines at the ticks of an axis, or of both."""

    def tick_params(self, *, length: float, labeltop: bool, labelbottom: bool) -> Any:
        """Set the length of ticks, and whether the labels of the x axis are at the top."""

    def set_frame_on(self, b: bool, /) -> Any:
        """Draw the axes themselves, or leave them out."""

    def plot(self, x: ArrayLike, y: ArrayLike, /, **looks: Unpack[CurveLooks]) -> Any:
        """Draw a line, markers, or both."""

    def fill_between(
        self, x: ArrayLike, y1: ArrayLike, y2: ArrayLike, /, **looks: Unpack[Looks]
    ) -> Any:
        """Fill the area between two curves, wherever both are defined."""

    def barh(
        self,
        y: ArrayLike,
        width: ArrayLike,
        height: float,
        left: ArrayLike,
        /,
        **looks: Unpack[Looks],
    ) -> Any:
        """Draw horizontal bars."""

    def hlines(self, y: float, xmin: float, xmax: float, /, **looks: Unpack[LineLooks]) -> Any:
        """Draw a horizontal line between two places."""

    def vlines(self, x: float, ymin: float, ymax: float, /, **looks: Unpack[LineLooks]) -> Any:
        """Draw a vertical line between two places."""

    def axhline(self, y: float, /, **looks: Unpack[LineLooks]) -> Any:
        """Draw a horizontal line across the axes."""

    def axvline(self, x: float, /, **looks: Unpack[LineLooks]) -> Any:
        """Draw a vertical line across the axes."""

    def text(
        self, x: float, y: float, s: str, /, *, ha: str, va: str, fontsize: float, color: str
    ) -> Any:
        """Write a label at a place."""
