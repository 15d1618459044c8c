"""What a table itself makes suspicious: rows that are copies, a feature that is the outcome."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from itertools import chain, pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from backstay._columns import column_chunks, columns_of, numeric_columns, standardized
from backstay._suspicion import Suspicion, by_severity
from backstay.results import suspicions_of_effects
from backstay.study._data import as_table
from backstay.targets import Target, as_target

Ints = NDArray[np.intp]
# In a table of fewer columns, none of them with more than so many values, rows may be equal by
# chance.
COARSE_COLUMNS, COARSE_VALUES = 50, 20
# From these shares of rows on, copies spoil the score; fewer rows that are nearly copies may be
# alike by chance.
MANY_COPIES, SOME_NEAR, MANY_NEAR = 0.05, 0.05, 0.1
# Rows are nearly copies if another is this much nearer than the 10th neighbour, which happens
# by chance in one of so many tables.
NEARER, CHANCE = 0.35, 0.01
# Rows that differ in some of the columns need not be compared in all.
FIRST_LOOK = 100
# Distances are taken over some of the columns, of up to so many rows.
MOST_ROWS, MOST_COLUMNS, MOST_PRODUCTS = 3000, 2000, 10**9
FEWEST_ROWS, FEWEST_COLUMNS = 12, 5
# Squares of the largest numbers overflow; what follows from them is then unknown.
overflow_is_unknown = np.errstate(over="ignore", invalid="ignore")
# A single feature that separates outcomes so well is rarely a discovery.
ALMOST_SURELY = 0.97


@overflow_is_unknown
def suspicions(X: Any, y: ArrayLike | Target, groups: ArrayLike | None = None) -> list[Suspicion]:
    """Return what in a table could make a score look better than it is.

    A study asks it by itself; ``results.suspicions()`` and the report have the answer.

    Parameters
    ----------
    X : array-like, sparse matrix or frame of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,) or Target
        What is to be predicted.
    groups : array-like of shape (n_samples,), optional
        Rows of one group are expected to be alike.

    Returns
    -------
    list of Suspicion
        The most serious first.

    Examples
    --------
    >>> import numpy as np
    >>> from backstay.study import suspicions
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(40, 100)), np.arange(40) % 2
    >>> X[:, 3] = y + rng.normal(size=40) / 10
    >>> [(one.kind, one.figures["features"]) for one in suspicions(X, y)]
    [('gives_away', ['x3'])]
    """
    X, target = as_table(X), as_target(y)
    known = None if groups is None else np.asarray(groups)
    found = of_table(X, target, known, target.moments(X))
    over, units, table = target.compared(X, known)
    effects = None if over == "mixed" else units.effects(table)
    return by_severity([*found, *suspicions_of_effects(effects)])


def of_table(
    X: Any, target: Target, groups: NDArray[Any] | None, moments: Mapping[str, Any]
) -> list[Suspicion]:
    """Return suspicions about the rows and about single features; `moments` are the target's."""
    units = np.unique(np.arange(len(target)) if groups is None else groups, return_inverse=True)[1]
    found = []
    columns = np.arange(X.shape[1]) if sparse.issparse(X) else numeric_columns(X)
    coarse = X.shape[1] < COARSE_COLUMNS and all(
        len(np.unique(column)) <= COARSE_VALUES for column in columns_of(X, columns).T
    )
    if X.shape[1] > 1 and not coarse:
        content = _contents(X)
        found += [*_copies(content, units), *_near_copies(X, content, units)]
    if given := target.giveaways(X, moments):
        names = getattr(X, "columns", None)
        figures = {
            "features": [f"x{j}" if names is None else str(names[j]) for j in given],
            "separation": list(given.values()),
        }
        severity = 2 if max(given.values()) >= ALMOST_SURELY else 1
        found.append(Suspicion("gives_away", severity, figures))
    return found


def _contents(X: Any) -> Ints:
    """Return a number for every row; rows that are equal in every column share it."""
    if sparse.issparse(X):
        rows = X.tocsr()
        rows.sort_indices()
        ends = pairwise(rows.indptr)
        return _numbered([rows.indices[a:b].tobytes() + rows.data[a:b].tobytes() for a, b in ends])
    numeric = numeric_columns(X)
    # 0 and -0 are equal.
    some = columns_of(X, numeric[:: -(-len(numeric) // FIRST_LOOK) or 1]) + 0.0
    if len({row.tobytes() for row in some}) == len(some):
        return np.arange(len(some))
    digests = [hashlib.blake2b(digest_size=16) for _ in range(X.shape[0])]
    others = np.setdiff1d(np.arange(X.shape[1]), numeric)
    texts = ((X[X.columns[j]] if hasattr(X, "columns") else X[:, j]) for j in others)
    codes = (pd.factorize(np.asarray(column, dtype=object))[0][:, None] for column in texts)
    for table in chain((table for _, table in column_chunks(X, numeric)), codes):
        for digest, row in zip(digests, table + 0.0, strict=True):
            digest.update(row)
    return _numbered([digest.digest() for digest in digests])


def _numbered(keys: list[bytes]) -> Ints:
    return np.asarray(pd.factorize(np.array(keys, dtype=object))[0])


def _copies(content: Ints, groups: Ints) -> list[Suspicion]:
    """Suspect rows that are equal to one of another group."""
    there = len(np.unique(np.stack([content, groups]), axis=1).T)
    n = there - len(np.unique(content))
    severity = 2 if n >= MANY_COPIES * len(content) else 1
    return [Suspicion("copies", severity, {"rows": n, "of": len(content)})] if n else []


def _near_copies(X: Any, content: Ints, groups: Ints) -> list[Suspicion]:
    """Suspect rows that lie far closer to one of another group than rows of this table do.

    If rows lie about evenly in m dimensions, the number of neighbours grows with the distance to
    the power of m, so that k·(d₁/d_k)^m are expected within the distance d₁ of the nearest. The
    10th and the 20th neighbour tell m.
    """
    n, columns = X.shape[0], numeric_columns(X)
    if not FEWEST_ROWS <= n <= MOST_ROWS or len(columns) < FEWEST_COLUMNS:
        return []
    step = -(-len(columns) // max(FEWEST_COLUMNS, min(MOST_COLUMNS, MOST_PRODUCTS // n**2)))
    rows = standardized(columns_of(X, columns[::step]))
    squares = (rows**2).sum(axis=1)
    between = np.sqrt(np.maximum(squares[:, None] + squares - 2 * (rows @ rows.T), 0))
    between[(groups[:, None] == groups) | (content[:, None] == content)] = np.inf
    k = min(10, (n - 1) // 3)
    nearest = np.partition(between, (0, k - 1, 2 * k - 1), axis=1)
    first, near, far = nearest[:, 0], nearest[:, k - 1], nearest[:, 2 * k - 1]
    usable = np.isfinite(far) & (near > 0) & (far > near)
    if not usable.any():
        return []
    m = np.log(2) / np.median(np.log(far[usable] / near[usable]))
    ratio = np.where(usable, first / np.where(usable, near, 1), 1.0)
    alike = int(((ratio < NEARER) & (n * k * ratio**m < CHANCE)).sum())
    if alike < max(SOME_NEAR * n, 3):
        return []
    return [Suspicion("near_copies", 2 if alike >= MANY_NEAR * n else 1, {"rows": alike, "of": n})]
