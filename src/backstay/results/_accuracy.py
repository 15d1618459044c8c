"""How well do a method's features predict? Scores on test rows, by model and size."""

import math
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from backstay.comparison import corrected_mean
from backstay.results._facts import Configuration
from backstay.results._parts import Rows
from backstay.results._records import Records, computed_once
from backstay.results._stability import size_places
from backstay.targets import Metric

Floats = NDArray[np.float64]
CORRECTED = "Nadeau–Bengio corrected t interval over resamples"


def run_scores(records: Records, configuration: Configuration) -> tuple[NDArray[Any], Floats]:
    """Return resamples and one score each: at a size, or averaged over the sizes."""
    place = records.check_model(configuration.model)
    method = records.check_method(configuration.method)
    resamples, values = records.scores(method, records.check_metric(configuration.metric))
    runs = values[:, place, size_places(records, configuration.size)].mean(axis=1)
    finite = np.isfinite(runs)
    return resamples[finite], runs[finite]


def mean_score(records: Records, configuration: Configuration) -> float:
    """Return the mean over runs of `run_scores`."""
    _, runs = run_scores(records, configuration)
    return float(runs.mean()) if len(runs) else math.nan


def _metrics(records: Records, metric: str | None) -> list[str]:
    """Return one metric, or all of the study's for None."""
    return records.facts.scoring if metric is None else [records.check_metric(metric)]


def accuracy_rows(records: Records, metric: str | None, confidence: float = 0.95) -> Rows:
    """Return mean scores by metric, method, model and size, with corrected intervals."""
    records.check_model(None)
    if not 0 < confidence < 1:
        raise ValueError(f"confidence={confidence!r} must lie between 0 and 1.")
    metrics = _metrics(records, metric)
    return [row for name in metrics for row in _accuracy_rows(records, name, confidence)]


@computed_once
def _accuracy_rows(records: Records, metric: str, confidence: float) -> Rows:
    rows: Rows = []
    known, share = records.metric(metric), records.test_share
    for method in records.methods:
        _, values = records.scores(method, metric)
        for i, model in enumerate(records.models):
            for j, size in enumerate(records.sizes):
                runs = values[np.isfinite(values[:, i, j]), i, j]
                base = {"method": method, "model": model, "size": size, "metric": metric}
                rows.append(base | _corrected(runs, known, share, confidence))
    return rows


def _corrected(
    runs: Floats, metric: Metric, test_share: float, confidence: float
) -> dict[str, float]:
    """Return mean and interval; the interval stays within the metric's range."""
    if len(runs) < 2:
        value = float(runs[0]) if len(runs) else np.nan
        return {"value": value, "low": np.nan, "high": np.nan, "n_runs": len(runs)}
    mean, error = corrected_mean(runs, test_share)
    half = float(stats.t.ppf(0.5 + confidence / 2, len(runs) - 1)) * error
    low, high = max(mean - half, metric.low), min(mean + half, metric.high)
    return {"value": mean, "low": low, "high": high, "n_runs": len(runs)}


def run_score_rows(records: Records, metric: str | None) -> Rows:
    """Return every single score, one row per resample."""
    records.check_model(None)
    columns = ("method", "resample", "model", "size", "metric", "value")
    rows: Rows = []
    for name, method in product(_metrics(records, metric), records.methods):
        resamples, values = records.scores(method, name)
        base = product([method], resamples.tolist(), records.models, records.sizes, [name])
        pairs = zip(base, values.ravel().tolist(), strict=True)
        rows += [dict(zip(columns, (*where, value), strict=True)) for where, value in pairs]
    return rows
