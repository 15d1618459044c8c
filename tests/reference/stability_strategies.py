"""Random systems of subsets."""

from hypothesis import strategies as st


@st.composite
def systems(draw, max_features=9, max_runs=6, equal=False, proper=False):
    """A list of frozensets and the number of features.

    `equal` gives all the same size, `proper` leaves out empty and full subsets.
    """
    p = draw(st.integers(2 if proper else 1, max_features))
    low, high = (1, p - 1) if proper else (0, p)
    size = draw(st.integers(low, high))
    m = draw(st.integers(2, max_runs))
    sets = []
    for _ in range(m):
        own = size if equal else draw(st.integers(low, high))
        sets.append(frozenset(draw(st.permutations(range(p)))[:own]))
    return sets, p


@st.composite
def graphs(draw, p):
    """A set of unordered pairs of features."""
    pairs = [frozenset((i, j)) for i in range(p) for j in range(i)]
    return frozenset(pair for pair in pairs if draw(st.booleans()))


@st.composite
def systems_with_graph(draw, **kwargs):
    sets, p = draw(systems(max_features=5, max_runs=4, **kwargs))
    return sets, p, draw(graphs(p))


@st.composite
def rankings(draw, max_features=9, max_runs=6, min_runs=2):
    """M strict orders of d features, best first."""
    p = draw(st.integers(1, max_features))
    m = draw(st.integers(min_runs, max_runs))
    return [list(draw(st.permutations(range(p)))) for _ in range(m)]
