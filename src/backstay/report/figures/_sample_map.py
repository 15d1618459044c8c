"""The samples on the signature, in a plane."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from backstay.report._words import listed, percent
from backstay.report.figures._axis import padded_limits
from backstay.report.figures._classes import SampleDisplay
from backstay.report.figures._display import Canvas, Point
from backstay.report.figures._numbers import OUTCOME, strengths
from backstay.report.figures._style import INK, Looks, Style
from backstay.results import Results

# A sample that is wrong in more than this share of its tests is often misclassified.
OFTEN = 0.5
AXES = ("first", "second")


class SampleMapDisplay(SampleDisplay):
    r"""First two principal components of the samples on the signature.

    Classes differ in hue and shape; of numbers, low ones are faint and high ones strong.

    Rings mark samples that are misclassified in more than half of their tests, or outlying
    under an instance weighting. The rows chose the features: classes that lie apart here are
    no proof that new samples would.

    Examples
    --------
    >>> import pandas as pd
    >>> from backstay.report import SampleMapDisplay
    >>> data = pd.DataFrame({"name": ["s0", "s1"], "class": ["a", "b"], "first": [-1.0, 1.0],
    ...                      "second": [0.0, 0.0], "share_first": 1.0, "share_second": 0.0,
    ...                      "misclassified": [0.0, 0.8], "outlying": False})
    >>> SampleMapDisplay(data, ["a", "b"]).finding()[-31:]
    'Often misclassified: s1 (80\u202f%).'
    """

    @staticmethod
    def _table(results: Results, method: str | None, size: int | None) -> pd.DataFrame:
        data, facts = results.samples.map(method, size).frame(), results.data
        if "misclassified" in facts.target.tables:
            wrong: dict[int, float] = {}
            if facts.models and not data.empty and (size is None or size in facts.sizes):
                table = results.predictions.table("misclassified", method, size).frame()
                wrong = dict(zip(table["row"], table["share"], strict=True))
            data["misclassified"] = [wrong.get(row, np.nan) for row in data["row"]]
        outlying = {row for one in results.samples.weightings() for row in one.outlying["row"]}
        data["outlying"] = [row in outlying for row in data["row"]]
        return data

    def finding(self) -> str:
        """Say what share of the variance is shown, and name samples worth a look."""
        if self._data.empty:
            return "There are no values of the signature."
        first, second = (percent(float(self._data[f"share_{k}"].iloc[0])) for k in AXES)
        words = (
            f"Samples on the signature; the components hold {first} and {second} of the variance."
        )
        often = self._data[_often(self._data)]
        if len(often):
            often = often.sort_values("misclassified", ascending=False, kind="stable")
            named = zip(often["name"], often["misclassified"], strict=True)
            words += f" Often misclassified: {listed([f'{a} ({percent(b)})' for a, b in named])}."
        outlying = self._data[self._data["outlying"]]
        if len(outlying):
            words += f" Outlying by weight: {listed(outlying['name'].tolist())}."
        return words

    def _draw(self, canvas: Canvas, width: float) -> list[Point]:
        data = self._data
        if data.empty:
            return []
        points = []
        for place, (name, style) in enumerate(self.series() or [("", Style(0))]):
            rows = data[data[self.by].astype(str) == name] if name else data
            noted = _often(rows) | rows["outlying"]
            for ringed in (False, True):
                looks = style.marks(place, *((8.5, 1.8) if ringed else (7, 0.0)))
                for shown, shade in self._shades(rows[noted == ringed], looks):
                    shade["color"] = INK if ringed else shade["color"]
                    canvas.plot(shown["first"], shown["second"], **shade)
            points += [self._point(place, row) for row in rows.to_dict("records")]
        for k, along in (("first", canvas.set_xlabel), ("second", canvas.set_ylabel)):
            share = percent(float(data[f"share_{k}"].iloc[0]))
            along(f"{k} principal component ({share})")
        canvas.set_xlim(*padded_limits(data["first"], 0.06))
        canvas.set_ylim(*padded_limits(data["second"], 0.08))
        canvas.grid(True)
        return points

    def _shades(self, rows: pd.DataFrame, looks: Looks) -> list[tuple[pd.DataFrame, Looks]]:
        """Return rows that look alike: all of a class, single ones where numbers colour them."""
        if not self.measured:
            return [(rows, looks)]
        strength = strengths(self._data[self.order])[self._data.index.get_indexer(rows.index)]
        edge = max(looks["markeredgewidth"], 1.0)
        looks = looks | {"color": OUTCOME, "markerfacecolor": OUTCOME, "markeredgewidth": edge}
        return [(rows.iloc[[i]], looks | {"alpha": float(a)}) for i, a in enumerate(strength)]

    def _point(self, place: int, row: Mapping[Any, Any]) -> Point:
        words = self._named(row["name"], row[self.by])
        if np.isfinite(row.get("misclassified", np.nan)):
            words += f": misclassified in {percent(row['misclassified'])} of its tests"
        if row["outlying"]:
            words += ", outlying by weight"
        return Point(row["first"], row["second"], place, words)


def _often(rows: pd.DataFrame) -> pd.Series[bool]:
    """Return which rows are often misclassified, if rows can be."""
    return rows.get("misclassified", pd.Series(np.nan, rows.index)) > OFTEN
