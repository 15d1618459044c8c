"""Shapes and text as SVG that takes its colours and fonts from the page around it."""

import math
import unicodedata
from collections.abc import Iterable
from html import escape
from typing import Any

from backstay.report.figures._style import HUES, INK, SHADES, Style

# The CSS variable of every colour that figures are drawn in.
COLORS = {light: f"var(--s{i})" for i, (light, _) in enumerate(HUES)}
COLORS |= {light: f"var(--{name})" for name, (light, _) in SHADES.items()}
# Corners of markers of size 1 around (0, 0), as matplotlib draws them.
CORNERS = {
    "s": "-.5 -.5 .5 -.5 .5 .5 -.5 .5",
    "^": "0 -.5 .5 .5 -.5 .5",
    "D": "0 -.707 .707 0 0 .707 -.707 0",
    "v": "0 .5 .5 -.5 -.5 -.5",
    "P": "-.167 -.5 .167 -.5 .167 -.167 .5 -.167 .5 .167 .167 .167 .167 .5 -.167 .5 -.167 .167 "
    "-.5 .167 -.5 -.167 -.167 -.167",
    "X": "-.25 -.5 0 -.25 .25 -.5 .5 -.25 .25 0 .5 .25 .25 .5 0 .25 -.25 .5 -.5 .25 -.25 0 "
    "-.5 -.25",
    "h": "0 -.5 .433 -.25 .433 .25 0 .5 -.433 .25 -.433 -.25",
}


def px(value: float) -> str:
    """Return a coordinate with no more digits than can be seen."""
    written = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if written == "-0" else written


def path(x: Iterable[float], y: Iterable[float]) -> str:
    """Return the path along points, broken where one is undefined."""
    words, pen = [], "M"
    for a, b in zip(x, y, strict=True):
        if math.isfinite(a) and math.isfinite(b):
            words.append(f"{pen}{px(a)} {px(b)}")
            pen = "L"
        else:
            pen = "M"
    return "".join(words)


def outline(marker: str, size: float) -> str:
    """Return the path of a marker around (0, 0)."""
    if marker == "o":
        r, d = px(size / 2), px(size)
        return f"M-{r} 0a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0-{d} 0z"
    places = [size * float(place) for place in CORNERS[marker].split()]
    return path(places[::2], places[1::2]) + "z"


def shape(d: str, looks: str) -> str:
    """Return a path as an element."""
    return f'<path d="{d}" style="{looks}"/>'


def fill(color: str, alpha: float = 1.0) -> str:
    """Return the looks of an area."""
    opacity = "" if alpha == 1 else f";fill-opacity:{alpha:.3g}"
    return f"fill:{COLORS.get(color, color)}{opacity}"


def stroke(color: str, width: float, line: Any = "-", alpha: float = 1.0) -> str:
    """Return the looks of a line; dashes are as long as the line is wide, as in matplotlib."""
    looks = f"stroke:{COLORS.get(color, color)};stroke-width:{width:.3g}"
    if line != "-":
        looks += ";stroke-dasharray:" + " ".join(px(dash * width) for dash in line[1])
    return looks if alpha == 1 else f"{looks};stroke-opacity:{alpha:.3g}"


def legend_key(style: Style) -> str:
    """Return the sample of line and marker for a legend."""
    color, face = COLORS[style.color], COLORS[style.face]
    if style.area:
        sample = f'<path d="M8 1h14v12h-14z" style="fill:{color}"/>'
    else:
        dash = ' stroke-dasharray="5 3"' if style.control else ""
        sample = (
            f'<path d="M1 7h28" style="stroke:{color};stroke-width:2;fill:none"{dash}/>'
            f'<path d="{outline(style.marker, 7.5)}" transform="translate(15 7)" '
            f'style="stroke:{color};stroke-width:1.6;fill:{face}"/>'
        )
    return (
        f'<svg class="key" viewBox="0 0 30 14" aria-hidden="true" focusable="false">{sample}</svg>'
    )


def text(
    x: float, y: float, words: str, size: float, anchor: str = "middle", *, upright: bool = False
) -> str:
    """Return a line of text, which may run upwards."""
    place = f'x="{px(x)}" y="{px(y)}"'
    if upright:
        place += f' transform="rotate(-90 {px(x)} {px(y)})"'
    looks = f"font-size:{size}px;text-anchor:{anchor};{fill(INK)}"
    return f'<text {place} style="{looks}">{escape(words)}</text>'


def text_width(words: str, size: float) -> float:
    """Return about how wide a line of text is, rather too wide than too narrow."""
    return size * sum(map(_width, words))


def _width(character: str) -> float:
    """Return the width of a character in em, in a font wider than most."""
    if character in "fijlrtI.,:;|!'()[]{}/ -":
        return 0.38
    if unicodedata.east_asian_width(character) in "WF":
        return 1.0
    return 0.96 if character in "mwMW%@<>=+&~…" else 0.7 if character.isupper() else 0.63
