"""Differences between two methods on the same resamples, in accuracy and in stability.

One number per run, or one per pair of runs, never one per subset size:
neighbouring sizes share most of their features (spec 13.6).
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay.comparison._two_methods import RUN_TESTS, TestedDifference
from backstay.results._records import Records
from backstay.stability import UndefinedStabilityWarning, compare_stability
from backstay.stability._inference import jackknife_of_pairs, mean_of_pairs
from backstay.stability._results import normal_interval

__all__ = [
    "accuracy_contrast",
    "gain_rows",
    "mean_accuracy",
    "mean_stability",
    "pair_matrix",
    "stability_contrast",
]

Floats = NDArray[np.float64]
MISSING = TestedDifference("none", math.nan, math.nan, math.nan, math.nan, math.nan, (), 0)


def _size_places(records: Records, size: int | None) -> list[int]:
    return list(range(len(records.sizes))) if size is None else [records.check_size(size)]


def run_scores(
    records: Records, method: str, classifier: str | None, size: int | None, metric: str | None
) -> tuple[NDArray[Any], Floats]:
    """Return resamples and one score each: at a size, or averaged over the sizes."""
    place = records.check_classifier(classifier)
    resamples, values = records.scores(records.check_method(method), records.check_metric(metric))
    runs = values[:, place, _size_places(records, size)].mean(axis=1)
    finite = np.isfinite(runs)
    return resamples[finite], runs[finite]


def mean_accuracy(
    records: Records, method: str, classifier: str | None, size: int | None, metric: str | None
) -> float:
    """Return the mean over runs of `run_scores`."""
    _, runs = run_scores(records, method, classifier, size, metric)
    return float(runs.mean()) if len(runs) else math.nan


def accuracy_contrast(
    records: Records,
    first: str,
    second: str,
    *,
    classifier: str | None,
    size: int | None,
    metric: str | None,
    test: str,
    confidence: float,
) -> TestedDifference:
    """Test the difference in score, second minus first, over the resamples both finished."""
    if test not in ("auto", *RUN_TESTS):
        raise ValueError(f"test={test!r} is unknown; there are auto, {', '.join(RUN_TESTS)}.")
    runs_a, a = run_scores(records, first, classifier, size, metric)
    runs_b, b = run_scores(records, second, classifier, size, metric)
    both = np.intersect1d(runs_a, runs_b)
    a, b = a[np.isin(runs_a, both)], b[np.isin(runs_b, both)]
    halves = records.facts["five_by_two"] and len(both) == 10
    if test.startswith("five_by_two") and not halves:
        raise ValueError(
            f"test={test!r} needs the 10 resamples of FiveByTwo, all finished; this study has "
            f"{len(both)} of {records.facts['resampling']}."
        )
    if len(both) < 2:
        return MISSING
    if test == "auto":
        test = "five_by_two_f" if halves else "corrected_t"
    if test == "corrected_t":
        return RUN_TESTS[test](a, b, test_share=records.test_share, confidence=confidence)
    return RUN_TESTS[test](a, b)


def pair_matrix(records: Records, method: str, size: int | None) -> tuple[NDArray[Any], Floats]:
    """Return resamples and Kuncheva's index of every two, at a size or averaged over sizes.

    The size of all features says nothing and does not enter an average.
    """
    key = ("pairs", records.check_method(method), str(size))
    if key not in records._cache:
        resamples, orders = records.orders(method)
        d = records.n_features
        sizes = [records.sizes[place] for place in _size_places(records, size)]
        sizes = [k for k in sizes if k < d]
        pairs = np.zeros((len(resamples), len(resamples)))
        mask = np.zeros((len(resamples), d), dtype=np.float32)
        filled = 0
        for k in sizes:  # increasing, so that each adds to the one before
            np.put_along_axis(mask, orders[:, filled:k].astype(np.intp), 1, axis=1)
            filled = k
            pairs += ((mask @ mask.T).astype(np.float64) - k**2 / d) / (k - k**2 / d)
        pairs = pairs / len(sizes) if sizes else np.full_like(pairs, np.nan)
        np.fill_diagonal(pairs, 0)
        records._cache[key] = resamples, pairs
    return records._cache[key]


def mean_stability(records: Records, method: str, size: int | None) -> float:
    """Return Kuncheva's index, at a size or averaged over sizes."""
    _, pairs = pair_matrix(records, method, size)
    return mean_of_pairs(pairs) if len(pairs) > 1 else math.nan


def stability_contrast(
    records: Records,
    first: str,
    second: str,
    *,
    size: int | None,
    measure: str,
    confidence: float,
    options: dict[str, Any],
) -> TestedDifference:
    """Test the difference in stability, second minus first, over the same resamples."""
    if measure not in ("kuncheva", "nogueira"):  # the two are equal for subsets of one size
        return _by_bootstrap(records, first, second, size, measure, confidence, options)
    runs_a, a = pair_matrix(records, first, size)
    runs_b, b = pair_matrix(records, second, size)
    both = np.intersect1d(runs_a, runs_b)
    if len(both) < 3:
        return MISSING
    one, other = np.isin(runs_a, both), np.isin(runs_b, both)
    apart = b[np.ix_(other, other)] - a[np.ix_(one, one)]
    value = mean_of_pairs(apart)
    variance = float(jackknife_of_pairs(apart.sum(axis=1)))
    return _normal_test("jackknife", value, variance, confidence, len(both))


def _by_bootstrap(
    records: Records,
    first: str,
    second: str,
    size: int | None,
    measure: str,
    confidence: float,
    options: dict[str, Any],
) -> TestedDifference:
    if size is None:
        raise ValueError(f"measure={measure!r} is compared at one size; give size=.")
    records.check_size(size)
    runs_a, a = records.orders(first)
    runs_b, b = records.orders(second)
    both = np.intersect1d(runs_a, runs_b)
    if len(both) < 3:
        return MISSING
    with warnings.catch_warnings():
        # Runs that never differ are no evidence of a difference: p = 1, as in every test here.
        warnings.simplefilter("ignore", UndefinedStabilityWarning)
        found = compare_stability(
            a[np.isin(runs_a, both), :size],
            b[np.isin(runs_b, both), :size],
            records.n_features,
            measure=measure,
            paired=True,
            confidence=confidence,
            **{"random_state": 0, **options},
        )
    return _normal_test("bootstrap", found.difference, found.variance, confidence, len(both))


def _normal_test(
    test: str, value: float, variance: float, confidence: float, n: int
) -> TestedDifference:
    low, high = normal_interval(value, variance, confidence)
    if variance > 0:
        z = value / math.sqrt(variance)
    else:
        z = 0.0 if value == 0 else math.copysign(math.inf, value)
    p = math.nan if math.isnan(value) else math.erfc(abs(z) / math.sqrt(2))
    return TestedDifference(test, value, low, high, z, p, (), n)


def gain_rows(records: Records, metric: str | None, confidence: float) -> list[dict[str, Any]]:
    """Gains of every weighted method over its control and over its plain form, by size."""
    rows = []
    shared: dict[str, Any] = {"confidence": confidence}
    for method in records.methods:
        role = records.role(method)
        for over in ("control", "plain"):
            reference = role[over]
            if reference is None:
                continue
            for size in records.sizes:
                base = {"method": method, "over": over, "reference": reference, "size": size}
                found = stability_contrast(
                    records, reference, method, size=size, measure="kuncheva", options={}, **shared
                )
                rows.append({**base, "quantity": "stability", "classifier": "", **_gain(found)})
                for classifier in records.classifiers:
                    found = accuracy_contrast(
                        records,
                        reference,
                        method,
                        classifier=classifier,
                        size=size,
                        metric=metric,
                        test="auto",
                        **shared,
                    )
                    name = records.check_metric(metric)
                    rows.append(
                        {**base, "quantity": name, "classifier": classifier, **_gain(found)}
                    )
    return rows


def _gain(found: TestedDifference) -> dict[str, Any]:
    return {
        "gain": found.difference,
        "low": found.low,
        "high": found.high,
        "p_value": found.p_value,
        "test": found.test,
    }
