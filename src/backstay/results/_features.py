"""Which features? How often each was chosen, what could replace it, and is it more than luck."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay._wilson import wilson
from backstay.results._parts import Rows, size_within
from backstay.results._records import Records, computed_once
from backstay.results._replication import again
from backstay.results._stability import bias_variance_rows

if TYPE_CHECKING:  # a reader of results need not load the methods
    from backstay.ensemble import DecoyScores

# A feature of the signature is in its core if more than the first share of the runs chose it.
THRESHOLDS = (0.5, 0.85)


@dataclass(frozen=True)
class RelevantFound:
    """How many of `n_relevant` features every method found in `size`; `by_chance` at random."""

    size: int
    n_relevant: int
    by_chance: float
    _data: pd.DataFrame

    def frame(self) -> pd.DataFrame:
        """Return a row per method.

        ``found`` is the mean number of relevant features selected per run, ``right`` how many of
        the ``signature`` are relevant; then bias² and variance of the weights.
        """
        return self._data.copy()


def relevant_found(records: Records, size: int) -> RelevantFound | None:
    """Count the truly relevant features that every method found; None if there are none."""
    relevant = relevant_features(records)
    if relevant is None:
        return None
    size_within(records, size)
    rows: Rows = []
    for split in bias_variance_rows(records):
        method = split["method"]
        _, orders = records.orders(method)
        members = records.members(method, size)
        rows.append(
            {
                "method": method,
                "found": float(relevant[orders[:, :size]].sum(axis=1).mean()),
                "signature": len(members),
                "right": int(relevant[members].sum()),
                "bias_squared": float(split["bias_squared"]),
                "variance": float(split["variance"]),
            }
        )
    n = int(relevant.sum())
    return RelevantFound(size, n, size * n / len(relevant), pd.DataFrame(rows))


def relevant_features(records: Records) -> NDArray[np.bool_] | None:
    """Return which features are truly relevant, None if unknown or if all are."""
    if records.truth is None:
        return None
    relevant = np.asarray(records.truth) != 0
    return relevant if 0 < relevant.sum() < len(relevant) else None


def frequency_rows(records: Records, size: int) -> Rows:
    """How often every feature was among the best, for features that ever were."""
    rows: Rows = []
    size_within(records, size)
    for method in records.methods:
        frequency = records.frequencies(method, size)
        order = np.argsort(-frequency, kind="stable")
        chosen = order[frequency[order] > 0]
        rows += [frequency_row(records, method, size, j, frequency) for j in chosen]
    return rows


def signature_rows(records: Records, method: str, size: int) -> Rows:
    """Return the `size` most frequent features, by mean rank among equals, and their core."""
    frequency = records.frequencies(method, size)
    return [
        {
            **frequency_row(records, method, size, int(j), frequency),
            "core": bool(frequency[j] > THRESHOLDS[0]),
        }
        for j in records.members(method, size)
    ]


def core_of(rows: Rows) -> list[str]:
    """Return the names of the features that more than half of the runs selected."""
    return [row["name"] for row in rows if row["core"]]


def frequency_row(
    records: Records, method: str, size: int, feature: int, frequency: NDArray[np.float64]
) -> dict[str, Any]:
    """Return a feature's row in tables of selection frequencies."""
    return {
        "method": method,
        "size": size,
        "feature": int(feature),
        "name": records.feature_name(int(feature)),
        "frequency": float(frequency[feature]),
    }


def feature_frame(records: Records, method: str, size: int) -> pd.DataFrame:
    """Return every feature, with what the runs and what all rows say of it."""
    most = np.max([records.frequencies(m, size) for m in records.methods], axis=0)
    own = records.frequencies(records.check_method(method), size)
    ranks = records.mean_ranks(method)
    _, weights = records.weights(method)
    weight = weights.mean(axis=0) if len(weights) else np.full(records.n_features, np.nan)
    relevant, decoy_q = relevant_features(records), decoy_q_values(records, method)
    given = records.facts.annotation
    annotation = {f"annotation {name}": np.array(given[name], dtype=object) for name in given}
    low, high = wilson(own, len(records.orders(method)[0]))
    member = np.zeros(records.n_features, dtype=bool)
    member[records.members(method, size)] = True
    # Those that only other methods chose come last, by how often they did.
    elsewhere = np.where(own > 0, 0, most)
    order = np.lexsort((np.nan_to_num(ranks, nan=records.n_features), -elsewhere, -own))
    names = records.facts.feature_names or [f"x{j}" for j in range(records.n_features)]
    columns = {
        "feature": np.arange(records.n_features),
        "name": np.array(list(map(str, names)), dtype=object),
        **annotation,
        "frequency": own,
        "frequency_low": low,
        "frequency_high": high,
        "again": again(records, method, size),
        "mean_rank": ranks,
        "weight": weight,
        "in_signature": member,
        "core": member & (own > THRESHOLDS[0]),
        "chosen": most > 0,
        **_effect_columns(records),
        **({} if decoy_q is None else {"decoy_q_value": decoy_q}),
        "relevant": np.full(records.n_features, None) if relevant is None else relevant,
    }
    return pd.DataFrame(columns).iloc[order].reset_index(drop=True)


def _effect_columns(records: Records) -> dict[str, NDArray[Any]]:
    effects = records.effects
    if effects is None:
        return {}
    numbers = ("difference", "effect", "effect_low", "effect_high", "p_value", "q_value")
    figures = {name: getattr(effects, name) for name in numbers}
    return {**effects.columns, "high_in": effects.direction, **figures}


def ranked_rows(records: Records) -> Rows:
    """Return how many features runs ranked, and how often a size was filled up at random.

    A subset of more features than a run ranked is filled up with others drawn at random: they are
    not selected, and a reader must be told.
    """
    rows: Rows = []
    for method in records.methods:
        counts = sorted(records.ranked_counts(method))
        if not counts:
            continue
        known = {"least": counts[0], "median": counts[(len(counts) - 1) // 2]}
        for size in records.sizes:
            filled = sum(count < size for count in counts) / len(counts)
            rows.append({"method": method, "size": size, **known, "filled": filled})
    return rows


def consensus_rows(records: Records, size: int) -> Rows:
    """Count the features that many runs of a method, or all, chose."""
    rows: Rows = []
    size_within(records, size)
    for method in records.methods:
        shares = records.frequencies(method, size)
        shares = -np.sort(-shares[shares > 0])
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
                "n_runs": len(records.orders(method)[0]),
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


def similarity_rows(records: Records, size: int) -> Rows:
    """Overlap, beyond chance, of what two methods select on the same resample."""
    by_chance = size_within(records, size) ** 2 / records.n_features
    span = size - by_chance
    selected = {}
    for method in records.methods:
        runs = zip(*records.orders(method), strict=True)
        selected[method] = {int(i): set(order[:size].tolist()) for i, order in runs}
    rows: Rows = []
    for first, second in combinations_with_replacement(records.methods, 2):
        one, other = selected[first], selected[second]
        common = [len(one[i] & other[i]) for i in one if i in other]
        shared = float(np.mean(common)) if common else np.nan
        kuncheva = (shared - by_chance) / span if span > 0 else np.nan
        pair = {"first": first, "second": second, "size": size}
        rows.append({**pair, "shared": shared, "kuncheva": kuncheva, "n_runs": len(common)})
    return rows


@computed_once
def decoy_scores(records: Records, method: str) -> DecoyScores | None:
    """Return the scores of features beside those of decoys, on every draw; None without draws."""
    held = records.numbered(partial(records.decoy_key, records.check_method(method)))
    if not held:
        return None
    from backstay.ensemble import DecoyScores

    return DecoyScores(np.array([draw[0] for draw in held]), np.array([draw[1] for draw in held]))


@computed_once
def decoy_q_values(records: Records, method: str) -> NDArray[np.float64] | None:
    """Return the q-value of every feature from decoys; None if none were drawn."""
    scores = decoy_scores(records, method)
    return None if scores is None else scores.qvalues()
