"""Which features stand for each other: a matrix from the user, or significant correlations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse, special

# |r| is counted in 2^16 bins: a power of two, so |r|·N_BINS is exact and so is the binning.
_N_BINS = 1 << 16
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
        if len(similarity.degrees) != n_features:
            raise ValueError(
                f"similarity must cover {n_features} features; got {len(similarity.degrees)}."
            )
        if threshold is not None:
            raise ValueError(
                f"threshold={threshold!r} must be None here: the similarity has its own cutoff."
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
    if not np.isfinite(values.data).all():
        raise ValueError("similarity must be finite; got nan or infinity.")
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
    """Significantly correlated features, as returned by `correlated_features`.

    It holds the standardised data, never a d×d matrix: correlations are computed for the
    features that a measure asks for.
    """

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
    discovery rate. The outcome is that of sorting all p-values, in memory proportional to the
    data.

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
        Pass it as ``similarity=`` to `stability_score`, `stability_curve` or
        `compare_stability`. Its ``degrees`` say how many features each one is similar to,
        ``n_pairs`` how many pairs are similar. ``cutoff`` is the smallest significant |r|, or
        infinity; it is set halfway down to the largest |r| that is not significant, so that
        rounding does not move a pair across.

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
    # Two passes over tiles of the correlation matrix: the first counts |r| in fine bins, which
    # settles the cutoff but for the few pairs in the bins around it; the second sorts those.
    n_samples, d = standardized.shape
    counts = np.zeros(_N_BINS, dtype=np.int64)
    for _, _, r in _tiles(standardized):
        counts += np.bincount(_bins(r).ravel(), minlength=_N_BINS)
    # The lower halves of diagonal tiles are zeros that stand for no pair.
    counts[0] -= counts.sum() - d * (d - 1) // 2
    low, high, above = _undecided(counts, n_samples, d, fdr)
    degrees = np.zeros(d, dtype=np.int64)
    undecided: list[tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]] = []
    for i, j, r in _tiles(standardized):
        bins = _bins(r)
        sure = bins > high
        strength = r if positive else np.abs(r)
        similar = sure & (strength > 0)
        degrees[i : i + r.shape[0]] += similar.sum(axis=1)
        degrees[j : j + r.shape[1]] += similar.sum(axis=0)
        row, column = np.nonzero((bins >= low) & ~sure & (r != 0))
        undecided.append((row + i, column + j, r[row, column]))
    rows, columns, values = (np.concatenate(part) for part in zip(*undecided, strict=True))
    cutoff = _cutoff(np.abs(values), above, low / _N_BINS, n_samples, d, fdr)
    keep = (values if positive else np.abs(values)) >= cutoff
    degrees += np.bincount(rows[keep], minlength=d) + np.bincount(columns[keep], minlength=d)
    return cutoff, degrees


def _bins(r: NDArray[np.float64]) -> NDArray[np.int32]:
    """Return the bin of every |r|; the last one holds |r| = 1 too."""
    return np.minimum(np.abs(r) * _N_BINS, _N_BINS - 1).astype(np.int32)


def _undecided(
    counts: NDArray[np.int64], n_samples: int, d: int, fdr: float
) -> tuple[int, int, int]:
    """Return the range of bins the cutoff lies in, and the number of pairs above it."""
    # A pair with p-value P is rejected when some pair with p ≥ P has p ≤ fdr·N(p)/T, N(p) the
    # number of p-values up to p and T all pairs. Inside a bin P and N(P) are known only up to the
    # bin's edges, so a bin is surely in, surely out, or undecided.
    pairs = d * (d - 1) // 2
    edge_p = _p_value(np.arange(_N_BINS + 1) / _N_BINS, n_samples)
    at_least = np.append(np.cumsum(counts[::-1])[::-1], 0)
    surely_out = (counts == 0) | (edge_p[1:] * pairs > fdr * at_least[:-1])
    surely_in = (counts > 0) & (edge_p[:-1] * pairs <= fdr * (at_least[1:] + 1))
    candidates = np.flatnonzero(~surely_out)
    if not candidates.size:
        return _N_BINS, _N_BINS - 1, 0
    first = int(candidates[0])
    settled = np.flatnonzero(surely_in[first:])
    high = first + int(settled[0]) if settled.size else _N_BINS - 1
    # One bin lower than needed: the cutoff is placed midway to the next smaller |r|.
    return max(first - 1, 0), high, int(at_least[high + 1])


def _cutoff(
    values: NDArray[np.float64], above: int, floor: float, n_samples: int, d: int, fdr: float
) -> float:
    """Return the Benjamini–Hochberg cutoff among the undecided |r|."""
    pairs = d * (d - 1) // 2
    ordered = np.sort(values)[::-1]
    # Equal |r| have equal p: N(p) counts them all, so the last of a tie decides.
    passed = _p_value(ordered, n_samples) * pairs <= fdr * (above + np.arange(1, ordered.size + 1))
    if not passed.any():
        return float("inf")
    last = int(np.flatnonzero(passed)[-1])
    below = ordered[last + 1] if last + 1 < ordered.size else floor
    return float((ordered[last] + below) / 2)
