"""Tables of a plain and a modified wrapper, published and measured [Prat 6.2–6.5, 7.1, 7.2]."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from backstay.reproduction._experiment import (
    Arrays,
    Setting,
    claimed,
    compared,
    mean_row,
)
from backstay.reproduction._prat_wrappers import PROBLEMS, Unit, pairs_run, run_units
from backstay.stability._inference import jackknife_of_pairs, mean_of_pairs
from backstay.stability._overlaps import pair_overlaps
from backstay.stability._results import normal_interval
from backstay.study import corrected_resampled_t, five_by_two_f

__all__ = [
    "Comparison",
    "compare_methods",
    "published_table",
    "stability_pairs",
]

Floats = NDArray[np.float64]
Estimate = tuple[float, float, float]  # value, low, high
SIGNIFICANT = 0.05
# n_test/n_train of halves, for the corrected variance of resampled errors.
HALVES = 1.0
KEPT_AS = {"error": "errors", "features": "features"}
FIRST = ", ties to the first column"


def published_table(number: str) -> pd.DataFrame:
    """Return a table as printed, e.g. "6.2".

    ``plain`` and ``modified`` are errors or stabilities; ``_sd``, the spread over subset
    sizes; ``_features``, how many were selected.

    Examples
    --------
    >>> from backstay.reproduction._prat_comparison import published_table
    >>> published_table("6.1")[["problem", "plain", "modified"]]
          problem  plain  modified
    0      corrAl  0.077     0.009
    1  antiCorrAl  0.132     0.023
    """
    name = f"prat_tab{number[0]}.csv"
    source = resources.files("backstay.reproduction").joinpath("published", name)
    with source.open(encoding="utf-8") as file:
        table = pd.read_csv(file, dtype={"table": str})
    return table[table["table"] == number].drop(columns="table").reset_index(drop=True)


def stability_pairs(orders: NDArray[np.integer], n_features: int) -> Floats:
    """Return Kuncheva's index of every two runs, averaged over the sizes of subsets.

    All features, where the index is 0/0, are not a size.
    """
    n_runs, most = orders.shape
    most = min(most, n_features - 1)
    k = np.arange(1.0, most + 1)
    pairs = np.zeros((n_runs, n_runs))
    for run, others, overlaps in pair_overlaps(orders[:, :most], n_features):
        index = (overlaps - k**2 / n_features) / (k - k**2 / n_features)
        pairs[run, others] = pairs[others, run] = index.mean(axis=1)
    return pairs


def over_pairs(pairs: Floats) -> Estimate:
    """Return the mean over pairs of runs and its jackknife interval."""
    value = mean_of_pairs(pairs)
    variance = float(jackknife_of_pairs(pairs.sum(axis=0)))
    return (value, *normal_interval(value, variance, 0.95))


def over_resamples(values: Floats) -> Estimate:
    """Return the mean over resamples and its interval, corrected for common rows."""
    found = corrected_resampled_t(np.zeros(len(values)), values, test_share=HALVES)
    return found.difference, found.low, found.high


@dataclass(frozen=True)
class Comparison:
    """A plain method, its modification, and others that are shown beside them.

    Attributes
    ----------
    table : str
        Number of the published table.
    quantity : {"error", "stability"}
        What it holds.
    plain, modified : str
        Methods whose figures were published.
    beside : tuple of str
        Methods that could also be what was published.
    """

    table: str
    quantity: str
    plain: str
    modified: str
    beside: tuple[str, ...] = ()

    @property
    def methods(self) -> tuple[str, ...]:
        """All of them."""
        return (self.plain, self.modified, *self.beside)

    def labels(self, inducer: str) -> list[str]:
        """Return the methods, and for the stability of 1-NN the control of their ties."""
        controls = self.quantity == "stability" and inducer == "knn"
        return [*self.methods, *(method + FIRST for method in self.methods if controls)]

    def better(self, difference: float) -> bool:
        """Whether a difference is an improvement."""
        return difference < 0 if self.quantity == "error" else difference > 0


@dataclass(frozen=True)
class _Row:
    """Everything about one problem and inducer."""

    problem: str
    inducer: str
    published: pd.Series
    runs: dict[str, Arrays]

    def counts(self, quantity: str) -> bool:
        """Whether it is part of the summary.

        The data must be the published ones. Errors of genes chosen on all rows are too
        good; stabilities of genes chosen on each run's training rows are not out of 200.
        """
        problem = PROBLEMS[self.problem]
        unlike = "all rows" if quantity == "error" else "training rows"
        return not problem.differs and problem.genes != unlike

    @property
    def note(self) -> str:
        problem = PROBLEMS[self.problem]
        genes = f"genes chosen on {problem.genes}" if problem.genes else ""
        return "; ".join(text for text in (problem.differs, genes) if text)

    def estimate(self, quantity: str, method: str) -> Estimate:
        """Return one method's figure."""
        if quantity == "stability":
            return over_pairs(self._pairs(method))
        return over_resamples(self.runs[method][KEPT_AS[quantity]])

    def difference(self, quantity: str, plain: str, modified: str) -> tuple[Estimate, float]:
        """Return modified minus plain on the same runs, and its p-value."""
        if quantity == "stability":
            pairs = self._pairs(modified) - self._pairs(plain)
            value, low, high = over_pairs(pairs)
            spread = (high - low) / 2 / float(special.ndtri(0.975))
            p = float(2 * special.ndtr(-abs(value / spread))) if spread > 0 else math.nan
            return (value, low, high), p
        first, second = self.runs[plain]["errors"], self.runs[modified]["errors"]
        t = corrected_resampled_t(first, second, test_share=HALVES)
        p = five_by_two_f(first, second).p_value if len(first) == 10 else t.p_value
        return (t.difference, t.low, t.high), p

    def _pairs(self, method: str) -> Floats:
        return stability_pairs(self.runs[method]["orders"], PROBLEMS[self.problem].n_features)


def compare_methods(
    setting: Setting, comparison: Comparison, n_repeats: int
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Run a comparison and return its table and the figures of its summary.

    Rows of data that differ from the published have no verdict and do not count in
    the summary, where each microarray counts once.
    """
    printed = published_table(comparison.table)
    listed = {(row["problem"], row["inducer"]): row for _, row in printed.iterrows()}
    pairs, missing = pairs_run(setting, listed)
    units = {
        (p, i, label): Unit(
            p, i, label.removesuffix(FIRST), "first" if FIRST in label else "random"
        )
        for p, i in pairs
        for label in comparison.labels(i)
    }
    found = run_units(setting, units.values(), n_repeats)
    rows = [
        _Row(
            problem,
            inducer,
            listed[problem.rstrip("*"), inducer],
            {label: found[units[problem, inducer, label]] for label in comparison.labels(inducer)},
        )
        for problem, inducer in pairs
    ]
    records = [record for row in rows for record in _records(comparison, row)]
    overall, summary = _overall(comparison, rows)
    summary["leak"] = _leak(comparison, rows)
    return pd.DataFrame(records + overall), {**summary, **_own_words(printed), "missing": missing}


def _records(comparison: Comparison, row: _Row) -> list[dict[str, Any]]:
    """Return the lines of one problem and inducer."""
    quantity, printed = comparison.quantity, row.published
    figures = {comparison.plain: printed["plain"], comparison.modified: printed["modified"]}
    sizes = {
        comparison.plain: printed["plain_features"],
        comparison.modified: printed["modified_features"],
    }
    digits = 3 if quantity == "error" else 4
    lines = []
    for method in row.runs:
        estimate = row.estimate(quantity, method)
        lines.append((quantity, method, figures.get(method), estimate, digits, math.nan))
    for method in comparison.methods[1:]:
        estimate, p = row.difference(quantity, comparison.plain, method)
        known = printed["modified"] - printed["plain"] if method == comparison.modified else None
        lines.append((f"{quantity} − {comparison.plain}", method, known, estimate, digits, p))
    if quantity == "error":
        for method in comparison.methods:
            estimate = row.estimate("features", method)
            lines.append(("features", method, sizes.get(method), estimate, 1, math.nan))
    return [
        _record(quantity, row, what, method, known, estimate, digits, p)
        for what, method, known, estimate, digits, p in lines
    ]


def _record(
    quantity: str,
    row: _Row,
    what: str,
    method: str,
    known: float | None,
    estimate: Estimate,
    digits: int,
    p: float,
) -> dict[str, Any]:
    verdict = compared(known, *estimate, digits=digits)
    if PROBLEMS[row.problem].differs or not (row.counts(quantity) or quantity == "error"):
        verdict["agrees"] = ""
    has_p = known is not None and not math.isnan(p)
    return {
        "problem": row.problem,
        "inducer": row.inducer,
        "quantity": what,
        "method": method,
        **verdict,
        "p_published": row.published["p_value"] if has_p else math.nan,
        "p_measured": p,
        "note": row.note,
    }


def _overall(
    comparison: Comparison, rows: Sequence[_Row]
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the lines over all data sets, and what the finding is made from."""
    quantity, plain = comparison.quantity, comparison.plain
    exact = [row for row in rows if row.counts(quantity)]
    records, summary = [], _agreement(comparison, exact)
    printed = np.array([row.published["modified"] - row.published["plain"] for row in exact])
    summary["published"] = _over_problems(exact, printed)[0]
    summary["ties"] = _ties(comparison, exact)
    for method in comparison.methods[1:]:
        differences = np.array([row.difference(quantity, plain, method)[0][0] for row in exact])
        estimate = _over_problems(exact, differences)
        summary[method] = estimate
        known = summary["published"] if method == comparison.modified else None
        line = {
            "problem": "mean over data sets",
            "inducer": "all",
            "quantity": f"{quantity} − {plain}",
            "method": method,
            "note": f"{len({r.problem for r in exact})} data sets as published, inducers averaged",
        }
        records.append({**line, **compared(known, *estimate, digits=4)})
        if method == comparison.modified and math.isfinite(estimate[1]):
            word = "lower error" if quantity == "error" else "more stable"
            holds = comparison.better(estimate[2] if quantity == "error" else estimate[1])
            records.append({**line, **claimed(f"{word} on average", holds, *estimate)})
    if quantity == "error":
        records.append(_subset_sizes(comparison, exact))
    return records, summary


def _subset_sizes(comparison: Comparison, rows: Sequence[_Row]) -> dict[str, Any]:
    """Return the line of the difference in subset sizes over data sets."""
    printed, measured = [], []
    for row in rows:
        printed.append(row.published["modified_features"] - row.published["plain_features"])
        plain, modified = (row.estimate("features", m)[0] for m in comparison.methods[:2])
        measured.append(modified - plain)
    known = _over_problems(rows, np.array(printed))[0]
    return {
        "problem": "mean over data sets",
        "inducer": "all",
        "quantity": f"features − {comparison.plain}",
        "method": comparison.modified,
        **compared(known, *_over_problems(rows, np.array(measured)), digits=1),
    }


def _over_problems(rows: Sequence[_Row], values: Floats) -> Estimate:
    """Return mean and interval over data sets; inducers on one are not independent."""
    by_problem = pd.Series(values).groupby([row.problem for row in rows]).mean()
    return mean_row(by_problem.to_numpy())


def _agreement(comparison: Comparison, rows: Sequence[_Row]) -> dict[str, Any]:
    """Count verdicts, compare what is significant, and see which method is the nearest."""
    quantity, plain = comparison.quantity, comparison.plain
    digits = 3 if quantity == "error" else 4
    agree = significant = again = ours_better = ours_worse = 0
    away: dict[str, list[float]] = {method: [] for method in comparison.methods}
    for row in rows:
        for method, name in ((plain, "plain"), (comparison.modified, "modified")):
            verdict = compared(row.published[name], *row.estimate(quantity, method), digits=digits)
            agree += verdict["agrees"] == "yes"
        for method, distances in away.items():
            known = row.published["plain" if method == plain else "modified"]
            distances.append(abs(row.estimate(quantity, method)[0] - known))
        (value, _, _), p = row.difference(quantity, plain, comparison.modified)
        known = row.published["modified"] - row.published["plain"]
        ours = p < SIGNIFICANT
        ours_better += ours and comparison.better(value)
        ours_worse += ours and not comparison.better(value)
        if row.published["p_value"] < SIGNIFICANT and known != 0:
            significant += 1
            again += ours and (value > 0) == (known > 0)
    return {
        "cells": len(rows),
        "agree": agree,
        "significant": significant,
        "again": again,
        "better": int(ours_better),
        "worse": int(ours_worse),
        "away": {method: float(np.mean(d)) if d else math.nan for method, d in away.items()},
    }


def _leak(comparison: Comparison, rows: Sequence[_Row]) -> tuple[float, float] | None:
    """Return mean errors of genes chosen on training rows and on all, same microarrays."""
    by_problem = {(row.problem, row.inducer): row for row in rows}
    both = [
        (by_problem[problem.rstrip("*"), inducer], leaky)
        for (problem, inducer), leaky in by_problem.items()
        if problem.endswith("*") and (problem.rstrip("*"), inducer) in by_problem
    ]
    if comparison.quantity != "error" or not both:
        return None
    means = np.mean(
        [[row.estimate("error", comparison.plain)[0] for row in pair] for pair in both], axis=0
    )
    return float(means[0]), float(means[1])


def _ties(comparison: Comparison, rows: Sequence[_Row]) -> dict[str, tuple[float, float]]:
    """Return mean stabilities of 1-NN with ties at random and to the first column."""
    both: dict[str, tuple[float, float]] = {}
    for method in comparison.methods[:2]:
        controlled = [row for row in rows if method + FIRST in row.runs]
        if controlled:
            random, first = (
                float(np.mean([row.estimate(comparison.quantity, label)[0] for row in controlled]))
                for label in (method, method + FIRST)
            )
            both[method] = (random, first)
    return both


def _own_words(printed: pd.DataFrame) -> dict[str, Any]:
    """Count what the published table itself says, all its rows."""
    difference = printed["modified"] - printed["plain"]
    significant = printed["p_value"] < SIGNIFICANT
    return {
        "rows": len(printed),
        "higher": int((difference > 0).sum()),
        "lower": int((difference < 0).sum()),
        "significantly higher": int((significant & (difference > 0)).sum()),
        "significantly lower": int((significant & (difference < 0)).sum()),
    }
