"""What the report is about: the recommended method and size, or what stands in for them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from backstay.report.figures._display import one_dataset
from backstay.results import Recommendation, Results

__all__ = ["Choice", "choose"]


@dataclass(frozen=True)
class Choice:
    """A method and a size to look at.

    Attributes
    ----------
    kind : {"recommended", "nothing", "unjudged"}
        Whether they are recommended, shown although nothing is, or shown because
        no accuracy was measured.
    method, size, classifier, metric : str, int, str or None, str or None
        What to look at; the classifier and the metric where there are any.
    recommendation : Recommendation or None
        The one of the results.
    stability, low, high : float
        Nogueira's measure of the method at that size, with its 95 % interval.
    n_runs : int
        Runs of the method that did not fail.
    """

    kind: str
    method: str
    size: int
    classifier: str | None
    metric: str | None
    recommendation: Recommendation | None
    stability: float
    low: float
    high: float
    n_runs: int


def choose(results: Results) -> Choice:
    """Choose what the report of one data set is about."""
    _, facts = one_dataset(results)
    if not facts["classifiers"]:
        method, size = _stablest(results)
        return _made("unjudged", results, method, size, None, None, None)
    metric = str(facts["scoring"][0])
    found = results.recommend()
    if found.method is not None and found.size is not None:
        return _made(
            "recommended", results, found.method, found.size, found.classifier, metric, found
        )
    table = results.accuracy(metric).frame()
    known = table[np.isfinite(table["value"])]
    best = (known if len(known) else table).iloc[0]
    if len(known):
        best = known.iloc[int(known["value"].argmax())]
    return _made(
        "nothing", results, best["method"], int(best["size"]), best["classifier"], metric, found
    )


def _stablest(results: Results) -> tuple[str, int]:
    """Return the method that is stablest on average over sizes, and its stablest size."""
    table = results.stability().frame()
    known = table[np.isfinite(table["value"])] if len(table) else table
    if not len(known):
        return results.methods[0], int(next(iter(results.facts["datasets"].values()))["sizes"][0])
    method = str(known.groupby("method", sort=False)["value"].mean().idxmax())
    own = known[known["method"] == method]
    return method, int(own["size"].iloc[int(own["value"].argmax())])


def _made(
    kind: str,
    results: Results,
    method: str,
    size: int,
    classifier: str | None,
    metric: str | None,
    found: Recommendation | None,
) -> Choice:
    table: Any = results.stability("nogueira", [size]).frame()
    rows = table[table["method"] == method] if len(table) else table
    value, low, high = (
        float(rows[end].iloc[0]) if len(rows) else math.nan for end in ("value", "low", "high")
    )
    n_runs = len(results._one().orders(method)[0])
    return Choice(kind, method, size, classifier, metric, found, value, low, high, n_runs)
