"""ROC and precision–recall curves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import integrate

from backstay.report._words import interval, percent, two_decimals
from backstay.report.figures._canvas import Canvas
from backstay.report.figures._classes import ClassDisplay
from backstay.report.figures._display import Point
from backstay.report.figures._style import DOTTED, MUTED, Looks, Style
from backstay.results import Results
from backstay.targets import from_store

# What is drawn along x and y, and what the area under it is called.
CURVES = {
    "roc": ("false positive rate", "true positive rate", "AUC"),
    "precision_recall": ("recall", "precision", "average precision"),
}
# Points of a curve that can be pointed at.
POINTED = 40


class RocDisplay(ClassDisplay):
    """ROC or precision–recall curve: of the second class of two, or of each class of more.

    Examples
    --------
    >>> from backstay.report import RocDisplay
    >>> display = RocDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> display.areas
    {'1': 0.75}
    """

    wide, narrow = (420, 380), (350, 330)

    def __init__(
        self, data: pd.DataFrame, classes: Sequence[Any], kind: str, prevalence: float = math.nan
    ) -> None:
        super().__init__(data, classes)
        self.kind, self.prevalence = kind, prevalence

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
            As in ``results.predictions.confusion``.
        """
        data = results.predictions.roc(kind, method, size, model).frame()
        facts = results.data
        two = len(facts.target.names) == 2
        share = facts.target.summary()[1][1] / facts.n_samples if two else math.nan
        return cls(data, facts.target.names[1:] if two else facts.target.names, kind, share)

    @classmethod
    def from_predictions(
        cls,
        truth: ArrayLike,
        scores: ArrayLike,
        kind: str = "roc",
        *,
        classes: Sequence[Any] | None = None,
    ) -> Self:
        """Draw the curve of single scores of rows, such as those of another cohort.

        Parameters
        ----------
        truth : array-like of shape (n_samples,)
            Class labels.
        scores : array-like of shape (n_samples,) or (n_samples, n_classes)
            Leanings to the second of two classes, or to every class.
        kind : {"roc", "precision_recall"}, default="roc"
            Which curve. Its band is over bootstraps of the rows.
        classes : list, default=None
            The classes in order; those that occur, sorted, if None.
        """
        true, leanings = np.asarray(truth), np.asarray(scores, dtype=float)
        names = sorted(set(true.tolist())) if classes is None else list(classes)
        leanings = leanings.reshape(len(true), -1)
        if leanings.shape[1] not in (1, len(names)):
            raise ValueError(
                f"scores has shape {np.shape(scores)}; there are {len(names)} classes."
            )
        if len(names) == 2:
            leanings = leanings[:, -1:]
        codes = np.array([names.index(label) for label in true.tolist()], dtype=np.intp)
        target = from_store({"kind": "classes", "classes": names}, {"codes": codes})
        outputs = np.hstack([codes[:, None], leanings])  # of the prediction nobody asks
        shown = names[1:] if len(names) == 2 else names
        share = float((codes == 1).mean()) if len(names) == 2 else math.nan
        return cls(
            pd.DataFrame(target.table(kind, [(np.arange(len(true)), outputs)])), shown, kind, share
        )

    @property
    def areas(self) -> dict[str, float]:
        """Area under the curve of every class: the mean AUC or average precision of the runs."""
        return {
            str(name): float(integrate.trapezoid(curve["y"], curve["x"]))
            for name, curve in self._data.groupby("class", sort=False)
        }

    def series(self) -> list[tuple[str, Style]]:
        """Return the classes that have a curve."""
        return [(name, style) for name, style in super().series() if name in self.areas]

    def legend(self) -> list[str]:
        """Return the classes with the areas under their curves."""
        title = CURVES[self.kind][2]
        return [f"{name}: {title} {two_decimals(self.areas[name])}" for name, _ in self.series()]

    def finding(self) -> str:
        """Say the area under every curve."""
        title = CURVES[self.kind][2]
        named = [f"{name} {two_decimals(value)}" for name, value in self.areas.items()]
        which = "ROC" if self.kind == "roc" else "Precision–recall"
        return f"{which} curve, {title} of class: {'; '.join(named) or 'none'}."

    def _draw(self, canvas: Canvas, width: float) -> list[Point]:
        across, along, _ = CURVES[self.kind]
        quiet: Looks = {"color": MUTED, "linewidth": 1, "linestyle": DOTTED}
        if self.kind == "roc":
            canvas.plot([0, 1], [0, 1], **quiet)
        elif math.isfinite(self.prevalence):
            canvas.plot([0, 1], [self.prevalence] * 2, **quiet)
        curves = dict(iter(self._data.groupby("class", sort=False)))
        by_name = {str(name): curve for name, curve in curves.items()}
        points = []
        series = self.series()
        for place, (name, style) in enumerate(series):
            curve = by_name[name]
            band = style.band(place, 0.2 if len(series) == 1 else 0.0)
            canvas.fill_between(curve["x"], curve["low"], curve["high"], **band)
            x, y = curve["x"].tolist(), curve["y"].tolist()
            if self.kind == "roc":
                x, y = [0, *x, 1], [0, *y, 1]
            canvas.plot(x, y, **style.curve(place, 2 if len(series) == 1 else 1.5))
            points += self._points(place, name, curve)
        canvas.set_xlim(-0.02, 1.02)
        canvas.set_ylim(-0.02, 1.04)
        canvas.set_xlabel(across)
        canvas.set_ylabel(along)
        canvas.grid(True)
        return points

    def _points(self, place: int, name: str, curve: pd.DataFrame) -> list[Point]:
        across, along, _ = CURVES[self.kind]
        chosen = np.unique(np.linspace(0, len(curve) - 1, POINTED).astype(int))
        columns = (curve[key].to_numpy()[chosen].tolist() for key in ("x", "y", "low", "high"))
        return [
            Point(
                x,
                y,
                place,
                f"{name}: {along} {two_decimals(y)} ({interval(low, high)}) at {across} "
                f"{percent(x)}",
            )
            for x, y, low, high in zip(*columns, strict=True)
        ]
