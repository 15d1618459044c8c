"""Errors by class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from backstay.report._words import count, percent
from backstay.report.figures._axis import wrapped
from backstay.report.figures._canvas import Canvas
from backstay.report.figures._classes import ClassDisplay
from backstay.report.figures._display import Point
from backstay.report.figures._style import HEAT, INK, Style
from backstay.results import Results


class ConfusionDisplay(ClassDisplay):
    r"""What rows of each class are taken for: counts in the cells, shares of the row as colour.

    Examples
    --------
    >>> from backstay.report import ConfusionDisplay
    >>> display = ConfusionDisplay.from_predictions(["a", "a", "b", "b"], ["a", "b", "b", "b"])
    >>> display.finding()
    'Right in class: a 50\u202f% of 2 rows, most often taken for b; b 100\u202f% of 2 rows.'
    """

    def __init__(self, data: pd.DataFrame, classes: Sequence[Any]) -> None:
        super().__init__(data, classes)
        n = len(self.classes)
        self.wide = (760, 80 + (46 if n < 8 else 32) * n)
        self.narrow = (350, 70 + (44 if n < 6 else 26) * n)

    @classmethod
    def from_results(
        cls,
        results: Results,
        *,
        method: str | None = None,
        size: int | None = None,
        model: str | None = None,
    ) -> Self:
        """Take the data from results of one data set, ``results["name"]`` of several.

        Parameters
        ----------
        method, size, model
            As in ``results.predictions.confusion``.
        """
        table = results.predictions.confusion(method, size, model).frame()
        return cls(table, results.data.target.names)

    @classmethod
    def from_predictions(
        cls, truth: ArrayLike, predicted: ArrayLike, classes: Sequence[Any] | None = None
    ) -> Self:
        """Count single predictions of rows, such as those of another cohort.

        Parameters
        ----------
        truth, predicted : array-like of shape (n_samples,)
            Class labels.
        classes : list, default=None
            The classes in order; those that occur, sorted, if None.
        """
        true, said = np.asarray(truth), np.asarray(predicted)
        if true.shape != said.shape or true.ndim != 1:
            raise ValueError(f"truth has shape {true.shape}, predicted {said.shape}.")
        names = sorted({*true.tolist(), *said.tolist()}) if classes is None else list(classes)
        rows = []
        for own in names:
            n = int((true == own).sum())
            for other in names:
                k = int(((true == own) & (said == other)).sum())
                share = k / n if n else np.nan
                rows.append({"true": own, "predicted": other, "rows": float(k), "share": share})
        return cls(pd.DataFrame(rows), names)

    def series(self) -> list[tuple[str, Style]]:
        """Return nothing: rows and columns are named on the axes."""
        return []

    def matrix(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return rows, and their share of the true class, by true and predicted class."""
        n = len(self.classes)
        rows, shares = (self._data[name].to_numpy(dtype=float) for name in ("rows", "share"))
        return rows.reshape(n, n), shares.reshape(n, n)

    def finding(self) -> str:
        """Say what share of every class is right, and what it is taken for."""
        rows, shares = self.matrix()
        words = []
        for i, name in enumerate(self.classes):
            wrong = np.where(np.arange(len(rows)) == i, 0, rows[i])
            part = f"{name} {percent(shares[i, i])} of {count(round(float(rows[i].sum())), 'row')}"
            if wrong.any():
                part += f", most often taken for {self.classes[int(np.argmax(wrong))]}"
            words.append(part)
        return f"Right in class: {'; '.join(words)}."

    def _draw(self, canvas: Canvas, width: float) -> list[Point]:
        rows, shares = self.matrix()
        n = len(rows)
        room = 0.6 * width / n
        points = []
        for (i, j), value in np.ndenumerate(rows):
            share = float(np.nan_to_num(shares[i, j]))
            canvas.barh(i, 0.94, 0.9, j - 0.47, color=HEAT, alpha=0.04 + 0.5 * share)
            written = f"{value:.1f}".removesuffix(".0")
            words = f"{self.classes[i]} taken for {self.classes[j]}: {written} rows"
            points.append(Point(j, i, -1, f"{words}, {percent(float(shares[i, j]))} of the class"))
            if room >= 8 * len(written) + 2 and (value >= 0.05 or n <= 4):
                canvas.text(j, i, written, ha="center", va="center", fontsize=11, color=INK)
        canvas.set_xlim(-0.5, n - 0.5)
        canvas.set_ylim(n - 0.5, -0.5)
        labels = [f"{i + 1}  {name}" if n > 4 else name for i, name in enumerate(self.classes)]
        canvas.set_yticks(range(n), [wrapped(label, width, 0.28) for label in labels])
        if n > 4:  # names side by side would not fit
            shown = range(0, n, int(np.ceil(18 / room)))
            canvas.set_xticks(shown, [str(i + 1) for i in shown])
        else:
            canvas.set_xticks(range(n), [_short(name, room) for name in self.classes])
        canvas.tick_params(length=0, labeltop=True, labelbottom=False)
        canvas.set_frame_on(False)
        canvas.set_ylabel("true class")
        canvas.set_xlabel("predicted class")
        return points


def _short(name: str, room: float) -> str:
    n = max(int(room / 7.5), 3)
    return name if len(name) <= n else f"{name[: n - 1]}…"
