"""The rules that choose among configurations: trusted, short, accurate.

All take the same candidates: above chance, and within one standard error of the best score. The
standard error is that of the paired difference over resamples, corrected for the rows that
resamples share (Nadeau & Bengio 2003); the plain one would be far too small. The plain one says
which differences another seed could turn around: those are ties.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay.results._facts import Configuration
from backstay.results._null import above_null
from backstay.results._records import Records
from backstay.results._replication import overlap_draws, replication_error, replication_of
from backstay.results._runs import judged_methods
from backstay.targets import Metric

Floats = NDArray[np.float64]
# One-sided 95 %: what a configuration must exceed chance by, in standard errors.
ABOVE_CHANCE = 1.645


@dataclass(frozen=True)
class Grounds:
    """What a rule looks at, configuration by configuration; higher is better throughout."""

    configurations: list[Configuration]  # method × model × size, of methods with enough runs
    value: Floats  # pooled score
    error: Floats  # its standard error over rows
    chance: float  # what guessing reaches
    apart: Floats  # standard errors of the paired differences in score, n × n
    tied: Floats  # the same over other splits of these rows
    # The overlap expected with an independent sample, less its standard error. Where that is not
    # known, stability above the shuffled-label null. −2 where undefined.
    steady: Floats
    steady_draws: Floats  # the same if other modules of features had been drawn, draw × n
    sizes: NDArray[np.intp]  # numbers of features

    def only(self, kept: NDArray[np.bool_]) -> "Grounds":
        """Return some of the configurations."""
        return replace(
            self,
            configurations=[c for c, keep in zip(self.configurations, kept, strict=True) if keep],
            **{name: getattr(self, name)[kept] for name in ("value", "error", "steady", "sizes")},
            **{name: getattr(self, name)[np.ix_(kept, kept)] for name in ("apart", "tied")},
            steady_draws=self.steady_draws[:, kept],
        )

    @property
    def n_candidates(self) -> int:
        """Number of candidates."""
        return int(candidates(self.value[None], self).sum())


# Scores and steadiness, both draw × configuration, to the configuration chosen on each draw, −1
# for none.
Rule = Callable[[Floats, Floats, Grounds], NDArray[np.intp]]


def candidates(value: Floats, grounds: Grounds) -> NDArray[np.bool_]:
    """Return which configurations are above chance and near the best score, draw by draw."""
    return _near_best(value, grounds, grounds.apart)


def _near_best(value: Floats, grounds: Grounds, apart: Floats) -> NDArray[np.bool_]:
    with np.errstate(invalid="ignore"):
        good = value - ABOVE_CHANCE * grounds.error > grounds.chance
        best = np.argmax(np.where(good, value, -np.inf), axis=1)
        top = np.take_along_axis(value, best[:, None], axis=1)
        return good & (value >= top - apart[best])


def trusted(value: Floats, steady: Floats, grounds: Grounds) -> NDArray[np.intp]:
    """Choose the candidate that another sample would most surely choose again."""
    return _first(candidates(value, grounds), -steady, grounds.sizes, -value)


def short(value: Floats, steady: Floats, grounds: Grounds) -> NDArray[np.intp]:
    """Choose the candidate with the fewest features, the steadiest of them."""
    return _first(candidates(value, grounds), grounds.sizes, -steady, -value)


def accurate(value: Floats, steady: Floats, grounds: Grounds) -> NDArray[np.intp]:
    """Choose the candidate with the best score; among ties the steadiest."""
    return _first(_near_best(value, grounds, grounds.tied), -steady, grounds.sizes, -value)


RULES: dict[str, Rule] = {"trusted": trusted, "short": short, "accurate": accurate}


def _first(among: NDArray[np.bool_], *keys: NDArray[Any]) -> NDArray[np.intp]:
    """Return the first of some configurations on every draw, by several keys, low ones first."""
    left = among
    for key in keys:
        least = np.where(left, key, np.inf).min(axis=1, keepdims=True)
        left = left & (key <= least)
    return np.where(among.any(axis=1), np.argmax(left, axis=1), -1)


def gather_grounds(records: Records, metric: Metric, inside: Floats, value: Floats) -> Grounds:
    """Return what the rules look at; `inside` are values on bootstrap draws, for their spread."""
    methods = judged_methods(records)
    configurations = [
        Configuration(method, size, model, metric.name)
        for method in methods
        for model in records.models
        for size in records.sizes
    ]
    # A draw may hold no rows that a metric can be computed from.
    known = np.isfinite(inside).sum(axis=0) > 1
    error = np.full(len(known), np.nan)
    error[known] = np.nanstd(inside[:, known], axis=0, ddof=1)
    apart, tied = _score_errors(records, metric, methods)
    steady, drawn = _steadiness(records, configurations)
    return Grounds(
        configurations=configurations,
        value=value,
        error=error,
        chance=metric.gain(metric.chance(records.target)),
        apart=apart,
        tied=tied,
        steady=steady,
        steady_draws=drawn,
        sizes=np.array([c.size for c in configurations]),
    )


def _score_errors(records: Records, metric: Metric, methods: list[str]) -> tuple[Floats, Floats]:
    """Return standard errors of every paired difference in score: over rows, over splits."""
    runs = [records.scores(method, metric.name) for method in methods]
    common = reduce(np.intersect1d, [resamples for resamples, _ in runs])
    width = len(records.models) * len(records.sizes)
    scores = np.concatenate([v[np.isin(r, common)].reshape(-1, width) for r, v in runs], axis=1)
    scores = scores[np.isfinite(scores).all(axis=1)]
    n = scores.shape[1]
    if len(scores) < 2:
        return np.zeros((n, n)), np.zeros((n, n))
    cov = np.atleast_2d(np.cov(scores, rowvar=False))
    spread = np.maximum(np.add.outer(np.diag(cov), np.diag(cov)) - 2 * cov, 0)
    error = np.sqrt((1 / len(scores) + records.test_share) * spread)
    return np.maximum(error, least_error(records, metric)), np.sqrt(spread / len(scores))


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


def least_error(records: Records, metric: Metric) -> float:
    """Return the standard error that predictions without a fault still have.

    As Agresti and Coull: two more rows, wrong, and two more, right.
    """
    if not metric.is_bounded:
        return 0.0
    n = records.n_units / records.n_samples * records.target.least_rows + 4
    right = 1 - 2 / n
    return (metric.high - metric.low) * math.sqrt(right * (1 - right) / n)


def _steadiness(records: Records, configurations: list[Configuration]) -> tuple[Floats, Floats]:
    """Return how surely each configuration's features are chosen again, and the same on draws."""

    @cache
    def known(method: str, size: int) -> tuple[float, Floats | None]:
        found = replication_of(records, method, size)
        if found is None:
            above = above_null(records, method, size)
            return (-2.0 if math.isnan(above) else above), None
        error = replication_error(records, method, size)
        return found.value - error, overlap_draws(records, method, size) - error

    pairs = [known(c.method, c.size) for c in configurations if c.size is not None]
    steady = np.array([one for one, _ in pairs])
    n_draws = max((len(drawn) for _, drawn in pairs if drawn is not None), default=1)
    columns = [np.full(n_draws, one) if drawn is None else drawn for (one, drawn) in pairs]
    return steady, np.column_stack(columns)
