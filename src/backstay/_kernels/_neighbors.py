"""The k nearest rows of each class, kept in bounded heaps.

Rows are sorted by class beforehand: class c holds the rows ``starts[c]`` to ``starts[c + 1]``. The
order is (distance, row): a set of k nearest does not depend on the order in which candidates
arrive, so neither tiles nor threads change it.
"""

import numpy as np

from backstay._kernels._compile import kernel
from backstay._kernels._distances import ROW_PAD, difference_tile

TILE = 64


@kernel(inline="always")
def _worse(distance_a, row_a, distance_b, row_b):
    return distance_a > distance_b or (distance_a == distance_b and row_a > row_b)


@kernel()
def _sift_down(distance, row, size, new_distance, new_row):
    """Put a value at the root of the max-heap of `size` and restore the heap."""
    parent = 0
    while True:
        child = 2 * parent + 1
        if child >= size:
            break
        right = child + 1
        if right < size and _worse(distance[right], row[right], distance[child], row[child]):
            child = right
        if not _worse(distance[child], row[child], new_distance, new_row):
            break
        distance[parent] = distance[child]
        row[parent] = row[child]
        parent = child
    distance[parent] = new_distance
    row[parent] = new_row


@kernel(inline="always")
def _nearer(distance, row, worst, worst_row):
    """Whether a candidate belongs into a heap; at distance inf is the row itself."""
    return distance < worst or (distance == worst and row < worst_row and distance < np.inf)


@kernel()
def _sort_heap(distance, row):
    for size in range(len(distance) - 1, 0, -1):
        last_distance = distance[size]
        last_row = row[size]
        distance[size] = distance[0]
        row[size] = row[0]
        _sift_down(distance, row, size, last_distance, last_row)


@kernel()
def sort_heaps(distances, rows):
    """Turn every heap into a list, nearest first; unused places (inf, n) come last."""
    for i in range(distances.shape[0]):
        for c in range(distances.shape[1]):
            _sort_heap(distances[i, c], rows[i, c])


@kernel(fastmath={"nnan", "nsz", "reassoc"})
def _minimum(values):
    low = values[0]
    for v in values:
        low = min(low, v)
    return low


@kernel()
def _offer_all(candidates, first_row, distance, row):
    """Offer distances to the rows `first_row`, `first_row` + 1, … to one heap."""
    k = len(distance)
    worst = distance[0]
    worst_row = row[0]
    for j in range(len(candidates)):
        if _nearer(candidates[j], first_row + j, worst, worst_row):
            _sift_down(distance, row, k, candidates[j], np.int32(first_row + j))
            worst = distance[0]
            worst_row = row[0]


@kernel()
def _offer_by_class(values, first, starts, distances, rows):
    """Offer one row's distances to the rows `first`, `first` + 1, … to its heaps."""
    last = first + len(values)
    for c in range(len(starts) - 1):
        begin = max(starts[c], first)
        end = min(starts[c + 1], last)
        if begin < end:
            segment = values[begin - first : end - first]
            # Once the heaps hold good candidates, segments are skipped by their minimum.
            if _minimum(segment) <= distances[c, 0]:
                _offer_all(segment, begin, distances[c], rows[c])


@kernel(fastmath={"nnan", "nsz", "reassoc"})
def _column_minima(tile, begin, end, n_columns, minima):
    for j in range(n_columns):
        minima[j] = tile[begin, j]
    for i in range(begin + 1, end):
        for j in range(n_columns):
            minima[j] = min(minima[j], tile[i, j])


@kernel()
def _offer_columns(
    tile, first, last, first_column, n_columns, starts, minima, column, distances, rows
):
    """Offer a tile's distances to the rows of its columns: they are symmetric."""
    for c in range(len(starts) - 1):
        begin = max(starts[c], first)
        end = min(starts[c + 1], last)
        if begin < end:
            _column_minima(tile, begin - first, end - first, n_columns, minima)
            for j in range(n_columns):
                owner = first_column + j
                if minima[j] <= distances[owner, c, 0]:
                    for i in range(begin, end):
                        column[i - begin] = tile[i - first, j]
                    _offer_all(column[: end - begin], begin, distances[owner, c], rows[owner, c])


@kernel()
def symmetric_neighbors(X, square, n, starts, part, n_parts, distances, rows):
    """Fill heaps of all `n` rows from every `n_parts`-th pair of row blocks, for both rows."""
    tile = np.empty((TILE, TILE))
    minima, column = np.empty(TILE), np.empty(TILE)
    pair = 0
    for a0 in range(0, n, TILE):
        a1 = min(a0 + TILE, n)
        a_pad = a0 + -(-(a1 - a0) // ROW_PAD) * ROW_PAD
        for b0 in range(a0, n, TILE):
            pair += 1
            if pair % n_parts != part:
                continue
            b1 = min(b0 + TILE, n)
            b_pad = b0 + -(-(b1 - b0) // ROW_PAD) * ROW_PAD
            difference_tile(X[a0:a_pad], X[b0:b_pad], square, tile)
            if a0 == b0:
                for i in range(a1 - a0):
                    tile[i, i] = np.inf
            else:
                _offer_columns(tile, a0, a1, b0, b1 - b0, starts, minima, column, distances, rows)
            for i in range(a1 - a0):
                _offer_by_class(tile[i, : b1 - b0], b0, starts, distances[a0 + i], rows[a0 + i])


@kernel()
def merge_heaps(distances, rows, other_distances, other_rows):
    """Offer everything the other heaps hold to these."""
    n, n_classes, k = distances.shape
    for i in range(n):
        for c in range(n_classes):
            for s in range(k):
                distance = other_distances[i, c, s]
                row = other_rows[i, c, s]
                if _nearer(distance, row, distances[i, c, 0], rows[i, c, 0]):
                    _sift_down(distances[i, c], rows[i, c], k, distance, row)


@kernel()
def block_neighbors(D, queries, n, starts, distances, rows):
    """Fill the heaps of a block of query rows from their distances to the `n` rows."""
    first = starts[0]  # 0, but not a literal, which would be compiled on its own
    for i in range(len(queries)):
        D[i, queries[i]] = np.inf
        _offer_by_class(D[i, :n], first, starts, distances[i], rows[i])


def empty_heaps(n_rows, n_classes, k, n):
    """Heaps that hold nothing yet: distance inf, row `n`."""
    return np.full((n_rows, n_classes, k), np.inf), np.full((n_rows, n_classes, k), n, np.int32)


@kernel()
def nearest_misses(distances, rows, classes, original, merged_distances, merged_rows):
    """Merge the sorted lists of the other classes into one of misses; ties by original row."""
    n, n_classes, k = distances.shape
    at = np.empty(n_classes, np.int64)
    for i in range(n):
        at[:] = 0
        for s in range(k):
            best = -1
            for c in range(n_classes):
                if c == classes[i] or at[c] >= k or distances[i, c, at[c]] == np.inf:
                    continue
                if best < 0 or _worse(
                    distances[i, best, at[best]],
                    original[rows[i, best, at[best]]],
                    distances[i, c, at[c]],
                    original[rows[i, c, at[c]]],
                ):
                    best = c
            if best < 0:
                break
            merged_distances[i, s] = distances[i, best, at[best]]
            merged_rows[i, s] = rows[i, best, at[best]]
            at[best] += 1
