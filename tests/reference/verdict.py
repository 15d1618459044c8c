"""What does an interval of a difference show? Every value in it is asked, one by one."""

import numpy as np


def verdict(low: float, high: float, margin: float) -> str:
    """Return the verdict on gains from low to high; ends and margin are multiples of 1/64."""
    values = np.arange(round(low * 64), round(high * 64) + 1) / 64
    if all(value < 0 for value in values):
        return "worse"
    if all(value > 0 for value in values):
        return "better"
    if all(abs(value) < margin for value in values):
        return "as good"
    if any(value <= -margin for value in values):
        return "cannot be told apart"
    return "at least as good"
