"""Would more rows help? Score or replication by number of rows."""

import math
from typing import Self

import numpy as np

from backstay.report._words import count, interval, metric_title, two_decimals
from backstay.report.figures._axis import padded_limits, set_size_axis
from backstay.report.figures._display import Canvas, Display, Point
from backstay.report.figures._style import DOTTED, INK, MUTED, Style
from backstay.results import Plan, Results
from backstay.targets import find_metric

KINDS = ("score", "replication")
BEYOND = (0, (4, 2.2))


class PlanDisplay(Display):
    """Score or replication by number of rows: measured points, the curve and its 95 % band.

    Within the study's rows the curve is solid, beyond them dashed.
    """

    narrow = (350, 300)

    def __init__(self, plan: Plan, kind: str, chance: float) -> None:
        if kind not in KINDS:
            raise ValueError(f"kind={kind!r} must be {' or '.join(KINDS)}.")
        super().__init__(plan.frame())
        self.plan, self.kind, self.chance = plan, kind, chance
        self.model = plan.model
        self.metric = plan.metric if kind == "score" else None
        self.style = Style(KINDS.index(kind))
        self.title = metric_title(plan.metric) if kind == "score" else "overlap of two studies"

    @classmethod
    def from_results(cls, results: Results, kind: str = "score") -> Self:
        """Take the data from results of one data set, run with ``Study(planning=…)``.

        Parameters
        ----------
        kind : {"score", "replication"}
            What to show.
        """
        plan = results.plan()
        score = kind == "score" and plan.metric is not None
        return cls(plan, kind, results.predictions.chance(plan.metric) if score else 0.5)

    def finding(self) -> str:
        """Say what is expected here and with up to four times the rows."""
        noun = "group" if self.plan.grouped else "row"
        words = []
        for row in self._data[self._data["rows"] >= self.plan.n_rows].to_dict("records"):
            ends = interval(row[f"{self.kind}_low"], row[f"{self.kind}_high"])
            rows = count(round(row["rows"]), noun)
            words.append(f"{two_decimals(row[self.kind])} ({ends}) with {rows}")
        return f"Expected {self.title}, with 95\u202f% bands: {'; '.join(words)}."

    def series(self) -> list[tuple[str, Style]]:
        """Return the one curve."""
        return [(self.title, self.style)]

    def _draw(self, canvas: Canvas, width: float) -> list[Point]:
        data, n = self._data, self.plan.n_rows
        rows = data["rows"].round().astype(int)
        value, low, high = (data[f"{self.kind}{end}"] for end in ("", "_low", "_high"))
        set_size_axis(canvas, sorted(rows.unique().tolist()), width)
        canvas.axvline(n, color=MUTED, linewidth=1, linestyle=DOTTED)
        canvas.axhline(self.chance, color=INK, linewidth=1, linestyle=DOTTED)
        canvas.fill_between(data["rows"], low, high, **self.style.band(0, 0.2))
        here, there = data["rows"] <= n, data["rows"] >= n
        looks = self.style.curve(0, 2.0)
        canvas.plot(data["rows"][here], value[here], **looks)
        canvas.plot(data["rows"][there], value[there], **(looks | {"linestyle": BEYOND}))
        measured = data[f"{self.kind}_measured"]
        canvas.plot(data["rows"], measured, **self.style.marks(0, 6, 1.2))
        ends = np.concatenate([low, high, measured[measured.notna()], [self.chance]])
        bottom, top = padded_limits(ends, 0.05)
        best = 1.0 if self.metric is None else find_metric(self.metric).high
        canvas.set_ylim(bottom, min(top, best + 0.03) if math.isfinite(best) else top)
        canvas.set_xlabel("groups of rows to train on" if self.plan.grouped else "rows to train on")
        canvas.set_ylabel(self.title)
        canvas.grid(True, axis="y")
        return [
            Point(m, v, 0, f"{round(m)} rows: {two_decimals(v)} ({interval(a, b)})")
            for m, v, a, b in zip(data["rows"], value, low, high, strict=True)
        ]
