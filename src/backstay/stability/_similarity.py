"""Which features stand for each other: a matrix from the user, or significant correlations."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse, special

_TILE = 1024


@dataclass(frozen=True, repr=False)
class MatrixSimilarity:
    """A similarity held as a sparse matrix without its diagonal."""

    matrix: sparse.csr_array
    degrees: NDArray[np.int64]

    def block(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return similarities of `rows` with `columns`; 0 if not similar or the same."""
        return np.asarray(self.matrix[rows][:, columns].toarray(), dtype=np.float64)


def as_similarity(
    similarity: Any, n_features: int, threshold: float | None = None
) -> FeatureSimilarity:
    """Check a similarity given by the user and cut it at the threshold."""
    if similarity is None:
        raise ValueError(
            "similarity=None must be, for this measure, a d×d matrix (dense or sparse) or "
            "correlated_features(X)."
        )
    if threshold is not None and not threshold > 0:
        raise ValueError(f"threshold={threshold!r} must be positive.")
    if isinstance(similarity, CorrelatedFeatures):
        if len(similarity.degrees) != n_features or threshold is not None:
            raise ValueError(
                f"similarity must cover {n_features} features, and threshold be None; got "
                f"{len(similarity.degrees)} and {threshold!r}."
            )
        return similarity
    matrix = sparse.csr_array(similarity)
    if matrix.shape != (n_features, n_features):
        raise ValueError(
            f"similarity must be {n_features} × {n_features}; got shape {matrix.shape}."
        )
    if matrix.dtype != np.bool_ and threshold is None:
        raise ValueError(
            f"similarity holds {matrix.dtype} values; pass a boolean matrix, or the threshold= "
            "from which on two features count as similar."
        )
    values = sparse.coo_array(matrix.astype(np.float64))
    gap = abs(values.tocsr() - values.tocsr().T)
    if gap.nnz and gap.max() > 1e-12:
        raise ValueError("similarity must be symmetric: feature i is as similar to j as j is to i.")
    keep = (values.row != values.col) & (values.data >= (threshold or 1.0))
    kept = sparse.csr_array(
        (values.data[keep], (values.row[keep], values.col[keep])), shape=matrix.shape
    )
    return MatrixSimilarity(kept, np.diff(kept.indptr).astype(np.int64))


@dataclass(frozen=True, repr=False)
class CorrelatedFeatures:
    """What `correlated_features` returns; correlations are computed when measures ask for them."""

    cutoff: float
    degrees: NDArray[np.int64]
    n_pairs: int
    fdr: float
    sign: str
    standardized: NDArray[np.float64]

    def __repr__(self) -> str:
        relation = "r" if self.sign == "positive" else "|r|"
        return (
            f"CorrelatedFeatures({self.n_pairs} pairs of {self.degrees.size} features with "
            f"{relation} >= {self.cutoff:.4g}, {100 * self.fdr:g}% FDR)"
        )

    def block(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return |r| of `rows` with `columns`; 0 if not significant or the same."""
        r = self.standardized[:, rows].T @ self.standardized[:, columns]
        strength = r if self.sign == "positive" else np.abs(r)
        strength[(strength < self.cutoff) | (rows[:, None] == columns[None, :])] = 0
        return np.asarray(np.minimum(strength, 1.0))


FeatureSimilarity = MatrixSimilarity | CorrelatedFeatures


def correlated_features(
    X: ArrayLike, *, fdr: float = 0.001, sign: str = "positive"
) -> CorrelatedFeatures:
    """Find the features that are significantly correlated.

    Two-sided tests of Pearson's r on all d(d−1)/2 pairs; Benjamini–Hochberg controls the false
    discovery rate. Held in memory are the correlations of pairs with p ≤ `fdr` only.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data, at least 3 rows.
    fdr : float, default=0.001
        False discovery rate.
    sign : {"positive", "both"}, default="positive"
        Whether negative correlations make features similar, too. All pairs are tested either way.

    Returns
    -------
    CorrelatedFeatures
        To be passed as ``similarity=``. Its ``degrees`` say how many features each one is similar
        to, ``n_pairs`` how many pairs are similar. ``cutoff`` lies halfway between the smallest
        significant |r| and the largest that is not; infinity if there is none.

    References
    ----------
    Zhang et al. 2009 for the 0.1 % level; Benjamini & Hochberg 1995.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> signal = rng.normal(size=(50, 1))
    >>> X = np.hstack([signal + 0.1 * rng.normal(size=(50, 3)), rng.normal(size=(50, 4))])
    >>> correlated_features(X).degrees
    array([2, 2, 2, 0, 0, 0, 0])
    """
    data = np.asarray(X, dtype=np.float64)
    if data.ndim != 2 or data.shape[0] < 3 or data.shape[1] < 2:
        raise ValueError(f"X must have at least 3 rows and 2 features; got shape {data.shape}.")
    if not np.isfinite(data).all():
        raise ValueError("X must be finite; got nan or infinity.")
    if not 0 < fdr < 1:
        raise ValueError(f"fdr={fdr!r} must lie strictly between 0 and 1.")
    if sign not in ("positive", "both"):
        raise ValueError(f"sign={sign!r} must be 'positive' or 'both'.")
    standardized = standardize(data, axis=0)  # a constant column has r = 0, p = 1
    cutoff, degrees = _significant(standardized, fdr, sign == "positive")
    return CorrelatedFeatures(cutoff, degrees, int(degrees.sum()) // 2, fdr, sign, standardized)


def standardize(data: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """Centre along the axis and scale to length 1; constant values become 0."""
    centred = data - data.mean(axis=axis, keepdims=True)
    low, high = data.min(axis=axis, keepdims=True), data.max(axis=axis, keepdims=True)
    # Constant values centre to rounding noise, not to 0.
    centred *= low < high
    # Scaling by the largest entry first keeps tiny values from underflowing when squared.
    largest = np.abs(centred).max(axis=axis, keepdims=True)
    centred /= np.where(largest > 0, largest, 1)
    length = np.sqrt((centred**2).sum(axis=axis, keepdims=True))
    centred /= np.where(length > 0, length, 1)
    return np.asarray(centred)


def correlations(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Pearson's r of every two rows; nan for a constant row."""
    standardized = standardize(rows, axis=1)
    r = np.clip(standardized @ standardized.T, -1, 1)
    constant = ~standardized.any(axis=1)
    r[constant] = np.nan
    r[:, constant] = np.nan
    return np.asarray(r)


def _tiles(standardized: NDArray[np.float64]) -> Iterator[tuple[int, int, NDArray[np.float64]]]:
    """Yield r for every pair i < j once, by tiles; elsewhere in a tile r is 0."""
    d = standardized.shape[1]
    for i in range(0, d, _TILE):
        for j in range(i, d, _TILE):
            r = standardized[:, i : i + _TILE].T @ standardized[:, j : j + _TILE]
            np.clip(r, -1, 1, out=r)
            yield i, j, np.triu(r, 1) if i == j else r


def _p_value(r: NDArray[np.float64], n_samples: int) -> NDArray[np.float64]:
    """Two-sided p of |r| under no correlation: (r+1)/2 is Beta(n/2 − 1, n/2 − 1)."""
    return np.asarray(special.betainc(n_samples / 2 - 1, 0.5, (1 - r) * (1 + r)))


def _significant(
    standardized: NDArray[np.float64], fdr: float, positive: bool
) -> tuple[float, NDArray[np.int64]]:
    """Return the Benjamini–Hochberg cutoff on |r| and every feature's number of partners."""
    n_samples, d = standardized.shape
    degrees = np.zeros(d, dtype=np.int64)
    # A pair with p > fdr is never significant, so only |r| beyond that are kept and sorted, and of
    # the others the largest. A little less than the |r| of p = fdr: rounding must lose no pair.
    least = math.sqrt(1 - special.betaincinv(n_samples / 2 - 1, 0.5, fdr)) * (1 - 1e-9)
    kept: list[NDArray[np.float64]] = []
    below = 0.0
    for _, _, r in _tiles(standardized):
        strength = np.abs(r)
        kept.append(strength[strength >= least])
        below = max(below, float(strength[strength < least].max(initial=0.0)))
    ordered = np.sort(np.concatenate(kept))[::-1]
    # Equal |r| have equal p: N(p) counts them all, so the last of a tie decides.
    level = fdr * np.arange(1, ordered.size + 1) / (d * (d - 1) // 2)
    passed = np.flatnonzero(_p_value(ordered, n_samples) <= level)
    if not passed.size:
        return math.inf, degrees
    last = int(passed[-1])
    cutoff = float(ordered[last] + np.append(ordered, below)[last + 1]) / 2
    for i, j, r in _tiles(standardized):
        similar = (r if positive else np.abs(r)) >= cutoff
        degrees[i : i + r.shape[0]] += similar.sum(axis=1)
        degrees[j : j + r.shape[1]] += similar.sum(axis=0)
    return cutoff, degrees
