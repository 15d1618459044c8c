"""The data sets of some results, and tables gathered over them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from backstay.results._records import Records
from backstay.results._table import Table

Row = dict[str, Any]
Rows = list[Row]


class Parts:
    """Records of each data set, by name, and how tables are gathered over them."""

    def __init__(self, parts: dict[str, Records]) -> None:
        self._parts = parts

    def _one(self) -> Records:
        if len(self._parts) != 1:
            raise ValueError(
                f"there are {len(self._parts)} data sets ({', '.join(self._parts)}); "
                "choose one with results[name]."
            )
        return next(iter(self._parts.values()))

    def _table(
        self, title: str, note: str, rows: Callable[[Records], Rows], columns: str = ""
    ) -> Table:
        """Gather rows over data sets; `columns` are those of a table that may be empty."""
        gathered = [{"dataset": n, **row} for n, part in self._parts.items() for row in rows(part)]
        empty = None if gathered or not columns else ["dataset", *columns.split()]
        return Table(title, note, pd.DataFrame(gathered, columns=empty))

    def _stacked(self, title: str, note: str, frame: Callable[[Records], pd.DataFrame]) -> Table:
        """Put the frames of the data sets below each other."""
        frames = [frame(part).assign(dataset=name) for name, part in self._parts.items()]
        stacked = pd.concat([one for one in frames if len(one)] or frames, ignore_index=True)
        columns = ["dataset", *(name for name in stacked if name != "dataset")]
        return Table(title, note, stacked[columns])


def size_within(records: Records, size: int) -> int:
    """Refuse a number of features that the data set does not have."""
    if not 1 <= size <= records.n_features:
        raise ValueError(f"size={size!r} must lie between 1 and {records.n_features} features.")
    for method in records.methods:
        records.check_depth(method, size)
    return size
