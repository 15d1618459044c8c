"""Distances between rows: direct, tile by tile, or Euclidean by one matrix product."""

import numpy as np

from backstay._kernels._compile import kernel

# Sums may be reassociated so that the loop over features uses vector registers. Every pair of
# rows goes through the same instructions (rows are padded, never handled by a remainder loop),
# so equal rows have exactly equal distances and ties stay ties.
SUM = {"reassoc", "nsz", "contract"}

ROW_PAD = 4  # the kernel takes 2 × 4 pairs at a time
FEATURE_PAD = 8  # one vector of float32, two of float64
FEATURE_CHUNK = 1024  # features summed in the input's precision before a float64 sum

# ‖a‖² + ‖b‖² − 2ab loses about log10(1/CLOSE) digits; nearer pairs are computed directly.
CLOSE = 1e-5


@kernel(inline="always")
def _term(z, square):
    return z * z if square else abs(z)


@kernel(fastmath=SUM)
def difference_tile(A, B, square, D):
    """D[i, j] = Σ_f |A[i, f] − B[j, f]|, or of the squares; A in pairs of rows, B in fours."""
    n, d = A.shape
    m = B.shape[0]
    zero = A.dtype.type(0)
    for i in range(n):
        for j in range(m):
            D[i, j] = 0.0
    for f0 in range(0, d, FEATURE_CHUNK):
        f1 = min(f0 + FEATURE_CHUNK, d)
        for i in range(0, n, 2):
            # Rows by themselves: as places in a table, AVX-512 compilers find no vectors in them.
            a0 = A[i, f0:f1]
            a1 = A[i + 1, f0:f1]
            for j in range(0, m, 4):
                b0 = B[j, f0:f1]
                b1 = B[j + 1, f0:f1]
                b2 = B[j + 2, f0:f1]
                b3 = B[j + 3, f0:f1]
                s00 = s01 = s02 = s03 = s10 = s11 = s12 = s13 = zero
                for f in range(f1 - f0):
                    s00 += _term(a0[f] - b0[f], square)
                    s01 += _term(a0[f] - b1[f], square)
                    s02 += _term(a0[f] - b2[f], square)
                    s03 += _term(a0[f] - b3[f], square)
                    s10 += _term(a1[f] - b0[f], square)
                    s11 += _term(a1[f] - b1[f], square)
                    s12 += _term(a1[f] - b2[f], square)
                    s13 += _term(a1[f] - b3[f], square)
                D[i, j] += s00
                D[i, j + 1] += s01
                D[i, j + 2] += s02
                D[i, j + 3] += s03
                D[i + 1, j] += s10
                D[i + 1, j + 1] += s11
                D[i + 1, j + 2] += s12
                D[i + 1, j + 3] += s13


def padded_zeros(n, d, dtype):
    """Zeros for `n` rows and `d` features, rounded up to multiples of the kernel's steps."""
    return np.zeros((-(-n // ROW_PAD) * ROW_PAD, -(-d // FEATURE_PAD) * FEATURE_PAD), dtype)


def pad(X):
    """Append zero rows and zero columns up to multiples of the kernel's steps."""
    padded = padded_zeros(*X.shape, X.dtype)
    padded[: X.shape[0], : X.shape[1]] = X
    return padded


def pair_distances(queries, rows, square):
    """Distances of unpadded query rows to all rows of a padded matrix, its padding included."""
    block = np.zeros((-(-len(queries) // ROW_PAD) * ROW_PAD, rows.shape[1]), rows.dtype)
    block[: len(queries), : queries.shape[1]] = queries
    D = np.empty((len(block), len(rows)))
    difference_tile(block, rows, square, D)
    return D[: len(queries)]


def distance_blocks(X, euclidean=True, block_bytes=32_000_000):
    """Yield (first row, distances of a block of rows to all rows), ties exact."""
    rows, n = pad(X), len(X)
    size = max(1, block_bytes // (8 * len(rows)))
    for first in range(0, n, size):
        D = pair_distances(X[first : first + size], rows, euclidean)[:, :n]
        yield first, np.sqrt(D, out=D) if euclidean else D


@kernel()
def _repair_close(A, B, a_norms, b_norms, squared):
    for i in range(squared.shape[0]):
        for j in range(squared.shape[1]):
            if squared[i, j] <= CLOSE * (a_norms[i] + b_norms[j]):
                total = 0.0
                for f in range(A.shape[1]):
                    z = A[i, f] - B[j, f]
                    total += z * z
                squared[i, j] = total


def mean_euclidean_distances(X, block_bytes=64_000_000):
    """Mean distance of every row to the others by matrix products; duplicates are at 0."""
    n = len(X)
    centred = np.ascontiguousarray(X - X.mean(axis=0), dtype=np.float64)
    norms = np.einsum("ij,ij->i", centred, centred)
    means = np.empty(n)
    size = max(1, block_bytes // (8 * n))
    for first in range(0, n, size):
        block = centred[first : first + size]
        squared = block @ centred.T
        squared *= -2.0
        squared += norms[first : first + size, None]
        squared += norms[None, :]
        _repair_close(block, centred, norms[first : first + size], norms, squared)
        means[first : first + size] = np.sqrt(squared).sum(axis=1) / (n - 1)
    return means


def mean_manhattan_distances(X):
    """Mean Manhattan distance of every row to the others."""
    blocks = [D.sum(axis=1) / (len(X) - 1) for _, D in distance_blocks(X, euclidean=False)]
    return np.concatenate(blocks)
