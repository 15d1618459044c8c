"""A canvas for a page, written as SVG at once.

matplotlib takes a fifth of a second for a figure, a sheet a few milliseconds, and a report has a
dozen figures or more.
"""

import base64
import math
import struct
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from backstay.report.figures._style import GRID, MUTED, Looks
from backstay.report.figures._svg import fill, outline, path, px, shape, stroke, text, text_width

# Sizes of the labels of ticks and of axes, and the height of figures and capitals, in pixels.
SMALL, LARGE, CAPITAL = 11, 12, 8
# Around the figure, between ticks and their labels, between those and the label of the axis,
# and from a line of text to the next.
EDGE, PAD, GAP, LINE = 3.0, 3.5, 3.5, 13.0
# What is drawn later covers what is drawn earlier; the axes come between the last two.
AREAS, LINES, TEXTS = range(3)

# Which end of a text is at its place, for matplotlib and for SVG.
ANCHORS = {"left": "start", "center": "middle", "right": "end"}

Ends = tuple[float, float]


@dataclass
class _Axis:
    """Limits, ticks and label of an axis, and the pixels where it starts and ends."""

    limits: tuple[float, float] = (0.0, 1.0)
    start: float = 0.0
    end: float = 0.0
    log: bool = False
    grid: bool = False
    label: str = ""
    ticks: Sequence[float] | None = None
    names: Sequence[str] = ()

    def pixels(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the pixels of values."""
        places, (low, high) = np.asarray(values, dtype=float), self.limits
        if self.log:
            places, low, high = np.log(places), math.log(low), math.log(high)
        return self.start + (places - low) * ((self.end - self.start) / (high - low))

    def labels(self) -> list[tuple[float, str]]:
        """Return the places of the ticks, in pixels, and their names."""
        return list(zip(self.pixels(self.ticks or ()).tolist(), self.names, strict=True))

    def set_round_ticks(self, room: float) -> None:
        """Take round numbers for ticks, at most 10, with that much room for each."""
        n = min(max(abs(self.end - self.start) // room, 1), 9)
        self.ticks, self.names = round_ticks(min(self.limits), max(self.limits), int(n))


def round_ticks(low: float, high: float, n: int) -> tuple[list[float], list[str]]:
    """Return round numbers between limits, about n steps apart, and how they are written."""
    least = (high - low) / n
    power = 10.0 ** math.floor(math.log10(least))
    steps = [power * s for s in (0.1, 0.2, 0.25, 0.5, 1, 2, 2.5, 5, 10)]
    place = next(i for i, s in enumerate(steps) if s >= least * (1 - 1e-9))
    # Where the step leaves only one number, a smaller one is taken.
    for step in steps[place::-1]:
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last > first:
            break
    digits = next((k for k in range(12) if math.isclose(round(step, k), step)), 12)
    ticks = [step * i for i in range(first, last + 1)]
    return ticks, [f"{tick:.{digits}f}".replace("-", "−") for tick in ticks]


class Sheet:
    """A canvas that becomes SVG, with those methods of matplotlib's ``Axes`` that displays call.

    Unlike on ``Axes``, limits must be set. The prefix stands before every id, to keep the figures
    of a page apart.
    """

    def __init__(self, width: float, height: float, prefix: str) -> None:
        self.width, self.height = width, height
        self._prefix = prefix
        self._x, self._y = _Axis(), _Axis()
        self._frame, self._tick, self._top = True, 3.0, False
        # Drawn at the end: only then is it known where the axes are.
        self._parts: list[tuple[int, str | None, Callable[[], str]]] = []
        self._markers: dict[str, str] = {}

    def set_xlim(self, left: float, right: float) -> None:
        self._x.limits = (float(left), float(right))

    def set_ylim(self, bottom: float, top: float) -> None:
        self._y.limits = (float(bottom), float(top))

    def set_xscale(self, value: str) -> None:
        self._x.log = value == "log"

    def set_xticks(self, ticks: Sequence[float], labels: Sequence[str]) -> None:
        self._x.ticks, self._x.names = ticks, labels

    def set_yticks(self, ticks: Sequence[float], labels: Sequence[str]) -> None:
        self._y.ticks, self._y.names = ticks, labels

    def set_xlabel(self, xlabel: str) -> None:
        self._x.label = xlabel

    def set_ylabel(self, ylabel: str) -> None:
        self._y.label = ylabel

    def grid(self, visible: bool, *, axis: Literal["both", "x", "y"] = "both") -> None:
        self._x.grid = visible and axis != "y"
        self._y.grid = visible and axis != "x"

    def tick_params(self, *, length: float, labeltop: bool, labelbottom: bool) -> None:
        self._tick, self._top = length, labeltop and not labelbottom

    def set_frame_on(self, b: bool) -> None:
        self._frame = b

    def plot(self, x: ArrayLike, y: ArrayLike, **looks: Unpack[Looks]) -> None:
        def to_svg() -> str:
            across, along = self.pixels(x, y)
            curve = ""
            if looks.get("linestyle") != "none":
                steps = looks.get("drawstyle") == "steps-mid"
                curve = _line(*(_steps(across, along) if steps else (across, along)), looks)
            marker = looks.get("marker")
            if marker is None:
                return curve
            width = looks.get("markeredgewidth", 1.0)
            edge = f";{stroke(looks['color'], width)}" if width else ""
            face = fill(looks.get("markerfacecolor", "none"), looks.get("alpha", 1.0))
            used = self._marker(outline(marker, looks.get("markersize", 6.0)))
            places = "".join(
                f'<use href="#{used}" x="{px(a)}" y="{px(b)}"/>'
                for a, b in zip(across, along, strict=True)
                if math.isfinite(a + b)
            )
            return f'{curve}<g style="{face}{edge}">{places}</g>'

        self._parts.append((LINES, looks.get("gid"), to_svg))

    def fill_between(
        self, x: ArrayLike, y1: ArrayLike, y2: ArrayLike, **looks: Unpack[Looks]
    ) -> None:
        def to_svg() -> str:
            across, low = self.pixels(x, y1)
            _, high = self.pixels(x, y2)
            known = np.isfinite(low + high)
            runs = np.split(np.arange(len(known)), np.flatnonzero(np.diff(known)) + 1)
            areas = [
                path([*across[run], *across[run][::-1]], [*low[run], *high[run][::-1]]) + "z"
                for run in runs
                if known[run].any()
            ]
            return shape("".join(areas), fill(looks["color"], looks.get("alpha", 1.0)))

        self._parts.append((AREAS, looks.get("gid"), to_svg))

    def barh(
        self, y: ArrayLike, width: ArrayLike, height: float, left: ArrayLike, **looks: Unpack[Looks]
    ) -> None:
        def to_svg() -> str:
            start, top = self.pixels(left, np.subtract(y, height / 2))
            end, bottom = self.pixels(np.add(left, width), np.add(y, height / 2))
            boxes = np.broadcast_arrays(*np.atleast_1d(start, top, end, bottom))
            bars = [
                f"M{px(a)} {px(b)}H{px(c)}V{px(d)}H{px(a)}z"
                for a, b, c, d in zip(*boxes, strict=True)
            ]
            return shape("".join(bars), fill(looks["color"], looks.get("alpha", 1.0)))

        self._parts.append((AREAS, looks.get("gid"), to_svg))

    def hlines(self, y: float, xmin: float, xmax: float, **looks: Unpack[Looks]) -> None:
        self._straight(lambda: ((xmin, xmax), (y, y)), looks)

    def vlines(self, x: float, ymin: float, ymax: float, **looks: Unpack[Looks]) -> None:
        self._straight(lambda: ((x, x), (ymin, ymax)), looks)

    def axhline(self, y: float, **looks: Unpack[Looks]) -> None:
        self._straight(lambda: (self._x.limits, (y, y)), looks)

    def axvline(self, x: float, **looks: Unpack[Looks]) -> None:
        self._straight(lambda: ((x, x), self._y.limits), looks)

    def _straight(self, ends: Callable[[], tuple[Ends, Ends]], looks: Looks) -> None:
        def to_svg() -> str:
            return _line(*self.pixels(*ends()), looks, looks.get("alpha", 1.0))

        self._parts.append((LINES, looks.get("gid"), to_svg))

    def imshow(
        self,
        pixels: NDArray[np.uint8],
        *,
        extent: tuple[float, float, float, float],
        aspect: Literal["auto"],
        interpolation: str,
    ) -> None:
        """Draw a raster; extent is left, right, bottom, top, and cells have sharp edges."""

        def to_svg() -> str:
            across, along = self.pixels(extent[:2], extent[2:])
            (left, right), (bottom, top) = across.tolist(), along.tolist()
            return (
                f'<image x="{px(left)}" y="{px(top)}" width="{px(right - left)}" '
                f'height="{px(bottom - top)}" preserveAspectRatio="none" '
                f'style="image-rendering:pixelated" href="{_png_address(pixels)}"/>'
            )

        self._parts.append((AREAS, None, to_svg))

    def text(
        self, x: float, y: float, s: str, *, ha: str, va: str, fontsize: float, color: str
    ) -> None:
        """Write a label at a place, or beside it; it looks like the labels of ticks."""

        def to_svg() -> str:
            across, along = self.pixels(x, y)
            return text(float(across), float(along) + CAPITAL / 2, s, SMALL, ANCHORS[ha])

        self._parts.append((TEXTS, None, to_svg))

    def pixels(self, x: ArrayLike, y: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the pixels of points of the data, once ``svg`` has placed the axes."""
        return self._x.pixels(x), self._y.pixels(y)

    def svg(self) -> str:
        """Return the drawing."""
        self._place()
        layers: list[list[str]] = [[], [], []]
        for layer, gid, to_svg in self._parts:
            kind, _, series = (gid or "").partition("-")
            mark = f' class="{kind}" data-s="{series}"' if gid else ""
            layers[layer].append(f"<g{mark}>{to_svg()}</g>" if gid else to_svg())
        x, y, box = self._x, self._y, f"{self._prefix}-box"
        area = (
            f'<rect x="{px(x.start)}" y="{px(y.end)}" '
            f'width="{px(x.end - x.start)}" height="{px(y.start - y.end)}"/>'
        )
        markers = "".join(f'<path id="{key}" d="{d}"/>' for d, key in self._markers.items())
        spines = f"M{px(x.start)} {px(y.end)}V{px(y.start)}H{px(x.end)}"
        return "".join(
            (
                f'<svg viewBox="0 0 {px(self.width)} {px(self.height)}" ',
                'aria-hidden="true" focusable="false">',
                f'<defs><clipPath id="{box}">{area}</clipPath>{markers}</defs>',
                *self._scales(),
                f'<g clip-path="url(#{box})">',
                *layers[AREAS],
                *layers[LINES],
                "</g>",
                shape(spines, f"fill:none;{stroke(MUTED, 0.8)}") if self._frame else "",
                *layers[TEXTS],
                "</svg>",
            )
        )

    def _place(self) -> None:
        """Give labels the room they need, and the axes the rest."""
        x, y = self._x, self._y
        labels = EDGE + self._tick + PAD + CAPITAL + GAP
        if x.ticks is not None and not len(x.ticks):
            labels = EDGE
        # Half of the uppermost label may stand above the axis.
        y.end = labels if self._top else EDGE + CAPITAL / 2
        y.start = self.height - (EDGE if self._top else labels) - (LARGE + GAP if x.label else 0)
        if y.ticks is None:
            y.set_round_ticks(2 * SMALL)
        lines = [line for name in y.names for line in name.split("\n")]
        x.start = EDGE + max((text_width(line, SMALL) for line in lines), default=0)
        x.start += PAD + self._tick + (LARGE + GAP if y.label else 0)
        x.end = self.width - EDGE
        if x.ticks is None:
            x.set_round_ticks(3 * SMALL)
            widest = max(text_width(name, SMALL) for name in x.names)
            x.set_round_ticks(max(3 * SMALL, widest + 2 * PAD))
        # Nor may the last label of the x axis stand out on the right.
        over = [a + text_width(name, SMALL) / 2 - self.width for a, name in x.labels()]
        x.end -= max([0.0, *over])

    def _scales(self) -> list[str]:
        """Draw grid, ticks and labels."""
        x, y = self._x, self._y
        grid = [f"M{px(a)} {px(y.start)}V{px(y.end)}" for a, _ in x.labels() if x.grid]
        grid += [f"M{px(x.start)} {px(b)}H{px(x.end)}" for b, _ in y.labels() if y.grid]
        ticks = [f"M{px(a)} {px(y.start)}v{px(self._tick)}" for a, _ in x.labels()]
        ticks += [f"M{px(x.start)} {px(b)}h-{px(self._tick)}" for b, _ in y.labels()]
        parts = [shape("".join(grid), f"fill:none;{stroke(GRID, 0.8)}")] if grid else []
        if self._tick:
            parts.append(shape("".join(ticks), f"fill:none;{stroke(MUTED, 0.8)}"))
        base = y.end - PAD if self._top else y.start + self._tick + PAD + CAPITAL
        parts += [text(a, base, name, SMALL) for a, name in x.labels()]
        for place, name in y.labels():
            lines = name.split("\n")
            base = place + (CAPITAL - LINE * (len(lines) - 1)) / 2
            parts += [
                text(x.start - self._tick - PAD, base + LINE * i, line, SMALL, "end")
                for i, line in enumerate(lines)
            ]
        if x.label:
            middle = (x.start + x.end) / 2
            parts.append(text(middle, self.height - EDGE - LARGE / 4, x.label, LARGE))
        if y.label:
            middle = (y.start + y.end) / 2
            parts.append(text(EDGE + LARGE * 0.75, middle, y.label, LARGE, upright=True))
        return parts

    def _marker(self, d: str) -> str:
        """Return the id of a shape to be used in many places."""
        return self._markers.setdefault(d, f"{self._prefix}-{len(self._markers)}")


def _png_address(pixels: NDArray[np.uint8]) -> str:
    """Return a data: address of an image: rows × columns × (red, green, blue, alpha)."""
    height, width, _ = pixels.shape
    # Every row of a PNG begins with its filter; 0 is none.
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    data = b"\x89PNG\r\n\x1a\n"
    for kind, body in (
        (b"IHDR", struct.pack(">2I5B", width, height, 8, 6, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows, 9)),
        (b"IEND", b""),
    ):
        data += struct.pack(">I", len(body)) + kind + body
        data += struct.pack(">I", zlib.crc32(kind + body))
    return "data:image/png;base64," + base64.b64encode(data).decode("ascii")


def _line(x: NDArray[Any], y: NDArray[Any], looks: Looks, alpha: float = 1.0) -> str:
    drawn = stroke(looks["color"], looks.get("linewidth", 1.5), looks.get("linestyle", "-"), alpha)
    return shape(path(x, y), f"fill:none;{drawn}")


def _steps(x: NDArray[Any], y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Turn points into steps that change halfway between them."""
    middle = np.repeat((x[1:] + x[:-1]) / 2, 2)
    return np.concatenate([x[:1], middle, x[-1:]]), np.repeat(y, 2)
