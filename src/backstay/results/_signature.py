"""What is the signature? The features that a method's runs selected most often."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay.results._parts import Rows
from backstay.results._records import Records

# A feature of the signature is in its core if more than the first share of the runs chose it.
THRESHOLDS = (0.5, 0.85)


def signature_rows(records: Records, method: str, size: int) -> Rows:
    """Return the `size` most frequent features, by mean rank among equals, and their core.

    Fewer if fewer were ever selected; none below two runs.
    """
    frequency = records.frequencies(method, size)
    return [
        {
            **frequency_row(records, method, size, int(j), frequency),
            "core": bool(frequency[j] > THRESHOLDS[0]),
        }
        for j in records.members(method, size)
    ]


def core_of(rows: Rows) -> list[str]:
    """Return the names of the features that more than half of the runs selected."""
    return [row["name"] for row in rows if row["core"]]


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
