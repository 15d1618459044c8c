"""The tables of features: the consensus, every feature of note, and the truth where known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from backstay.report._choice import Choice
from backstay.report._words import clean
from backstay.results import Results
from backstay.stability import selection_frequency

__all__ = ["MOST_FEATURES", "consensus_rows", "feature_rows", "signature_rows", "truth_rows"]

Rows = list[dict[str, Any]]
MOST_FEATURES = 300
SHOWN_PARTNERS = 3
THRESHOLDS = (0.5, 0.85)


def _relevant(results: Results) -> Any:
    """Return which features are truly relevant, None if unknown or if all are."""
    truth = results._one().truth
    if truth is None:
        return None
    relevant = np.asarray(truth) != 0
    return relevant if 0 < relevant.sum() < len(relevant) else None


def signature_rows(results: Results, choice: Choice) -> Rows:
    """Return the consensus signature: most often chosen first, and by mean rank among equals."""
    relevant, ranks = _relevant(results), results._one().mean_ranks(choice.method)
    table = results.signature(choice.method, choice.size).frame()
    rows: Rows = [
        {
            "feature": int(row["feature"]),
            "name": clean(row["name"]),
            "frequency": float(row["frequency"]),
            "relevant": None if relevant is None else bool(relevant[row["feature"]]),
        }
        for _, row in table.iterrows()
    ]
    return sorted(rows, key=lambda row: (-row["frequency"], ranks[row["feature"]]))


def consensus_rows(frequencies: pd.DataFrame, methods: list[str], size: int) -> Rows:
    """Count, for every method, features chosen in more than 50 % and 85 % of the runs."""
    rows = []
    for method in methods:
        shares = frequencies.loc[frequencies["method"] == method, "frequency"].to_numpy()
        if not len(shares):
            continue
        often = {f"above_{share:.0%}": int((shares > share).sum()) for share in THRESHOLDS}
        rows.append(
            {
                "method": method,
                **often,
                "always": int((shares >= 1).sum()),
                "ever": len(shares),
                "mean_of_best": float(shares[:size].sum() / size),
            }
        )
    return rows


def feature_rows(results: Results, choice: Choice, frequencies: pd.DataFrame) -> tuple[Rows, int]:
    """Return a row per feature that some method chose, at most so many, and how many there are.

    First those that the chosen method chose most often, then by how often others did.
    """
    records = results._one()
    d = records.n_features
    ranks = results._one().mean_ranks(choice.method)
    share = np.zeros((len(records.methods), d))
    for place, method in enumerate(records.methods):
        rows = frequencies[frequencies["method"] == method]
        share[place, rows["feature"].to_numpy(dtype=int)] = rows["frequency"]
    _, weights = records.weights(choice.method)
    weight = weights.mean(axis=0) if len(weights) else np.full(d, np.nan)
    own = share[records.methods.index(choice.method)]
    order = np.lexsort((np.nan_to_num(ranks, nan=d), -share.max(axis=0), -own))
    chosen = order[share.max(axis=0)[order] > 0]
    partners, relevant = _partners(results), _relevant(results)
    found = [
        {
            "feature": int(j),
            "name": clean(records.feature_name(int(j))),
            "frequency": float(own[j]),
            "rank": float(ranks[j]),
            "weight": float(weight[j]),
            "frequencies": dict(zip(records.methods, share[:, j].tolist(), strict=True)),
            "partners": partners.get(int(j), []),
            "relevant": None if relevant is None else bool(relevant[j]),
        }
        for j in chosen[:MOST_FEATURES]
    ]
    return found, len(chosen)


def _partners(results: Results) -> dict[int, Rows]:
    found: dict[int, Rows] = {}
    for row in results.partners().frame().to_dict("records"):
        mine = found.setdefault(int(row["feature"]), [])
        if len(mine) < SHOWN_PARTNERS:
            mine.append({"name": clean(row["partner_name"]), "r": float(row["correlation"])})
    return found


def truth_rows(results: Results, choice: Choice) -> dict[str, Any] | None:
    """Count the truly relevant features that every method found, where the truth is known."""
    relevant = _relevant(results)
    if relevant is None:
        return None
    records, size = results._one(), choice.size
    split = {row["method"]: row for row in results.bias_variance().frame().to_dict("records")}
    rows = []
    for method in records.methods:
        _, orders = records.orders(method)
        if len(orders) < 2:
            continue
        often = selection_frequency(orders[:, :size], records.n_features) > THRESHOLDS[0]
        rows.append(
            {
                "method": method,
                "found": float(relevant[orders[:, :size]].sum(axis=1).mean()),
                "signature": int(often.sum()),
                "right": int((often & relevant).sum()),
                "bias_squared": float(split[method]["bias_squared"]),
                "variance": float(split[method]["variance"]),
            }
        )
    n = int(relevant.sum())
    return {"n_relevant": n, "by_chance": size * n / len(relevant), "size": size, "rows": rows}
