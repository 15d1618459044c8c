"""The rules that choose among configurations: trusted, short, accurate.

All take the same candidates: above chance, and within one standard error of the best score. The
standard error is that of the paired difference over resamples, corrected for the rows that
resamples share (Nadeau & Bengio 2003); the plain one would be far too small.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay.results._facts import Configuration
from backstay.results._null import above_null
from backstay.results._records import Records
from backstay.results._runs import judged_methods
from backstay.results._stability import pair_matrix
from backstay.stability import PairMatrix
from backstay.targets import Metric

Floats = NDArray[np.float64]
# One-sided 95 %: what a configuration must exceed chance by, in standard errors.
ABOVE_CHANCE = 1.645


@dataclass(frozen=True)
class Grounds:
    """What a rule looks at, configuration by configuration; higher is better throughout.

    Attributes
    ----------
    configurations : list of Configuration
        Method × model × size, of the methods with enough runs.
    value : array of shape (n,)
        Pooled score.
    error : array of shape (n,)
        Its standard error over rows.
    chance : float
        What guessing reaches.
    apart : array of shape (n, n)
        Standard errors of the paired differences in score.
    steady : array of shape (n,)
        Stability above the shuffled-label null; −2 where undefined.
    steady_apart : array of shape (n, n)
        Standard errors of the paired differences in stability.
    sizes : array of shape (n,)
        Numbers of features.
    """

    configurations: list[Configuration]
    value: Floats
    error: Floats
    chance: float
    apart: Floats
    steady: Floats
    steady_apart: Floats
    sizes: NDArray[np.intp]

    @property
    def n_candidates(self) -> int:
        """Number of candidates."""
        return int(candidates(self.value[None], self).sum())


# Scores on draws of rows (draw × configuration) to the configuration chosen on each, −1 for none.
Rule = Callable[[Floats, Grounds], NDArray[np.intp]]


def candidates(value: Floats, grounds: Grounds) -> NDArray[np.bool_]:
    """Return which configurations are above chance and near the best score, draw by draw."""
    with np.errstate(invalid="ignore"):
        good = value - ABOVE_CHANCE * grounds.error > grounds.chance
        best = np.argmax(np.where(good, value, -np.inf), axis=1)
        top = np.take_along_axis(value, best[:, None], axis=1)
        return good & (value >= top - grounds.apart[best])


def trusted(value: Floats, grounds: Grounds) -> NDArray[np.intp]:
    """Choose the most stable candidate; within a standard error, the one with fewer features."""
    good = candidates(value, grounds)
    steady = np.where(good, grounds.steady, -np.inf)
    top = np.argmax(steady, axis=1)
    near = good & (steady >= grounds.steady[top, None] - grounds.steady_apart[top])
    return _first(near, grounds.sizes, -grounds.steady, -value)


def short(value: Floats, grounds: Grounds) -> NDArray[np.intp]:
    """Choose the candidate with the fewest features, the most stable of them."""
    return _first(candidates(value, grounds), grounds.sizes, -grounds.steady, -value)


def accurate(value: Floats, grounds: Grounds) -> NDArray[np.intp]:
    """Choose the candidate with the best score, the most stable of them."""
    return _first(candidates(value, grounds), -value, -grounds.steady, grounds.sizes)


RULES: dict[str, Rule] = {"trusted": trusted, "short": short, "accurate": accurate}


def _first(among: NDArray[np.bool_], *keys: NDArray[Any]) -> NDArray[np.intp]:
    """Return the first of some configurations on every draw, by several keys, low ones first."""
    left = among
    for key in keys:
        least = np.where(left, key, np.inf).min(axis=1, keepdims=True)
        left = left & (key <= least)
    return np.where(among.any(axis=1), np.argmax(left, axis=1), -1)


def gather_grounds(records: Records, metric: Metric, inside: Floats) -> Grounds:
    """Return what the rules look at; `inside` are scores on bootstrap draws, for their spread."""
    methods = judged_methods(records)
    configurations = [
        Configuration(method, size, model, metric.name)
        for method in methods
        for model in records.models
        for size in records.sizes
    ]
    everyone = np.ones((1, records.n_samples))
    value = metric.gain(pooled_scores(records, metric, everyone, methods)[0])
    # A draw may hold no rows that a metric can be computed from.
    known = np.isfinite(inside).sum(axis=0) > 1
    error = np.full(len(known), np.nan)
    error[known] = np.nanstd(inside[:, known], axis=0, ddof=1)
    steady, rows = _steadiness(records, configurations)
    return Grounds(
        configurations=configurations,
        value=value,
        error=error,
        chance=metric.gain(metric.chance(records.target)),
        apart=_score_errors(records, metric, methods),
        steady=steady,
        steady_apart=_stability_errors(rows),
        sizes=np.array([c.size for c in configurations]),
    )


def _score_errors(records: Records, metric: Metric, methods: list[str]) -> Floats:
    """Return the corrected standard error of every paired difference in score over resamples."""
    runs = [records.scores(method, metric.name) for method in methods]
    common = reduce(np.intersect1d, [resamples for resamples, _ in runs])
    width = len(records.models) * len(records.sizes)
    scores = np.concatenate([v[np.isin(r, common)].reshape(-1, width) for r, v in runs], axis=1)
    scores = scores[np.isfinite(scores).all(axis=1)]
    n = scores.shape[1]
    if len(scores) < 2:
        return np.zeros((n, n))
    cov = np.atleast_2d(np.cov(scores, rowvar=False))
    spread = np.maximum(np.add.outer(np.diag(cov), np.diag(cov)) - 2 * cov, 0)
    error = np.sqrt((1 / len(scores) + records.test_share) * spread)
    return np.maximum(error, _least_error(records, metric))


def pooled_scores(records: Records, metric: Metric, copies: Floats, methods: list[str]) -> Floats:
    """Return a metric on drawn rows: draw × (method × model × size).

    From predictions of rows that were not trained on. Rows count as often as they are drawn, so one
    pass gives the score on many draws.
    """
    tested = [records.tested(method) for method in methods]
    return np.concatenate([metric.pooled(records.target, runs, copies) for runs in tested], axis=1)


def effective_rows(records: Records, metric: Metric) -> float:
    """Return how many independent rows a score rests on; a group counts as one."""
    return records.n_units / records.n_samples * metric.rows_worth(records.target)


def _least_error(records: Records, metric: Metric) -> float:
    """Return the standard error that predictions without a fault still have.

    As Agresti and Coull: two more rows, wrong, and two more, right.
    """
    if not math.isfinite(metric.high):
        return 0.0
    n = records.n_units / records.n_samples * records.target.least_rows + 4
    right = 1 - 2 / n
    return (metric.high - metric.low) * math.sqrt(right * (1 - right) / n)


def _steadiness(
    records: Records, configurations: list[Configuration]
) -> tuple[Floats, list[Floats | None]]:
    """Return stability above the null, and row sums of the pairs of runs that all have."""
    runs = {c.method: records.orders(c.method)[0] for c in configurations}
    common = reduce(np.intersect1d, runs.values())

    @cache
    def known(method: str, size: int) -> tuple[float, Floats | None]:
        steady = above_null(records, method, size)
        if math.isnan(steady):
            return -2.0, None
        if len(common) <= 2 or math.isinf(steady):
            return steady, None
        shared = np.isin(runs[method], common)
        return steady, pair_matrix(records, method, size)[1][np.ix_(shared, shared)].sum(axis=1)

    pairs = [known(c.method, c.size) for c in configurations if c.size is not None]
    return np.array([steady for steady, _ in pairs]), [sums for _, sums in pairs]


def _stability_errors(rows: list[Floats | None]) -> Floats:
    """Return the jackknife's standard error of every paired difference in stability."""
    errors = np.zeros((len(rows), len(rows)))
    places = [i for i, sums in enumerate(rows) if sums is not None]
    if places:
        totals = np.column_stack([sums for sums in rows if sums is not None])
        for i, own in zip(places, totals.T, strict=True):
            variance = PairMatrix.jackknife(own[:, None] - totals)
            errors[i, places] = np.sqrt(np.maximum(variance, 0.0))
    return errors
