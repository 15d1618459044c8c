"""Names beside what they name, where they fit."""

from collections.abc import Sequence
from dataclasses import dataclass

from backstay.report.figures._display import Canvas
from backstay.report.figures._style import INK
from backstay.report.figures._svg import text_width

SIZE = 11
# Figures narrower than this have no room for names inside.
LEAST_WIDTH = 600
# Names longer than this are shortened.
LONGEST = 22
# What axes and their labels take of a figure's width and height, about.
MARGINS = (66.0, 58.0)


@dataclass(frozen=True)
class Label:
    """A name to stand beside a place, in data coordinates; the most important come first.

    ``ha`` says which end of the name is at its place, as in matplotlib.
    """

    x: float
    y: float
    name: str
    ha: str = "left"


def shortened(name: str) -> str:
    """Return a name short enough to stand in a figure."""
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def one_line(name: str, room: float) -> str:
    """Return a name that is at most so wide; the end of a long one is left out."""
    ends = [name, *(f"{name[:n]}…" for n in range(len(name) - 1, 0, -1))]
    return next((said for said in ends if text_width(said, SIZE) <= room), "…")


def fitting(
    labels: Sequence[Label],
    window: tuple[tuple[float, float], tuple[float, float]],
    size: tuple[float, float],
    *,
    marks: Sequence[tuple[float, float]] = (),
    sides: Sequence[str] = ("left",),
) -> list[Label]:
    """Return the names that touch neither each other nor a mark, at the places to write them.

    The window has the limits of both axes, the size is that of the figure in points. Of the sides,
    which are ends of a name that may be at its place, the first that fits is taken.
    """
    (left, right), (bottom, top) = window
    across = (size[0] - MARGINS[0]) / (right - left)
    along = (size[1] - MARGINS[1]) / (top - bottom)
    taken = [_box(x, y, across, along, -7, 14, 14) for x, y in marks]
    written = []
    for label in labels:
        name = shortened(label.name)
        wide = text_width(name, SIZE)
        for side in sides:
            start = 8 if side == "left" else -8 - wide
            box = _box(label.x, label.y, across, along, start, wide, SIZE + 4)
            inside = left * across <= box[0] and box[2] <= right * across + 2
            clear = not any(_touch(box, other) for other in taken)
            if inside and clear and bottom <= label.y <= top:
                taken.append(box)
                step = 9 / across if side == "left" else -9 / across
                written.append(Label(label.x + step, label.y, name, side))
                break
    return written


def write(canvas: Canvas, label: Label) -> None:
    """Write a name at its place."""
    canvas.text(label.x, label.y, label.name, ha=label.ha, va="center", fontsize=SIZE, color=INK)


Box = tuple[float, float, float, float]


def _box(
    x: float, y: float, across: float, along: float, start: float, wide: float, high: float
) -> Box:
    """Return left, lower, right and upper end in points."""
    a, b = x * across + start, y * along
    return a, b - high / 2, a + wide, b + high / 2


def _touch(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
