"""Errors by class."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay.report._words import count, percent
from backstay.report.figures._axis import wrapped
from backstay.report.figures._display import (
    Canvas,
    Point,
    PredictionDisplay,
    draw_cells,
    number_columns,
)
from backstay.targets import Target


class ConfusionDisplay(PredictionDisplay):
    r"""What rows of each class are taken for: counts in the cells, shares of the row as colour.

    Examples
    --------
    >>> import pandas as pd
    >>> from backstay.report import ConfusionDisplay
    >>> data = pd.DataFrame({"true": list("aabb"), "predicted": list("abab"),
    ...                      "rows": [1.0, 1.0, 0.0, 2.0], "share": [0.5, 0.5, 0.0, 1.0]})
    >>> ConfusionDisplay(data, ["a", "b"]).finding()
    'Right in class: a 50\u202f% of 2 rows, most often taken for b; b 100\u202f% of 2 rows.'
    """

    table = "confusion"

    def __init__(self, data: pd.DataFrame, classes: Sequence[Any]) -> None:
        super().__init__(data)
        self.classes = [str(name) for name in classes]
        n = len(self.classes)
        self.wide = (760, 80 + (46 if n < 8 else 32) * n)
        self.narrow = (350, 70 + (44 if n < 6 else 26) * n)

    @classmethod
    def _of(cls, data: pd.DataFrame, target: Target) -> Self:
        return cls(data, target.names)

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
        names, n = self.classes, len(self.classes)
        written = [f"{value:.1f}".removesuffix(".0") for value in rows.ravel()]
        cells = ["" if n > 4 and said == "0" else said for said in written]
        draw_cells(canvas, width, shares, cells)
        labels = [f"{i + 1}  {name}" if n > 4 else name for i, name in enumerate(names)]
        canvas.set_yticks(range(n), [wrapped(label, width, 0.28) for label in labels])
        if n > 4:  # names side by side would not fit
            number_columns(canvas, width, n)
        else:
            canvas.set_xticks(range(n), [_short(name, 0.6 * width / n) for name in names])
        canvas.set_ylabel("true class")
        canvas.set_xlabel("predicted class")
        said = iter(written)
        return [
            Point(
                j,
                i,
                -1,
                f"{names[i]} taken for {names[j]}: {next(said)} rows, {percent(float(share))} of "
                "the class",
            )
            for (i, j), share in np.ndenumerate(shares)
        ]


def _short(name: str, room: float) -> str:
    n = max(int(room / 7.5), 3)
    return name if len(name) <= n else f"{name[: n - 1]}…"
