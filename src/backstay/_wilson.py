"""Wilson's interval: how far a share of so many rows or runs can be off."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Z = 1.96


def wilson(share: ArrayLike, n: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the ends of the 95 % interval of shares of n; it has a width at 0 and 1, too.

    >>> low, high = wilson(0.0, 10)
    >>> round(float(low), 3), round(float(high), 3)
    (0.0, 0.278)
    """
    value, n = np.asarray(share, dtype=float), np.asarray(n, dtype=float)
    with np.errstate(invalid="ignore", divide="ignore"):
        middle = (value + Z**2 / (2 * n)) / (1 + Z**2 / n)
        half = Z / (1 + Z**2 / n) * np.sqrt(value * (1 - value) / n + Z**2 / (4 * n**2))
    # The ends of 0 and 1 are themselves but for rounding.
    return np.clip(middle - half, 0.0, value), np.clip(middle + half, value, 1.0)
