"""Do methods differ? In accuracy and in stability, on one data set and over many.

One number per run, or one per pair of runs, never one per subset size:
neighbouring sizes share most of their features, so they are no independent evidence.
Every difference is *first minus second*. What is said of stability is said of these rows: its
intervals and tests are about more resamples of them, not about other samples.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd

from backstay.comparison import (
    DifferenceTest,
    FriedmanNemenyi,
    better_equal_worse,
    compare_scores,
    friedman_nemenyi,
)
from backstay.results._accuracy import mean_score, run_scores
from backstay.results._facts import Configuration
from backstay.results._parts import Parts, Rows, Table
from backstay.results._records import Records
from backstay.results._runs import check_judged, is_judged, judged_methods, run_counts
from backstay.results._stability import mean_stability, pair_matrix
from backstay.stability import PairMatrix
from backstay.targets import find_metric

NO_RUNS = DifferenceTest("none", math.nan, math.nan, math.nan, math.nan, math.nan, (), 0)


@dataclass(frozen=True, repr=False)
class Comparison:
    """Two methods side by side; differences are first minus second."""

    first: str
    second: str
    # For every data set "stability", on these rows, and, if there were models, "accuracy".
    parts: dict[str, dict[str, DifferenceTest]]
    across: dict[str, DifferenceTest]  # signed-rank tests on the data sets' means
    metric: str = "accuracy"  # what "accuracy" is measured by

    def _single(self, quantity: str) -> DifferenceTest:
        if len(self.parts) != 1:
            raise ValueError("there are several data sets; use parts, across or frame().")
        (part,) = self.parts.values()
        if quantity not in part:
            raise ValueError("the study had no models, so there are no accuracies.")
        return part[quantity]

    @property
    def accuracy(self) -> DifferenceTest:
        """The test on scores by the metric, for one data set."""
        return self._single("accuracy")

    @property
    def stability(self) -> DifferenceTest:
        """The test on stability, for one data set."""
        return self._single("stability")

    def _all(self) -> list[tuple[str, str, DifferenceTest]]:
        groups = [*self.parts.items(), ("all", self.across)]
        names = {"accuracy": self.metric, "stability": "stability"}
        return [(name, names[key], test) for name, part in groups for key, test in part.items()]

    def frame(self) -> pd.DataFrame:
        """Return one row per data set and quantity, and those across data sets."""
        frames = [
            test.frame().assign(dataset=dataset, quantity=quantity)
            for dataset, quantity, test in self._all()
        ]
        frame = pd.concat(frames, ignore_index=True)
        first = ["dataset", "quantity"]
        return frame[first + [name for name in frame if name not in first]]

    def __repr__(self) -> str:
        lines = [f"{self.first} minus {self.second}"]
        for dataset, quantity, test in self._all():
            name = find_metric(quantity).title if quantity != "stability" else quantity
            interval = "" if math.isnan(test.low) else f" [{test.low:.3f}, {test.high:.3f}]"
            lines.append(
                f"  {dataset}, {name}: {test.difference:+.3f}{interval}, "
                f"p = {test.p_value:.3g} ({test.test})"
            )
        return "\n".join(lines)


def score_difference(
    records: Records,
    configuration: Configuration,
    reference: Configuration,
    *,
    test: str = "auto",
    confidence: float = 0.95,
) -> DifferenceTest:
    """Test a score minus that of a reference, over the resamples both finished."""
    runs_a, a = run_scores(records, configuration)
    runs_b, b = run_scores(records, reference)
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
    reference: Configuration,
    *,
    confidence: float = 0.95,
) -> DifferenceTest:
    """Test Kuncheva's index minus that of a reference, over the same resamples."""
    runs_a, a = pair_matrix(records, configuration.method, configuration.size)
    runs_b, b = pair_matrix(records, reference.method, reference.size)
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


def compare_methods(
    parts: Mapping[str, Records], configuration: Configuration, second: str, **way: Any
) -> Comparison:
    """Compare two methods that have enough runs, on every data set and across them."""
    for part in parts.values():
        check_judged(part, configuration.method, second)
    metric = _shared_metric(parts, configuration.metric)
    return _compared(parts, replace(configuration, metric=metric), second, **way)


def _shared_metric(parts: Mapping[str, Records], metric: str | None) -> str:
    """Return the metric to compare by: the one that decides, which must be the same everywhere."""
    names = {name: part.check_metric(metric) for name, part in parts.items()}
    if len(set(names.values())) > 1:
        shown = ", ".join(f"{metric} in {name}" for name, metric in names.items())
        raise ValueError(f"the data sets were judged by different metrics ({shown}); give metric=.")
    return next(iter(names.values()))


def _has(records: Records, method: str) -> bool:
    return method in records.methods and is_judged(records, method)


def _mean(records: Records, configuration: Configuration, quantity: str) -> float:
    if quantity == "stability":
        return mean_stability(records, configuration.method, configuration.size)
    return mean_score(records, configuration)


def _compared(
    parts: Mapping[str, Records],
    configuration: Configuration,
    reference: str,
    *,
    test: str = "auto",
    confidence: float = 0.95,
) -> Comparison:
    """Test a configuration, the first, against a reference on every data set, and across them."""
    tests: dict[str, dict[str, DifferenceTest]] = {}
    means: dict[str, list[tuple[float, float]]] = {"accuracy": [], "stability": []}
    against = replace(configuration, method=reference)
    for name, part in parts.items():
        tests[name] = {}
        if part.models:
            tests[name]["accuracy"] = score_difference(
                part, configuration, against, test=test, confidence=confidence
            )
        tests[name]["stability"] = stability_difference(
            part, configuration, against, confidence=confidence
        )
        for quantity in tests[name]:
            pair = _mean(part, configuration, quantity), _mean(part, against, quantity)
            means[quantity].append(pair)
    across = {
        quantity: compare_scores([a for a, _ in values], [b for _, b in values], "signed_rank")
        for quantity, values in means.items()
        if len(values) > 1 and np.isfinite(values).all()
    }
    assert configuration.metric is not None
    return Comparison(configuration.method, reference, tests, across, configuration.metric)


def _counts(
    parts: Mapping[str, Records], at: Configuration, first: str, second: str, alpha: float
) -> Rows:
    """Count better, equal and worse over the data sets that have enough runs of both methods."""
    shared = {n: p for n, p in parts.items() if _has(p, first) and _has(p, second)}
    if not shared:
        return []
    pair = _compared(shared, replace(at, method=first), second, confidence=1 - alpha)
    row: dict[str, Any] = {"first": first, "second": second, "n_datasets": len(shared)}
    for quantity in ("accuracy", "stability"):
        known = [part[quantity] for part in pair.parts.values() if quantity in part]
        if not known:
            continue
        tests = [test for test in known if test.n]  # none without common runs
        better, equal, worse = better_equal_worse(tests, alpha)
        if quantity == "accuracy" and not find_metric(pair.metric).higher_is_better:
            better, worse = worse, better
        row |= {
            f"{quantity}_better": better,
            f"{quantity}_equal": equal,
            f"{quantity}_worse": worse,
            f"{quantity}_difference": fmean(t.difference for t in tests) if tests else math.nan,
            f"{quantity}_p": pair.across.get(quantity, known[0]).p_value,
        }
    return [row]


def pareto_rows(records: Records, at: Configuration) -> Rows:
    """Return stability and accuracy of every method, and who dominates it."""
    gain = records.metric(records.check_metric(at.metric)).gain
    points = {}
    for method in records.methods:
        score = mean_score(records, replace(at, method=method))
        points[method] = (mean_stability(records, method, at.size), score)
    rows = []
    for method, (stability, accuracy) in points.items():
        over = [
            other
            for other, (s, a) in points.items()
            if is_judged(records, other)
            and s >= stability
            and gain(a) >= gain(accuracy)
            and (s > stability or gain(a) > gain(accuracy))
        ]
        defined = bool(np.isfinite([stability, accuracy]).all()) and is_judged(records, method)
        rows.append(
            {
                "method": method,
                "stability": stability,
                "accuracy": accuracy,
                "on_front": defined and not over,
                "dominated_by": ", ".join(over),
                "n_runs": run_counts(records)[method].finished,
            }
        )
    return sorted(rows, key=lambda row: (not row["on_front"], -np.nan_to_num(row["stability"])))


class Comparisons(Parts):
    """All methods against each other; ``results.compare`` compares two.

    `size`, `model` and `metric` are as there: without a size, averages over the study's sizes.
    """

    def rivals(self, configuration: Configuration) -> list[Comparison]:
        """Compare every other method with that of a configuration, for one data set.

        It is the second of every pair, so that a difference above 0 speaks for the other.
        """
        records, second = self._one(), configuration.method
        at = replace(configuration, metric=records.check_metric(configuration.metric))
        rivals = [method for method in judged_methods(records) if method != second]
        return [_compared(self._parts, replace(at, method=m), second) for m in rivals]

    def summary(
        self,
        *,
        size: int | None = None,
        model: str | None = None,
        metric: str | None = None,
        alpha: float = 0.05,
    ) -> Table:
        """Count, for every two methods, on how many data sets the first is better or worse.

        At the level `alpha` on each data set; "equal" is what the test leaves open.
        """
        if not 0 < alpha < 1:
            raise ValueError(f"alpha={alpha!r} must lie between 0 and 1.")
        at = Configuration("", size, model, _shared_metric(self._parts, metric))
        pairs = combinations(self._methods(), 2)
        rows = [row for pair in pairs for row in _counts(self._parts, at, *pair, alpha)]
        note = (
            "data sets where first is better / equal / worse than second, differences first "
            f"minus second, α = {alpha:g}"
        )
        return Table("summary", note, pd.DataFrame(rows))

    def friedman(
        self,
        quantity: str = "accuracy",
        *,
        size: int | None = None,
        model: str | None = None,
        metric: str | None = None,
    ) -> FriedmanNemenyi:
        """Friedman's test over data sets, with Nemenyi's for every two methods.

        Of "accuracy", which is the score by `metric`, or "stability". Corrected for ties, unlike
        Demšar's formula; see :func:`backstay.comparison.friedman_nemenyi`.
        """
        if quantity not in ("accuracy", "stability"):
            raise ValueError(f"quantity={quantity!r} must be 'accuracy' or 'stability'.")
        parts, metric = self._parts.values(), _shared_metric(self._parts, metric)
        common = [m for m in self._methods() if all(_has(part, m) for part in parts)]
        at = [Configuration(method, size, model, metric) for method in common]
        values = np.array([[_mean(part, one, quantity) for one in at] for part in parts])
        gains = find_metric(metric).gain(values) if quantity == "accuracy" else values
        return friedman_nemenyi(gains, common)

    def pareto(
        self, *, size: int | None = None, model: str | None = None, metric: str | None = None
    ) -> Table:
        """Methods not dominated in (stability, accuracy)."""
        at = Configuration("", size, model, metric)
        note = "averages over sizes" if size is None else f"at size {size}"
        return self._table("stability and accuracy", note, pareto_rows, at)
