"""What features add to covariates and batch, and whether a signature holds in every batch."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backstay.results._facts import Configuration, Estimate
from backstay.results._parts import Rows
from backstay.results._records import Records
from backstay.results._stability import kuncheva_pairs
from backstay.targets import Metric

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Added:
    """What a choice of features adds to covariates and batch, on rows that it did not see.

    Attributes
    ----------
    covariates, features, both : Estimate
        Score of models on covariates and batch alone, by the model that is best at it; on features
        alone; and on features with the covariates.
    gain : Estimate
        How much better both are than covariates and batch alone: above 0 is better, whatever the
        metric. Its interval is of the paired difference, on the same rows and draws.
    """

    covariates: Estimate
    features: Estimate
    both: Estimate
    gain: Estimate

    @property
    def shown(self) -> bool:
        """Whether the features are shown to add something."""
        return self.gain.low > 0


def added_to_covariates(
    records: Records,
    metric: Metric,
    methods: list[str],
    copies: Floats,
    drawn: tuple[NDArray[np.intp], Floats],
    few: NDArray[np.bool_],
) -> Added | None:
    """Return what choices add on rows left out of the draws they were made on.

    `drawn` are the configuration chosen on every draw and the scores of all on the rows left out,
    `few` which configurations have few enough features to be chosen.
    """
    chosen, both = drawn
    alone = records.tested(methods[0], " of covariates")
    if not alone:
        return None
    everyone = np.ones((1, records.n_samples))
    model = np.nanargmax(metric.gain(metric.pooled(records.target, alone, everyone)[0]))
    beside = metric.pooled(records.target, alone, copies)[:, model]
    features = both
    if records.tested(methods[0], " of features"):  # otherwise no covariates join them
        by_method = (records.tested(method, " of features") for method in methods)
        features = np.concatenate(
            [metric.pooled(records.target, runs, copies) for runs in by_method], axis=1
        )[:, few]
    draws = np.arange(len(chosen))
    scores = np.stack([beside, features[draws, chosen], both[draws, chosen]])
    scores = scores[:, (chosen >= 0) & np.isfinite(scores).all(axis=0)]
    gain = metric.gain(scores[2]) - metric.gain(scores[0])
    return Added(*(_estimate(values) for values in (*scores, gain)))


def _estimate(values: Floats) -> Estimate:
    low, high = np.quantile(values, [0.025, 0.975])
    return Estimate(float(values.mean()), float(low), float(high))


def batch_rows(records: Records, configuration: Configuration) -> Iterator[dict[str, object]]:
    """Yield, for every batch, its rows and how well they were predicted."""
    names = records.facts.design.get("batches", [])
    batch = records.batch
    if batch is None or not records.models:
        return
    metric = records.metric(records.check_metric(configuration.metric))
    place = records.check_model(configuration.model) * len(records.sizes)
    place += records.check_size(configuration.size or 0)
    copies = np.equal.outer(np.arange(len(names)), batch).astype(np.float64)
    runs = records.tested(configuration.method)
    if not runs:
        return
    scores = metric.pooled(records.target, runs, copies)[:, place]
    for name, score, rows in zip(names, scores, copies.sum(axis=1), strict=True):
        yield {"batch": name, "rows": int(rows), "metric": metric.name, "score": float(score)}


def batch_agreement(records: Records, configuration: Configuration) -> Rows:
    """Return how far the features that two batches choose on their own are the same."""
    names, size = records.facts.design.get("batches", []), configuration.size
    runs = records.parts(configuration.method, True)
    if len(runs) < 2 or size is None:
        return []
    orders = np.array([run.order[:size] for run in runs])
    (pairs,) = kuncheva_pairs(orders, [size], records.n_features)
    return [
        {
            "first": names[a.n_parts],
            "second": names[b.n_parts],
            "kuncheva": 1.0 if i == j else float(pairs[i, j]),
        }
        for i, a in enumerate(runs)
        for j, b in enumerate(runs)
        if i <= j
    ]
