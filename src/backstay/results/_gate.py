"""What is left of a score that is quoted only because it is above chance.

A score is quoted if the lower end of its interval is above chance. Those that pass are, near
that gate, the lucky ones. So the score is what the population's would be, given that the
sample's passed: with a flat prior above chance, each value weighs as much as its likelihood over
its chance to pass (Yekutieli 2012, selection-adjusted inference).
"""

import numpy as np
from scipy import special

from backstay.results._facts import Estimate
from backstay.results._replication import NORMAL_95
from backstay.targets import Metric

# Fewer independent rows say too little: what is recommended there is mostly luck, and its score is
# too high even after the correction (docs/answer.md).
LEAST_ROWS = 40


def passage(score: Estimate, chance: float, metric: Metric) -> tuple[float, float]:
    """Return the correction of a score for having been above chance, in its own standard errors.

    The change of the score, at most 0, and the place of the new lower end below the old score.
    """
    value, error = _value_and_error(score, metric)
    if error <= 0:
        return 0.0, -NORMAL_95
    above = (value - metric.gain(chance)) / error
    # In standard errors above chance: the sample's score is `above`, it passes beyond NORMAL_95.
    truth = np.linspace(0.0, above + 6, 1001)
    plain = np.exp(-((above - truth) ** 2) / 2)
    given = plain / special.ndtr(truth - NORMAL_95)
    share = np.cumsum(given) / given.sum()
    shift = float(truth @ given / given.sum() - truth @ plain / plain.sum())
    low = float(truth[np.searchsorted(share, 0.025)]) - above
    return min(shift, 0.0), min(low, -NORMAL_95)


def corrected(score: Estimate, found: tuple[float, float], metric: Metric) -> Estimate:
    """Return a score after the correction; other metrics move as far in their own errors."""
    value, error = _value_and_error(score, metric)
    middle, worst = (float(metric.gain(value + step * error)) for step in found)
    if metric.higher_is_better:
        return Estimate(middle, worst, score.high)
    return Estimate(middle, score.low, worst)


def _value_and_error(score: Estimate, metric: Metric) -> tuple[float, float]:
    """Return a score, higher for better, and its standard error, by the worse side."""
    value = float(metric.gain(score.value))
    worst = float(metric.gain(score.low if metric.higher_is_better else score.high))
    return value, (value - worst) / NORMAL_95
