"""What the methods agree on: how many features are in which of their signatures."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from backstay.report._words import clean, count, listed
from backstay.report.figures._axis import wrapped
from backstay.report.figures._display import Canvas, Point, SizeDisplay
from backstay.report.figures._style import GRID, INK, Looks, Style
from backstay.results import Results, Role

# Intersections drawn, the largest first; the table has all.
SHOWN = 12
# Height of the row of a method, and of the largest bar in such rows.
ROW, TALLEST = 24, 5.0


class UpSetDisplay(SizeDisplay):
    """Features by the methods that have them in their signatures, as an UpSet plot.

    A bar is the number of features that are in the signatures marked below it, and in no other;
    the largest come first. Controls and other methods that the study added itself are left out.

    Parameters
    ----------
    data : DataFrame
        A row per ``method`` and feature (``name``) of its signature.
    roles : dict
        What methods are to each other, ``results.data.methods``.
    size : int
        Number of features selected in each run.

    Examples
    --------
    >>> import pandas as pd
    >>> from backstay.report import UpSetDisplay
    >>> data = pd.DataFrame({"method": ["t", "t", "svm", "svm"], "name": ["a", "b", "b", "c"]})
    >>> UpSetDisplay(data, {}, size=2).frame()
      methods  n_methods  n_features features
    0   t svm          2           1        b
    1       t          1           1        a
    2     svm          1           1        c
    """

    def __init__(self, data: pd.DataFrame, roles: Mapping[str, Role], size: int) -> None:
        # Methods are named on the axis, so there are no series.
        super().__init__(data, {}, size)
        self.sizes = {str(k): len(own) for k, own in data.groupby("method", sort=False)}
        height = 60 + ROW * (TALLEST + len(self.sizes))
        self.wide, self.narrow = (760, height), (350, height)
        shared: dict[tuple[str, ...], list[str]] = {}
        for name, own in data.groupby("name", sort=False)["method"]:
            members = tuple(method for method in self.sizes if method in set(own))
            shared.setdefault(members, []).append(clean(name))
        self.shared = sorted(shared.items(), key=lambda one: (-len(one[1]), -len(one[0])))

    @classmethod
    def _table(cls, results: Results, size: int) -> pd.DataFrame:
        given = [method for method, role in results.data.methods.items() if not role.added]
        data = pd.concat([results.signature(method, size).frame() for method in given])
        return data.assign(name=data["feature"].map(results.data.label))

    def frame(self) -> pd.DataFrame:
        """Return a row per intersection: its methods, and its features by number and name."""
        rows = [(" ".join(m), len(m), len(own), ", ".join(own)) for m, own in self.shared]
        return pd.DataFrame(rows, columns=["methods", "n_methods", "n_features", "features"])

    def finding(self) -> str:
        """Say how many features all methods share, and how many only one has."""
        n = sum(len(own) for _, own in self.shared)
        everywhere = [name for m, own in self.shared if len(m) == len(self.sizes) for name in own]
        alone = sum(len(own) for m, own in self.shared if len(m) == 1)
        named = f" ({listed(everywhere)})" if everywhere else ""
        return (
            f"Of {count(n, 'feature')} in the signatures of {count(len(self.sizes), 'method')} at "
            f"{self.size}, {len(everywhere)} {'is' if len(everywhere) == 1 else 'are'} in all of "
            f"them{named}, {alone} in only one."
        )

    def _draw(self, canvas: Canvas, width: float) -> list[Point]:
        shown, n = self.shared[:SHOWN], len(self.sizes)
        most = max((len(own) for _, own in shown), default=1)
        rows = {method: -float(i + 1) for i, method in enumerate(self.sizes)}
        dots: Looks = Style(0).marks(0, 10, 0.0) | {"gid": None}
        empty: Looks = dots | {"color": GRID, "markerfacecolor": GRID}
        points = []
        for y in rows.values():
            canvas.plot(range(len(shown)), [y] * len(shown), **empty)
        for x, (members, own) in enumerate(shown):
            high, places = TALLEST * len(own) / most, [rows[method] for method in members]
            canvas.barh(high / 2, 0.62, high, x - 0.31, color=Style(0).color)
            canvas.text(
                x, high + 0.4, str(len(own)), ha="center", va="center", fontsize=11, color=INK
            )
            canvas.vlines(x, min(places), max(places), color=Style(0).color, linewidth=2.5)
            canvas.plot(np.full(len(places), x), places, **dots)
            only = "all methods" if len(members) == n else f"{listed(list(members), n)} only"
            words = f"{count(len(own), 'feature')} in {only}: {listed(own, 10)}"
            points.append(Point(x, high / 2, -1, words))
        canvas.set_xlim(-0.6, max(len(shown), 6) - 0.4)
        canvas.set_ylim(-n - 0.6, TALLEST + 0.9)
        canvas.set_xticks([], [])
        names = [f"{name} ({size})" for name, size in self.sizes.items()]
        canvas.set_yticks(list(rows.values()), [wrapped(name, width) for name in names])
        canvas.tick_params(length=0, labeltop=False, labelbottom=True)
        canvas.set_frame_on(False)
        canvas.set_xlabel("features that these share alone")
        return points
