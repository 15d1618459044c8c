"""Agreement between methods, or between batches."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from backstay.report._words import count, two_decimals
from backstay.report.figures._axis import wrapped
from backstay.report.figures._display import (
    Canvas,
    Point,
    SizeDisplay,
    draw_cells,
    number_columns,
)
from backstay.results import Role


class AgreementDisplay(SizeDisplay):
    """How far two methods select the same features on the same resamples; 0 for random ones."""

    question = "similarity"

    def __init__(self, data: pd.DataFrame, roles: Mapping[str, Role], size: int) -> None:
        super().__init__(data, roles, size)
        n = data["first"].nunique()
        self.wide, self.narrow = (760, 70 + 40 * n), (350, 60 + 30 * n)

    def finding(self) -> str:
        """Say which two methods agree most and least."""
        frame = self._data
        pairs = frame[(frame["first"] != frame["second"]) & np.isfinite(frame["kuncheva"])]
        if pairs.empty:
            return "There are no two methods to compare."
        index = pairs["kuncheva"]
        most, least = pairs.iloc[int(index.argmax())], pairs.iloc[int(index.argmin())]
        return (
            f"Agreement at {count(self.size, 'feature')}: most between {most['first']} and "
            f"{most['second']} ({most['kuncheva']:.2f}), least between {least['first']} and "
            f"{least['second']} ({two_decimals(least['kuncheva'])})."
        )

    def _draw(self, canvas: Canvas, width: float) -> list[Point]:
        names = list(dict.fromkeys(self._data["first"]))
        table = self._data.pivot(index="first", columns="second", values="kuncheva")
        table = table.reindex(index=names, columns=names)
        values = table.fillna(table.T).to_numpy()
        cells = [
            "–" if np.isnan(value) else f"{100 * value:.0f}".replace("-", "−")
            for value in values.ravel()
        ]
        draw_cells(canvas, width, values, cells)
        labels = [wrapped(f"{i + 1}  {name}", width) for i, name in enumerate(names)]
        canvas.set_yticks(range(len(names)), labels)
        number_columns(canvas, width, len(names))
        return [
            Point(j, i, -1, f"{names[i]} and {names[j]}: {two_decimals(value)}")
            for (i, j), value in np.ndenumerate(values)
        ]
