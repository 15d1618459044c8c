"""What figures of rows and of classes share: a hue and a marker for every kind of row."""

from collections.abc import Sequence
from typing import Any, Self

import pandas as pd
from pandas.api.types import is_numeric_dtype

from backstay.report._words import number_text
from backstay.report.figures._display import Display
from backstay.report.figures._style import Style
from backstay.results import Results


class SampleDisplay(Display):
    """A figure of the samples on the signature; the column ``by`` says of which kind they are.

    Where the outcome has no kinds of rows, there are no classes; of numbers, low ones are faint.
    """

    def __init__(self, data: pd.DataFrame, classes: Sequence[Any], by: str = "class") -> None:
        super().__init__(data)
        self.classes, self.by = [str(name) for name in classes], by

    @classmethod
    def from_results(
        cls, results: Results, method: str | None = None, size: int | None = None
    ) -> Self:
        """Take the data from results of one data set, ``results["name"]`` of several.

        Parameters
        ----------
        method, size
            As in ``results.samples.values``.
        """
        target, data = results.data.target, cls._table(results, method, size)
        if "feature" in data and results.data.annotation:
            data["name"] = data["feature"].map(results.data.label)
        return cls(data, target.names, target.row_column)

    def series(self) -> list[tuple[str, Style]]:
        """Return the classes and their styles."""
        return [(name, Style(place)) for place, name in enumerate(self.classes)]

    @property
    def order(self) -> str:
        """The column that puts samples in order: ``by``, or how long they were ``followed``."""
        return "followed" if "followed" in self._data else self.by

    @property
    def measured(self) -> bool:
        """Whether numbers order the samples."""
        return not self.classes and is_numeric_dtype(self._data.get(self.order, []))

    def _named(self, name: Any, outcome: Any) -> str:
        """Return the name of a sample with its outcome."""
        shown = outcome if isinstance(outcome, str) or not self.measured else number_text(outcome)
        return f"{name} ({shown})"

    @staticmethod
    def _table(results: Results, method: str | None, size: int | None) -> pd.DataFrame:
        """Return what the figure shows of the samples: their values, unless it has a table."""
        return results.samples.values(method, size).frame()
