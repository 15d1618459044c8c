"""Which rows count, and for how many: the reading of instance weights by methods that count."""

from __future__ import annotations

from typing import Any

import numpy as np

from backstay.base import Array, Indices


def present_rows(
    y: Indices, sample_weight: Array, classes: Any, name: str
) -> tuple[Indices, Indices]:
    """Rows of positive weight, and their classes, two or more, renumbered from 0."""
    rows = np.flatnonzero(sample_weight > 0.0)
    present, codes = np.unique(y[rows], return_inverse=True)
    if len(present) < 2:
        raise ValueError(
            "sample_weight is positive for rows of one class only, "
            f"{np.asarray(classes).tolist()[present[0]]!r}; {name} needs at least 2 classes."
        )
    return rows, codes.astype(np.intp, copy=False)


def counted_rows(
    y: Indices, sample_weight: Array | None, classes: Any, name: str
) -> tuple[Any, Indices, Array]:
    """Rows that count, their classes renumbered from 0, and how many rows each counts for.

    Integer weights are repetitions. Weights that sum to less than the number of rows,
    such as the published ones that sum to 1, are raised to mean 1. Otherwise all rows together
    would count as one, and no cut or test could be significant.
    """
    if sample_weight is None:
        return slice(None), y, np.ones(len(y))
    rows, codes = present_rows(y, sample_weight, classes, name)
    omega = sample_weight[rows]
    return rows, codes, omega * max(1.0, len(omega) / omega.sum())
