"""The samples on the signature, and which of its features say the same.

A report is written without the data. So a study keeps, beside what it found, the values of the
features that may be in a signature; of many samples, those of some.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from backstay._columns import STRONG
from backstay._units import complete_pairs, pair_sides
from backstay.results._choice import method_and_size
from backstay.results._parts import Rows, size_within
from backstay.results._records import LARGEST_SIZE, Records


def checked_signature(records: Records, method: str | None, size: int | None) -> tuple[str, int]:
    """Return a method and a size given together, or those of the choice, if both exist."""
    method, size = method_and_size(records, method, size)
    return records.check_method(method), size_within(records, size)


def kept_values(
    records: Records, method: str | None, size: int | None
) -> tuple[NDArray[np.intp], NDArray[np.float64], list[int]] | None:
    """Return the features of a signature, their values by sample, and the samples; None if unkept.

    Values of paired samples are about the middle of their pair, unknown where one side is lacking.
    """
    kept = records.candidates
    method, size = checked_signature(records, method, size)
    if kept is None or kept.values is None:
        return None
    members = records.members(method, size)
    place = {int(feature): i for i, feature in enumerate(kept.features)}
    members = np.array([j for j in members if int(j) in place], dtype=np.intp)
    if size > LARGEST_SIZE or not len(members):
        return None
    values = kept.values[[place[int(j)] for j in members]]
    if records.effect_units.kind == "pairs":
        second, pairs = records.target.on_second_side(records.units), records.units
        middle = np.full((len(members), records.n_units), np.nan)
        sides = pair_sides(values.T, second, pairs)
        middle[:, complete_pairs(second, pairs)] = (sides[0] + sides[1]).T / 2
        values = values - middle[:, pairs]
    return members, values, kept.rows.tolist()


def value_rows(records: Records, method: str | None, size: int | None) -> Rows:
    """Return a row per feature of a signature and sample; none where values were not kept."""
    kept = kept_values(records, method, size)
    if kept is None:
        return []
    members, values, rows = kept
    names = [records.feature_name(int(j)) for j in members]
    outcomes = _outcomes(records)
    return [
        {"feature": int(j), "name": names[a], "row": i, "sample": records.sample_name(i),
         **outcomes[i], "value": float(values[a, place])}
        for a, j in enumerate(members)
        for place, i in enumerate(rows)
    ]  # fmt: skip


def _outcomes(records: Records) -> Rows:
    """Return the outcome of every row, and what puts it in order, as columns of a table."""
    target = records.target
    order = {name: column.tolist() for name, column in target.row_order().items()}
    columns = {target.row_column: target.row_labels(), **order}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def map_rows(records: Records, method: str | None, size: int | None) -> Rows:
    """Return the first two principal components of the samples on a signature."""
    kept = kept_values(records, method, size)
    if kept is None:
        return []
    values, outcomes = np.nan_to_num(kept[1]).T, _outcomes(records)
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
            **outcomes[i],
            "first": float(places[place, 0]),
            "second": float(places[place, 1]),
            "share_first": float(shares[0]),
            "share_second": float(shares[1]),
        }
        for place, i in enumerate(kept[2])
    ]


def group_rows(records: Records, method: str | None, size: int | None) -> Rows:
    """Return the correlation groups inside a signature."""
    kept = records.candidates
    method, size = checked_signature(records, method, size)
    members = records.members(method, size)
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
