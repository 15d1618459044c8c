"""Manhattan distances between rows, tile by tile, without an n×n matrix."""

import numpy as np
from numba import njit

# Sums may be reassociated so that the loop over features uses vector registers. Every pair of
# rows goes through the same instructions (rows are padded, never handled by a remainder loop),
# so equal rows have exactly equal distances and ties stay ties.
SUM = {"reassoc", "nsz", "contract"}

ROW_PAD = 4  # the kernel takes 2 × 4 pairs at a time
FEATURE_PAD = 8  # one vector of float32, two of float64
FEATURE_CHUNK = 1024  # features summed in the input's precision before a float64 sum


@njit(cache=True, nogil=True, fastmath=SUM)
def manhattan_tile(A, B, D):
    """D[i, j] = Σ_f |A[i, f] − B[j, f]|; row counts must be multiples of 2 and of 4."""
    n, d = A.shape
    m = B.shape[0]
    zero = A.dtype.type(0)
    D[:n, :m] = 0.0
    for f0 in range(0, d, FEATURE_CHUNK):
        f1 = min(f0 + FEATURE_CHUNK, d)
        for i in range(0, n, 2):
            for j in range(0, m, 4):
                s00 = s01 = s02 = s03 = s10 = s11 = s12 = s13 = zero
                for f in range(f0, f1):
                    a0 = A[i, f]
                    a1 = A[i + 1, f]
                    b0 = B[j, f]
                    b1 = B[j + 1, f]
                    b2 = B[j + 2, f]
                    b3 = B[j + 3, f]
                    s00 += abs(a0 - b0)
                    s01 += abs(a0 - b1)
                    s02 += abs(a0 - b2)
                    s03 += abs(a0 - b3)
                    s10 += abs(a1 - b0)
                    s11 += abs(a1 - b1)
                    s12 += abs(a1 - b2)
                    s13 += abs(a1 - b3)
                D[i, j] += s00
                D[i, j + 1] += s01
                D[i, j + 2] += s02
                D[i, j + 3] += s03
                D[i + 1, j] += s10
                D[i + 1, j + 1] += s11
                D[i + 1, j + 2] += s12
                D[i + 1, j + 3] += s13


def pad(X, row_pad=ROW_PAD, feature_pad=FEATURE_PAD):
    """Append zero rows and zero columns up to multiples of the kernel's steps."""
    n, d = X.shape
    padded = np.zeros((-(-n // row_pad) * row_pad, -(-d // feature_pad) * feature_pad), X.dtype)
    padded[:n, :d] = X
    return padded
