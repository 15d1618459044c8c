"""How many features did a method truly rank? A subset of more is filled up by lot.

The lasso and trees leave features out. A subset of more features than a run ranked holds others,
drawn by lot: they are not selected, and a reader must be told.
"""

from __future__ import annotations

from backstay.results._parts import Parts, Rows
from backstay.results._records import Records
from backstay.results._table import Table


class RankedAnswers(Parts):
    """How many features every method ranked."""

    def ranked(self) -> Table:
        """Count the features that runs ranked, and say how often a size was filled up by lot.

        ``least`` and ``median`` are over runs; ``filled`` is the share of the runs that ranked
        fewer features than the size, so that others, drawn by lot, complete the subset. In
        stores of earlier versions, ``least`` is the number of features that were not dropped
        before.
        """
        return self._table("features ranked", "filled: by lot, share of runs", _rows)


def _rows(records: Records) -> Rows:
    rows: Rows = []
    for method in records.methods:
        counts = sorted(records.ranked_counts(method))
        if not counts:
            continue
        known = {"least": counts[0], "median": counts[(len(counts) - 1) // 2]}
        for size in records.sizes:
            filled = sum(count < size for count in counts) / len(counts)
            rows.append({"method": method, "size": size, **known, "filled": filled})
    return rows
