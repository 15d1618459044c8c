"""Linear equations from a Cholesky root, written here so that little is compiled."""

from backstay._kernels._compile import kernel

SUM = {"reassoc", "contract", "nsz"}


@kernel(fastmath=SUM)
def dot(a, b, n):
    """Sum of the first n products."""
    total = 0.0
    for t in range(n):
        total += a[t] * b[t]
    return total


@kernel()
def half_solve(root, kept, x):
    """Solve rootᵀ · x = x in place."""
    for t in range(kept - 1, -1, -1):
        x[t] /= root[t, t]
        for u in range(t):
            x[u] -= root[t, u] * x[t]


@kernel()
def solve(root, kept, x):
    """Solve root · rootᵀ · x = x in place."""
    for t in range(kept):
        x[t] = (x[t] - dot(root[t], x, t)) / root[t, t]
    half_solve(root, kept, x)
