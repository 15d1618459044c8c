"""Clusters of correlated features."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from backstay._kernels._linkage import (
    average_linkage,
    join_merged,
    join_similar,
    set_numbers,
)
from backstay._scaling import near_one
from backstay._validation import validate_sample_weight
from backstay.base import Array, Indices, one_thread

# Mean |r| in a module is 0.7 or more: from there on reports call two features correlated.
CUT = 0.3
CUTS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
# Columns whose correlations are held together, in float64.
TILE = 512
# The most that rounding to float32 takes from a correlation.
SLACK = 1e-6

Merges = tuple[Indices, NDArray[np.int64], Array]


def unit_columns(X: Array, omega: Array | None) -> Array:
    """Return columns as rows of mean 0 and length 1; constant ones and gaps are 0."""
    X = near_one(X)
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


def merged_modules(unit: Array, cut: float) -> list[Merges]:
    """Return what average linkage merges up to a cut, one entry per group of linked features.

    The mean of some |r| exceeds 1 − cut only if one of them does. So no module reaches beyond the
    features that a chain of such pairs links, and only correlations within these are held.
    """
    d = len(unit)
    parent = np.arange(d)
    with one_thread():
        for i in range(0, d, TILE):
            for j in range(i, d, TILE):
                tile = unit[i : i + TILE] @ unit[j : j + TILE].T
                join_similar(parent, tile, i, j, 1 - cut - SLACK)
        return [
            (members, *average_linkage(_distances(unit, members), len(members), cut))
            for members in members_of(set_numbers(parent))
            if len(members) > 1
        ]


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


def cut_modules(merged: list[Merges], d: int, cut: float) -> Indices:
    """Return the module of every feature, modules numbered by their first feature."""
    parent = np.arange(d)
    for members, merges, heights in merged:
        join_merged(parent, members, merges, heights, cut)
    return set_numbers(parent)


def checked_columns(X: ArrayLike, sample_weight: ArrayLike | None = None) -> Array:
    """Check a table and return its columns as `unit_columns` does."""
    table = np.asarray(X, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] < 1:
        raise ValueError(f"X must have at least 2 rows and 1 feature; got shape {table.shape}.")
    if np.isinf(table).any():
        raise ValueError("X must be finite; got infinity.")
    return unit_columns(table, validate_sample_weight(sample_weight, table[:, 0]))


def check_cut(cut: float) -> float:
    """Refuse a cut that makes no modules, or one of everything."""
    if not 0 < cut < 1:
        raise ValueError(f"cut={cut!r} must lie between 0 and 1, both excluded.")
    return cut


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

    See Also
    --------
    module_sensitivity : How many modules there are at other cuts.
    ModuleRanker : Ranks modules.

    Notes
    -----
    A feature that falls where another rises says the same about the samples, so the sign of r does
    not count. Constant features are on their own.

    The clusters are those of the whole tree, but only what lies below the cut is built: time
    n·d²/2 for the correlations, memory 2·m² bytes for the m features that pairs with
    |r| ≥ 1 − cut link to one another, at most all d.

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
    unit = checked_columns(X, sample_weight)
    return cut_modules(merged_modules(unit, check_cut(cut)), len(unit), cut)


def module_sensitivity(
    X: ArrayLike, cuts: Iterable[float] = CUTS, *, sample_weight: ArrayLike | None = None
) -> pd.DataFrame:
    """Show what another cut would do to the modules.

    Parameters
    ----------
    X, sample_weight
        As in :func:`correlation_modules`.
    cuts : iterable of float, default=(0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
        Cuts to try. All are read off one tree.

    Returns
    -------
    DataFrame
        One row per cut: ``cut``, ``modules`` (their number), ``largest`` (members of the largest)
        and ``singletons`` (share of the features that are alone in theirs).

    Examples
    --------
    >>> from backstay.datasets import make_han_yu
    >>> from backstay.redundancy import module_sensitivity
    >>> X, y, _ = make_han_yu(n_features=100, random_state=0)
    >>> module_sensitivity(X, [0.1, 0.3, 0.5])
       cut  modules  largest  singletons
    0  0.1       99        2        0.98
    1  0.3       11       10        0.01
    2  0.5       10       10        0.00
    """
    tried = [check_cut(cut) for cut in cuts]
    if not tried:
        raise ValueError("cuts is empty; give at least one.")
    unit = checked_columns(X, sample_weight)
    merged = merged_modules(unit, max(tried))
    rows: list[dict[str, Any]] = []
    for cut in tried:
        sizes = np.bincount(cut_modules(merged, len(unit), cut))
        alone = float((sizes == 1).sum() / len(unit))
        largest = int(sizes.max())
        rows.append({"cut": cut, "modules": len(sizes), "largest": largest, "singletons": alone})
    return pd.DataFrame(rows)
