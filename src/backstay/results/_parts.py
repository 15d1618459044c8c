"""What results hand back: tables, gathered over their data sets."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd
from numpy.typing import NDArray

from backstay._notebook import SHOWN_ROWS, as_html
from backstay.results._records import Records

Row = dict[str, Any]
Rows = list[Row]


@dataclass(frozen=True, repr=False)
class Table:
    """A table of results, which can be used as the frame it holds; `note` says how to read it.

    Examples
    --------
    >>> import pandas as pd
    >>> from backstay.results import Table
    >>> Table("fit times", "seconds", pd.DataFrame({"method": ["a"], "mean": [0.5]}))
    fit times (seconds)
    method  mean
         a   0.5
    """

    title: str
    note: str
    _data: pd.DataFrame

    def frame(self) -> pd.DataFrame:
        """Return the table as a frame of one's own."""
        return self._data.copy()

    def __len__(self) -> int:
        return len(self._data)

    def __getattr__(self, name: str) -> Any:
        """Return what a frame has: ``head``, ``columns``, ``to_csv`` and so on."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.frame(), name)

    def __getitem__(self, key: Any) -> Any:
        return self.frame()[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._data)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self._data.to_numpy(dtype)

    def __repr__(self) -> str:
        shown = self._data.to_string(index=False, max_rows=SHOWN_ROWS, float_format="{:.4g}".format)
        return f"{self.title} ({self.note})\n{shown}"

    def _repr_html_(self) -> str:
        return as_html(f"{self.title} ({self.note})", self._data)


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

    def _methods(self) -> list[str]:
        return list(dict.fromkeys(m for part in self._parts.values() for m in part.methods))

    def _table(
        self, title: str, note: str, rows: Callable[..., Rows], *asked: Any, columns: str = ""
    ) -> Table:
        """Gather rows over data sets; `columns` are those of a table that may be empty."""
        found = [(name, rows(part, *asked)) for name, part in self._parts.items()]
        gathered = [{"dataset": name, **row} for name, some in found for row in some]
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
