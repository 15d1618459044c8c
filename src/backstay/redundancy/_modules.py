"""Clusters of correlated features."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from backstay._kernels._linkage import (
    average_linkage,
    join_merged,
    join_similar,
    set_numbers,
)
from backstay._validation import validate_sample_weight
from backstay.base import Array, Indices, one_thread

# Mean |r| in a module is 0.7 or more: from there on reports call two features correlated.
CUT = 0.3
# Columns whose correlations are held together, in float64.
TILE = 512
# The most that rounding to float32 takes from a correlation.
SLACK = 1e-6


def unit_columns(X: Array, omega: Array | None) -> Array:
    """Return columns as rows of mean 0 and length 1; constant ones and gaps are 0."""
    weights = np.ones(len(X)) if omega is None else omega
    X, weights = X[weights > 0], weights[weights > 0]
    known = ~np.isnan(X)
    values = np.where(known, X, 0.0)
    mass = np.maximum(weights @ known, np.finfo(np.float64).tiny)
    centred = np.where(known, values - weights @ values / mass, 0.0)
    constant = np.fmin.reduce(X, axis=0) == np.fmax.reduce(X, axis=0)
    centred *= np.sqrt(weights)[:, None] * ~constant
    length = np.sqrt((centred**2).sum(axis=0))
    unit = np.divide(centred, length, out=np.zeros_like(centred), where=length > 0)
    return np.ascontiguousarray(unit.T)


def modules_of(unit: Array, cut: float) -> Indices:
    """Return the module of every feature, by average linkage; numbered by their first feature."""
    # The mean of some |r| exceeds 1 − cut only if one of them does. So no module reaches beyond the
    # features that a chain of such pairs links, and only correlations within these are held.
    d = len(unit)
    linked, parent = np.arange(d), np.arange(d)
    with one_thread():
        for i in range(0, d, TILE):
            for j in range(i, d, TILE):
                tile = unit[i : i + TILE] @ unit[j : j + TILE].T
                join_similar(linked, tile, i, j, 1 - cut - SLACK)
        for members in members_of(set_numbers(linked)):
            if len(members) > 1:
                merges, heights = average_linkage(_distances(unit, members), len(members), cut)
                join_merged(parent, members, merges, heights, cut)
    return set_numbers(parent)


def _distances(unit: Array, members: Indices) -> NDArray[np.float32]:
    """Return 1 − |r| of some features, condensed: 800 MB for 20,000 of them."""
    m = len(members)
    condensed = np.empty(m * (m - 1) // 2, dtype=np.float32)
    rows = unit[members]
    end = 0
    for start in range(0, m, TILE):
        apart = 1 - np.abs(rows[start : start + TILE] @ rows[start:].T)
        for i, row in enumerate(apart):
            begin, end = end, end + len(row) - i - 1
            condensed[begin:end] = np.maximum(row[i + 1 :], 0)
    return condensed


def members_of(labels: Indices) -> Iterator[Indices]:
    """Yield the members of every module, by number."""
    order = np.argsort(labels, kind="stable")
    return iter(np.split(order, np.flatnonzero(np.diff(labels[order])) + 1))


def correlation_modules(
    X: ArrayLike, cut: float = CUT, *, sample_weight: ArrayLike | None = None
) -> Indices:
    """Cluster correlated features: average linkage on 1 − |r|.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Numbers. A gap (nan) counts as the feature's mean.
    cut : float, default=0.3
        Two clusters become one while the mean 1 − |r| of a feature here and a feature there is at
        most this. At 0.3 features of a module have |r| ≥ 0.7 on average.
    sample_weight : array-like of shape (n_samples,), optional
        How often a row counts.

    Returns
    -------
    ndarray of shape (n_features,)
        Number of every feature's module; modules are numbered by their first feature.

    Notes
    -----
    A feature that falls where another rises says the same about the samples, so the sign of r does
    not count. Constant features are on their own. Memory is 2·m² bytes for the m features that
    pairs with |r| ≥ 1 − cut link to one another.

    Examples
    --------
    >>> import numpy as np
    >>> from backstay.redundancy import correlation_modules
    >>> rng = np.random.default_rng(0)
    >>> signal = rng.normal(size=(50, 1))
    >>> X = np.hstack([signal, -signal, rng.normal(size=(50, 2)), 2 * signal + 1])
    >>> correlation_modules(X)
    array([0, 0, 1, 2, 0])
    """
    table = np.asarray(X, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] < 1:
        raise ValueError(f"X must have at least 2 rows and 1 feature; got shape {table.shape}.")
    if np.isinf(table).any():
        raise ValueError("X must be finite; got infinity.")
    if not 0 < cut < 1:
        raise ValueError(f"cut={cut!r} must lie between 0 and 1, both excluded.")
    return modules_of(unit_columns(table, validate_sample_weight(sample_weight, table[:, 0])), cut)
