"""What is left of a score that is quoted only because it is above chance.

A score is quoted if the lower end of its interval is above chance. Those that pass are, near
that gate, the lucky ones. So the score is what the population's would be, given that the
sample's passed: with a flat prior above chance, each value weighs as much as its likelihood over
its chance to pass (Yekutieli 2012, selection-adjusted inference).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from backstay.results._facts import Estimate
from backstay.targets import Metric

# Fewer independent rows say too little: what is recommended there is mostly luck, and its score is
# too high even after the correction (docs/answer.md).
LEAST_ROWS = 40
# Half the width of a 95 % interval, in standard errors.
WIDTH = 1.959964


@dataclass(frozen=True)
class Passage:
    """How far a score that passed the gate is corrected, in its own standard errors.

    Attributes
    ----------
    shift : float
        Change of the score, at most 0.
    low : float
        Place of the new lower end below the old score.
    """

    shift: float
    low: float


def passage(score: Estimate, chance: float, metric: Metric) -> Passage:
    """Return the correction of a score for having been above chance."""
    value, worst = _gains(score, metric)
    error = (value - worst) / WIDTH
    if error <= 0:
        return Passage(0.0, -WIDTH)
    above = (value - metric.gain(chance)) / error
    # In standard errors above chance: the sample's score is `above`, it passes beyond WIDTH.
    truth = np.linspace(0.0, above + 6, 1001)
    plain = np.exp(-((above - truth) ** 2) / 2)
    given = plain / special.ndtr(truth - WIDTH)
    share = np.cumsum(given) / given.sum()
    shift = float(truth @ given / given.sum() - truth @ plain / plain.sum())
    low = float(truth[np.searchsorted(share, 0.025)]) - above
    return Passage(min(shift, 0.0), min(low, -WIDTH))


def corrected(score: Estimate, found: Passage, metric: Metric) -> Estimate:
    """Return a score after the correction; other metrics move as far in their own errors."""
    value, worst = _gains(score, metric)
    error = (value - worst) / WIDTH
    best = score.high if metric.higher_is_better else score.low
    ends = [value + found.shift * error, value + found.low * error]
    middle, low = (float(metric.gain(end)) for end in ends)
    return Estimate(middle, *((low, best) if metric.higher_is_better else (best, low)))


def _gains(score: Estimate, metric: Metric) -> tuple[float, float]:
    """Return a score and the worse end of its interval, both higher for better."""
    worst = score.low if metric.higher_is_better else score.high
    return float(metric.gain(score.value)), float(metric.gain(worst))
