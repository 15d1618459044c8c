"""ROC and precision–recall curves."""

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd
from scipy import integrate

from backstay.report._words import interval, percent, two_decimals
from backstay.report.figures._display import Canvas, Display, Point
from backstay.report.figures._style import DOTTED, MUTED, Looks, Style
from backstay.results import Results
from backstay.targets import Target

# What is drawn along x and y, and what the area under it is called.
CURVES = {
    "roc": ("false positive rate", "true positive rate", "AUC"),
    "precision_recall": ("recall", "precision", "average precision"),
}
# Points of a curve that can be pointed at.
POINTED = 40


class RocDisplay(Display):
    """ROC or precision–recall curve: of the second class of two, or of each class of more.

    Examples
    --------
    >>> import pandas as pd
    >>> from backstay.report import RocDisplay
    >>> data = pd.DataFrame({"class": "ill", "x": [0.0, 0.5, 1.0], "y": [0.5, 1.0, 1.0]})
    >>> RocDisplay(data, ["well", "ill"], "roc").legend()
    ['ill: AUC 0.88']
    """

    wide, narrow = (420, 380), (350, 330)

    def __init__(
        self, data: pd.DataFrame, classes: Sequence[Any], kind: str, prevalence: float = math.nan
    ) -> None:
        super().__init__(data)
        self.kind, self.prevalence = kind, prevalence
        curves = {str(name): curve for name, curve in data.groupby("class", sort=False)}
        named = [str(name) for name in classes if str(name) in curves]
        self._curves = {name: curves[name] for name in named}

    @classmethod
    def from_results(
        cls,
        results: Results,
        kind: str = "roc",
        *,
        method: str | None = None,
        size: int | None = None,
        model: str | None = None,
    ) -> Self:
        """Take the data from results of one data set, ``results["name"]`` of several.

        Parameters
        ----------
        kind : {"roc", "precision_recall"}, default="roc"
            Which curve.
        method, size, model
            As in ``results.predictions.table``.
        """
        data = results.predictions.table(kind, method, size, model).frame()
        return cls.of_target(data, results.data.target, kind)

    @classmethod
    def of_target(cls, data: pd.DataFrame, target: Target, kind: str = "roc") -> Self:
        """Return the curves of a table for the classes of a target."""
        counts = [n for _, n in target.summary()]
        return cls(
            data, target.names, kind, counts[1] / sum(counts) if len(counts) == 2 else math.nan
        )

    @cached_property
    def areas(self) -> dict[str, float]:
        """Area under the curve of every class: the mean AUC or average precision of the runs."""
        return {
            name: float(integrate.trapezoid(curve["y"], curve["x"]))
            for name, curve in self._curves.items()
        }

    def series(self) -> list[tuple[str, Style]]:
        """Return the classes that have a curve."""
        return [(name, Style(place)) for place, name in enumerate(self._curves)]

    def legend(self) -> list[str]:
        """Return the classes with the areas under their curves."""
        title = CURVES[self.kind][2]
        return [f"{name}: {title} {two_decimals(area)}" for name, area in self.areas.items()]

    def finding(self) -> str:
        """Say the area under every curve."""
        named = [f"{name} {two_decimals(value)}" for name, value in self.areas.items()]
        which = "ROC" if self.kind == "roc" else "Precision–recall"
        return f"{which} curve, {CURVES[self.kind][2]} of class: {'; '.join(named) or 'none'}."

    def _draw(self, canvas: Canvas, width: float) -> list[Point]:
        across, along, _ = CURVES[self.kind]
        quiet: Looks = {"color": MUTED, "linewidth": 1, "linestyle": DOTTED}
        if self.kind == "roc":
            canvas.plot([0, 1], [0, 1], **quiet)
        elif math.isfinite(self.prevalence):
            canvas.plot([0, 1], [self.prevalence] * 2, **quiet)
        points = []
        series = self.series()
        for place, (name, style) in enumerate(series):
            curve = self._curves[name]
            band = style.band(place, 0.2 if len(series) == 1 else 0.0)
            canvas.fill_between(curve["x"], curve["low"], curve["high"], **band)
            x, y = curve["x"].tolist(), curve["y"].tolist()
            if self.kind == "roc":
                x, y = [0, *x, 1], [0, *y, 1]
            canvas.plot(x, y, **style.curve(place, 2 if len(series) == 1 else 1.5))
            shown = np.unique(np.linspace(0, len(curve) - 1, POINTED).astype(int))
            for row in curve.iloc[shown].to_dict("records"):
                words = f"{name}: {along} {two_decimals(row['y'])} "
                words += f"({interval(row['low'], row['high'])}) at {across} {percent(row['x'])}"
                points.append(Point(row["x"], row["y"], place, words))
        canvas.set_xlim(-0.02, 1.02)
        canvas.set_ylim(-0.02, 1.04)
        canvas.set_xlabel(across)
        canvas.set_ylabel(along)
        canvas.grid(True)
        return points
