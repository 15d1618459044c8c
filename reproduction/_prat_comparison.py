"""Tables of a plain and a modified wrapper, published and measured [Prat 6.2–6.5, 7.1, 7.2]."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from reproduction._estimates import Estimate, claimed, compared, mean_estimate
from reproduction._experiment import RunSettings
from reproduction._prat_cells import Cell, Floats, counts, wrapper_table
from reproduction._prat_wrappers import WRAPPER_PROBLEMS, Unit, pairs_run, run_units

__all__ = ["PublishedComparison", "compare_methods"]

SIGNIFICANT = 0.05
FIRST = ", ties to the first column"


@dataclass(frozen=True)
class PublishedComparison:
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
    reading : str
        Key of READINGS: how the searches are run.
    """

    table: str
    quantity: str
    plain: str
    modified: str
    beside: tuple[str, ...] = ()
    reading: str = "first"

    @property
    def name(self) -> str:
        """Name of the experiment."""
        return f"prat-tab{self.table}" + ("" if self.reading == "first" else f"-{self.reading}")

    @property
    def methods(self) -> tuple[str, ...]:
        """All of them."""
        return (self.plain, self.modified, *self.beside)

    def labels(self, problem: str, inducer: str) -> list[str]:
        """Return the methods, and for stability, but for slow SVMs, the control of their ties."""
        controlled = self.quantity == "stability" and self.reading == "first" and inducer != "svm"
        if not controlled or not counts(problem, self.quantity):
            return list(self.methods)
        return [*self.methods, self.plain + FIRST, self.modified + FIRST]

    def better(self, difference: float) -> bool:
        """Whether a difference is an improvement."""
        return difference < 0 if self.quantity == "error" else difference > 0


def compare_methods(
    settings: RunSettings, comparison: PublishedComparison, n_repeats: int
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Run a comparison and return its table and the figures of its summary.

    Rows of data that differ from the published have no verdict and do not count in
    the summary, where each microarray counts once.
    """
    printed = wrapper_table(comparison.table)
    listed = {(row["problem"], row["inducer"]): row for _, row in printed.iterrows()}
    forward, reading = comparison.plain == "SFG", comparison.reading
    pairs, missing = pairs_run(settings, listed, forward=forward, reading=reading)
    if reading != "first":
        pairs = [(p, i) for p, i in pairs if counts(p, comparison.quantity)]
    units = {
        (p, i, label): Unit(
            p, i, label.removesuffix(FIRST), "first" if FIRST in label else "random", reading
        )
        for p, i in pairs
        for label in comparison.labels(p, i)
    }
    found = run_units(settings, units.values(), n_repeats)
    rows = [
        Cell(
            problem,
            inducer,
            listed[problem.rstrip("*"), inducer],
            {
                label: found[units[problem, inducer, label]]
                for label in comparison.labels(problem, inducer)
            },
        )
        for problem, inducer in pairs
    ]
    records = [record for row in rows for record in _records(comparison, row)]
    overall, summary = _overall(comparison, rows)
    summary["leak"] = _leak(comparison, rows)
    return pd.DataFrame(records + overall), {**summary, **_own_words(printed), "missing": missing}


def _records(comparison: PublishedComparison, row: Cell) -> list[dict[str, Any]]:
    """Return the lines of one problem and inducer."""
    quantity, printed = comparison.quantity, row.published
    figures = {comparison.plain: printed["plain"], comparison.modified: printed["modified"]}
    sizes = {
        comparison.plain: printed["plain_features"],
        comparison.modified: printed["modified_features"],
    }
    digits = 3 if quantity == "error" else 4
    lines: list[tuple[str, str, float | None, Estimate, int, tuple[float, float]]] = []
    no_test = (math.nan, math.nan)
    for method in row.runs:
        estimate = row.estimate(quantity, method)
        known = figures.get(method.removesuffix(FIRST))
        lines.append((quantity, method, known, estimate, digits, no_test))
    for method in row.runs:
        ties = FIRST if method.endswith(FIRST) else ""
        if method == comparison.plain + ties:
            continue
        estimate, p = row.difference(quantity, comparison.plain + ties, method)
        tests = (p, row.published_p(quantity, comparison.plain + ties, method))
        same = method == comparison.modified + ties
        known = printed["modified"] - printed["plain"] if same else None
        lines.append((f"{quantity} − {comparison.plain}", method, known, estimate, digits, tests))
    if quantity == "error":
        for method in comparison.methods:
            estimate = row.estimate("features", method)
            lines.append(("features", method, sizes.get(method), estimate, 1, no_test))
    return [_record(quantity, row, *line) for line in lines]


def _record(
    quantity: str,
    row: Cell,
    what: str,
    method: str,
    known: float | None,
    estimate: Estimate,
    digits: int,
    tests: tuple[float, float],
) -> dict[str, Any]:
    verdict = compared(known, *estimate, digits=digits)
    if WRAPPER_PROBLEMS[row.problem].differs or not (
        counts(row.problem, quantity) or quantity == "error"
    ):
        verdict["agrees"] = ""
    has_p = known is not None and not math.isnan(tests[1])
    return {
        "problem": row.problem,
        "inducer": row.inducer,
        "quantity": what,
        "method": method,
        **verdict,
        "p_published": row.published["p_value"] if has_p else math.nan,
        "p_measured": tests[0],
        "p_by_published_test": tests[1],
        "note": row.note,
    }


def _overall(
    comparison: PublishedComparison, rows: Sequence[Cell]
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the lines over all data sets, and what the finding is made from."""
    quantity, plain = comparison.quantity, comparison.plain
    exact = [row for row in rows if counts(row.problem, quantity)]
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
    summary["by inducer"] = {}
    for inducer in sorted({row.inducer for row in exact}):
        part = [row for row in exact if row.inducer == inducer]
        values = [row.difference(quantity, plain, comparison.modified)[0][0] for row in part]
        known = [row.published["modified"] - row.published["plain"] for row in part]
        estimate = _over_problems(part, np.array(values))
        summary["by inducer"][inducer] = estimate
        line = {
            "problem": "mean over data sets",
            "inducer": inducer,
            "quantity": f"{quantity} − {plain}",
            "method": comparison.modified,
            "note": f"{len(part)} data sets as published",
        }
        records.append({**line, **compared(float(np.mean(known)), *estimate, digits=4)})
    if quantity == "error":
        records.append(_subset_sizes(comparison, exact))
    return records, summary


def _subset_sizes(comparison: PublishedComparison, rows: Sequence[Cell]) -> dict[str, Any]:
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


def _over_problems(rows: Sequence[Cell], values: Floats) -> Estimate:
    """Return mean and interval over data sets; inducers on one are not independent."""
    by_problem = pd.Series(values).groupby([row.problem for row in rows]).mean()
    return mean_estimate(by_problem.to_numpy())


def _agreement(comparison: PublishedComparison, rows: Sequence[Cell]) -> dict[str, Any]:
    """Count verdicts, compare what is significant, and see which method is the nearest."""
    quantity, plain = comparison.quantity, comparison.plain
    digits = 3 if quantity == "error" else 4
    agree = significant = again = ours_better = ours_worse = theirs = 0
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
        theirs += row.published_p(quantity, plain, comparison.modified) < SIGNIFICANT
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
        "by published test": int(theirs),
        "away": {method: float(np.mean(d)) if d else math.nan for method, d in away.items()},
    }


def _leak(comparison: PublishedComparison, rows: Sequence[Cell]) -> tuple[float, float] | None:
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


def _ties(comparison: PublishedComparison, rows: Sequence[Cell]) -> dict[str, Any]:
    """Return what ties do: per rule the means of both methods and the distance to the published."""
    controlled = [row for row in rows if comparison.plain + FIRST in row.runs]
    if not controlled:
        return {}
    names = ("plain", "modified")
    printed = np.array([[row.published[name] for name in names] for row in controlled])
    found: dict[str, Any] = {"cells": len(controlled), "published": printed.mean(axis=0)}
    for rule, suffix in (("random", ""), ("first", FIRST)):
        labels = (comparison.plain + suffix, comparison.modified + suffix)
        values = np.array(
            [[row.estimate(comparison.quantity, m)[0] for m in labels] for row in controlled]
        )
        found[rule] = (*values.mean(axis=0), np.abs(values - printed).mean())
    return found


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
