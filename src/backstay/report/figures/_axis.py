"""Limits and labels of an axis, in the room there is."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from backstay.report.figures._display import Canvas

# A character of the axis labels is about this wide, in points.
CHARACTER = 7.0


@dataclass(frozen=True)
class SizeAxis:
    """The scale of an axis of sizes, and its limits on that scale."""

    log: bool
    left: float
    right: float

    def place(self, size: float) -> float:
        """Return where a size is on the scale."""
        return float(np.log(size)) if self.log else float(size)

    def size(self, place: float) -> float:
        """Return the size at a place."""
        return float(np.exp(place)) if self.log else float(place)


def zoomed_limits(values: Any, least: float, top: float) -> tuple[float, float]:
    """Return limits of an axis on which the values lie apart, however close they are.

    The axis is ``least`` long at least, and ends little above ``top``.
    """
    ends = _ends(values)
    if ends is None:
        return 0.0, 1.0
    span = max(ends[1] - ends[0], least)
    middle = (ends[0] + ends[1]) / 2
    low, high = middle - 0.62 * span, middle + 0.62 * span
    over = max(0.0, high - (top + 0.1 * span))
    return low - over, high - over


def padded_limits(values: Any, share: float) -> tuple[float, float]:
    """Return limits of an axis that leave some air around the values that are defined."""
    ends = _ends(values)
    if ends is None:
        return 0.0, 1.0
    air = share * (ends[1] - ends[0]) or 0.05
    return ends[0] - air, ends[1] + air


def _ends(values: Any) -> tuple[float, float] | None:
    """Return the least and the largest of the values that are defined, if any is."""
    known = np.asarray(values, dtype=float)
    known = known[np.isfinite(known)]
    return (float(known.min()), float(known.max())) if len(known) else None


def set_size_axis(
    canvas: Canvas, sizes: Sequence[int], width: float, beside: float = 0.0
) -> SizeAxis:
    """Give the axis of subset sizes its scale, and as many labels as there is room for.

    ``beside`` points of the width stay free on the right, for names.
    """
    low, high = min(sizes), max(sizes)
    log = high >= 20 * low
    if log:
        canvas.set_xscale("log")
    value = np.log(sizes) if log else np.asarray(sizes, dtype=float)
    span = float(value[-1] - value[0]) or 1.0
    room = 0.82 * width - beside
    kept: list[int] = []
    last = -np.inf
    for size, place in zip(sizes, (value - value[0]) / span * room, strict=True):
        half = CHARACTER * len(_short_number(size)) / 2 + 5
        if place - half >= last:
            kept.append(size)
            last = place + half
    canvas.set_xticks(kept, [_short_number(size) for size in kept])
    left = value[0] - 0.03 * span
    right = value[-1] + (0.03 + beside / max(room, 1.0)) * span
    canvas.set_xlim(*((np.exp(left), np.exp(right)) if log else (left, right)))
    return SizeAxis(log, float(left), float(right))


def _short_number(size: int) -> str:
    return f"{size / 1000:g}k" if size >= 10_000 else str(size)


def wrapped(name: str, width: float, share: float = 0.34) -> str:
    """Break a name into at most two lines within a share of the width, or shorten its middle."""
    room = max(int(share * width / CHARACTER), 8)
    lines = textwrap.wrap(name, room) or [name]
    if len(lines) > 2:
        # Long names tend to differ at their ends.
        lines = [lines[0], "…" + name[-(room - 1) :]]
    return "\n".join(lines)
