"""Does one configuration differ from another, on one data set? In score, and in stability.

Differences are *configuration minus reference*, paired by resample. Those in stability are said
of these rows: their intervals are about more resamples of them, not about other samples.
"""

import math
from dataclasses import replace

import numpy as np

from backstay.comparison import DifferenceTest, compare_scores
from backstay.results._accuracy import run_scores
from backstay.results._facts import Configuration
from backstay.results._records import Records
from backstay.results._stability import pair_matrix
from backstay.stability import PairMatrix

NO_RUNS = DifferenceTest("none", math.nan, math.nan, math.nan, math.nan, math.nan, (), 0)


def score_difference(
    records: Records,
    configuration: Configuration,
    reference: str | Configuration,
    *,
    test: str = "auto",
    confidence: float = 0.95,
) -> DifferenceTest:
    """Test a score minus that of a reference, over the resamples both finished.

    The name of a method stands for that method in the same configuration.
    """
    runs_a, a = run_scores(records, configuration)
    runs_b, b = run_scores(records, _reference(configuration, reference))
    both = np.intersect1d(runs_a, runs_b)
    a, b = a[np.isin(runs_a, both)], b[np.isin(runs_b, both)]
    halves = records.facts.five_by_two and len(both) == 10
    if test.startswith("five_by_two") and not halves:
        raise ValueError(
            f"test={test!r} needs the 10 resamples of FiveByTwo, all finished; this study has "
            f"{len(both)} of {records.facts.resampling}."
        )
    if len(both) < 2:
        return NO_RUNS
    if test == "auto":
        test = "five_by_two_f" if halves else "corrected_t"
    return compare_scores(a, b, test, test_share=records.test_share, confidence=confidence)


def stability_difference(
    records: Records,
    configuration: Configuration,
    reference: str | Configuration,
    *,
    confidence: float = 0.95,
) -> DifferenceTest:
    """Test Kuncheva's index minus that of a reference, over the same resamples."""
    against = _reference(configuration, reference)
    runs_a, a = pair_matrix(records, configuration.method, configuration.size)
    runs_b, b = pair_matrix(records, against.method, against.size)
    both = np.intersect1d(runs_a, runs_b)
    if len(both) < 3:
        return NO_RUNS
    one, other = np.isin(runs_a, both), np.isin(runs_b, both)
    apart = PairMatrix(a[np.ix_(one, one)] - b[np.ix_(other, other)])
    m = len(both)
    # Both stabilities lie between −1/(m − 1) and 1.
    low, high = apart.interval(confidence, (-m / (m - 1), m / (m - 1)))
    value, variance = apart.mean(), apart.variance()
    if variance > 0:
        t = value / math.sqrt(variance)
    else:
        t = 0.0 if value == 0 else math.copysign(math.inf, value)
    return DifferenceTest("jackknife", value, low, high, t, apart.p_value(), (), m)


def _reference(configuration: Configuration, reference: str | Configuration) -> Configuration:
    if isinstance(reference, Configuration):
        return reference
    return replace(configuration, method=reference)
