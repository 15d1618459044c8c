"""Relief: differences for gaps and nominal values, and the sums of weighted differences."""

import numpy as np

from backstay._kernels._compile import kernel


@kernel()
def column_ranges(X, low, high, has_gap):
    """Least and greatest known value of every column, from inf and −inf, and if it has NaNs."""
    for i in range(X.shape[0]):
        for f in range(X.shape[1]):
            v = X[i, f]
            low[f] = v if v < low[f] else low[f]
            high[f] = v if v > high[f] else high[f]
            has_gap[f] |= v != v


@kernel()
def scale_columns(X, order, columns, low, factor, out):
    """out[r, c] = (X[order[r], columns[c]] − low) · factor, by the column's low and factor."""
    for r in range(len(order)):
        i = order[r]
        for c in range(len(columns)):
            f = columns[c]
            out[r, c] = (X[i, f] - low[f]) * factor[f]


@kernel()
def scale_all_columns(X, order, low, factor, out):
    """As :func:`scale_columns` for all columns in their order, which is quicker."""
    for r in range(len(order)):
        i = order[r]
        for f in range(X.shape[1]):
            out[r, f] = (X[i, f] - low[f]) * factor[f]


@kernel(inline="always")
def gap_difference(a, b):
    """Difference of two numbers in [0, 1], NaN standing for a missing one (Weka's rule)."""
    if np.isnan(a):
        return 1.0 if np.isnan(b) else max(b, 1.0 - b)
    return max(a, 1.0 - a) if np.isnan(b) else abs(a - b)


@kernel(fastmath={"reassoc", "nsz", "contract"})
def weighted_distances(X, i, weights, D):
    """D[0, j] = Σ_f weight_f · |x_if − x_jf|, for dReliefF."""
    x = X[i]
    for j in range(D.shape[1]):
        total = 0.0
        other = X[j]
        for f in range(len(weights)):
            total += weights[f] * abs(x[f] - other[f])
        D[0, j] = total


@kernel()
def add_gap_distances(G, weights, queries, D):
    """Add the columns with gaps to the distances of the query rows to all rows."""
    n, d = G.shape
    for q in range(len(queries)):
        i = queries[q]
        for j in range(n):
            total = 0.0
            for f in range(d):
                total += weights[f] * gap_difference(G[i, f], G[j, f])
            D[q, j] += total


@kernel()
def add_nominal_distances(codes, tables, offsets, sizes, weights, queries, D):
    """Add the nominal columns: differences looked up by the pair of value codes."""
    n, d = codes.shape
    for q in range(len(queries)):
        i = queries[q]
        for j in range(n):
            total = 0.0
            for f in range(d):
                pair = offsets[f] + codes[i, f] * sizes[f] + codes[j, f]
                total += weights[f] * tables[pair]
            D[q, j] += total


@kernel()
def neighbor_shares(neighbors, influence, omega, shares):
    """Share of each neighbour in its list: influence by rank times ω, summing to 1.

    Unused places (row number n) are pointed at row 0, with share 0.
    """
    n_queries, n_lists, k = neighbors.shape
    n = len(omega)
    for q in range(n_queries):
        for c in range(n_lists):
            total = 0.0
            for s in range(k):
                j = neighbors[q, c, s]
                if j < n:
                    shares[q, c, s] = influence[s] * omega[j]
                    total += shares[q, c, s]
                else:
                    neighbors[q, c, s] = 0
                    shares[q, c, s] = 0.0
            if total > 0.0:
                for s in range(k):
                    shares[q, c, s] /= total


@kernel(fastmath={"contract"})
def dense_sums(X, queries, neighbors, coefficients, f0, f1, sums):
    """sums[f] += Σ_q Σ_s coefficient · |x_qf − x_sf| for the features f0..f1.

    A row's terms are summed in the precision of X, the rows' in float64.
    """
    width = f1 - f0
    row_sum = np.empty(width, X.dtype)
    n_lists = neighbors.shape[1]
    for q in range(len(queries)):
        x = X[queries[q], f0:f1]
        row_sum[:] = 0
        s = 0
        while s + 1 < n_lists:
            # Two neighbours a pass: half the traffic on row_sum.
            c0 = X.dtype.type(coefficients[q, s])
            c1 = X.dtype.type(coefficients[q, s + 1])
            u = X[neighbors[q, s], f0:f1]
            v = X[neighbors[q, s + 1], f0:f1]
            if c0 != 0 or c1 != 0:
                for f in range(width):
                    row_sum[f] += c0 * abs(x[f] - u[f]) + c1 * abs(x[f] - v[f])
            s += 2
        if s < n_lists:
            c0 = X.dtype.type(coefficients[q, s])
            u = X[neighbors[q, s], f0:f1]
            for f in range(width):
                row_sum[f] += c0 * abs(x[f] - u[f])
        for f in range(width):
            sums[f] += row_sum[f]


@kernel()
def gap_sums(G, queries, neighbors, coefficients, sums):
    """As :func:`dense_sums`, for columns with gaps."""
    for q in range(len(queries)):
        i = queries[q]
        for s in range(neighbors.shape[1]):
            c = coefficients[q, s]
            if c != 0.0:
                j = neighbors[q, s]
                for f in range(G.shape[1]):
                    sums[f] += c * gap_difference(G[i, f], G[j, f])


@kernel()
def nominal_sums(codes, tables, offsets, sizes, queries, neighbors, coefficients, sums):
    """As :func:`dense_sums`, for nominal columns."""
    for q in range(len(queries)):
        i = queries[q]
        for s in range(neighbors.shape[1]):
            c = coefficients[q, s]
            if c != 0.0:
                j = neighbors[q, s]
                for f in range(codes.shape[1]):
                    sums[f] += c * tables[offsets[f] + codes[i, f] * sizes[f] + codes[j, f]]


@kernel()
def sparse_distances(data, indices, indptr, n_features, queries, D):
    """Manhattan distances of query rows to all rows of a CSR matrix.

    Only the other row's own entries are visited: |a−b| differs from |a| there alone.
    """
    n = len(indptr) - 1
    dense = np.zeros(n_features)
    for q in range(len(queries)):
        i = queries[q]
        norm = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            dense[indices[p]] = data[p]
            norm += abs(data[p])
        for j in range(n):
            total = norm
            for p in range(indptr[j], indptr[j + 1]):
                a = dense[indices[p]]
                total += abs(a - data[p]) - abs(a)
            D[q, j] = total
        for p in range(indptr[i], indptr[i + 1]):
            dense[indices[p]] = 0.0


@kernel()
def sparse_sums(data, indices, indptr, queries, neighbors, coefficients, sums):
    """As :func:`dense_sums`, for a CSR matrix."""
    dense = np.zeros(len(sums))
    for q in range(len(queries)):
        i = queries[q]
        for p in range(indptr[i], indptr[i + 1]):
            dense[indices[p]] = data[p]
        own = 0.0  # |x_if − 0| counts once for every neighbour, whatever the neighbour holds
        for s in range(neighbors.shape[1]):
            c = coefficients[q, s]
            if c != 0.0:
                own += c
                j = neighbors[q, s]
                for p in range(indptr[j], indptr[j + 1]):
                    a = dense[indices[p]]
                    sums[indices[p]] += c * (abs(a - data[p]) - abs(a))
        for p in range(indptr[i], indptr[i + 1]):
            sums[indices[p]] += own * abs(data[p])
            dense[indices[p]] = 0.0
