"""Hypothesis data for the margin-based methods."""

import numpy as np
from hypothesis import strategies as st


@st.composite
def labels(draw, n, max_classes=3):
    """At least two classes; classes of one member happen."""
    n_classes = draw(st.integers(2, max_classes))
    y = draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n))
    y[0], y[1] = 0, 1
    return np.array(y)


@st.composite
def grids(draw, n, d):
    """An n×d table on a grid of eighths, with ties, duplicated rows and constant columns.

    Rows 0 and 1 span every varying column's range, [0, 1], so range-normalised
    differences and their sums are exact in floating point: what ties in the
    reference ties in the kernels.
    """
    X = np.array(draw(st.lists(st.integers(0, 8), min_size=n * d, max_size=n * d)), dtype=float)
    X = X.reshape(n, d) / 8
    flipped = np.array(draw(st.lists(st.booleans(), min_size=d, max_size=d)))
    X[0], X[1] = flipped, ~flipped
    for j in range(d):
        if draw(st.integers(0, 5)) == 0:
            X[:, j] = 0.375
    for row in range(2, n):
        if draw(st.integers(0, 4)) == 0:
            X[row] = X[draw(st.integers(0, row - 1))]
    return X


@st.composite
def tables(draw, max_rows=14, max_features=5, max_classes=3):
    """A grid table and its labels."""
    n = draw(st.integers(3, max_rows))
    d = draw(st.integers(1, max_features))
    return draw(grids(n, d)), draw(labels(n, max_classes))


@st.composite
def continuous_tables(draw, max_rows=14, max_features=5, max_classes=3):
    """Rows without ties but for duplicated rows, for methods whose weights are not dyadic."""
    n = draw(st.integers(3, max_rows))
    d = draw(st.integers(1, max_features))
    X = np.random.default_rng(draw(st.integers(0, 2**32 - 1))).normal(size=(n, d))
    for row in range(2, n):
        if draw(st.integers(0, 4)) == 0:
            X[row] = X[draw(st.integers(0, row - 1))]
    return X, draw(labels(n, max_classes))


def instance_weights(n):
    """Weights of which some are 0."""
    return (
        st.lists(st.integers(0, 4), min_size=n, max_size=n)
        .filter(any)
        .map(lambda w: np.array(w) / 4)
    )
