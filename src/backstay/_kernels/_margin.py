"""Margin vectors: per feature, distance to the misses less distance to the hits."""

import numpy as np

from backstay._kernels._compile import kernel


@kernel()
def _sorted_margins(columns, keys, index_mask, y, n_classes, v, out):
    """out[i, f] = Σ_misses v_l |x_if − x_lf| − Σ_hits v_l |x_if − x_lf| by running sums."""
    # `keys` hold the rows' numbers in the order of their values. With Σ v and Σ v·x over the
    # smaller values, Σ_l v_l |x − x_l| = x (2 W_before − W) + S − 2 S_before; misses are all rows
    # less the hits.
    n_features, n = columns.shape
    weight_before = np.zeros(n_classes)
    sum_before = np.zeros(n_classes)
    weight = np.zeros(n_classes)
    total = np.zeros(n_classes)
    for i in range(n):
        weight[y[i]] += v[i]
    all_weight = weight.sum()
    for f in range(n_features):
        column = columns[f]
        weight_before[:] = 0.0
        sum_before[:] = 0.0
        total[:] = 0.0
        for i in range(n):
            total[y[i]] += v[i] * column[i]
        all_total = total.sum()
        all_weight_before = 0.0
        all_sum_before = 0.0
        for p in range(n):
            i = keys[f, p] & index_mask
            c = y[i]
            x = column[i]
            everyone = x * (2.0 * all_weight_before - all_weight) + all_total - 2.0 * all_sum_before
            hits = x * (2.0 * weight_before[c] - weight[c]) + total[c] - 2.0 * sum_before[c]
            out[i, f] = everyone - 2.0 * hits
            weight_before[c] += v[i]
            sum_before[c] += v[i] * x
            all_weight_before += v[i]
            all_sum_before += v[i] * x


@kernel()
def _sorted_margins_of_two(columns, keys, index_mask, sign, v, out):
    """Do the same for two classes: their margins are one running sum, with either sign."""
    n_features, n = columns.shape
    weight = 0.0
    for i in range(n):
        weight += sign[i] * v[i]
    for f in range(n_features):
        column = columns[f]
        total = 0.0
        for i in range(n):
            total += sign[i] * v[i] * column[i]
        weight_before = sum_before = 0.0
        for p in range(n):
            i = keys[f, p] & index_mask
            x = column[i]
            margin = x * (2.0 * weight_before - weight) + total - 2.0 * sum_before
            out[i, f] = -sign[i] * margin
            signed = sign[i] * v[i]
            weight_before += signed
            sum_before += signed * x


def margins_of_all(X, y, v, feature_block=256):
    """Margin vectors with all hits and all misses, O(d n log n).

    Sorting numbers is several times quicker than sorting row numbers by them, so each row's number
    goes into the last bits of its value; values from 0 up sort as integers as they do as floats.
    """
    n, d = X.shape
    out = np.empty((n, d))
    n_classes = int(y.max()) + 1
    index_mask = (1 << int(n - 1).bit_length()) - 1
    rows = np.arange(n, dtype=np.int64)
    sign = np.where(y == 1, 1.0, -1.0)
    for f0 in range(0, d, feature_block):
        columns = np.array(X[:, f0 : f0 + feature_block].T, dtype=np.float64, order="C")
        columns -= columns.min(axis=1, keepdims=True)  # margins do not change with the origin
        keys = (columns.view(np.int64) & ~index_mask) | rows
        keys.sort(axis=1)
        part = out[:, f0 : f0 + feature_block]
        if n_classes == 2:
            _sorted_margins_of_two(columns, keys, index_mask, sign, v, part)
        else:
            _sorted_margins(columns, keys, index_mask, y, n_classes, v, part)
    return out


@kernel()
def margins_of_neighbors(X, coefficients, out):
    """out[i] = Σ_l coefficient_il |x_i − x_l|: positive for misses, negative for hits."""
    n, d = X.shape
    out[:] = 0.0
    for i in range(n):
        for j in range(n):
            c = coefficients[i, j]
            if c != 0.0:
                for f in range(d):
                    out[i, f] += c * abs(X[i, f] - X[j, f])
