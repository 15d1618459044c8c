"""Do methods differ? In accuracy and in stability, on one data set and over many.

One number per run, or one per pair of runs, never one per subset size:
neighbouring sizes share most of their features, so they are no independent evidence.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from backstay.comparison import (
    RUN_TESTS,
    DifferenceTest,
    FriedmanNemenyi,
    better_equal_worse,
    friedman_nemenyi,
    signed_rank,
)
from backstay.results._accuracy import mean_score, run_scores
from backstay.results._facts import Configuration
from backstay.results._parts import Parts, Rows
from backstay.results._records import Records
from backstay.results._stability import mean_stability, pair_matrix
from backstay.results._table import Table
from backstay.stability import (
    UndefinedStabilityWarning,
    compare_stability,
    jackknife_of_pairs,
    mean_of_pairs,
    normal_interval,
)

NO_RUNS = DifferenceTest("none", math.nan, math.nan, math.nan, math.nan, math.nan, (), 0)


@dataclass(frozen=True, repr=False)
class Comparison:
    """Two methods side by side; differences are second minus first.

    Attributes
    ----------
    first, second : str
        The methods.
    parts : dict
        For every data set a dict of DifferenceTest: "stability" and, if there were
        classifiers, "accuracy".
    across : dict
        The same over data sets: signed-rank tests on their means; empty for one.
    """

    first: str
    second: str
    parts: dict[str, dict[str, DifferenceTest]]
    across: dict[str, DifferenceTest]

    def _single(self, quantity: str) -> DifferenceTest:
        if len(self.parts) != 1:
            raise ValueError("there are several data sets; use parts, across or frame().")
        (part,) = self.parts.values()
        if quantity not in part:
            raise ValueError("the study had no classifiers, so there are no accuracies.")
        return part[quantity]

    @property
    def accuracy(self) -> DifferenceTest:
        """The test on accuracy, for one data set."""
        return self._single("accuracy")

    @property
    def stability(self) -> DifferenceTest:
        """The test on stability, for one data set."""
        return self._single("stability")

    def _all(self) -> list[tuple[str, str, DifferenceTest]]:
        groups = [*self.parts.items(), ("all", self.across)]
        return [(name, key, found) for name, part in groups for key, found in part.items()]

    def frame(self) -> pd.DataFrame:
        """Return one row per data set and quantity, and those across data sets."""
        frames = [
            found.frame().assign(dataset=dataset, quantity=quantity)
            for dataset, quantity, found in self._all()
        ]
        frame = pd.concat(frames, ignore_index=True)
        first = ["dataset", "quantity"]
        return frame[first + [name for name in frame if name not in first]]

    def __repr__(self) -> str:
        lines = [f"{self.second} − {self.first}"]
        for dataset, quantity, found in self._all():
            interval = "" if math.isnan(found.low) else f" [{found.low:.3f}, {found.high:.3f}]"
            lines.append(
                f"  {dataset}, {quantity}: {found.difference:+.3f}{interval}, "
                f"p = {found.p_value:.3g} ({found.test})"
            )
        return "\n".join(lines)


@dataclass(frozen=True)
class _Way:
    """How two methods are compared: measure, test and coverage of the intervals."""

    measure: str = "kuncheva"
    test: str = "auto"
    confidence: float = 0.95
    options: Mapping[str, Any] = field(default_factory=dict)


class ComparisonAnswers(Parts):
    """Methods against each other."""

    def compare(
        self,
        first: str,
        second: str,
        *,
        size: int | None = None,
        classifier: str | None = None,
        metric: str | None = None,
        measure: str = "kuncheva",
        test: str = "auto",
        confidence: float = 0.95,
        **options: Any,
    ) -> Comparison:
        """Compare two methods, paired by resample, in accuracy and in stability.

        Parameters
        ----------
        first, second : str
            Names of methods; differences are second minus first.
        size : int, default=None
            A size chosen beforehand; None compares averages over the study's sizes.
        classifier, metric : str, default=None
            The study's first classifier and its deciding metric if None.
        measure : str, default="kuncheva"
            Of stability. "kuncheva" and "nogueira", which are equal here, use a
            jackknife over runs; others a paired bootstrap, at a given size.
        test : str, default="auto"
            For accuracy: "five_by_two_f" under :class:`backstay.study.FiveByTwo` and
            "corrected_t" otherwise; or "five_by_two_t", "signed_rank", "rank_sum".
        confidence : float, default=0.95
            Coverage of the intervals.
        **options
            As in :func:`backstay.stability.compare_stability`.

        Returns
        -------
        Comparison
            With ``accuracy`` and ``stability``; across several data sets also
            signed-rank tests on their means.
        """
        at = Configuration(second, size, classifier, metric)
        return _compared(self._parts, at, first, _Way(measure, test, confidence, options))

    def rivals(self, configuration: Configuration) -> list[Comparison]:
        """Compare a method with every other at the same size, classifier and metric.

        Parameters
        ----------
        configuration : Configuration
            The method that the others are compared with: it is the first of every pair.
        """
        others = [m for m in self._one().methods if m != configuration.method]
        return [
            _compared(self._parts, replace(configuration, method=m), configuration.method, _Way())
            for m in others
        ]

    def summary(
        self,
        *,
        size: int | None = None,
        classifier: str | None = None,
        metric: str | None = None,
        alpha: float = 0.05,
    ) -> Table:
        """Count, for every two methods, on how many data sets the second is better or worse.

        Parameters
        ----------
        size, classifier, metric
            As in :meth:`compare`.
        alpha : float, default=0.05
            Level of the test on each data set; "equal" is what it leaves open.
        """
        if not 0 < alpha < 1:
            raise ValueError(f"alpha={alpha!r} must lie between 0 and 1.")
        at = Configuration("", size, classifier, metric)
        rows = [
            row
            for first, second in combinations(_methods(self._parts), 2)
            for row in _counts(self._parts, replace(at, method=second), first, alpha)
        ]
        note = f"data sets where second is better / equal / worse than first, α = {alpha:g}"
        return Table("summary", note, pd.DataFrame(rows))

    def friedman(
        self,
        quantity: str = "accuracy",
        *,
        size: int | None = None,
        classifier: str | None = None,
        metric: str | None = None,
    ) -> FriedmanNemenyi:
        """Friedman's test over data sets, with Nemenyi's for every two methods.

        Parameters
        ----------
        quantity : {"accuracy", "stability"}, default="accuracy"
            What to compare.
        size, classifier, metric
            As in :meth:`compare`.
        """
        if quantity not in ("accuracy", "stability"):
            raise ValueError(f"quantity={quantity!r} must be 'accuracy' or 'stability'.")
        parts = self._parts.values()
        common = [m for m in _methods(self._parts) if all(m in part.methods for part in parts)]
        values = [
            [_mean(part, Configuration(m, size, classifier, metric), quantity) for m in common]
            for part in parts
        ]
        return friedman_nemenyi(np.array(values), common)

    def pareto(
        self,
        *,
        size: int | None = None,
        classifier: str | None = None,
        metric: str | None = None,
    ) -> Table:
        """Methods not dominated in (stability, accuracy).

        Parameters
        ----------
        size, classifier, metric
            As in :meth:`compare`: None for size averages over the study's sizes.
        """
        at = Configuration("", size, classifier, metric)
        return self._table(
            "stability and accuracy",
            "averages over sizes" if size is None else f"at size {size}",
            lambda part: _pareto_rows(part, at),
        )


def score_difference(
    records: Records,
    configuration: Configuration,
    reference: str | Configuration,
    *,
    test: str = "auto",
    confidence: float = 0.95,
) -> DifferenceTest:
    """Test the difference in score from a reference, over the resamples both finished.

    The name of a method stands for that method in the same configuration.
    """
    if test not in ("auto", *RUN_TESTS):
        raise ValueError(f"test={test!r} is unknown; there are auto, {', '.join(RUN_TESTS)}.")
    runs_a, a = run_scores(records, _reference(configuration, reference))
    runs_b, b = run_scores(records, configuration)
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
    if test == "corrected_t":
        return RUN_TESTS[test](a, b, test_share=records.test_share, confidence=confidence)
    return RUN_TESTS[test](a, b)


def stability_difference(
    records: Records,
    configuration: Configuration,
    reference: str | Configuration,
    *,
    measure: str = "kuncheva",
    confidence: float = 0.95,
    **options: Any,
) -> DifferenceTest:
    """Test the difference in stability from a reference, over the same resamples."""
    against = _reference(configuration, reference)
    if measure not in ("kuncheva", "nogueira"):  # the two are equal for subsets of one size
        options = {"measure": measure, "confidence": confidence, **options}
        return _bootstrapped(records, configuration, against.method, options)
    runs_a, a = pair_matrix(records, against.method, against.size)
    runs_b, b = pair_matrix(records, configuration.method, configuration.size)
    both = np.intersect1d(runs_a, runs_b)
    if len(both) < 3:
        return NO_RUNS
    one, other = np.isin(runs_a, both), np.isin(runs_b, both)
    apart = b[np.ix_(other, other)] - a[np.ix_(one, one)]
    value = mean_of_pairs(apart)
    variance = float(jackknife_of_pairs(apart.sum(axis=1)))
    return _normal_test("jackknife", value, variance, confidence, len(both))


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
        found = compare_stability(
            a[np.isin(runs_a, both), :size],
            b[np.isin(runs_b, both), :size],
            records.n_features,
            paired=True,
            **{"random_state": 0, **options},
        )
    confidence = options["confidence"]
    return _normal_test("bootstrap", found.difference, found.variance, confidence, len(both))


def _normal_test(
    test: str, value: float, variance: float, confidence: float, n: int
) -> DifferenceTest:
    low, high = normal_interval(value, variance, confidence)
    if variance > 0:
        z = value / math.sqrt(variance)
    else:
        z = 0.0 if value == 0 else math.copysign(math.inf, value)
    p = math.nan if math.isnan(value) else math.erfc(abs(z) / math.sqrt(2))
    return DifferenceTest(test, value, low, high, z, p, (), n)


def _methods(parts: Mapping[str, Records]) -> list[str]:
    return list(dict.fromkeys(m for part in parts.values() for m in part.methods))


def _mean(records: Records, configuration: Configuration, quantity: str) -> float:
    if quantity == "stability":
        return mean_stability(records, configuration.method, configuration.size)
    return mean_score(records, configuration)


def _compared(
    parts: Mapping[str, Records], configuration: Configuration, reference: str, way: _Way
) -> Comparison:
    """Test a configuration against a reference on every data set, and across them."""
    found: dict[str, dict[str, DifferenceTest]] = {}
    means: dict[str, list[tuple[float, float]]] = {"accuracy": [], "stability": []}
    for name, part in parts.items():
        found[name] = {}
        if part.classifiers:
            found[name]["accuracy"] = score_difference(
                part, configuration, reference, test=way.test, confidence=way.confidence
            )
        found[name]["stability"] = stability_difference(
            part,
            configuration,
            reference,
            measure=way.measure,
            confidence=way.confidence,
            **way.options,
        )
        for quantity in found[name]:
            pair = [replace(configuration, method=reference), configuration]
            means[quantity].append((_mean(part, pair[0], quantity), _mean(part, pair[1], quantity)))
    across = {
        quantity: signed_rank(*np.array(values).T)
        for quantity, values in means.items()
        if len(values) > 1 and np.isfinite(values).all()
    }
    return Comparison(reference, configuration.method, found, across)


def _counts(
    parts: Mapping[str, Records], configuration: Configuration, first: str, alpha: float
) -> Rows:
    """Count better, equal and worse over the data sets that have both methods."""
    second = configuration.method
    shared = {n: p for n, p in parts.items() if {first, second} <= set(p.methods)}
    if not shared:
        return []
    found = _compared(shared, configuration, first, _Way(confidence=1 - alpha))
    row: dict[str, Any] = {"first": first, "second": second, "n_datasets": len(shared)}
    for quantity in ("accuracy", "stability"):
        tests = [part[quantity] for part in found.parts.values() if quantity in part]
        if not tests:
            continue
        better, equal, worse = better_equal_worse(tests, alpha)
        row |= {
            f"{quantity}_better": better,
            f"{quantity}_equal": equal,
            f"{quantity}_worse": worse,
            f"{quantity}_difference": float(np.mean([t.difference for t in tests])),
            f"{quantity}_p": found.across.get(quantity, tests[0]).p_value,
        }
    return [row]


def _pareto_rows(records: Records, at: Configuration) -> Rows:
    """Return stability and accuracy of every method, and who dominates it."""
    points = {
        method: (
            mean_stability(records, method, at.size),
            mean_score(records, replace(at, method=method)),
        )
        for method in records.methods
    }
    rows = []
    for method, (stability, accuracy) in points.items():
        over = [
            other
            for other, (s, a) in points.items()
            if s >= stability and a >= accuracy and (s > stability or a > accuracy)
        ]
        defined = bool(np.isfinite([stability, accuracy]).all())
        rows.append(
            {
                "method": method,
                "stability": stability,
                "accuracy": accuracy,
                "on_front": defined and not over,
                "dominated_by": ", ".join(over),
            }
        )
    return sorted(rows, key=lambda row: (not row["on_front"], -np.nan_to_num(row["stability"])))
