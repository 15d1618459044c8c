"""Agreement between methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay.report._words import count, two_decimals
from backstay.report.figures._axis import wrapped
from backstay.report.figures._canvas import Canvas
from backstay.report.figures._display import Point, SizeDisplay
from backstay.report.figures._style import HEAT, INK, Style
from backstay.results import Results, Role


class AgreementDisplay(SizeDisplay):
    """How far two methods select the same features on the same resamples; 0 for random ones."""

    question = "similarity"

    def __init__(self, data: pd.DataFrame, roles: Mapping[str, Role], size: int) -> None:
        super().__init__(data, roles, size)
        n = len(self.matrix()[0])
        self.wide, self.narrow = (760, 70 + 40 * n), (350, 60 + 30 * n)

    def series(self) -> list[tuple[str, Style]]:
        """Return nothing: rows and columns are named on the axis."""
        return []

    def matrix(self) -> tuple[list[str], NDArray[np.float64]]:
        """Return the methods, and the index of every two of them."""
        names = list(dict.fromkeys(self._data["first"]))
        place = {name: i for i, name in enumerate(names)}
        values = np.full((len(names), len(names)), np.nan)
        columns = (self._data[name].tolist() for name in ("first", "second", "kuncheva"))
        for first, second, value in zip(*columns, strict=True):
            i, j = place[first], place[second]
            values[i, j] = values[j, i] = value
        return names, values

    def finding(self) -> str:
        """Say which two methods agree most and least."""
        frame = self._data
        pairs = frame[(frame["first"] != frame["second"]) & np.isfinite(frame["kuncheva"])]
        if pairs.empty:
            return "There are no two methods to compare."
        index = pairs["kuncheva"]
        most, least = pairs.iloc[int(index.argmax())], pairs.iloc[int(index.argmin())]
        return (
            f"Agreement at {count(self.size, 'feature')}: most between {most['first']} and "
            f"{most['second']} ({most['kuncheva']:.2f}), least between {least['first']} and "
            f"{least['second']} ({two_decimals(least['kuncheva'])})."
        )

    def _draw(self, canvas: Canvas, width: float) -> list[Point]:
        names, values = self.matrix()
        n = len(names)
        # Points that a column has for its figures, a third being left to the names.
        room = 0.64 * width / n
        points = []
        for (i, j), value in np.ndenumerate(values):
            shade = 0.0 if np.isnan(value) else float(np.clip(value, 0, 1))
            # At most 0.6 opaque, so that the figure in the cell stays legible.
            canvas.barh(i, 0.94, 0.88, j - 0.47, color=HEAT, alpha=0.04 + 0.5 * shade)
            words = f"{names[i]} and {names[j]}: "
            words += "undefined" if np.isnan(value) else f"{value:.2f}"
            points.append(Point(j, i, -1, words))
            cell = "–" if np.isnan(value) else f"{100 * value:.0f}".replace("-", "−")
            if room >= 20:
                canvas.text(j, i, cell, ha="center", va="center", fontsize=11, color=INK)
        canvas.set_xlim(-0.5, n - 0.5)
        canvas.set_ylim(n - 0.5, -0.5)
        labels = [f"{i + 1}  {name}" for i, name in enumerate(names)]
        canvas.set_yticks(range(n), [wrapped(label, width) for label in labels])
        shown = range(0, n, int(np.ceil(18 / room)))
        canvas.set_xticks(shown, [str(i + 1) for i in shown])
        canvas.tick_params(length=0, labeltop=True, labelbottom=False)
        canvas.set_frame_on(False)
        return points


class BatchAgreementDisplay(AgreementDisplay):
    """How far batches, each with a signature of its own, choose the same features."""

    @classmethod
    def from_results(cls, results: Results, size: int) -> Self:
        """Take the data from results of one data set, run with ``batch=``.

        Parameters
        ----------
        size : int
            Number of features selected in each run.
        """
        return cls(results.selections.batch_agreement().frame(), {}, size)
