"""Comparisons of methods, on one data set and over many."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from backstay.comparison._many_datasets import better_equal_worse
from backstay.comparison._two_methods import TestedDifference, signed_rank
from backstay.results._contrasts import (
    accuracy_contrast,
    mean_accuracy,
    mean_stability,
    stability_contrast,
)
from backstay.results._records import Records

__all__ = ["Comparison", "compare", "pareto_rows", "summary_rows"]

Parts = Mapping[str, Records]


@dataclass(frozen=True, repr=False)
class Comparison:
    """Two methods side by side; differences are second minus first.

    Attributes
    ----------
    first, second : str
        The methods.
    parts : dict
        For every data set a dict of TestedDifference: "stability" and, if there were
        classifiers, "accuracy".
    across : dict
        The same over data sets: signed-rank tests on their means; empty for one.
    """

    first: str
    second: str
    parts: dict[str, dict[str, TestedDifference]]
    across: dict[str, TestedDifference]

    def _single(self, quantity: str) -> TestedDifference:
        if len(self.parts) != 1:
            raise ValueError("there are several data sets; use parts, across or frame().")
        (part,) = self.parts.values()
        if quantity not in part:
            raise ValueError("the study had no classifiers, so there are no accuracies.")
        return part[quantity]

    @property
    def accuracy(self) -> TestedDifference:
        """The test on accuracy, for one data set."""
        return self._single("accuracy")

    @property
    def stability(self) -> TestedDifference:
        """The test on stability, for one data set."""
        return self._single("stability")

    def _all(self) -> list[tuple[str, str, TestedDifference]]:
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


def compare(
    parts: Parts,
    first: str,
    second: str,
    *,
    size: int | None,
    classifier: str | None,
    metric: str | None,
    measure: str,
    test: str,
    confidence: float,
    options: dict[str, Any],
) -> Comparison:
    """Test two methods on every data set, and across them if there are several."""
    found: dict[str, dict[str, TestedDifference]] = {}
    means: dict[str, list[tuple[float, float]]] = {"accuracy": [], "stability": []}
    for name, part in parts.items():
        found[name] = {}
        if part.classifiers:
            found[name]["accuracy"] = accuracy_contrast(
                part,
                first,
                second,
                classifier=classifier,
                size=size,
                metric=metric,
                test=test,
                confidence=confidence,
            )
            pair = [mean_accuracy(part, m, classifier, size, metric) for m in (first, second)]
            means["accuracy"].append((pair[0], pair[1]))
        found[name]["stability"] = stability_contrast(
            part,
            first,
            second,
            size=size,
            measure=measure,
            confidence=confidence,
            options=options,
        )
        pair = [mean_stability(part, m, size) for m in (first, second)]
        means["stability"].append((pair[0], pair[1]))
    across = {
        quantity: signed_rank(*np.array(values).T)
        for quantity, values in means.items()
        if len(values) > 1 and np.isfinite(values).all()
    }
    return Comparison(first, second, found, across)


def summary_rows(
    parts: Parts, *, size: int | None, classifier: str | None, metric: str | None, alpha: float
) -> list[dict[str, Any]]:
    """Count better, equal and worse over data sets for every two methods."""
    if not 0 < alpha < 1:
        raise ValueError(f"alpha={alpha!r} must lie between 0 and 1.")
    methods = list(dict.fromkeys(m for part in parts.values() for m in part.methods))
    rows = []
    for first, second in combinations(methods, 2):
        shared = {n: p for n, p in parts.items() if {first, second} <= set(p.methods)}
        if not shared:
            continue
        found = compare(
            shared,
            first,
            second,
            size=size,
            classifier=classifier,
            metric=metric,
            measure="kuncheva",
            test="auto",
            confidence=1 - alpha,
            options={},
        )
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
                f"{quantity}_p": (
                    found.across[quantity] if quantity in found.across else tests[0]
                ).p_value,
            }
        rows.append(row)
    return rows


def pareto_rows(
    records: Records, *, size: int | None, classifier: str | None, metric: str | None
) -> list[dict[str, Any]]:
    """Return stability and accuracy of every method, and who dominates it."""
    points = {
        method: (
            mean_stability(records, method, size),
            mean_accuracy(records, method, classifier, size, metric),
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
