"""Correlated partners of the features that runs select: what could stand in for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay._columns import STRONG, column_chunks, numeric_columns, standardized
from backstay.results import Records

# Kept are the strongest partners of the features most often selected, no d × d matrix.
N_FEATURES, N_PARTNERS = 300, 5
# Names of the arrays; those of a shard, which knows a part of the runs, say so.
PARTNERS = ("partner of", "partner", "partner correlation")
SHARD = tuple(f"shard {name}" for name in PARTNERS)
# Products of matrices differ in their last digits with the shapes of the matrices.
SLACK = 1e-9

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Arrays = dict[str, NDArray[Any]]


def partners_among(parts: list[Arrays], records: Records) -> Arrays:
    """Return the partners of a whole study from those that its parts found for their features."""
    known: dict[tuple[int, int], float] = {}
    for part in parts:
        names = SHARD if SHARD[0] in part else PARTNERS
        if names[0] in part:  # not in a store whose run was stopped
            rows = zip(*(part[name].tolist() for name in names), strict=True)
            known |= {(feature, partner): r for feature, partner, r in rows}
    pairs = np.array(list(known), dtype=np.intp).reshape(-1, 2)
    kept = np.isin(pairs[:, 0], often_selected(records))
    features, partners = pairs[kept].T
    return _strongest(features, partners, np.array(list(known.values()))[kept], N_PARTNERS)


def strongest_partners(X: Any, features: Ints, most: int = N_PARTNERS) -> Arrays:
    """Return features, their partners and the correlations, strongest first per feature.

    Pearson's r over all rows, gaps filled by the column's mean. Columns that are not numbers, and
    sparse tables, have no partners.
    """
    columns = numeric_columns(X)
    features = features[np.isin(features, columns)]
    pieces = [(features[:0], features[:0], np.empty(0))]
    if len(columns) > 1 and len(features):
        chosen = np.concatenate(
            [table[:, np.isin(names, features)] for names, table in _chunks(X, columns, features)],
            axis=1,
        )
        for names, table in _chunks(X, columns):
            pieces.append(_strong_pairs(features, chosen, names, table, most))
    of, partners, correlations = (np.concatenate(part) for part in zip(*pieces, strict=True))
    return _strongest(of, partners, correlations, most)


def _strong_pairs(
    features: Ints, chosen: Floats, names: Ints, table: Floats, most: int
) -> tuple[Ints, Ints, Floats]:
    """Return features, partners among some columns, and their correlations.

    A product of matrices finds the candidates; the sum over rows that follows is the same however
    many features and columns there are.
    """
    r = np.abs(chosen.T @ table)
    r[features[:, None] == names[None]] = 0
    pairs: list[tuple[Ints, Ints, Floats]] = [(features[:0], features[:0], np.empty(0))]
    for i in np.flatnonzero(r.max(axis=1) >= STRONG - SLACK):
        least = np.partition(r[i], -most)[-most] if r.shape[1] > most else 0.0
        near = np.flatnonzero(r[i] >= max(least, STRONG) - SLACK)
        exact = (np.ascontiguousarray(table[:, near].T) * chosen[:, i]).sum(axis=1)
        best = np.argsort(-np.abs(exact), kind="stable")[:most]
        best = best[np.abs(exact[best]) >= STRONG]
        pairs.append((np.full(len(best), features[i]), names[near[best]], exact[best]))
    of, partners, values = (np.concatenate(part) for part in zip(*pairs, strict=True))
    return of, partners, values


def _strongest(features: Ints, partners: Ints, correlations: Floats, most: int) -> Arrays:
    """Return the strongest partners of every feature, the first column of equally strong ones."""
    order = np.lexsort((partners, -np.abs(correlations), features))
    features, partners = features[order], partners[order]
    kept = np.arange(len(features)) - np.searchsorted(features, features) < most
    return {
        "partner of": features[kept].astype("<i4"),
        "partner": partners[kept].astype("<i4"),
        "partner correlation": np.clip(correlations[order][kept], -1, 1),
    }


def _chunks(X: Any, columns: Ints, only: Ints | None = None) -> Iterator[tuple[Ints, Floats]]:
    """Yield the numbers of some columns and their values, standardized; or only chunks of some."""
    for names, table in column_chunks(X, columns, only):
        yield names, standardized(table)


def ever_selected(records: Records) -> Ints:
    """Return the features that some run of some method selects, in column order."""
    largest = max(records.described_sizes or records.sizes[:1])
    chosen = [records.orders(method)[1][:, :largest].ravel() for method in records.methods]
    return np.unique(np.concatenate(chosen)).astype(np.intp)


def often_selected(records: Records) -> Ints:
    """Return the features that some method selects most often at some size, in column order."""
    most = np.zeros(records.n_features)
    for method in records.methods:
        for size in records.described_sizes or records.sizes[:1]:
            np.maximum(most, records.frequencies(method, size), out=most)
    best = np.argsort(-most, kind="stable")[:N_FEATURES]
    return np.sort(best[most[best] > 0])
