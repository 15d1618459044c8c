"""How wide is a score's interval at least? Wilson's, for as many rows as the score rests on."""

from __future__ import annotations

import math
from typing import Any

from numpy.typing import NDArray

from backstay.results._metrics import METRICS
from backstay.results._wilson import wilson


def rows_worth(metric: str, counts: NDArray[Any]) -> float:
    """Return how many rows give a share of right predictions the variance of a score.

    For a mean of the classes' recalls, and for the AUC of scores that know nothing,
    (n + 1)/(12 n₁ n₀) (Mann & Whitney 1947). `counts` are the rows of every class.
    """
    n = int(counts.sum())
    if metric == "accuracy":
        return float(n)
    if METRICS[metric].needs == "scores":
        return float((3 * counts * (n - counts) / (n + 1)).min())
    return float(len(counts) ** 2 / (1 / counts).sum())


def least_interval(metric: str, value: float, n: float) -> tuple[float, float]:
    """Return Wilson's interval of a score on n rows' worth, in the range of its metric."""
    known = METRICS[metric]
    if not math.isfinite(known.high):
        return value, value
    span = known.high - known.low
    low, high = wilson((value - known.low) / span, n)
    return known.low + span * float(low), known.low + span * float(high)
