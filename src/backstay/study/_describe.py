"""What a store keeps of the data, so that results and reports need no table.

Beside what a study found, these are the moments and the module of every feature, correlated
partners, and the features that may be in a signature: which of them say the same, and their
values, of many samples those of some.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from backstay._columns import STAND_INS, STRONG, column_chunks, numeric_columns, standardized
from backstay._suspicion import OF_EFFECTS
from backstay._units import complete_pairs, group_means
from backstay.redundancy import correlation_modules
from backstay.results import DatasetFacts, Records
from backstay.store import Store
from backstay.study._data import CheckedData
from backstay.study._partners import SHARD, ever_selected, often_selected, strongest_partners
from backstay.study._suspicions import of_table, overflow_is_unknown
from backstay.targets import adjusted_moments

Arrays = dict[str, NDArray[Any]]
# Wider tables could need more than 2 GB for the correlations of linked features.
MOST_FEATURES = 30_000


@overflow_is_unknown
def describe_data(store: Store, data: CheckedData) -> None:
    """Keep what is suspicious, moments of every feature and its module, unless they are kept."""
    said = f"effects of {data.name}"
    counted = data.groups is None or said in store.study()  # older versions counted rows of groups
    if "module" in store.dataset_arrays(data.name) and counted:
        return
    target, groups, pairs = data.target, data.groups, data.design.pairs
    found = data.given.found
    if found is None:
        found = of_table(data.X, target, groups, target.moments(data.X))
    kept = [asdict(one) for one in found if one.kind not in OF_EFFECTS]  # these follow from moments
    store.describe_study({f"suspicions of {data.name}": kept})
    over, units, table = target.compared(data.X, groups, pairs is not None)
    moments = units.moments(table) if pairs is None else units.pair_moments(table, pairs)
    # Pairs lie within a batch, or their differences would be of batches: no adjustment helps.
    Z = data.design.beside if pairs is None else None
    if Z is not None:
        means = group_means(Z, groups) if groups is not None and over == "groups" else Z
        moments |= adjusted_moments(units, table, means)
    if groups is not None:
        n = every = len(np.unique(groups))
        if pairs is not None:
            n = len(complete_pairs(target.on_second_side(pairs), pairs))
        store.describe_study({said: {"kind": over, "n": n, "left_out": every - n}})
    for key, array in {**moments, "module": _modules(data.X)}.items():
        store.set_array(data.name, key, array)


def _modules(X: Any) -> NDArray[np.int32]:
    """Return the module of every column; empty for a table that is too wide.

    Columns that are not numbers are alone, and so are all of a sparse table.
    """
    n_features = X.shape[1]
    if n_features > MOST_FEATURES:
        return np.empty(0, "<i4")
    columns = numeric_columns(X)
    labels = np.arange(n_features)
    if len(columns) > 1:
        values = np.concatenate([table for _, table in column_chunks(X, columns)], axis=1)
        # Named by their first feature, so that no column that is alone has their number.
        modules = correlation_modules(np.where(np.isfinite(values), values, np.nan))
        labels[columns] = columns[np.unique(modules, return_index=True)[1][modules]]
    return labels.astype("<i4")


@overflow_is_unknown
def describe_selected(records: Records, X: Any, *, changed: bool, of_all: bool) -> None:
    """Keep correlated partners and values of features that may be in a signature.

    A shard, which knows some of the runs, keeps those ``of_all`` features that some run selected.
    """
    if not changed and records.is_described:
        return
    shown = records.facts.keep_samples and records.n_samples <= DatasetFacts.FEW_SAMPLES
    if of_all:
        selected = ever_selected(records)
        partners = strongest_partners(X, selected)
        features, values = _values(X, _with_stand_ins(X, selected) if shown else selected[:0])
        kept = dict(zip(SHARD, partners.values(), strict=True)) | {
            "shard candidate": features.astype("<i4"),
            "shard candidate values": values.T,
        }
    else:
        members = _members(records)
        partners = strongest_partners(X, often_selected(records))
        values_of = _values(X, _with_stand_ins(X, members) if shown else members)
        kept = partners | _described(*values_of, records)
    records.keep(kept)


def candidates_among(parts: list[Arrays], records: Records) -> Arrays:
    """Return the candidates of a whole study from the features that its parts kept."""
    known: dict[int, NDArray[np.float64]] = {}
    for part in parts:
        if "shard candidate" in part:
            pairs = zip(part["shard candidate"], part["shard candidate values"], strict=True)
            known |= {int(feature): values for feature, values in pairs}
    features = np.array(sorted(known), dtype=np.intp)
    members = np.flatnonzero(np.isin(features, _members(records)))
    if not len(members):
        return {}
    values = np.array([known[int(j)] for j in features]).T
    kept = _with_stand_ins(values, members)
    return _described(features[kept], values[:, kept], records)


def _with_stand_ins(X: Any, members: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return features and their strongest partners, in column order."""
    partners = strongest_partners(X, members, STAND_INS)["partner"]
    return np.union1d(members, partners).astype(np.intp)


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
    n, most = records.n_samples, DatasetFacts.FEW_SAMPLES
    rows = np.arange(n)
    if n > most and records.effect_units.kind != "pairs":
        # Evenly spaced along the order of the outcome.
        order = records.target.row_order().values()
        keys = list(order) or [np.array(list(map(str, records.target.row_labels())))]
        rows = np.sort(np.lexsort(keys)[np.arange(most) * n // most])
    if records.facts.keep_samples and len(rows) <= most:
        arrays["candidate values"] = values[rows].T
        if len(rows) < n:
            arrays["candidate rows"] = rows.astype("<i4")
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
