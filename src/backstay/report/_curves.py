"""Displays of curves: stability and accuracy by size, and selection frequencies."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from backstay.report._display import Display, Point, chance_of, one_dataset, size_axis
from backstay.report._sheet import Sheet
from backstay.report._style import INK, MUTED, Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from backstay.results import Results

__all__ = ["AccuracyDisplay", "SelectionFrequencyDisplay", "StabilityDisplay"]

# Beyond that many ranks a curve is drawn at evenly spaced ones only.
DRAWN_RANKS = 240


class StabilityDisplay(Display):
    """Stability of every method by number of features selected, with intervals.

    Examples
    --------
    >>> from backstay import ReliefF, Study
    >>> from backstay.datasets import make_xor
    >>> from backstay.report import StabilityDisplay
    >>> from backstay.study import Subsampling
    >>> X, y, _ = make_xor(150, random_state=0)
    >>> study = Study({"relieff": ReliefF()}, Subsampling(10), sizes=[2, 3], random_state=0)
    >>> display = StabilityDisplay.from_results(study.run(X, y))
    >>> display.frame()[["method", "size", "value"]].round(2)
        method  size  value
    0  relieff     2   0.68
    1  relieff     3   0.82
    """

    def __init__(self, data: pd.DataFrame, roles: dict[str, dict[str, Any]], measure: str) -> None:
        super().__init__(data, roles)
        self.measure = measure

    @classmethod
    def from_results(
        cls, results: Results, measure: str = "nogueira", *, confidence: float = 0.95
    ) -> Self:
        """Take the display from the results of a study on one data set.

        Parameters
        ----------
        results : Results
            Of one data set; ``results["name"]`` for one of several.
        measure : str, default="nogueira"
            Any measure on subsets.
        confidence : float, default=0.95
            Coverage of the intervals.
        """
        _, facts = one_dataset(results)
        data = results.stability(measure, confidence=confidence).frame()
        return cls(data, facts["methods"], measure)

    def _draw(self, ax: Axes | Sheet) -> None:
        if self._data.empty:
            return
        size_axis(ax, sorted(self._data["size"].unique().tolist()))
        if self.measure in ("nogueira", "kuncheva"):
            ax.axhline(0, color=MUTED, linewidth=1, linestyle=(0, (1, 2)))
            ax.axhline(1, color=MUTED, linewidth=1, linestyle=(0, (1, 2)))
        for place, name, style, rows in self._groups:
            _band(ax, place, style, rows, self._strength(name))
            self._points += _told(place, name, rows)
        shown = self._data[["value", "low", "high"]].to_numpy()
        bottom = min(0.0, float(np.nanmin(shown))) if np.isfinite(shown).any() else 0.0
        ax.set_ylim(max(bottom, -0.25) - 0.03, 1.04)
        ax.grid(True, axis="y")
        ax.set_xlabel("features selected")
        ax.set_ylabel(f"stability ({self.measure.capitalize()})")


class AccuracyDisplay(Display):
    """Mean score of every method by number of features, with corrected intervals."""

    narrow = (350, 300)

    def __init__(
        self,
        data: pd.DataFrame,
        roles: dict[str, dict[str, Any]],
        metric: str,
        classifier: str,
        chance: float,
    ) -> None:
        super().__init__(data, roles)
        self.metric, self.classifier, self.chance = metric, classifier, chance

    @classmethod
    def from_results(
        cls,
        results: Results,
        metric: str | None = None,
        classifier: str | None = None,
        *,
        confidence: float = 0.95,
    ) -> Self:
        """Take the display from the results of a study on one data set.

        Parameters
        ----------
        results : Results
            Of one data set; ``results["name"]`` for one of several.
        metric, classifier : str, default=None
            The study's first if None.
        confidence : float, default=0.95
            Coverage of the intervals.
        """
        _, facts = one_dataset(results)
        data = results.accuracy(
            facts["scoring"][0] if metric is None else metric, confidence=confidence
        ).frame()
        classifier = facts["classifiers"][0] if classifier is None else classifier
        if classifier not in facts["classifiers"]:
            raise ValueError(
                f"classifier={classifier!r} was not studied; there are "
                f"{', '.join(facts['classifiers'])}."
            )
        data = data[data["classifier"] == classifier].reset_index(drop=True)
        metric = str(data["metric"].iloc[0])
        return cls(data, facts["methods"], metric, classifier, chance_of(results, metric))

    def _draw(self, ax: Axes | Sheet) -> None:
        size_axis(ax, sorted(self._data["size"].unique().tolist()))
        if np.isfinite(self.chance):
            ax.axhline(self.chance, color=INK, linewidth=1, linestyle=(0, (1, 2)))
        for place, name, style, rows in self._groups:
            _band(ax, place, style, rows, self._strength(name))
            self._points += _told(place, name, rows)
        values = self._data["value"].to_numpy()
        values = np.append(values[np.isfinite(values)], self.chance)
        low = float(np.nanmin(values)) if np.isfinite(values).any() else 0.0
        ax.set_ylim(max(-0.02, np.floor((low - 0.08) * 10) / 10), 1.02)
        ax.grid(True, axis="y")
        ax.set_xlabel("features selected")
        ax.set_ylabel(self.metric.replace("_", " "))


class SelectionFrequencyDisplay(Display):
    """Share of runs that chose a feature, most often chosen first, beside perfect stability."""

    def __init__(self, data: pd.DataFrame, roles: dict[str, dict[str, Any]], size: int) -> None:
        super().__init__(data, roles)
        self.size = size

    @classmethod
    def from_results(cls, results: Results, size: int) -> Self:
        """Take the display from the results of a study on one data set.

        Parameters
        ----------
        results : Results
            Of one data set; ``results["name"]`` for one of several.
        size : int
            Number of features selected in each run.
        """
        _, facts = one_dataset(results)
        return cls(results.selection_frequency(size).frame(), facts["methods"], size)

    def _draw(self, ax: Axes | Sheet) -> None:
        n_most = 1 if self._data.empty else int(self._data.groupby("method").size().max())
        end = max(min(3 * self.size, n_most), self.size + 3)
        for place, name, style, rows in self._groups:
            shares = rows["frequency"].to_numpy()[:end]
            shares = np.append(shares, np.zeros(end - len(shares)))
            ranks = np.unique(np.linspace(1, end, min(end, DRAWN_RANKS)).astype(int))
            ax.plot(
                ranks,
                shares[ranks - 1],
                color=style.color,
                linestyle=style.line,
                linewidth=1.3 * self._strength(name),
                drawstyle="steps-mid" if end <= 60 else "default",
                gid=f"series-{place}",
            )
            self._point_at(name, place, rows, end)
        ax.plot(
            [0.5, self.size + 0.5, self.size + 0.5, end + 0.5],
            [1, 1, 0, 0],
            color=INK,
            linewidth=1.2,
            linestyle=(0, (1, 2)),
        )
        for share in (0.5, 0.85):
            ax.axhline(share, color=MUTED, linewidth=0.7)
        ax.set_xlim(0.5, end + 0.5)
        ax.set_ylim(-0.03, 1.05)
        ax.set_yticks([0, 0.25, 0.5, 0.75, 0.85, 1], ["0", "25", "50", "75", "85", "100 %"])
        ax.set_xlabel("features, most often chosen first")
        ax.set_ylabel("share of runs")

    def _point_at(self, name: str, place: int, rows: pd.DataFrame, end: int) -> None:
        n = min(len(rows), end)
        chosen = np.unique(np.linspace(0, n - 1, min(n, 60)).astype(int))
        shown = rows.iloc[chosen]
        for at, feature, share in zip(
            chosen.tolist(), shown["name"], shown["frequency"].tolist(), strict=True
        ):
            words = f"{name}: {feature}, chosen in {share:.0%} of runs (no. {at + 1})"
            self._points.append(Point(at + 1, share, place, words))


def _band(ax: Axes | Sheet, place: int, style: Style, rows: pd.DataFrame, strength: float) -> None:
    """Draw a curve with its interval."""
    ax.fill_between(
        rows["size"],
        rows["low"],
        rows["high"],
        color=style.color,
        alpha=0.03 * strength**3,
        linewidth=0,
        gid=f"band-{place}",
    )
    ax.plot(
        rows["size"],
        rows["value"],
        color=style.color,
        linestyle=style.line,
        linewidth=1.3 * strength,
        marker=style.marker,
        markersize=5,
        markerfacecolor=style.face,
        markeredgewidth=1.2,
        gid=f"series-{place}",
    )


def _told(place: int, name: str, rows: pd.DataFrame) -> list[Point]:
    """Return the points of a curve with their numbers."""
    found = []
    columns = (rows[name].tolist() for name in ("size", "value", "low", "high"))
    for size, value, low, high in zip(*columns, strict=True):
        interval = f" (95\u202f% {low:.2f} to {high:.2f})" if math.isfinite(low + high) else ""
        words = f"{name}, {size} features: {value:.3f}{interval}"
        found.append(Point(size, value, place, words))
    return found
