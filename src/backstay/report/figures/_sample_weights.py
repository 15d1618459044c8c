"""Weights of samples."""

from collections.abc import Hashable, Iterator, Mapping
from typing import Any, Self

import numpy as np
import pandas as pd

from backstay.report._words import count, listed
from backstay.report.figures._axis import padded_limits, wrapped
from backstay.report.figures._display import Canvas, Display, Point
from backstay.report.figures._style import DOTTED, INK, MUTED, PAPER, Looks, Style
from backstay.results import Results, Role, SampleWeights

# Rows of a lane drawn at most; those below the fence always are.
DRAWN_ROWS = 300


class SampleWeightsDisplay(Display):
    """Mean weight of every row, by weighted method and class; low ones are outlying."""

    def __init__(
        self,
        data: pd.DataFrame,
        roles: Mapping[str, Role],
        lanes: list[SampleWeights],
        by: str = "class",
    ) -> None:
        super().__init__(data, roles)
        self.lanes, self.by = lanes, by
        height = 90 + 44 * max(sum(len(lane.fence) for lane in lanes), 1)
        self.wide, self.narrow = (760, height), (350, height + 20)

    @classmethod
    def from_results(cls, results: Results) -> Self:
        """Take the data from results of one data set, ``results["name"]`` of several."""
        data = results.samples.weights().frame()
        facts, lanes = results.data, results.samples.weightings()
        return cls(data, facts.methods, lanes, facts.target.row_column)

    def series(self) -> list[tuple[str, Style]]:
        """Return nothing: lanes are named on the axis."""
        return []

    def finding(self) -> str:
        """Say how far the weights range, and how many samples are outlying."""
        words = []
        for lane in self.lanes:
            weight = lane.rows["weight"]
            words.append(
                f"{listed(lane.methods)}: {weight.min():.2f} to {weight.max():.2f}, "
                f"{count(len(lane.outlying), 'sample')} below the fence of the class"
            )
        return f"Mean weights of samples. {'; '.join(words)}."

    def _draw(self, canvas: Canvas, width: float) -> list[Point]:
        labels: list[str] = []
        points = []
        for lane in self.lanes:
            names = f": {', '.join(lane.methods)}" if len(self.lanes) > 1 else ""
            for kind, fence in lane.fence.items():
                rows = lane.rows if kind is None else lane.rows[lane.rows[self.by] == kind]
                said = "all samples" if kind is None else str(kind)
                canvas.vlines(fence, len(labels) - 0.42, len(labels) + 0.42, color=INK, linewidth=1)
                style = self._styles[lane.methods[0]]
                for row, y in _draw_lane(canvas, rows, fence, len(labels), style):
                    words = f"{row['name']} ({said}): weight {row['weight']:.2f} in "
                    words += lane.methods[0] + ", below the fence" * (row["weight"] < fence)
                    points.append(Point(row["weight"], y, -1, words))
                labels.append(f"{said}{names}")
        canvas.axvline(1, color=MUTED, linewidth=1, linestyle=DOTTED)
        canvas.set_ylim(len(labels) - 0.5, -0.5)
        canvas.set_yticks(range(len(labels)), [wrapped(label, width, 0.3) for label in labels])
        canvas.set_xlabel("mean weight of a sample (1 is average)")
        canvas.grid(True, axis="x")
        ends = [[*lane.rows["weight"], *lane.fence.values()] for lane in self.lanes]
        canvas.set_xlim(*padded_limits(np.concatenate([[1.0], *ends]), 0.04))
        return points


def _draw_lane(
    canvas: Canvas, samples: pd.DataFrame, fence: float, height: int, style: Style
) -> Iterator[tuple[dict[Hashable, Any], float]]:
    """Draw the rows of a class around a height, those below its fence as rings; return both."""
    low = samples["weight"] < fence
    normal = samples[~low].sort_values("weight", kind="stable")
    thin = np.unique(np.linspace(0, len(normal) - 1, min(len(normal), DRAWN_ROWS)).astype(int))
    looks: Looks = style.marks(0, 4.5, 0) | {"gid": None, "marker": "o"}
    full: Looks = looks | {"markerfacecolor": style.color, "alpha": 0.6}
    ring: Looks = looks | {"markerfacecolor": PAPER, "markersize": 7.5, "markeredgewidth": 1.8}
    for rows, look in ((normal.iloc[thin], full), (samples[low], ring)):
        # Spread evenly, not by chance: the same report gives the same bytes.
        y = height + 0.26 * (((np.arange(len(rows)) * 0.618034) % 1) * 2 - 1)
        canvas.plot(rows["weight"], y, **look)
        yield from zip(rows.to_dict("records"), y.tolist(), strict=True)
