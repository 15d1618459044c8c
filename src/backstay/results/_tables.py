"""The tables of one data set's results, row by row."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from backstay.comparison._two_methods import corrected_mean
from backstay.results._records import Records
from backstay.stability import (
    UndefinedStabilityWarning,
    bias_variance,
    consensus,
    list_measures,
    ranking_stability,
    selection_frequency,
    stability_curve,
    weight_stability,
)
from backstay.stability._inference import jackknife
from backstay.stability._results import normal_interval

Row = dict[str, Any]
Rows = list[Row]


def stability_rows(
    records: Records,
    measure: str,
    sizes: Iterable[int] | str | None,
    confidence: float,
    options: dict[str, Any],
) -> Rows:
    """Stability of every method, at every size for measures on subsets."""
    table = list_measures()
    known = table.loc[table.name == measure, "input"].tolist()
    kinds = [kind for kind in known if kind != "predictions"]
    if not kinds:
        names = table.loc[table.input != "predictions", "name"].tolist()
        raise ValueError(f"measure={measure!r} is unknown; there are {', '.join(names)}.")
    rows: Rows = []
    for method in records.methods:
        _, orders = records.orders(method)
        if len(orders) < 2:
            continue
        base = {"method": method, "measure": measure}
        if kinds[0] == "subsets":
            asked = _sizes(records, method, sizes)
            with warnings.catch_warnings():
                # All features are no selection: the row says nan, which is the answer here.
                warnings.simplefilter("ignore", UndefinedStabilityWarning)
                curve = stability_curve(
                    orders, measure, asked, kind="order", confidence=confidence, **options
                )
            rows += [base | {str(k): v for k, v in row.items()} for row in curve.to_dict("records")]
            continue
        if kinds[0] == "rankings":
            found = ranking_stability(
                orders, measure, kind="order", confidence=confidence, **options
            )
        else:
            both = weight_stability(records.weights(method)[1], confidence=confidence, **options)
            found = both.mean_variance if measure == "variance" else both.pearson
        low, high = found.confidence_interval
        rows.append(
            {
                **base,
                "size": records.n_features,
                "value": found.value,
                "low": low,
                "high": high,
                "variance": found.variance,
                "n_runs": len(orders),
            }
        )
    return rows


def _sizes(records: Records, method: str, sizes: Iterable[int] | str | None) -> list[int]:
    if sizes is None:
        return records.sizes
    if isinstance(sizes, str):
        if sizes != "all":
            raise ValueError(f"sizes={sizes!r} must be 'all', None or a list of integers.")
        return list(range(1, records.n_ranked(method) + 1))
    return list(sizes)


def accuracy_rows(records: Records, metrics: list[str], confidence: float) -> Rows:
    """Mean score by method, classifier and size, with corrected intervals."""
    records.check_classifier(None)
    if not 0 < confidence < 1:
        raise ValueError(f"confidence={confidence!r} must lie between 0 and 1.")
    rows: Rows = []
    for metric in metrics:
        for method in records.methods:
            _, values = records.scores(method, metric)
            for i, classifier in enumerate(records.classifiers):
                for j, size in enumerate(records.sizes):
                    runs = values[:, i, j]
                    figures = _corrected(runs[np.isfinite(runs)], records.test_share, confidence)
                    base = {"method": method, "classifier": classifier, "size": size}
                    rows.append({**base, "metric": metric, **figures})
    return rows


def _corrected(runs: NDArray[np.float64], test_share: float, confidence: float) -> Row:
    if not len(runs):
        return {"value": np.nan, "low": np.nan, "high": np.nan, "n_runs": 0}
    if len(runs) == 1:
        return {"value": float(runs[0]), "low": np.nan, "high": np.nan, "n_runs": 1}
    mean, error = corrected_mean(runs, test_share)
    half = float(stats.t.ppf(0.5 + confidence / 2, len(runs) - 1)) * error
    return {"value": mean, "low": mean - half, "high": mean + half, "n_runs": len(runs)}


def score_rows(records: Records, metrics: list[str]) -> Rows:
    """Every single score: one row per method, resample, classifier, size and metric."""
    records.check_classifier(None)
    rows: Rows = []
    for metric in metrics:
        for method in records.methods:
            resamples, values = records.scores(method, metric)
            for (r, i, j), value in np.ndenumerate(values):
                rows.append(
                    {
                        "method": method,
                        "resample": int(resamples[r]),
                        "classifier": records.classifiers[i],
                        "size": records.sizes[j],
                        "metric": metric,
                        "value": float(value),
                    }
                )
    return rows


def frequency_rows(records: Records, size: int) -> Rows:
    """How often every feature was among the best, for features that ever were."""
    rows: Rows = []
    for method in records.methods:
        _, orders = records.orders(method)
        if len(orders) < 2:
            continue
        frequency = selection_frequency(orders[:, :size], records.n_features)
        for feature in np.argsort(-frequency, kind="stable"):
            if frequency[feature] == 0:
                break
            rows.append(_feature_row(records, method, size, feature, frequency))
    return rows


def signature_rows(records: Records, method: str, size: int, threshold: float) -> Rows:
    """Features among the best in more than a share of the runs."""
    _, orders = records.orders(method)
    if len(orders) < 2:
        return []
    chosen = consensus(orders[:, :size], records.n_features, threshold)
    frequency = selection_frequency(orders[:, :size], records.n_features)
    return [_feature_row(records, method, size, feature, frequency) for feature in chosen]


def _feature_row(
    records: Records, method: str, size: int, feature: Any, frequency: NDArray[np.float64]
) -> Row:
    return {
        "method": method,
        "size": size,
        "feature": int(feature),
        "name": records.feature_name(int(feature)),
        "frequency": float(frequency[feature]),
    }


def weight_rows(records: Records, normalize: bool, confidence: float) -> Rows:
    """Variance and correlation of the feature weights over runs."""
    rows: Rows = []
    for method in records.methods:
        _, weights = records.weights(method)
        if len(weights) < 2:
            continue
        found = weight_stability(weights, normalize=normalize, confidence=confidence)
        for result in (found.mean_variance, found.pearson):
            low, high = result.confidence_interval
            rows.append(
                {
                    "method": method,
                    "measure": result.measure,
                    "value": result.value,
                    "low": low,
                    "high": high,
                    "n_runs": result.n_runs,
                }
            )
    return rows


def bias_variance_rows(records: Records, truth: Any, normalize: bool) -> Rows:
    """Error of the feature weights against the truth, split into bias² and variance."""
    truth = records.truth if truth is None else truth
    if truth is None:
        raise ValueError("truth is not known; give run(…, truth=) or bias_variance(truth=).")
    rows: Rows = []
    for method in records.methods:
        _, weights = records.weights(method)
        if len(weights) < 2:
            continue
        found = bias_variance(weights, truth, normalize=normalize)
        figures = {name: getattr(found, name) for name in ("error", "bias_squared", "variance")}
        rows.append({"method": method, **figures, "n_runs": found.n_runs})
    return rows


def prediction_rows(records: Records, confidence: float) -> Rows:
    """How far models of different resamples agree on rows that both were tested on."""
    records.check_classifier(None)
    rows: Rows = []
    n, n_classes = records.n_samples, len(records.classes)
    for method in records.methods:
        predicted = records.predicted(method)
        if len(predicted) < 2:
            continue
        for i, classifier in enumerate(records.classifiers):
            for j, size in enumerate(records.sizes):
                votes = np.zeros((len(predicted), n, n_classes), dtype=np.int8)
                for run, (resample, labels) in enumerate(predicted):
                    votes[run, records.test(resample), labels[i, j]] = 1
                base = {"method": method, "classifier": classifier, "size": size}
                for measure, k in (("agreement", 0), ("kappa", 1)):
                    figures = _agreement(votes, k, confidence)
                    rows.append({**base, "measure": measure, **figures})
    return rows


def _agreement(votes: NDArray[np.int8], which: int, confidence: float) -> Row:
    """Pool all pairs of models over the rows that both predicted; jackknife over models."""
    total = votes.sum(axis=0, dtype=np.float64)

    def value(counts: NDArray[np.float64]) -> float:
        pairs = (counts.sum(axis=1) * (counts.sum(axis=1) - 1)).sum()
        if pairs == 0:
            return np.nan
        agree = (counts * (counts - 1)).sum() / pairs
        if which == 0:
            return float(agree)
        # A row predicted by m models is in m − 1 pairs of each: that weighs the class shares.
        share = (counts * (counts.sum(axis=1, keepdims=True) - 1)).sum(axis=0) / pairs
        chance = (share**2).sum()
        return float((agree - chance) / (1 - chance)) if chance < 1 else np.nan

    estimate = value(total)

    def without(runs: NDArray[np.intp]) -> float:
        left_out = np.setdiff1d(np.arange(len(votes)), runs)[0]
        return value(total - votes[left_out])

    variance = jackknife(without, len(votes)) if not np.isnan(estimate) else np.nan
    low, high = normal_interval(estimate, variance, confidence)
    return {"value": estimate, "low": low, "high": high, "n_runs": len(votes)}


def instance_rows(records: Records) -> Rows:
    """Instance weights averaged per row, relative to a mean of 1 in each resample."""
    rows: Rows = []
    for method in records.methods:
        pairs = records.sample_weights(method)
        if not pairs:
            continue
        total, squares, times = (np.zeros(records.n_samples) for _ in range(3))
        for resample, omega in pairs:
            train = records.train(resample)
            relative = omega / omega.mean()
            total[train] += relative
            squares[train] += relative**2
            times[train] += 1
        seen = np.flatnonzero(times)
        mean = total[seen] / times[seen]
        spread = np.sqrt(np.maximum(squares[seen] / times[seen] - mean**2, 0))
        for row, average, deviation in zip(seen, mean, spread, strict=True):
            rows.append(
                {
                    "method": method,
                    "row": int(row),
                    "name": records.sample_name(int(row)),
                    "class": records.classes[records.codes[row]],
                    "weight": float(average),
                    "std": float(deviation),
                    "n_runs": int(times[row]),
                }
            )
    return rows


def partner_rows(records: Records) -> Rows:
    """Correlated partners of often selected features, strongest first."""
    return [
        {
            "feature": int(feature),
            "name": records.feature_name(int(feature)),
            "partner": int(partner),
            "partner_name": records.feature_name(int(partner)),
            "correlation": float(r),
        }
        for feature, partner, r in zip(*records.partners, strict=True)
    ]


def time_rows(records: Records) -> Rows:
    """Seconds per task, by what they were spent on."""
    rows: Rows = []
    tasks = records.store.tasks(records.dataset)
    for method in records.methods:
        spent = [task["seconds"] for task in tasks if task["method"] == method]
        if not spent:
            continue
        row: Row = {"method": method}
        for kind in ("preprocess", "method", "classifier", "total"):
            row[f"{kind}_seconds"] = float(np.mean([times.get(kind, 0.0) for times in spent]))
        rows.append({**row, "n_tasks": len(spent)})
    return rows


def error_rows(records: Records) -> Rows:
    """Tasks that failed, and why."""
    names = ("method", "resample", "stage", "error")
    tasks = records.store.tasks(records.dataset)
    return [{name: task[name] for name in names} for task in tasks if task["error"]]


def similarity_rows(records: Records, size: int) -> Rows:
    """Overlap, beyond chance, of what two methods select on the same resample."""
    d = records.n_features
    selected = {}
    for method in records.methods:
        resamples, orders = records.orders(method)
        selected[method] = {
            int(i): set(order[:size].tolist()) for i, order in zip(resamples, orders, strict=True)
        }
    rows: Rows = []
    for a, first in enumerate(records.methods):
        for second in records.methods[a:]:
            one, other = selected[first], selected[second]
            common = [len(one[i] & other[i]) for i in one if i in other]
            shared = float(np.mean(common)) if common else np.nan
            span = size - size**2 / d
            value = (shared - size**2 / d) / span if span > 0 else np.nan
            rows.append(
                {
                    "first": first,
                    "second": second,
                    "size": size,
                    "shared": shared,
                    "kuncheva": value,
                    "n_runs": len(common),
                }
            )
    return rows
