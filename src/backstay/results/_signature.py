"""What is the signature? The features that a method's runs selected most often."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay.results._parts import Rows
from backstay.results._records import Records
from backstay.stability import selection_frequency

# A feature of the signature is in its core if more than the first share of the runs chose it.
THRESHOLDS = (0.5, 0.85)


def signature_rows(records: Records, method: str, size: int) -> Rows:
    """Return the `size` most frequent features, by mean rank among equals, and their core.

    Fewer if fewer were ever selected; none below two runs.
    """
    frequency = frequencies(records, method, size)
    return [
        {
            **frequency_row(records, method, size, int(j), frequency),
            "core": bool(frequency[j] > THRESHOLDS[0]),
        }
        for j in signature_members(records, method, size)
    ]


def signature_members(records: Records, method: str, size: int) -> NDArray[np.intp]:
    """Return the features of the signature by number, in its order."""
    frequency, ranks = frequencies(records, method, size), records.mean_ranks(method)
    order = np.lexsort((ranks, -frequency))[:size]
    return np.asarray(order[frequency[order] > 0])


def core_of(rows: Rows) -> list[str]:
    """Return the names of the features that more than half of the runs selected."""
    return [row["name"] for row in rows if row["core"]]


def frequencies(records: Records, method: str, size: int) -> NDArray[np.float64]:
    """Return the share of runs that put each feature among the best; zeros below two runs."""

    def compute() -> NDArray[np.float64]:
        _, orders = records.orders(method)
        if len(orders) < 2:
            return np.zeros(records.n_features)
        return selection_frequency(orders[:, :size], records.n_features)

    return records.once(("frequencies", method, size), compute)


def frequency_row(
    records: Records, method: str, size: int, feature: int, frequency: NDArray[np.float64]
) -> dict[str, Any]:
    """Return a feature's row in tables of selection frequencies."""
    return {
        "method": method,
        "size": size,
        "feature": int(feature),
        "name": records.feature_name(int(feature)),
        "frequency": float(frequency[feature]),
    }
