"""Cutting sorted values by Fayyad and Irani's minimum description length, and counting."""

import numpy as np

from backstay._kernels._compile import kernel

# Gains nearer than this are equal: the lower of two cuts is taken, and a gain has to exceed
# its price by more, whatever the order in which rounding added the weights up.
EQUAL = 1e-10


@kernel()
def _entropy(weights, rows):
    """Entropy in bits of a class distribution; classes without rows count as exactly absent."""
    total = 0.0
    for c in range(len(weights)):
        if rows[c] > 0:
            total += weights[c]
    if total <= 0.0:
        return 0.0
    entropy = 0.0
    for c in range(len(weights)):
        if rows[c] > 0 and weights[c] > 0.0:
            p = weights[c] / total
            entropy -= p * np.log2(p)
    return entropy


@kernel()
def _price(n, k, entropy, k_left, entropy_left, k_right, entropy_right):
    """Return the gain above which a cut pays for its description [Fayyad & Irani 1993]."""
    delta = np.log2(3.0**k - 2.0) - (k * entropy - k_left * entropy_left - k_right * entropy_right)
    # N − 1 places to cut; there is always one, even where a part weighs less than two rows.
    return (np.log2(max(n - 1.0, 1.0)) + delta) / n


@kernel()
def _best_cut(values, y, omega, low, high, rows, weights):
    """Return the position before which to cut values[low:high], or -1 if no cut pays."""
    # `rows` and `weights` are (3, C) scratch: left, right and whole.
    rows[:] = 0
    weights[:] = 0.0
    n = 0.0
    for p in range(low, high):
        for side in (1, 2):
            rows[side, y[p]] += 1
            weights[side, y[p]] += omega[p]
        n += omega[p]
    entropy = _entropy(weights[2], rows[2])
    k = np.count_nonzero(rows[2])
    best = -1
    best_gain = best_price = -np.inf
    n_left = 0.0
    for p in range(low, high - 1):
        c = y[p]
        n_left += omega[p]
        rows[0, c] += 1
        rows[1, c] -= 1
        weights[0, c] += omega[p]
        weights[1, c] -= omega[p]
        if values[p] == values[p + 1]:
            continue
        left, right = _entropy(weights[0], rows[0]), _entropy(weights[1], rows[1])
        gain = entropy - (n_left * left + (n - n_left) * right) / n
        if gain > best_gain + EQUAL:
            best, best_gain = p + 1, gain
            k_left, k_right = np.count_nonzero(rows[0]), np.count_nonzero(rows[1])
            best_price = _price(n, k, entropy, k_left, left, k_right, right)
    return best if best_gain > best_price + EQUAL else -1


@kernel()
def mdl_cuts(columns, order, y, omega, n_classes, cuts, n_cuts):
    """Cut every feature f recursively while it pays; the cuts end up in cuts[f, :n_cuts[f]]."""
    n = columns.shape[1]
    values = np.empty(n)
    sorted_y = np.empty(n, np.intp)
    sorted_omega = np.empty(n)
    rows = np.empty((3, n_classes), np.int64)
    weights = np.empty((3, n_classes))
    stack = np.empty((n + 1, 2), np.int64)
    for f in range(columns.shape[0]):
        for p in range(n):
            i = order[f, p]
            values[p] = columns[f, i]
            sorted_y[p] = y[i]
            sorted_omega[p] = omega[i]
        count = 0
        stack[0, 0], stack[0, 1] = 0, n
        size = 1
        while size > 0:
            size -= 1
            low, high = stack[size, 0], stack[size, 1]
            p = _best_cut(values, sorted_y, sorted_omega, low, high, rows, weights)
            if p >= 0:
                cut = 0.5 * values[p - 1] + 0.5 * values[p]
                if not values[p - 1] <= cut < values[p]:  # no float lies between
                    cut = values[p - 1]
                at = count  # keep the few cuts sorted
                while at > 0 and cuts[f, at - 1] > cut:
                    cuts[f, at] = cuts[f, at - 1]
                    at -= 1
                cuts[f, at] = cut
                count += 1
                stack[size, 0], stack[size, 1] = low, p
                stack[size + 1, 0], stack[size + 1, 1] = p, high
                size += 2
        n_cuts[f] = count


@kernel()
def contingency(codes, y, omega, counts):
    """counts[f, v, c] = Σ ω over rows of class c whose feature f has value number v."""
    counts[:] = 0.0
    for i in range(codes.shape[0]):
        for f in range(codes.shape[1]):
            counts[f, codes[i, f], y[i]] += omega[i]
