"""The samples on the signature, and which of its features say the same.

A report is written without the data. So a study keeps, beside what it found, the values of the
features that may be in a signature, where samples are few enough to be shown one by one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from backstay.results._choice import method_and_size
from backstay.results._columns import column_chunks, numeric_columns, standardized
from backstay.results._partners import (
    LARGEST_SIZE,
    STRONG,
    ever_selected,
    selected_sizes,
    strongest_partners,
)
from backstay.results._parts import Rows, size_within
from backstay.results._records import Records
from backstay.results._signature import signature_members

# Beyond these a picture of every sample, or of every feature, cannot be read.
SHOWN_SAMPLES, SHOWN_FEATURES = 200, 60
# Features that may take the place of one in a signature: so many are kept of each.
STAND_INS = 10

Arrays = dict[str, NDArray[Any]]


def candidate_arrays(X: Any, records: Records, *, of_all: bool = False) -> Arrays:
    """Return the features of all signatures, their values, and which of them are correlated.

    Where samples are few, also the values of features that may stand in for them. With ``of_all``,
    the values of every feature that some run selected, so that those of a whole study can be chosen
    among those of its parts; only where samples are few.
    """
    few = records.n_samples <= SHOWN_SAMPLES
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
        signature_members(records, method, size)
        for method in records.methods
        for size in selected_sizes(records)
        if size <= LARGEST_SIZE
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
    if records.n_samples <= SHOWN_SAMPLES:
        arrays["candidate values"] = values.T
    return arrays


def table_values(
    X: Any, records: Records, members: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return from the table what a store keeps of few samples, and the same of some features."""
    wanted = np.union1d(_members(records), members).astype(np.intp)
    features, values = _values(X, _with_stand_ins(X, wanted))
    return features, values.T


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


def checked_signature(records: Records, method: str | None, size: int | None) -> tuple[str, int]:
    """Return a method and a size given together, or those of the choice, if both exist."""
    method, size = method_and_size(records, method, size)
    return records.check_method(method), size_within(records, size)


def kept_values(
    records: Records, method: str, size: int
) -> tuple[NDArray[np.intp], NDArray[np.float64]] | None:
    """Return the features of a signature and their values by sample; None if not all are kept."""
    kept = records.candidates
    if kept is None or kept.values is None:
        return None
    members = signature_members(records, method, size)
    place = {int(feature): i for i, feature in enumerate(kept.features)}
    members = np.array([j for j in members if int(j) in place], dtype=np.intp)
    if size > LARGEST_SIZE or not len(members):
        return None
    return members, kept.values[[place[int(j)] for j in members]]


def value_rows(records: Records, method: str, size: int) -> Rows:
    """Return a row per feature of a signature and sample; none where values were not kept."""
    found = kept_values(records, method, size)
    if found is None:
        return []
    members, values = found
    names = [records.feature_name(int(j)) for j in members]
    samples = [records.sample_name(i) for i in range(records.n_samples)]
    classes = [records.classes[c] for c in records.codes]
    return [
        {"feature": int(j), "name": names[a], "row": i, "sample": samples[i],
         "class": classes[i], "value": float(values[a, i])}
        for a, j in enumerate(members)
        for i in range(records.n_samples)
    ]  # fmt: skip


def map_rows(records: Records, method: str, size: int) -> Rows:
    """Return the first two principal components of the samples on a signature."""
    found = kept_values(records, method, size)
    if found is None:
        return []
    values = np.nan_to_num(found[1]).T
    values = values - values.mean(axis=0)
    left, length, right = np.linalg.svd(values, full_matrices=False)
    places, shares = np.zeros((len(values), 2)), np.zeros(2)
    total = float((length**2).sum())
    for k in range(min(2, len(length))):
        # The sign of a component is free: its largest loading is made positive.
        sign = 1.0 if right[k][np.argmax(np.abs(right[k]))] >= 0 else -1.0
        places[:, k] = sign * left[:, k] * length[k]
        shares[k] = length[k] ** 2 / total if total > 0 else np.nan
    return [
        {
            "row": i,
            "name": records.sample_name(i),
            "class": records.classes[records.codes[i]],
            "first": float(places[i, 0]),
            "second": float(places[i, 1]),
            "share_first": float(shares[0]),
            "share_second": float(shares[1]),
        }
        for i in range(records.n_samples)
    ]


def group_rows(records: Records, method: str, size: int) -> Rows:
    """Return the correlation groups inside a signature."""
    kept = records.candidates
    members = signature_members(records, method, size)
    if kept is None or size > LARGEST_SIZE or not len(members):
        return []
    place = {int(j): i for i, j in enumerate(members)}
    r = np.zeros((len(members), len(members)))
    for a, b, value in zip(*kept.pairs, kept.correlations, strict=True):
        if int(a) in place and int(b) in place:
            i, j = place[int(a)], place[int(b)]
            r[i, j] = r[j, i] = value
    _, labels = connected_components(np.abs(r) >= STRONG, directed=False)
    names = [records.feature_name(int(j)) for j in members]
    first = {label: int(np.argmax(labels == label)) for label in labels}
    number = {label: k + 1 for k, label in enumerate(dict.fromkeys(labels.tolist()))}
    rows: Rows = []
    for i, j in enumerate(members):
        closest = int(np.argmax(np.abs(r[i])))
        linked = bool(r[i, closest])
        rows.append(
            {
                "feature": int(j),
                "name": names[i],
                "group": number[int(labels[i])],
                "group_name": names[first[labels[i]]],
                "closest": names[closest] if linked else None,
                "correlation": float(r[i, closest]) if linked else np.nan,
            }
        )
    return rows
