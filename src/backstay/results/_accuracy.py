"""How well do a method's features predict? Scores on test rows, by model and size."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from backstay.comparison import corrected_mean
from backstay.results._facts import Configuration
from backstay.results._parts import Rows
from backstay.results._records import Records
from backstay.results._stability import size_places
from backstay.targets import Metric

Floats = NDArray[np.float64]
CORRECTED = "Nadeau–Bengio corrected t interval over resamples"


def run_scores(
    records: Records, configuration: Configuration
) -> tuple[NDArray[Any], NDArray[np.float64]]:
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


def scored_metrics(records: Records, metric: str | None) -> list[str]:
    """Return one metric, or all of the study's for None."""
    return records.facts.scoring if metric is None else [records.check_metric(metric)]


def accuracy_rows(records: Records, metrics: list[str], confidence: float = 0.95) -> Rows:
    """Return mean scores by metric, method, model and size, with corrected intervals."""
    records.check_model(None)
    if not 0 < confidence < 1:
        raise ValueError(f"confidence={confidence!r} must lie between 0 and 1.")

    def compute(metric: str) -> Rows:
        rows: Rows = []
        for method in records.methods:
            _, values = records.scores(method, metric)
            for i, model in enumerate(records.models):
                for j, size in enumerate(records.sizes):
                    runs = values[:, i, j]
                    known = runs[np.isfinite(runs)]
                    figures = _corrected(
                        known, records.metric(metric), records.test_share, confidence
                    )
                    base = {"method": method, "model": model, "size": size}
                    rows.append({**base, "metric": metric, **figures})
        return rows

    found: Rows = []
    for metric in metrics:
        found += records.once(("accuracy", metric, confidence), partial(compute, metric))
    return found


def _corrected(
    runs: Floats, metric: Metric, test_share: float, confidence: float
) -> dict[str, float]:
    """Return mean and interval; the interval stays within the metric's range."""
    if not len(runs):
        return {"value": np.nan, "low": np.nan, "high": np.nan, "n_runs": 0}
    if len(runs) == 1:
        return {"value": float(runs[0]), "low": np.nan, "high": np.nan, "n_runs": 1}
    mean, error = corrected_mean(runs, test_share)
    half = float(stats.t.ppf(0.5 + confidence / 2, len(runs) - 1)) * error
    low, high = max(mean - half, metric.low), min(mean + half, metric.high)
    return {"value": mean, "low": low, "high": high, "n_runs": len(runs)}


def run_score_rows(records: Records, metrics: list[str]) -> Rows:
    """Return every single score, one row per resample."""
    records.check_model(None)
    rows: Rows = []
    for metric in metrics:
        for method in records.methods:
            resamples, values = records.scores(method, metric)
            for (r, i, j), value in np.ndenumerate(values):
                rows.append(
                    {
                        "method": method,
                        "resample": int(resamples[r]),
                        "model": records.models[i],
                        "size": records.sizes[j],
                        "metric": metric,
                        "value": float(value),
                    }
                )
    return rows
