"""What to look at? The recommended configuration, or what stands in for it."""

import math
from dataclasses import dataclass

import numpy as np

from backstay.results._accuracy import accuracy_rows
from backstay.results._facts import Configuration, Configured, Estimate
from backstay.results._recommendation import Recommendation, null_of, recommended, stability_of
from backstay.results._records import Records, computed_once
from backstay.results._replication import replication_of
from backstay.results._runs import judged_methods
from backstay.results._stability import curve_rows


@dataclass(frozen=True)
class Choice(Configured):
    """What to look at: the recommended configuration, or what stands in for it."""

    # "recommended"; "nothing", shown although nothing is; "unjudged", without models.
    kind: str
    configuration: Configuration  # with model and metric where there are any
    recommendation: Recommendation | None  # None where no accuracy was measured
    stability: float  # Nogueira's measure at that size, with its 95 % interval
    low: float
    high: float
    null: float  # mean stability with shuffled outcomes; nan if that was not run
    # Overlap expected with what an independent sample of as many rows would choose, corrected for
    # the choice where one was made; None where rows or runs are too few.
    replication: Estimate | None
    n_runs: int  # of the method, that did not fail


@computed_once
def choice_of(records: Records) -> Choice:
    """Return the configuration that a data set's report is about."""
    if not records.models:
        return _looked_at("unjudged", records, _stablest(records), None)
    recommendation = recommended(records)
    if (trusted := recommendation.trusted) is not None:
        return _looked_at("recommended", records, trusted.configuration, recommendation)
    metric = records.facts.metric
    gain = records.metric(metric).gain
    judged = judged_methods(records)
    most = records.max_features or records.n_features
    rows = [row for row in accuracy_rows(records, metric) if row["method"] in judged]
    rows = [row for row in rows if row["size"] <= most]
    best = max(rows, key=lambda row: np.nan_to_num(gain(row["value"]), nan=-np.inf))
    chosen = Configuration(best["method"], best["size"], best["model"], metric)
    return _looked_at("nothing", records, chosen, recommendation)


def method_and_size(records: Records, method: str | None, size: int | None) -> tuple[str, int]:
    """Return a method and a size given together, or else those that a report is about."""
    if (method is None) != (size is None):
        raise ValueError("give method and size together, or neither.")
    if method is None or size is None:
        chosen = choice_of(records)
        return chosen.method, chosen.size
    return method, size


def _stablest(records: Records) -> Configuration:
    """Return the method that is stablest on average over sizes, at its stablest size."""
    curves: dict[str, dict[int, float]] = {}
    judged = judged_methods(records)
    for method in judged:
        values = {int(row["size"]): row["value"] for row in curve_rows(records, method)}
        few = {size: v for size, v in values.items() if size <= (records.max_features or size)}
        curves[method] = {size: value for size, value in few.items() if math.isfinite(value)}
    known = [method for method in judged if curves[method]]
    if not known:
        return Configuration(judged[0], records.sizes[0])
    method = max(known, key=lambda name: np.mean([*curves[name].values()]))
    return Configuration(method, max(curves[method], key=curves[method].__getitem__))


def _looked_at(
    kind: str, records: Records, chosen: Configuration, recommendation: Recommendation | None
) -> Choice:
    steady, null = stability_of(records, chosen), null_of(records, chosen)
    n_runs = len(records.orders(chosen.method)[0])
    advised = None if recommendation is None else recommendation.replication
    replication = advised or replication_of(records, chosen.method, chosen.size or 0)
    figures = (steady.value, steady.low, steady.high, null, replication, n_runs)
    return Choice(kind, chosen, recommendation, *figures)
