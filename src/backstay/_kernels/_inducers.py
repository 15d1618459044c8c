"""How many test rows each candidate subset gets right: k-NN, discriminants, kernel machines.

A candidate is the present subset with one unit of columns added or removed. What the subset has in
common (distances, discriminants, Gram matrix) is computed once; a candidate changes it by a
rank-one term per column. Units are slices ``offsets[u]:offsets[u + 1]`` of ``units``. Tables hold
one feature per row, so that the innermost loops run over rows of data in memory order.
"""

import numpy as np

from backstay._kernels._compile import kernel

EPS = np.finfo(np.float64).eps


@kernel()
def _add_column(distances, column, x, sign):
    for j in range(len(distances)):
        z = x - column[j]
        distances[j] += sign * (z * z)


@kernel()
def _merged_columns(subset, unit, adding):
    """Columns of a candidate in ascending order: the order in which peers sum."""
    if adding:
        return np.sort(np.concatenate((subset, unit)))
    kept = np.empty(len(subset) - len(unit), np.int64)
    at = 0
    for f in subset:
        dropped = False
        for g in unit:
            dropped = dropped or f == g
        if not dropped:
            kept[at] = f
            at += 1
    return kept


@kernel()
def _direct(train, test, columns, i, j):
    """Squared distance summed from scratch, column by column."""
    total = 0.0
    for f in columns:
        z = test[f, i] - train[f, j]
        total += z * z
    return total


@kernel(fastmath={"nnan", "nsz", "reassoc"})
def _least(base, column, x, sign, begin, end):
    """Least distance over a segment of rows with one column added or removed."""
    low = np.inf
    for j in range(begin, end):
        z = x - column[j]
        low = min(low, base[j] + sign * (z * z))
    return low


@kernel(fastmath={"nnan", "nsz", "reassoc"})
def _least_of(values, begin, end):
    low = np.inf
    for j in range(begin, end):
        low = min(low, values[j])
    return low


@kernel()
def _nearest_class(train, test, starts, rows, columns, i, moved, limit):
    """Class of the nearest row by direct distances; equal ones by row number."""
    # Only rows whose updated distance is within `limit` can be nearest.
    best, best_row, best_class = np.inf, len(rows), -1
    for c in range(len(starts) - 1):
        for j in range(starts[c], starts[c + 1]):
            if moved[j] > limit:
                continue
            distance = _direct(train, test, columns, i, j)
            if distance < best or (distance == best and rows[j] < best_row):
                best, best_row, best_class = distance, rows[j], c
    return best_class


@kernel()
def nearest_correct(
    train, test, starts, rows, test_classes, subset, units, offsets, adding, correct
):
    """Count the test rows that 1-NN gets right, per candidate.

    Training rows are sorted by class, class c at ``starts[c]:starts[c + 1]``,
    with their numbers in `rows`. The nearest row of each class is enough to
    predict; when two classes are nearer to each other than rounding can tell,
    direct distances decide, so that updating never changes a prediction.
    """
    n = train.shape[1]
    sign = 1.0 if adding else -1.0
    base, moved = np.empty(n), np.empty(n)
    for i in range(len(test_classes)):
        base[:] = 0.0
        for f in subset:
            _add_column(base, train[f], test[f, i], 1.0)
        largest = base.max()
        for u in range(len(offsets) - 1):
            unit = units[offsets[u] : offsets[u + 1]]
            single = len(unit) == 1
            if not single:
                moved[:] = base
                for f in unit:
                    _add_column(moved, train[f], test[f, i], sign)
            best, second, best_class = np.inf, np.inf, -1
            for c in range(len(starts) - 1):
                if single:
                    f = unit[0]
                    low = _least(base, train[f], test[f, i], sign, starts[c], starts[c + 1])
                else:
                    low = _least_of(moved, starts[c], starts[c + 1])
                if low < best:
                    best, second, best_class = low, best, c
                elif low < second:
                    second = low
            # Sums of positive terms err in proportion to themselves, differences to what
            # they were taken from.
            slack = 4.0 * (len(subset) + len(unit) + 2) * EPS * (best if adding else largest)
            if second - best <= slack:
                if single:
                    moved[:] = base
                    _add_column(moved, train[unit[0]], test[unit[0], i], sign)
                columns = _merged_columns(subset, unit, adding)
                best_class = _nearest_class(
                    train, test, starts, rows, columns, i, moved, best + 2.0 * slack
                )
            if best_class == test_classes[i]:
                correct[u] += 1


@kernel()
def _push(values, labels, value, label):
    """Keep `value` in the max-heap if it is below the root; an equal one is not let in."""
    if value >= values[0]:
        return
    size = len(values)
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and values[child + 1] > values[child]:
            child += 1
        if values[child] <= value:
            break
        values[at], labels[at] = values[child], labels[child]
        at = child
    values[at], labels[at] = value, label


@kernel()
def _vote(labels, ballots):
    """Most frequent class; the lowest of several."""
    ballots[:] = 0
    for label in labels:
        ballots[label] += 1
    return np.argmax(ballots)


@kernel()
def _k_nearest(train, test, labels, subset, unit, adding, i, base, moved, near, near_labels):
    """Put the labels of the k rows nearest to test row i first in `near_labels`.

    `base` are the distances over the present subset. When the k-th and the next distance are
    nearer than rounding can tell, the rows are offered to a heap in row order with direct
    distances: scikit-learn's rule, whose outcome among rows tied at the border depends on the heap.
    """
    k = len(near) - 1
    sign = 1.0 if adding else -1.0
    moved[:] = base
    for f in unit:
        _add_column(moved, train[f], test[f, i], sign)
    near[:] = np.inf
    near_labels[:] = 0
    for j in range(len(base)):
        if moved[j] < near[k]:
            at = k
            while at > 0 and near[at - 1] > moved[j]:
                near[at], near_labels[at] = near[at - 1], near_labels[at - 1]
                at -= 1
            near[at], near_labels[at] = moved[j], labels[j]
    scale = near[k - 1] if adding else base.max()
    slack = 4.0 * (len(subset) + len(unit) + 2) * EPS * scale
    if near[k] - near[k - 1] <= slack:
        columns = _merged_columns(subset, unit, adding)
        near[:] = np.inf
        near_labels[:] = 0
        for j in range(len(base)):
            _push(near[:k], near_labels[:k], _direct(train, test, columns, i, j), labels[j])


@kernel()
def neighbors_correct(
    train,
    test,
    labels,
    n_classes,
    k,
    test_classes,
    subset,
    units,
    offsets,
    adding,
    correct,
):
    """Count the test rows that k-NN gets right, per candidate; training rows as they come."""
    n = train.shape[1]
    base, moved = np.empty(n), np.empty(n)
    near, near_labels = np.empty(k + 1), np.empty(k + 1, np.int64)
    ballots = np.empty(n_classes, np.int64)
    for i in range(len(test_classes)):
        base[:] = 0.0
        for f in subset:
            _add_column(base, train[f], test[f, i], 1.0)
        for u in range(len(offsets) - 1):
            unit = units[offsets[u] : offsets[u + 1]]
            _k_nearest(train, test, labels, subset, unit, adding, i, base, moved, near, near_labels)
            if _vote(near_labels[:k], ballots) == test_classes[i]:
                correct[u] += 1


@kernel()
def neighbor_errors(train, test, values, k, test_values, subset, units, offsets, adding, errors):
    """Sum the squared errors of the mean of the k nearest rows' values, per candidate.

    The neighbours are those of :func:`neighbors_correct`.
    """
    n = train.shape[1]
    base, moved = np.empty(n), np.empty(n)
    near, near_values = np.empty(k + 1), np.empty(k + 1)
    for i in range(len(test_values)):
        base[:] = 0.0
        for f in subset:
            _add_column(base, train[f], test[f, i], 1.0)
        for u in range(len(offsets) - 1):
            unit = units[offsets[u] : offsets[u + 1]]
            _k_nearest(train, test, values, subset, unit, adding, i, base, moved, near, near_values)
            errors[u] += (near_values[:k].mean() - test_values[i]) ** 2


@kernel()
def discriminant_correct(
    scores, rows, centres, offsets, sign, test_classes, closeness, correct, unsure
):
    """Count the test rows linear discriminants get right, per candidate.

    `scores` are the discriminants of the present subset, n_test × n_classes. A candidate changes
    them by sign·(z·m_c − m_c·m_c/2), z and m_c being the whitened coordinates that its unit adds or
    takes away. A candidate with two discriminants closer than `closeness` is marked `unsure`.
    """
    n, n_classes = scores.shape
    values = np.empty(n_classes)
    for u in range(len(offsets) - 1):
        begin, end = offsets[u], offsets[u + 1]
        for i in range(n):
            size = 1.0
            for c in range(n_classes):
                change = 0.0
                for r in range(begin, end):
                    change += (rows[r, i] - 0.5 * centres[r, c]) * centres[r, c]
                values[c] = scores[i, c] + sign * change
                size = max(size, abs(scores[i, c]) + abs(change))
            best, second, best_class = values[0], -np.inf, 0
            for c in range(1, n_classes):
                if values[c] > best:
                    best, second, best_class = values[c], best, c
                elif values[c] > second:
                    second = values[c]
            if best - second <= closeness * size:
                unsure[u] = True
                break
            if best_class == test_classes[i]:
                correct[u] += 1


@kernel()
def update_gram(base, left, right, unit, sign, out):
    """Inner products with a unit's columns added or removed."""
    for i in range(base.shape[0]):
        for j in range(base.shape[1]):
            out[i, j] = base[i, j]
        for f in unit:
            x = sign * left[f, i]
            column = right[f]
            for j in range(base.shape[1]):
                out[i, j] += x * column[j]


@kernel()
def update_rbf(base, left, right, unit, sign, gamma, out):
    """exp(−γ·squared distance) with a unit's columns added or removed."""
    for i in range(base.shape[0]):
        out[i] = base[i]
        for f in unit:
            _add_column(out[i], right[f], left[f, i], sign)
        for j in range(base.shape[1]):
            out[i, j] = np.exp(-gamma * max(out[i, j], 0.0))


@kernel()
def squared_distances(left, right, subset):
    """Squared distances between the columns of two tables, over the features in `subset`."""
    out = np.zeros((left.shape[1], right.shape[1]))
    for i in range(out.shape[0]):
        for f in subset:
            _add_column(out[i], right[f], left[f, i], 1.0)
    return out


@kernel()
def one_vs_one_correct(kernel, support, n_support, coefficients, intercepts, test_classes):
    """Count the test rows right by the votes of one-vs-one machines (libsvm's layout)."""
    n_classes = len(n_support)
    starts = np.zeros(n_classes + 1, np.int64)
    starts[1:] = np.cumsum(n_support)
    votes = np.empty(n_classes, np.int64)
    correct = 0
    for i in range(kernel.shape[0]):
        votes[:] = 0
        machine = 0
        for a in range(n_classes):
            for b in range(a + 1, n_classes):
                total = intercepts[machine]
                for s in range(starts[a], starts[a + 1]):
                    total += coefficients[b - 1, s] * kernel[i, support[s]]
                for s in range(starts[b], starts[b + 1]):
                    total += coefficients[a, s] * kernel[i, support[s]]
                votes[a if total > 0.0 else b] += 1
                machine += 1
        if np.argmax(votes) == test_classes[i]:
            correct += 1
    return correct
