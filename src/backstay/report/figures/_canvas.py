"""What a display draws on: the part of matplotlib's Axes that it shares with our Sheet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol, Required, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray


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
    display draws on either; matplotlib says what they do. Limits are always set, because a sheet
    does not guess them. Labels of the y axis may have several lines.
    """

    def set_xlim(self, left: float, right: float, /) -> Any: ...
    def set_ylim(self, bottom: float, top: float, /) -> Any: ...
    def set_xscale(self, value: str, /) -> Any: ...
    def set_xticks(self, ticks: Sequence[float], labels: Sequence[str], /) -> Any: ...
    def set_yticks(self, ticks: Sequence[float], labels: Sequence[str], /) -> Any: ...
    def set_xlabel(self, label: str, /) -> Any: ...
    def set_ylabel(self, label: str, /) -> Any: ...
    def grid(self, visible: bool, /, *, axis: Literal["both", "x", "y"] = "both") -> Any: ...
    def tick_params(self, *, length: float, labeltop: bool, labelbottom: bool) -> Any: ...
    def set_frame_on(self, b: bool, /) -> Any: ...

    def plot(self, x: ArrayLike, y: ArrayLike, /, **looks: Unpack[CurveLooks]) -> Any: ...
    def fill_between(
        self, x: ArrayLike, y1: ArrayLike, y2: ArrayLike, /, **looks: Unpack[Looks]
    ) -> Any: ...
    def barh(
        self,
        y: ArrayLike,
        width: ArrayLike,
        height: float,
        left: ArrayLike,
        /,
        **looks: Unpack[Looks],
    ) -> Any: ...
    def hlines(self, y: float, xmin: float, xmax: float, /, **looks: Unpack[LineLooks]) -> Any: ...
    def vlines(self, x: float, ymin: float, ymax: float, /, **looks: Unpack[LineLooks]) -> Any: ...
    def axhline(self, y: float, /, **looks: Unpack[LineLooks]) -> Any: ...
    def axvline(self, x: float, /, **looks: Unpack[LineLooks]) -> Any: ...
    def imshow(
        self,
        pixels: NDArray[np.uint8],
        /,
        *,
        extent: tuple[float, float, float, float],
        aspect: Literal["auto"],
        interpolation: str,
    ) -> Any: ...
    def text(
        self, x: float, y: float, s: str, /, *, ha: str, va: str, fontsize: float, color: str
    ) -> Any: ...
