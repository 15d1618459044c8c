"""Average linkage of the pairs that are near enough to matter, in place on a condensed matrix."""

import numpy as np

from backstay._kernels._compile import kernel


@kernel()
def _root(parent, i):
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@kernel()
def join(parent, first, second):
    """Join the sets of two members, under the lesser of their roots."""
    a, b = _root(parent, first), _root(parent, second)
    if a < b:
        parent[b] = a
    else:
        parent[a] = b


@kernel()
def join_similar(parent, similarity, row, column, least):
    """Join all members whose |similarity| is `least` or more, in a tile that starts at a place."""
    n_rows, n_columns = similarity.shape
    for i in range(n_rows):
        for j in range(max(0, row + i + 1 - column), n_columns):
            if abs(similarity[i, j]) >= least:
                join(parent, row + i, column + j)


@kernel()
def join_merged(parent, members, merges, heights, cut):
    """Join what average linkage merged at a distance of `cut` or less."""
    for k in range(len(heights)):
        if heights[k] <= cut:
            join(parent, members[merges[k, 0]], members[merges[k, 1]])


@kernel()
def set_numbers(parent):
    """Return the number of every member's set, sets in the order of their first members."""
    numbers = np.empty(len(parent), dtype=np.intp)
    n_sets = 0
    for i in range(len(parent)):
        root = _root(parent, i)
        if root == i:  # the least member of its set
            numbers[i] = n_sets
            n_sets += 1
        else:
            numbers[i] = numbers[root]
    return numbers


@kernel()
def _place(m, i, j):
    """Place of a pair in a condensed matrix of m members."""
    if i > j:
        i, j = j, i
    return m * i - i * (i + 1) // 2 + j - i - 1


@kernel()
def average_linkage(distances, m, cut):
    """Merge clusters up to a mean distance of `cut`; a member of each of the two, and the height.

    A chain of nearest neighbours finds pairs that are each other's nearest [Murtagh 1983]. A
    merger is never nearer to a third cluster than the nearer of its parts, so a cluster without
    a neighbour within `cut` is finished. `distances` is condensed and overwritten.
    """
    sizes = np.ones(m, dtype=np.int64)
    active = np.arange(m)
    n_active = m
    chain = np.empty(m, dtype=np.int64)
    length = 0
    merges = np.empty((max(m - 1, 0), 2), dtype=np.int64)
    heights = np.empty(max(m - 1, 0))
    n_merges = 0
    while n_active > 1:
        if length == 0:
            chain[0] = active[0]
            length = 1
        top = chain[length - 1]
        nearest, least = -1, np.inf
        if length > 1:  # of equally near ones the one before in the chain, which then ends
            nearest = chain[length - 2]
            least = distances[_place(m, top, nearest)]
        for at in range(n_active):
            j = active[at]
            if j != top:
                distance = distances[_place(m, top, j)]
                if distance < least:
                    nearest, least = j, distance
        if length == 1 and least > cut:
            gone = top
            length = 0
        elif length > 1 and nearest == chain[length - 2]:
            kept, gone = min(top, nearest), max(top, nearest)
            merges[n_merges, 0], merges[n_merges, 1] = kept, gone
            heights[n_merges] = least
            n_merges += 1
            length -= 2
            share = sizes[kept] / (sizes[kept] + sizes[gone])
            for at in range(n_active):
                j = active[at]
                if j != kept and j != gone:
                    place = _place(m, kept, j)
                    distances[place] = (
                        share * distances[place] + (1 - share) * distances[_place(m, gone, j)]
                    )
            sizes[kept] += sizes[gone]
        else:
            chain[length] = nearest
            length += 1
            continue
        at = 0
        while active[at] != gone:
            at += 1
        n_active -= 1
        for k in range(at, n_active):
            active[k] = active[k + 1]
    return merges[:n_merges], heights[:n_merges]
