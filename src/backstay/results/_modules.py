"""How stable are methods if features of one module of correlated ones count as the same."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay.redundancy import correlation_modules
from backstay.results._columns import column_chunks, numeric_columns
from backstay.results._parts import Rows
from backstay.results._records import Records
from backstay.results._stability import curve_rows, module_rows

# Wider tables could need more than 2 GB for the correlations of linked features.
MOST_FEATURES = 30_000


def module_array(X: Any) -> NDArray[np.int32]:
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


def module_stability_rows(
    records: Records, sizes: list[int] | None = None, confidence: float = 0.95
) -> Rows:
    """Return the stability of modules beside that of features, of every method."""
    at = records.sizes if sizes is None else sizes
    if records.modules is None:
        return []
    rows: Rows = []
    for method in records.methods:
        if len(records.orders(method)[0]) < 2:
            continue
        plain = curve_rows(records, method, sizes=at, confidence=confidence)
        for one, other in zip(module_rows(records, method, at, confidence), plain, strict=True):
            figures = {name: one[name] for name in ("value", "low", "high")}
            extra = {"features": other["value"], "n_runs": one["n_runs"]}
            rows.append({"method": method, "size": one["size"], **figures, **extra})
    return rows
