"""One number for stability and performance together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike


def stability_performance(
    stability: ArrayLike, performance: ArrayLike, *, beta: float = 1.0
) -> Any:
    """Weigh stability against performance by an F-measure (Saeys, Abeel & Van de Peer 2008).

    F_β = (β² + 1) · S · P / (β² · S + P): with β = 1 the harmonic mean of the two. It stays close
    to the smaller one, so one cannot make up for the other. A larger β gives more weight to
    the performance.

    Parameters
    ----------
    stability : float or array-like
        Stability S, at most 1. Values below 0, which are below chance, count as 0.
    performance : float or array-like
        A score P from 0 to 1, such as an accuracy or an area under the ROC curve.
    beta : float, default=1.0
        Weight of the performance relative to the stability.

    Returns
    -------
    float or ndarray
        F_β, in [0, 1]; 0 if both are 0.

    Notes
    -----
    The number depends on what chance gives: with two classes, guessing has accuracy ½ but
    stability 0. Compare only methods measured in the same way, and look at both figures.

    Examples
    --------
    >>> round(stability_performance(0.6, 0.9), 4)
    0.72
    >>> stability_performance([0.2, 0.6], 0.9, beta=2.0).round(3)
    array([0.529, 0.818])
    """
    if not beta > 0 or not np.isfinite(beta):
        raise ValueError(f"beta={beta!r} must be a positive number.")
    S, P = np.asarray(stability, np.float64), np.asarray(performance, np.float64)
    for name, values, low in (("stability", S, -np.inf), ("performance", P, 0.0)):
        outside = values[(values < low) | (values > 1)]
        if outside.size:
            least = "" if low < 0 else f" and at least {low:g}"
            raise ValueError(f"{name} holds {outside.flat[0]:g}; it must be at most 1{least}.")
    S = np.where(S < 0, 0.0, S)
    total = beta**2 * S + P
    defined = np.where(total == 0, 1.0, total)
    result = (beta**2 + 1) * S * P / defined
    return result if result.ndim else float(result)
