"""What results hand back: a frame with a title and a word on how to read it."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import pandas as pd

SHOWN_ROWS = 20


@dataclass(frozen=True, repr=False)
class Table:
    """A table of results.

    Attributes
    ----------
    title : str
        What it shows.
    note : str
        How to read it: what the intervals are, what was averaged.

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

    def __repr__(self) -> str:
        shown = self._data.to_string(index=False, max_rows=SHOWN_ROWS, float_format="{:.4g}".format)
        return f"{self.title} ({self.note})\n{shown}"

    def _repr_html_(self) -> str:
        html = self._data.to_html(index=False, max_rows=SHOWN_ROWS, float_format="{:.4g}".format)
        return f"<p><b>{escape(self.title)}</b> ({escape(self.note)})</p>{html}"
