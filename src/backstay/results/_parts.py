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
    """One part per data set; every kind of question to them is a subclass in its own file."""

    _parts: dict[str, Records]

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
        """Gather rows over data sets; `columns` are those of a table that may well be empty."""
        found = [{"dataset": n, **row} for n, part in self._parts.items() for row in rows(part)]
        empty = None if found or not columns else ["dataset", *columns.split()]
        return Table(title, note, pd.DataFrame(found, columns=empty))


def size_within(records: Records, size: int) -> int:
    """Refuse a number of features that the data set does not have."""
    if not 1 <= size <= records.n_features:
        raise ValueError(f"size={size!r} must lie between 1 and {records.n_features} features.")
    for method in records.methods:
        records.check_depth(method, size)
    return size
