"""A display as SVG that takes its colours and fonts from the page around it."""

from __future__ import annotations

import re
import warnings
from io import BytesIO
from typing import Any
from xml.etree import ElementTree

from backstay.report._display import Display
from backstay.report._style import css_names

__all__ = ["draw"]

SVG = "{http://www.w3.org/2000/svg}"
HREF = "{http://www.w3.org/1999/xlink}href"
SETTINGS: dict[str, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "backstay",
    "font.size": 12,
    "text.parse_math": False,
    "figure.dpi": 72,
}
COLORS = css_names()
KEPT = {
    f"{SVG}{name}" for name in ("g", "path", "use", "text", "tspan", "defs", "clipPath", "rect")
}
PLACES = ("d", "x", "y", "width", "height", "transform")


def draw(display: Display, size: tuple[float, float], prefix: str) -> dict[str, Any]:
    """Draw a display for a page.

    Parameters
    ----------
    display : Display
        What to draw.
    size : pair of float
        Width and height in CSS pixels.
    prefix : str
        Put before every id, to keep figures of a page apart.

    Returns
    -------
    dict
        ``svg``, ``width``, ``height`` and ``points``: x, y and number of the series.
    """
    from matplotlib import style
    from matplotlib.figure import Figure

    width, height = size
    with style.context(["default", SETTINGS]), warnings.catch_warnings():
        # The browser draws the text, with fonts that matplotlib need not have.
        warnings.filterwarnings(
            "ignore", message="Glyph .* missing from font", category=UserWarning
        )
        figure = Figure(figsize=(width / 72, height / 72), dpi=72, layout="constrained")
        figure.patch.set_visible(False)
        ax = figure.subplots()
        ax.patch.set_visible(False)
        display.plot(ax, legend=False)
        out = BytesIO()
        metadata = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        figure.savefig(out, format="svg", metadata=metadata)
        places = [(point.x, point.y) for point in display._points]
        pixels: Any = ax.transData.transform(places) if places else []
    points = [
        [round(float(x), 1), round(float(height - y), 1), point.series]
        for (x, y), point in zip(pixels, display._points, strict=True)
    ]
    return {
        "svg": _themed(out.getvalue(), prefix),
        "width": width,
        "height": height,
        "points": points,
    }


def _themed(raw: bytes, prefix: str) -> str:
    """Keep the drawing; drop ids nobody refers to, fixed colours and fonts."""
    root = ElementTree.fromstring(raw)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag not in KEPT:
                parent.remove(child)
    named = {node.get("id"): node for node in root.iter() if node.get("id")}
    used: dict[str, str] = {}
    for node in root.iter():
        for name in (HREF, "clip-path"):
            for target in re.findall(r"#([\w.-]+)", node.get(name) or ""):
                used.setdefault(target, f"{prefix}-{len(used)}")
    for node in root.iter():
        _rename(node, used)
        for name, tidy in (("style", _style), *((place, _rounded) for place in PLACES)):
            if node.get(name):
                node.set(name, tidy(node.get(name) or ""))
    assert set(used) <= set(named)
    root.attrib = {
        "viewBox": root.get("viewBox") or "",
        "aria-hidden": "true",
        "focusable": "false",
    }
    for node in root.iter():
        node.tag = node.tag.removeprefix(SVG)
        node.tail = None
        if node.tag not in ("text", "tspan"):
            node.text = None
    return ElementTree.tostring(root, encoding="unicode")


def _rename(node: ElementTree.Element, used: dict[str, str]) -> None:
    name = node.attrib.pop("id", None)
    if name in used:
        node.set("id", used[name])
    elif name is not None and re.fullmatch(r"(series|band)-\d+", name):
        kind, number = name.split("-")
        node.set("class", kind)
        node.set("data-s", number)
    if node.get(HREF):
        node.set("href", "#" + used[node.attrib.pop(HREF)[1:]])
    if node.get("clip-path"):
        node.set("clip-path", f"url(#{used[node.get('clip-path', '')[5:-1]]})")


def _rounded(text: str) -> str:
    """Give coordinates no more digits than can be seen."""
    text = re.sub(
        r"-?\d+\.\d+", lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), text
    )
    return " ".join(text.split())


def _style(text: str) -> str:
    """Exchange colours for the page's variables, and leave fonts to the page."""
    text = re.sub(r"#[0-9a-f]{6}", lambda found: COLORS.get(found[0], found[0]), text)
    text = re.sub(r"font: (?:[\w ]+ )?([\d.]+px)[^;]*", r"font-size: \1", text)
    return re.sub(r"font-family: [^;]*;?", "", text)
