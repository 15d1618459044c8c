"""Exponents of growth, fitted with an interval."""

import numpy as np
from scipy.stats import t


def exponent(sizes, seconds, confidence=0.95):
    """Slope of log seconds over log size by least squares, with its t interval.

    Returns
    -------
    dict
        ``exponent``, ``low`` and ``high``.
    """
    x, y = np.log(np.asarray(sizes, float)), np.log(np.asarray(seconds, float))
    if len(x) < 3:
        raise ValueError(f"{len(x)} sizes are too few for an interval; give at least 3.")
    x = x - x.mean()
    slope = (x * y).sum() / (x**2).sum()
    residuals = y - y.mean() - slope * x
    error = np.sqrt((residuals**2).sum() / (len(x) - 2) / (x**2).sum())
    width = t.ppf((1 + confidence) / 2, len(x) - 2) * error
    return {"exponent": float(slope), "low": float(slope - width), "high": float(slope + width)}
