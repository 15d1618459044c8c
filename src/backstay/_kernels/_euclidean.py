"""Euclidean distances by one matrix product, exact where the product would lose digits."""

import numpy as np
from numba import njit

# ‖a‖² + ‖b‖² − 2ab loses about log10(1/CLOSE) digits; nearer pairs are computed directly.
CLOSE = 1e-5


@njit(cache=True, nogil=True)
def _repair_close(A, B, a_norms, b_norms, squared):
    for i in range(squared.shape[0]):
        for j in range(squared.shape[1]):
            if squared[i, j] <= CLOSE * (a_norms[i] + b_norms[j]):
                total = 0.0
                for f in range(A.shape[1]):
                    z = A[i, f] - B[j, f]
                    total += z * z
                squared[i, j] = total


def euclidean_distances(A, B):
    """Distances between the rows of two float64 matrices; equal rows are at exactly 0."""
    a_norms = np.einsum("ij,ij->i", A, A)
    b_norms = np.einsum("ij,ij->i", B, B)
    squared = A @ B.T
    squared *= -2.0
    squared += a_norms[:, None]
    squared += b_norms[None, :]
    _repair_close(A, B, a_norms, b_norms, squared)
    return np.sqrt(squared, out=squared)


def distance_blocks(X, block_bytes=64_000_000):
    """Yield (first row, distances of a block of rows to all rows), centred for precision."""
    centred = np.ascontiguousarray(X - X.mean(axis=0), dtype=np.float64)
    n = len(centred)
    size = max(1, block_bytes // (8 * n))
    for first in range(0, n, size):
        yield first, euclidean_distances(centred[first : first + size], centred)
