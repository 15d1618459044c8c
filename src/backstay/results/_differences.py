"""Does one configuration differ from another, on one data set? In score, and in stability.

Differences are *configuration minus reference*, paired by resample. Those in stability are said
of these rows: their intervals are about more resamples of them, not about other samples.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from backstay.comparison import DifferenceTest, compare_scores
from backstay.results._accuracy import run_scores
from backstay.results._facts import Configuration
from backstay.results._records import Records
from backstay.results._stability import pair_matrix
from backstay.stability import PairMatrix, UndefinedStabilityWarning, compare_stability

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
    measure: str = "kuncheva",
    confidence: float = 0.95,
    **options: Any,
) -> DifferenceTest:
    """Test a stability minus that of a reference, over the same resamples."""
    against = _reference(configuration, reference)
    if measure not in ("kuncheva", "nogueira"):  # the two are equal for subsets of one size
        options = {"measure": measure, "confidence": confidence, **options}
        return _bootstrapped(records, configuration, against.method, options)
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
    figures = (apart.mean(), low, high, apart.variance(), apart.p_value())
    return _stability_test("jackknife", *figures, m)


def _reference(configuration: Configuration, reference: str | Configuration) -> Configuration:
    if isinstance(reference, Configuration):
        return reference
    return replace(configuration, method=reference)


def _bootstrapped(
    records: Records, configuration: Configuration, reference: str, options: dict[str, Any]
) -> DifferenceTest:
    size = configuration.size
    if size is None:
        raise ValueError(f"measure={options['measure']!r} is compared at one size; give size=.")
    records.check_size(size)
    runs_a, a = records.orders(reference)
    runs_b, b = records.orders(configuration.method)
    both = np.intersect1d(runs_a, runs_b)
    if len(both) < 3:
        return NO_RUNS
    with warnings.catch_warnings():
        # Runs that never differ are no evidence of a difference: p = 1, as in every test here.
        warnings.simplefilter("ignore", UndefinedStabilityWarning)
        test = compare_stability(
            b[np.isin(runs_b, both), :size],
            a[np.isin(runs_a, both), :size],
            records.n_features,
            paired=True,
            **{"random_state": 0, **options},
        )
    low, high = test.confidence_interval
    p = 1.0 if test.difference == 0 == test.variance else test.p_value
    return _stability_test("bootstrap", test.difference, low, high, test.variance, p, len(both))


def _stability_test(
    test: str, value: float, low: float, high: float, variance: float, p: float, n: int
) -> DifferenceTest:
    if variance > 0:
        t = value / math.sqrt(variance)
    else:
        t = 0.0 if value == 0 else math.copysign(math.inf, value)
    return DifferenceTest(test, value, low, high, t, p, (), n)
