"""Correlated partners of the features that runs select: what could stand in for them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay.results._records import Records
from backstay.stability import selection_frequency

# Kept are the strongest partners of the features most often selected, no d × d matrix.
STRONG = 0.7
N_FEATURES, N_PARTNERS, LARGEST_SIZE = 300, 5, 100
_BLOCK = 64


def partner_arrays(X: Any, records: Records) -> dict[str, NDArray[Any]]:
    """Return features, their partners and the correlations, strongest first per feature.

    Pearson's r over all rows of the table, gaps filled by the column's mean; a
    description of the data, no part of any selection. Columns that are not
    numbers, and sparse tables, have no partners.
    """
    columns, table = _numbers(X)
    often = _often_selected(records)
    places = np.searchsorted(columns, often)
    inside = places < len(columns)
    inside[inside] = columns[places[inside]] == often[inside]
    places = places[inside]
    features, partners, correlations = [columns[:0]], [columns[:0]], [np.empty(0)]
    if len(columns) > 1:
        standard = _standardized(table)
        for start in range(0, len(places), _BLOCK):
            block = places[start : start + _BLOCK]
            r = standard[:, block].T @ standard
            r[np.arange(len(block)), block] = 0
            rows, others = np.nonzero(np.abs(r) >= STRONG)
            strongest = np.lexsort((-np.abs(r[rows, others]), rows))
            rows, others = rows[strongest], others[strongest]
            kept = np.arange(len(rows)) - np.searchsorted(rows, rows) < N_PARTNERS
            rows, others = rows[kept], others[kept]
            features.append(columns[block[rows]])
            partners.append(columns[others])
            correlations.append(np.clip(r[rows, others], -1, 1))
    return {
        "partner of": np.concatenate(features).astype("<i4"),
        "partner": np.concatenate(partners).astype("<i4"),
        "partner correlation": np.concatenate(correlations),
    }


def _numbers(X: Any) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the numbers of the numeric columns, and their values."""
    if hasattr(X, "columns"):
        kinds = [getattr(X[name].dtype, "kind", "O") for name in X.columns]
        if hasattr(X, "to_pandas") and not hasattr(X, "iloc"):  # polars names its types otherwise
            kinds = ["f" if X[name].dtype.is_numeric() else "O" for name in X.columns]
        columns = np.flatnonzero([kind in "iufb" for kind in kinds])
        table = X[[X.columns[j] for j in columns]].to_numpy()
        return columns, np.asarray(table, dtype=np.float64)
    if isinstance(X, np.ndarray) and X.dtype.kind in "iufb":
        return np.arange(X.shape[1]), np.asarray(X, dtype=np.float64)
    return np.empty(0, np.intp), np.empty((X.shape[0], 0))


def _standardized(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return columns of mean 0 and length 1; gaps and constant columns are 0."""
    known = np.isfinite(table)
    counts = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, table, 0).sum(axis=0) / counts
    centred = np.where(known, table - mean, 0)
    length = np.sqrt((centred**2).sum(axis=0))
    tiny = length <= 1e-10 * np.sqrt(counts) * np.maximum(np.abs(mean), 1e-300)
    return np.asarray(np.divide(centred, length, out=np.zeros_like(centred), where=~tiny))


def _often_selected(records: Records) -> NDArray[np.intp]:
    """Return the features that some method selects most often at some size, in column order."""
    most = np.zeros(records.n_features)
    sizes = [size for size in records.sizes if size <= LARGEST_SIZE] or records.sizes[:1]
    for method in records.methods:
        _, orders = records.orders(method)
        if len(orders) < 2:
            continue
        for size in sizes:
            np.maximum(most, selection_frequency(orders[:, :size], records.n_features), out=most)
    best = np.argsort(-most, kind="stable")[:N_FEATURES]
    return np.sort(best[most[best] > 0])
