"""How many features did a method truly rank? Larger subsets are filled up at random.

The lasso and trees leave features out. A subset of more features than a run ranked is filled up
with others drawn at random: they are not selected, and a reader must be told.
"""

from __future__ import annotations

from backstay.results._parts import Rows
from backstay.results._records import Records


def ranked_rows(records: Records) -> Rows:
    """Return how many features runs ranked, and how often a size was filled up at random."""
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
