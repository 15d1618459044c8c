"""Figures of times until an event: curves of risk groups, and the AUC over time."""

from collections.abc import Sequence
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay.report._words import (
    interval,
    listed,
    number_text,
    percent,
    percent_interval,
    two_decimals,
)
from backstay.report.figures._axis import padded_limits
from backstay.report.figures._display import Canvas, Point, PredictionDisplay
from backstay.report.figures._labels import Label, write
from backstay.report.figures._sheet import round_ticks
from backstay.report.figures._style import DOTTED, GRID, INK, MUTED, Style
from backstay.report.figures._validation import CalibrationDisplay
from backstay.targets import Target

Steps = tuple[NDArray[np.float64], NDArray[np.float64]]
# Shares that have a line of their own, and the height of a line of numbers at risk.
SHARES, LINE = (0.0, 0.25, 0.5, 0.75, 1.0), 0.075
# Blue is low and vermilion high; groups between them have other hues.
HUES = {1: (0,), 2: (0, 1), 3: (0, 2, 1), 4: (0, 2, 4, 1)}
# Points of a curve that can be pointed at.
POINTED = 30


class TimeDisplay(PredictionDisplay):
    """A figure over time of predictions about one time, the horizon."""

    def __init__(self, data: pd.DataFrame, horizon: float) -> None:
        super().__init__(data)
        self.horizon = horizon

    @classmethod
    def _of(cls, data: pd.DataFrame, target: Target) -> Self:
        return cls(data, target.to_json()["horizon"])


class RiskGroupsDisplay(TimeDisplay):
    """Kaplan–Meier curves of risk groups, with 95 % bands and the numbers at risk below them.

    Parameters
    ----------
    data : DataFrame
        A row per ``group`` and ``time``: the share without the event after it (``survival``, with
        ``low`` and ``high``), and the rows ``at_risk`` just before it.
    horizon : float
        Time that predictions are about.

    Examples
    --------
    >>> import pandas as pd
    >>> from backstay.report import RiskGroupsDisplay
    >>> data = pd.DataFrame({"group": ["low", "high"], "time": [3.0, 2.0], "survival": [0.9, 0.4],
    ...                      "low": [0.8, 0.3], "high": [1.0, 0.5], "at_risk": [10, 12]})
    >>> RiskGroupsDisplay(data, horizon=2.5).finding()
    'Without the event at time 2.5: all of group low and 40\u202f% of group high.'
    """

    table = "risk groups"
    wide, narrow = (760, 430), (350, 390)

    def __init__(self, data: pd.DataFrame, horizon: float) -> None:
        super().__init__(data, horizon)
        self.groups: list[str] = list(dict.fromkeys(map(str, data.get("group", []))))

    def series(self) -> list[tuple[str, Style]]:
        """Return the groups, the lowest risk first."""
        hues: Sequence[int] = HUES.get(len(self.groups), range(len(self.groups)))
        return [(name, Style(hue, area=True)) for name, hue in zip(self.groups, hues, strict=True)]

    def finding(self) -> str:
        """Say which share of every group has no event at the horizon."""
        if not self.groups:
            return "There are no risk groups."
        shares = []
        for name in self.groups:
            x, y = self._steps(name, "survival")
            share = float(y[np.searchsorted(x, self.horizon, side="right") - 1])
            shares.append(f"{'all' if share == 1 else percent(share)} of group {name}")
        return f"Without the event at time {number_text(self.horizon)}: {listed(shares)}."

    def _rows(self, name: str) -> pd.DataFrame:
        return self._data[self._data["group"].astype(str) == name].sort_values("time")

    def _steps(self, name: str, column: str) -> Steps:
        """Return a curve that is 1 at the start and falls straight at its times."""
        rows = self._rows(name)
        x, y = (rows[key].to_numpy(dtype=float) for key in ("time", column))
        return np.append(0, np.repeat(x, 2)), np.repeat(np.append(1, y), 2)[:-1]

    def _draw(self, canvas: Canvas, width: float) -> list[Point]:
        if not self.groups:
            return []
        end = float(self._data["time"].max())
        ticks, names = round_ticks(0, end, 8 if width > 500 else 4)
        lines = [-0.05 - LINE * (i + 1) for i in range(len(self.groups))]
        for share in SHARES:
            canvas.hlines(share, 0, end, color=GRID, linewidth=0.8)
        canvas.vlines(self.horizon, 0, 1, color=MUTED, linewidth=1, linestyle=DOTTED)
        points = []
        for place, (name, style) in enumerate(self.series()):
            x, y = self._steps(name, "survival")
            low, high = (self._steps(name, end)[1] for end in ("low", "high"))
            canvas.fill_between(x, low, high, **style.band(place, 0.15))
            canvas.plot(x, y, **style.curve(place, 1.8))
            rows = self._rows(name)
            for tick in ticks:
                watched = rows.loc[rows["time"] >= tick, "at_risk"]
                said = f"{watched.iloc[0] if len(watched) else 0:.0f}"
                write(canvas, Label(tick, lines[place], said, "center"))
            for row in rows.iloc[:: max(len(rows) // POINTED, 1)].to_dict("records"):
                words = f"group {name}, time {number_text(row['time'])}: "
                words += f"{percent(row['survival'])} without the event "
                words += f"({percent_interval(row['low'], row['high'])})"
                points.append(Point(row["time"], row["survival"], place, words))
        canvas.set_xlim(-(0.03 if width > 500 else 0.07) * end, 1.02 * end)
        canvas.set_ylim(lines[-1] - 0.05, 1.02)
        canvas.set_xticks(ticks, names)
        shares = [f"{share:.0%}".replace("%", "\u202f%") for share in SHARES]
        canvas.set_yticks([*SHARES, *lines], [*shares, *self.groups])
        canvas.set_xlabel("time; below the curves, the rows still at risk")
        canvas.set_ylabel("without the event")
        return points


class HorizonDisplay(CalibrationDisplay, PredictionDisplay):
    """Observed survival at the horizon by predicted survival, with 95 % intervals."""

    table = "calibration"

    def __init__(self, data: pd.DataFrame, horizon: float) -> None:
        super().__init__(data, f"no event by {number_text(horizon)}")

    @classmethod
    def _of(cls, data: pd.DataFrame, target: Target) -> Self:
        return cls(data, target.to_json()["horizon"])


class AucOverTimeDisplay(TimeDisplay):
    """How well scores tell rows with an event by a time from rows without one, time by time."""

    table = "auc over time"
    wide, narrow = (420, 380), (350, 330)

    def finding(self) -> str:
        """Say the AUC at the first, the middle and the last time."""
        known = self._data[np.isfinite(self._data["auc"].to_numpy(dtype=float))]
        if known.empty:
            return "The AUC is not defined at any time."
        rows = known.iloc[sorted({0, len(known) // 2, len(known) - 1})].to_dict("records")
        said = [f"{two_decimals(row['auc'])} at {number_text(row['time'])}" for row in rows]
        return f"AUC over time: {listed(said)}. 0.5 is guessing."

    def _draw(self, canvas: Canvas, width: float) -> list[Point]:
        data, style = self._data, Style(0)
        if data.empty:
            return []
        x = data["time"].to_numpy(dtype=float)
        canvas.axhline(0.5, color=INK, linewidth=1, linestyle=DOTTED)
        canvas.axvline(self.horizon, color=MUTED, linewidth=1, linestyle=DOTTED)
        canvas.fill_between(x, data["low"], data["high"], **style.band(0, 0.2))
        canvas.plot(x, data["auc"], **style.marks(0, 5, 1.2) | style.curve(0, 1.8))
        canvas.set_xlim(*padded_limits(x, 0.04))
        canvas.set_ylim(*padded_limits(np.append(data[["low", "high"]].to_numpy(), 0.5), 0.05))
        canvas.set_xlabel("time")
        canvas.set_ylabel("AUC at this time")
        canvas.grid(True)
        points = []
        for row in data.to_dict("records"):
            words = f"time {number_text(row['time'])}: AUC {two_decimals(row['auc'])} "
            words += f"({interval(row['low'], row['high'])})"
            points.append(Point(row["time"], row["auc"], 0, words))
        return points
