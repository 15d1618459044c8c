"""Features that may be in a signature: their values, and which of them say the same.

A report is written without the data. So a study keeps, beside what it found, the values of the
features that may be in a signature, where samples are few enough to be shown one by one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from backstay._columns import STAND_INS, STRONG, column_chunks, numeric_columns, standardized
from backstay.results import DatasetFacts, Records
from backstay.study._partners import ever_selected, strongest_partners

Arrays = dict[str, NDArray[Any]]


def candidate_arrays(X: Any, records: Records, *, of_all: bool = False) -> Arrays:
    """Return the features of all signatures, their values, and which of them are correlated.

    Where samples are few, also the values of features that may stand in for them. With ``of_all``,
    the values of every feature that some run selected, so that those of a whole study can be chosen
    among those of its parts; only where samples are few.
    """
    few = records.n_samples <= DatasetFacts.FEW_SAMPLES
    if of_all:
        wanted = _with_stand_ins(X, ever_selected(records)) if few else np.empty(0, np.intp)
        features, values = _values(X, wanted)
        return {"shard candidate": features.astype("<i4"), "shard candidate values": values.T}
    members = _members(records)
    return _described(*_values(X, _with_stand_ins(X, members) if few else members), records)


def _with_stand_ins(X: Any, members: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return features and their strongest partners, in column order."""
    partners = strongest_partners(X, members, STAND_INS)["partner"]
    return np.union1d(members, partners).astype(np.intp)


def candidates_among(parts: list[Arrays], records: Records) -> Arrays:
    """Return the candidates of a whole study from the features that its parts kept."""
    found: dict[int, NDArray[np.float64]] = {}
    for part in parts:
        if "shard candidate" in part:
            pairs = zip(part["shard candidate"], part["shard candidate values"], strict=True)
            found |= {int(feature): values for feature, values in pairs}
    features = np.array(sorted(found), dtype=np.intp)
    members = np.flatnonzero(np.isin(features, _members(records)))
    if not len(members):
        return {}
    values = np.array([found[int(j)] for j in features]).T
    kept = _with_stand_ins(values, members)
    return _described(features[kept], values[:, kept], records)


def _signatures(records: Records) -> list[NDArray[np.intp]]:
    return [
        records.members(method, size)
        for method in records.methods
        for size in records.described_sizes
    ]


def _members(records: Records) -> NDArray[np.intp]:
    """Return the features of every signature, in column order."""
    every = np.concatenate([*_signatures(records), np.empty(0, np.intp)])
    return np.unique(every).astype(np.intp)


def _described(
    candidates: NDArray[np.intp], values: NDArray[np.float64], records: Records
) -> Arrays:
    """Return what is kept of candidates: which of one signature are correlated, and the values."""
    # One layout in memory, so that the digits are the same however the values came.
    values = np.ascontiguousarray(values)
    inside = np.isin(candidates, _members(records))
    selected = candidates[inside]
    unit = standardized(np.ascontiguousarray(values[:, inside]))
    r = np.clip(unit.T @ unit, -1, 1)
    place = np.full(records.n_features, -1)
    place[selected] = np.arange(len(selected))
    together = np.zeros_like(r, dtype=bool)
    for members in _signatures(records):
        own = place[members]
        own = own[own >= 0]
        together[np.ix_(own, own)] = True
    first, second = np.nonzero(np.triu(together & (np.abs(r) >= STRONG), 1))
    arrays = {
        "candidate": candidates.astype("<i4"),
        "candidate pair": np.array([selected[first], selected[second]], dtype="<i4"),
        "candidate correlation": r[first, second],
    }
    if records.n_samples <= DatasetFacts.FEW_SAMPLES:
        arrays["candidate values"] = values.T
    return arrays


def _values(X: Any, wanted: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return those of the wanted columns that are numbers, and their values in deviations."""
    if sparse.issparse(X):
        columns, tables = wanted, [np.asarray(X[:, wanted].toarray(), dtype=np.float64)]
    else:
        columns, tables = numeric_columns(X), []
        for names, table in column_chunks(X, columns, wanted):
            tables.append(table[:, np.isin(names, wanted)])
        columns = columns[np.isin(columns, wanted)]
    table = np.concatenate([np.empty((X.shape[0], 0)), *tables], axis=1)
    known = np.isfinite(table)
    scale = np.sqrt(np.maximum(known.sum(axis=0) - 1, 1))
    return columns, np.where(known, standardized(table) * scale, np.nan)
