"""Rows of a table as dots with their intervals: the figure of experiments without curves."""

from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["dots"]


def dots(rows: Sequence[dict[str, Any]], *names: str, zero: bool = True) -> Callable[[Any], None]:
    """Return what draws the measured figures of rows, labelled by some of their columns."""

    def draw(figure: Any) -> None:
        figure.set_size_inches(7.5, max(2.5, 0.22 * len(rows) + 1))
        axes = figure.subplots()
        for place, row in enumerate(rows[::-1]):
            axes.plot(row["measured"], place, "o", color="C0", ms=4)
            if row["interval"]:
                ends = [float(end) for end in row["interval"].split(" to ")]
                axes.plot(ends, [place, place], color="C0", lw=1)
        labels = [", ".join(str(row[name]) for name in names) for row in rows[::-1]]
        axes.set_yticks(range(len(rows)), labels, fontsize=6)
        if zero:
            axes.axvline(0, color="0.6", lw=0.8)

    return draw
