"""What a store keeps of the data, so that results and reports need no table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay._columns import column_chunks, numeric_columns
from backstay.redundancy import correlation_modules
from backstay.results import Records
from backstay.store import Store
from backstay.study._candidates import candidate_arrays
from backstay.study._data import CheckedData
from backstay.study._partners import PARTNERS, SHARD, partner_arrays

# Wider tables could need more than 2 GB for the correlations of linked features.
MOST_FEATURES = 30_000


def _modules(X: Any) -> NDArray[np.int32]:
    """Return the module of every column over all rows; empty for a table that is too wide.

    A description of the data, no part of any selection. Columns that are not numbers are alone,
    and so are all of a sparse table.
    """
    n_features = X.shape[1]
    if n_features > MOST_FEATURES:
        return np.empty(0, "<i4")
    columns = numeric_columns(X)
    labels = np.arange(n_features)
    if len(columns) > 1:
        values = np.concatenate([table for _, table in column_chunks(X, columns)], axis=1)
        # Named by their first feature, so that no column that is alone has their number.
        found = correlation_modules(np.where(np.isfinite(values), values, np.nan))
        labels[columns] = columns[np.unique(found, return_index=True)[1][found]]
    return labels.astype("<i4")


def describe_data(store: Store, data: CheckedData) -> None:
    """Keep the moments of every feature and its module, unless they are kept already."""
    if "module" in store.dataset_arrays(data.name):
        return
    # Squares of the largest numbers overflow; what follows from them is then unknown.
    with np.errstate(over="ignore", invalid="ignore"):
        arrays = {**data.target.moments(data.X), "module": _modules(data.X)}
    for key, array in arrays.items():
        store.set_array(data.name, key, array)


def describe_selected(records: Records, X: Any, *, changed: bool, of_all: bool) -> None:
    """Keep correlated partners and values of features that may be in a signature.

    A shard knows only some of the runs, so it keeps them for all features that these selected.
    """
    if not changed and records.is_described:
        return
    names = SHARD if of_all else PARTNERS
    with np.errstate(over="ignore", invalid="ignore"):
        partners = partner_arrays(X, records, of_all=of_all)
        values = candidate_arrays(X, records, of_all=of_all)
    records.keep(dict(zip(names, partners.values(), strict=True)) | values)
