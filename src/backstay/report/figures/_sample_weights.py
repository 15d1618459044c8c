"""Weights of samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from backstay.report._words import count, listed
from backstay.report.figures._axis import padded_limits, wrapped
from backstay.report.figures._canvas import Canvas
from backstay.report.figures._display import Display, Point, one_dataset
from backstay.report.figures._style import INK, MUTED, PAPER, Style

if TYPE_CHECKING:
    from backstay.results import Results

__all__ = ["SampleWeightsDisplay"]

# Rows of a lane drawn at most; those below the fence always are.
DRAWN_ROWS = 300


class SampleWeightsDisplay(Display):
    """Mean weight of every row, by weighted method and class; low ones are outlying."""

    wide = (760, 300)
    narrow = (350, 320)

    def __init__(self, data: pd.DataFrame, roles: dict[str, dict[str, Any]]) -> None:
        super().__init__(data, roles)
        self._controls = {role["control"] for role in roles.values()}
        n_lanes = sum(len(rows["class"].unique()) for _, rows, _ in self.lanes())
        height = 90 + 44 * max(n_lanes, 1)
        self.wide, self.narrow = (760, height), (350, height + 20)

    @classmethod
    def from_results(cls, results: Results) -> Self:
        """Take the data from the results of a study on one data set.

        Parameters
        ----------
        results : Results
            Of one data set; ``results["name"]`` for one of several.
        """
        _, facts = one_dataset(results)
        return cls(results.instance_weights().frame(), facts["methods"])

    def series(self) -> list[tuple[str, Style]]:
        """Return nothing: lanes are named on the axis."""
        return []

    def lanes(self) -> list[tuple[list[str], pd.DataFrame, float]]:
        """Return methods, rows and fence of every weighting that is not uniform.

        Methods that weigh rows alike, because they share a weighting, share a lane.
        The fence is Tukey's: the lower quartile less one and a half times the
        distance between the quartiles, over all rows.
        """
        lanes: list[tuple[list[str], pd.DataFrame, float]] = []
        for method, rows in self._data.groupby("method", sort=False):
            if method in self._controls or np.ptp(rows["weight"]) < 1e-12:
                continue
            for names, other, _ in lanes:
                if len(other) == len(rows) and np.allclose(
                    other["weight"], rows["weight"], rtol=1e-6
                ):
                    names.append(str(method))
                    break
            else:
                lower, upper = np.quantile(rows["weight"], [0.25, 0.75])
                lanes.append(([str(method)], rows, float(lower - 1.5 * (upper - lower))))
        return lanes

    def outlying(self) -> pd.DataFrame:
        """Return the rows below their fence, lowest weight first."""
        below = [
            rows[rows["weight"] < fence].assign(fence=fence) for _, rows, fence in self.lanes()
        ]
        frame = pd.concat(below) if below else self._data.iloc[:0].assign(fence=np.nan)
        return frame.sort_values("weight", kind="stable").reset_index(drop=True)

    def finding(self) -> str:
        """Say how far the weights range, and how many samples are outlying."""
        words = []
        for names, rows, fence in self.lanes():
            low = int((rows["weight"] < fence).sum())
            words.append(
                f"{listed(names)}: {rows['weight'].min():.2f} to {rows['weight'].max():.2f}, "
                f"{count(low, 'sample')} below the fence at {fence:.2f}"
            )
        return f"Mean weights of samples. {'; '.join(words)}."

    def _draw(self, canvas: Canvas, width: float) -> list[Point]:
        labels: list[str] = []
        points = []
        several = len(self.lanes()) > 1
        for names, rows, fence in self.lanes():
            style = self._styles[names[0]]
            top = len(labels) - 0.5
            for kind, lane in rows.groupby("class", sort=False):
                points += _draw_lane(canvas, lane, fence, len(labels), style, names[0])
                labels.append(f"{kind}: {', '.join(names)}" if several else str(kind))
            canvas.vlines(fence, top + 0.06, len(labels) - 0.56, color=INK, linewidth=1)
        canvas.axvline(1, color=MUTED, linewidth=1, linestyle=(0, (1, 2)))
        canvas.set_ylim(len(labels) - 0.5, -0.5)
        canvas.set_yticks(range(len(labels)), [wrapped(label, width, 0.3) for label in labels])
        canvas.set_xlabel("mean weight of a sample (1 is average)")
        canvas.grid(True, axis="x")
        ends = [[*rows["weight"], fence] for _, rows, fence in self.lanes()]
        canvas.set_xlim(*padded_limits(np.concatenate([[1.0], *ends]), 0.04))
        return points


def _draw_lane(
    canvas: Canvas, lane: pd.DataFrame, fence: float, height: int, style: Style, method: str
) -> list[Point]:
    """Draw the rows of a class at a height, those below the fence as rings."""
    points = []
    low = (lane["weight"] < fence).to_numpy()
    order = np.argsort(lane["weight"].to_numpy()[~low], kind="stable")
    thin = np.unique(np.linspace(0, len(order) - 1, min(len(order), DRAWN_ROWS)).astype(int))
    for rows, face, size in (
        (lane[~low].iloc[order[thin]], style.color, 4.5),
        (lane[low], PAPER, 7.5),
    ):
        # Spread evenly, not by chance: the same report gives the same bytes.
        spread = 0.26 * (((np.arange(len(rows)) * 0.618034) % 1) * 2 - 1)
        canvas.plot(
            rows["weight"],
            height + spread,
            linestyle="none",
            marker="o",
            markersize=size,
            color=style.color,
            markerfacecolor=face,
            alpha=0.6 if face != PAPER else 1,
            markeredgewidth=0 if face != PAPER else 1.8,
        )
        columns = (rows[name].tolist() for name in ("name", "class", "weight"))
        for name, kind, weight, dy in zip(*columns, spread.tolist(), strict=True):
            words = f"{name} ({kind}): weight {weight:.2f} in {method}"
            words += ", below the fence" if weight < fence else ""
            points.append(Point(weight, height + dy, -1, words))
    return points
