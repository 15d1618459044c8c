"""Volcano plot: how large an effect is, and how surely it is there."""

import math
from typing import Self

import numpy as np
import pandas as pd

from backstay.report._words import clean, count, listed, two_decimals
from backstay.report.figures._axis import padded_limits
from backstay.report.figures._display import Canvas, Display, Point
from backstay.report.figures._labels import LEAST_WIDTH, Label, fitting, write
from backstay.report.figures._style import DOTTED, HUES, MUTED, Looks, Style
from backstay.results import Results

# Features outside the signature that share one of so many cells are drawn as one dot.
CELLS = (180, 90)
# q below this line are usually called discoveries.
LINE = 0.05

Ends = tuple[float, float]


class VolcanoDisplay(Display):
    """Effect of every feature against −log10 of its q-value, with the signature marked.

    Parameters
    ----------
    data : DataFrame
        Columns ``name``, ``effect``, ``q_value`` and ``in_signature``.
    effect : str, default="effect"
        What the effect is called.

    Examples
    --------
    >>> import pandas as pd
    >>> from backstay.report import VolcanoDisplay
    >>> data = pd.DataFrame({"name": ["a", "b"], "effect": [1.5, 0.1], "q_value": [0.001, 0.9]})
    >>> VolcanoDisplay(data.assign(in_signature=[True, False])).finding()
    '1 of 2 features has a q-value of at most 0.05. Largest effects in the signature: a (1.50).'
    """

    wide, narrow = (760, 400), (350, 330)

    def __init__(self, data: pd.DataFrame, effect: str = "effect") -> None:
        super().__init__(data)
        self.effect = effect
        self.marked = "in the signature"
        known = data[data["effect"].notna() & data["q_value"].notna()].copy()
        known["name"] = [clean(str(name)) for name in known["name"]]
        # A q of 0 is one too small for the computer.
        known["height"] = -np.log10(np.maximum(known["q_value"], 1e-300))
        self._known = known

    @classmethod
    def from_results(
        cls, results: Results, method: str | None = None, size: int | None = None
    ) -> Self:
        """Take the data from results of one data set, ``results["name"]`` of several.

        Parameters
        ----------
        method, size
            As in ``results.features``.
        """
        data = results.features(method, size).frame()
        data["name"] = data["feature"].map(results.data.label)
        columns = ["name", "effect", "q_value", "in_signature"]
        display = cls(data.reindex(columns=columns), results.data.target.words().effect)
        if results.choice().kind == "nothing":
            display.marked = "among the most often chosen"
        return display

    def series(self) -> list[tuple[str, Style]]:
        """Return features in the signature, or else the most often chosen, and all others."""
        return [(self.marked, Style(1)), ("other features", Style(0))]

    def finding(self) -> str:
        """Say how many features have a small q, and the largest effects of the signature."""
        known = self._known
        n = int((known["q_value"] <= LINE).sum())
        words = (
            f"{n} of {count(len(known), 'feature')} {'has' if n == 1 else 'have'} a q-value of at "
            f"most {LINE}."
        )
        ours = known[known["in_signature"].astype(bool)]
        largest = ours.reindex(ours["effect"].abs().sort_values(ascending=False).index)
        pairs = zip(largest["name"], largest["effect"], strict=True)
        named = [f"{name} ({two_decimals(value)})" for name, value in pairs]
        return f"{words} Largest effects {self.marked}: {listed(named[:5])}." if named else words

    def _draw(self, canvas: Canvas, width: float) -> list[Point]:
        known = self._known
        if known.empty:
            return []
        across = padded_limits([*known["effect"], 0.0], 0.08)
        along = (0.0, 1.08 * max(float(known["height"].max()), 2.0))
        canvas.axhline(-math.log10(LINE), color=MUTED, linewidth=1, linestyle=DOTTED)
        member, points = known["in_signature"].to_numpy(dtype=bool), []
        for place, chosen in ((1, ~member), (0, member)):
            rows = known[chosen] if place == 0 else _thinned(known[chosen], across, along)
            size = 7.0 if place == 0 else 4.0
            looks: Looks = Style(1 - place).marks(place, size, 0.0) | {"alpha": 0.9}
            if place:
                looks |= {"color": MUTED, "markerfacecolor": HUES[0][0], "alpha": 0.45}
            canvas.plot(rows["effect"], rows["height"], **looks)
        for row in known[member].to_dict("records"):
            said = f"{row['name']}: {self.effect} {two_decimals(row['effect'])}, q "
            points.append(Point(row["effect"], row["height"], 0, f"{said}{row['q_value']:.2g}"))
        canvas.set_xlim(*across)
        canvas.set_ylim(*along)
        canvas.set_xlabel(self.effect)
        canvas.set_ylabel("−log10 q")
        canvas.grid(True)
        if width >= LEAST_WIDTH:
            high = sorted(points, key=lambda point: -point.y)
            names = [Label(p.x, p.y, p.label.rpartition(": ")[0]) for p in high]
            marks = [(p.x, p.y) for p in points]
            sides = ("left", "right")
            for label in fitting(names, (across, along), self.wide, marks=marks, sides=sides):
                write(canvas, label)
        return points


def _thinned(rows: pd.DataFrame, across: Ends, along: Ends) -> pd.DataFrame:
    """Return one row of each cell of the figure: dots that cover each other say nothing more."""
    x = (rows["effect"] - across[0]) / (across[1] - across[0]) * CELLS[0]
    y = rows["height"] / along[1] * CELLS[1]
    cells = pd.DataFrame({"x": x.round(), "y": y.round()})
    return rows[~cells.duplicated()]
