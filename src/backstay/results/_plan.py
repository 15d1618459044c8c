"""Would more rows help? The score and the replication by number of rows, up to four times as many.

Both are measured on thirds and halves of the rows, the score also by the study's runs and the
replication at all rows as in `backstay.results._replication`. What more rows would give is told by
curves through these points (`backstay.results._growth`). Where rows come in groups, groups are
counted.
"""

import math
from dataclasses import astuple, dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from backstay._refusal import Refusal
from backstay.results._choice import choice_of
from backstay.results._choosing import effective_rows, least_error
from backstay.results._facts import Configuration, Configured, Estimate
from backstay.results._growth import Growth
from backstay.results._recommendation import row_draws
from backstay.results._records import Part, Records, computed_once
from backstay.results._replication import NORMAL_95, replication_error, replication_of
from backstay.targets import Metric

Floats = NDArray[np.float64]
# Rows at which the curves are read, in units of this study's; nobody should look further.
TIMES = (1.0, 1.5, 2.0, 3.0, 4.0)
# What a second study should share, and how closely a validation should know the score.
SHARED, CLOSELY = 0.5, 0.05
N_DRAWS = 200
# Rows were drawn once, for training as well as for testing; drawing them again shows the latter
# only. So variances of scores are doubled, and errors of replication made larger: that of a
# pair of parts, that which all pairs share, and that at all rows. Settled by simulation on other
# tables than those it was judged on (docs/planning.md).
SCORE_TIMES = 2.0
PAIR_ERROR, PARTS_ERROR, WHOLE_TIMES = 0.25, 0.08, 1.3


@dataclass(frozen=True)
class RowsNeeded(Estimate):
    """How many rows something takes, or groups where rows come in groups, with a 95 % range.

    Infinite where curves never get there, and not below the fewest rows that were tried; `here`
    are those of this study.
    """

    here: int

    @property
    def verdict(self) -> str:
        """Return "already", "more" or "beyond" four times as many, by the value."""
        if self.value <= self.here:
            return "already"
        return "more" if self.value <= TIMES[-1] * self.here else "beyond"


@dataclass(frozen=True)
class Plan(Configured):
    """What more rows would bring; where rows come in groups, all numbers of rows are of groups.

    Examples
    --------
    >>> from backstay import TTest
    >>> from backstay.datasets import make_han_yu
    >>> from backstay.study import Study, Subsampling
    >>> X, y, _ = make_han_yu(60, n_features=100, n_relevant=10, random_state=0)
    >>> study = Study({"t": TTest()}, Subsampling(10), sizes=[10], planning=2, random_state=0)
    >>> study.run(X, y).plan().frame()["rows"].tolist()
    [20.0, 30.0, 40.0, 60.0, 90.0, 120.0, 180.0, 240.0]
    """

    configuration: Configuration
    n_rows: int  # independent rows of the study
    grouped: bool  # whether rows come in groups
    shared: RowsNeeded | None  # with which two studies share half of their lists; None if not known
    # With which a validation knows the score to within 0.05 on either side (or, of a metric without
    # bounds, 5 % of the way from guessing to the best). None without models.
    validation: RowsNeeded | None
    _data: pd.DataFrame

    def frame(self) -> pd.DataFrame:
        """Return score and replication by ``rows`` that a method is trained on, with 95 % bands.

        ``measured`` says whether runs were on so many rows; what they gave is beside the bands.
        """
        return self._data.copy()


@dataclass(frozen=True)
class _Points:
    """Measured values by rows, higher is better, the error of the last, and curves through them."""

    rows: Floats
    values: Floats
    error: float
    curves: Growth


@computed_once
def plan_of(records: Records, configuration: Configuration) -> Plan:
    """Return what more rows would bring to a configuration."""
    metric = records.metric(records.facts.metric) if records.models else None
    parts = _checked_parts(records, configuration.method)
    score = None if metric is None else _score_points(records, configuration, metric, parts)
    replication = _replication_points(records, configuration, parts)
    found = [one for one in (score, replication) if one is not None]
    if not found:
        raise Refusal(
            f"there is no score and no replication of {configuration.method!r} at size "
            f"{configuration.size} to plan by; name another method and size.",
            parameter=("method", "size"),
        )
    n = records.n_units
    rows = np.unique(np.concatenate([*(one.rows for one in found), n * np.array(TIMES)]).round(2))
    data, known = pd.DataFrame({"rows": rows}), pd.DataFrame()
    for name, points, by in (("score", score, metric), ("replication", replication, None)):
        ends, measured = np.full((len(rows), 3), math.nan), np.full(len(rows), math.nan)
        if points is not None:
            ends = np.array([astuple(points.curves.at(m)) for m in rows])
            measured[np.searchsorted(rows, points.rows.round(2))] = points.values
        if by is not None:
            ends, measured = by.gain(ends), by.gain(measured)
            ends = ends if by.higher_is_better else ends[:, [0, 2, 1]]
        data[[name, f"{name}_low", f"{name}_high"]] = ends
        known[f"{name}_measured"] = measured
    data = data.assign(measured=known.notna().any(axis=1), **known)
    return Plan(
        configuration,
        n,
        records.facts.n_groups is not None,
        None if replication is None else _rows_to_share(replication, n),
        None if score is None or metric is None else _validation_rows(records, metric, score),
        data,
    )


def configuration_of(
    records: Records, method: str | None, size: int | None, model: str | None
) -> Configuration:
    """Return the configuration that is named, or the one that a report is about."""
    if method is None and size is None and model is None:
        return choice_of(records).configuration
    if method is None or size is None:
        raise Refusal("give method and size together, or neither.", parameter=("method", "size"))
    records.check_size(size)
    if not records.models:
        return Configuration(records.check_method(method), size)
    named = records.models[records.check_model(model)]
    return Configuration(records.check_method(method), size, named, records.facts.metric)


def _checked_parts(records: Records, method: str) -> dict[int, list[Part]]:
    """Return the runs on parts by the number of parts; refuse where some are missing."""
    if not records.facts.part_runs:
        raise Refusal(
            f"the study of {records.dataset!r} has no runs on halves and thirds of its rows, so "
            "nothing shows how more rows would help. Run it again with planning=4; nothing is "
            "computed twice.",
            parameter="planning",
        )
    parts: dict[int, list[Part]] = {}
    for part in records.parts(method):
        parts.setdefault(part.n_parts, []).append(part)
    if len(parts) < 2 or not all(_pairs(some) for some in parts.values()):
        raise Refusal(
            f"too few runs of {method!r} on halves and thirds of the rows are done; let the study "
            "go on first."
        )
    return parts


def _pairs(parts: list[Part]) -> list[tuple[Part, Part]]:
    """Return the pairs of parts of one deal, which share no row."""
    return [(a, b) for a, b in combinations(parts, 2) if a.deal == b.deal]


def _mean_units(records: Records, trained: list[NDArray[np.intp]]) -> float:
    """Return the mean number of independent rows that runs are trained on."""
    return float(np.mean([len(np.unique(records.units[rows])) for rows in trained]))


def _score_points(
    records: Records, configuration: Configuration, metric: Metric, parts: dict[int, list[Part]]
) -> _Points:
    """Return the score by training rows, with the correction for the choice where one was made."""
    model, size = records.check_model(configuration.model), configuration.size
    assert size is not None
    place = np.s_[model : model + 1, (at := records.check_size(size)) : at + 1]
    runs = []
    for some in parts.values():
        tested = [(part.others, part.outputs[place]) for part in some if part.outputs is not None]
        runs.append(([part.rows for part in some], tested))
    trained = [records.train(i) for i in range(records.n_resamples)]
    runs.append((trained, [(r, out[place]) for r, out in records.tested(configuration.method)]))
    rows = np.array([_mean_units(records, some) for some, _ in runs])
    order = np.argsort(rows, kind="stable")
    copies = np.vstack([np.ones(records.n_samples), row_draws(records, N_DRAWS, 0)])
    pooled = [metric.pooled(records.target, runs[i][1], copies)[:, 0] for i in order]
    values, *drawn = metric.gain(np.array(pooled)).T
    draws = np.array([draw for draw in drawn if np.isfinite(draw).all()]).T
    # Predictions that are nearly all right have no spread to show.
    error = np.maximum(draws.std(axis=1, ddof=1), max(least_error(records, metric), 1e-6))
    with np.errstate(invalid="ignore", divide="ignore"):
        together = np.clip(np.nan_to_num(np.corrcoef(draws)), -0.9, 0.9)
    np.fill_diagonal(together, 1.0)
    covariance = SCORE_TIMES * np.outer(error, error) * together
    guess, best = (float(metric.gain(v)) for v in (metric.chance(records.target), metric.best))
    values = np.minimum(values + _score_shift(records, configuration, metric), best)
    curves = Growth.fit(rows[order], values, covariance, guess, best)
    return _Points(rows[order], values, float(error[-1]), curves)


def _score_shift(records: Records, configuration: Configuration, metric: Metric) -> float:
    """Return by how much the score is lower for having been chosen; 0 where it was not."""
    advice = choice_of(records).recommendation
    trusted = None if advice is None else advice.trusted
    if trusted is None or trusted.configuration != configuration:
        return 0.0
    return float(metric.gain(trusted.score.value - trusted.apparent))


def _replication_points(
    records: Records, configuration: Configuration, parts: dict[int, list[Part]]
) -> _Points | None:
    """Return the chance-corrected overlap of independent samples by their rows; None if unknown."""
    method, size = configuration.method, configuration.size
    assert size is not None
    whole = replication_of(records, method, size)
    if whole is None:
        return None
    chosen = choice_of(records)
    if chosen.configuration == configuration and chosen.replication is not None:
        whole = chosen.replication
    at_random = size * size / records.n_features
    rows, values, errors = [], [], []
    for n_parts in sorted(parts, reverse=True):
        pairs = _pairs(parts[n_parts])
        shared = [len(np.intersect1d(a.order[:size], b.order[:size])) for a, b in pairs]
        rows.append(_mean_units(records, [part.rows for part in parts[n_parts]]))
        values.append((float(np.mean(shared)) - at_random) / (size - at_random))
        errors.append(math.sqrt(PAIR_ERROR**2 / len(pairs) + PARTS_ERROR**2))
    rows.append(float(records.n_units))
    values.append(whole.value)
    errors.append(WHOLE_TIMES * replication_error(records, method, size))
    points = np.array(rows), np.array(values)
    return _Points(*points, errors[-1], Growth.fit(*points, np.diag(errors) ** 2, 0.0, 1.0))


def _rows_to_share(replication: _Points, here: int) -> RowsNeeded:
    """Return the rows with which two studies share half; not below the fewest that were tried."""
    fewest = float(replication.rows[0])
    found = astuple(replication.curves.rows_for(SHARED))
    value, low, high = (max(rows, fewest) for rows in found)
    return RowsNeeded(value, low, high, here)


def _validation_rows(records: Records, metric: Metric, score: _Points) -> RowsNeeded:
    """Return the rows of a validation that knows the score closely, if it is what is expected."""
    n = records.n_units
    if not (math.isfinite(metric.low) and math.isfinite(metric.high)):
        closely = CLOSELY * abs(metric.best - metric.chance(records.target))
        rows = n * (NORMAL_95 * score.error / closely) ** 2
        low, high = (n - 1) / stats.chi2.ppf([0.975, 0.025], n - 1)
        return RowsNeeded(rows, rows * float(low), rows * float(high), n)
    ends = [float(metric.gain(v)) for v in astuple(score.curves.at(n))]
    middle = (metric.low + metric.high) / 2
    if min(ends) < middle < max(ends):  # where a score of so many rows is least sure
        ends.append(middle)
    worth = effective_rows(records, metric) / n
    needed = [_rows_within(metric, min(max(v, metric.low), metric.high), worth) for v in ends]
    return RowsNeeded(needed[0], min(needed), max(needed), n)


def _rows_within(metric: Metric, value: float, worth: float) -> float:
    """Return the rows whose interval of a score reaches no further than wanted on average."""
    low, high = 0.0, 20.0
    for _ in range(50):
        middle = (low + high) / 2
        worst, best = metric.least_interval(value, worth * math.exp(middle))
        low, high = (middle, high) if best - worst > 2 * CLOSELY else (low, middle)
    return math.exp(high)
