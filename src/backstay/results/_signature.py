"""What is the signature? The features that most runs of a method chose."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay.results._parts import Rows
from backstay.results._records import Records
from backstay.stability import consensus, selection_frequency

# A feature is in the signature if more than the first share of the runs chose it.
THRESHOLDS = (0.5, 0.85)


def signature_rows(records: Records, method: str, size: int, threshold: float) -> Rows:
    """Features among the best in more than a share of the runs, most frequent first."""
    _, orders = records.orders(method)
    if len(orders) < 2:
        return []
    chosen = consensus(orders[:, :size], records.n_features, threshold)
    frequency = frequencies(records, method, size)
    ranks = records.mean_ranks(method)
    best_first = sorted(chosen.tolist(), key=lambda j: (-frequency[j], ranks[j]))
    return [frequency_row(records, method, size, j, frequency) for j in best_first]


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
    return {
        "method": method,
        "size": size,
        "feature": int(feature),
        "name": records.feature_name(int(feature)),
        "frequency": float(frequency[feature]),
    }
