"""Measures that count a similar feature in the other subset as a match, or as part of one."""

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from backstay.stability._runs import Runs
from backstay.stability._similarity import FeatureSimilarity
from backstay.stability._subsets import Pairs, ratio

_PARTNERS = ("anywhere", "unshared")


def pogr(runs: Runs, similar: FeatureSimilarity, partners: str = "anywhere") -> Pairs:
    """Return (r + O_AB)/a."""
    # Directed: row A, column B ([Han] eq. 5.6).
    return ratio(runs.shared + _matched(runs, similar, partners), runs.a)


def npogr(runs: Runs, similar: FeatureSimilarity, partners: str = "anywhere") -> Pairs:
    """Return (r + O_AB − E)/(a − E)."""
    # Directed ([Han] eq. 5.7); at equal sizes the mean of both directions is eq. 5.8.
    a, b = runs.a, runs.b
    chance = a * b / runs.n_features
    chance = chance + _expected(runs, similar, partners)
    matched = runs.shared + _matched(runs, similar, partners)
    return _corrected(matched, chance, np.broadcast_to(a, chance.shape))


def yu(runs: Runs, similar: FeatureSimilarity) -> Pairs:
    """Return (I − E(I))/((a+b)/2 − E(I))."""
    # I = r + (O_AB + O_BA)/2, partners unshared.
    a, b = runs.a, runs.b
    matched = _matched(runs, similar, "unshared")
    expected = _expected(runs, similar, "unshared")
    chance = a * b / runs.n_features + (expected + expected.T) / 2
    return _corrected(runs.shared + (matched + matched.T) / 2, chance, (a + b) / 2)


def zucknick(runs: Runs, similar: FeatureSimilarity) -> Pairs:
    """Return (r + C(A,B) + C(B,A))/|A∪B|."""
    # C(A,B) = Σ_{x∈A, y∈B∖A} sim(x,y) / |B|.
    # An empty subset has no partners to give: C is 0 there, as the Jaccard index is.
    totals = np.zeros((runs.n_runs, runs.features.size))
    for index, chosen in enumerate(runs.selected):
        totals[index] = similar.block(runs.features[chosen], runs.features).sum(axis=0)
    totals[runs.selected] = 0
    a, b = runs.a, runs.b
    credit = (totals @ runs.selected.T.astype(np.float64)) / np.maximum(b, 1)
    return ratio(runs.shared + credit + credit.T, a + b - runs.shared)


def module_match(runs: Runs, modules: object = None) -> Pairs:
    """Return (I − E)/((a+b)/2 − E), I matched within modules."""
    # Directed: row A, column B. I = Σ min(a_M, b_M) over modules M counts the features that can be
    # matched one to one. E is what A can expect of a random subset of B's size. Two random subsets
    # would be the wrong standard: they meet in a large module, so runs that keep out of it would be
    # far below 0 even if they chose at random elsewhere. Given A, the mean over random B is 0.
    p = runs.n_features
    labels = np.arange(p) if modules is None else np.asarray(modules)  # None: each on its own
    if labels.shape != (p,):
        raise ValueError(
            f"modules must name one module for each of {p} features; got shape {labels.shape}."
        )
    _, numbers, members = np.unique(labels, return_inverse=True, return_counts=True)
    chosen, place = np.unique(numbers[runs.features], return_inverse=True)
    run, feature = np.nonzero(runs.selected)
    shape = runs.n_runs, chosen.size
    counts = np.bincount(run * chosen.size + place[feature], minlength=shape[0] * shape[1])
    counts = counts.reshape(shape).astype(np.int32)
    matched = np.array([np.minimum(own, counts).sum(axis=1) for own in counts], dtype=np.float64)
    sizes, where = np.unique(runs.sizes, return_inverse=True)
    expected = [_matched_at_random(counts, members[chosen], p, size) for size in sizes]
    return _corrected(matched, np.column_stack(expected)[:, where], (runs.a + runs.b) / 2)


def _matched_at_random(
    counts: NDArray[np.signedinteger], members: NDArray[np.int64], p: int, size: int
) -> NDArray[np.float64]:
    """Return, for every run, the expected number matched in a random subset of a size."""
    # E min(c, X) = P(X ≥ 1) + … + P(X ≥ c), X hypergeometric: the same for modules of one size.
    kinds, kind = np.unique(members, return_inverse=True)
    most = np.zeros(kinds.size, dtype=np.int64)
    np.maximum.at(most, kind, counts.max(axis=0))
    start = np.cumsum(most) - most
    at_least = np.arange(most.sum()) - np.repeat(start, most)
    chance = stats.hypergeom.sf(at_least, p, np.repeat(kinds, most), size)
    total = np.concatenate([[0.0], np.cumsum(chance)])
    return np.asarray((total[start[kind] + counts] - total[start[kind]]).sum(axis=1))


def _corrected(matched: Pairs, chance: Pairs, most: Pairs) -> Pairs:
    """Return (matched − chance)/(most − chance), nan where chance leaves nothing to gain."""
    # The expectation is a sum of products of fractions, so 0 is recognised only up to rounding.
    span = most - chance
    span = np.where(span > 1e-12 * np.maximum(most, 1), span, 0)
    return ratio(matched - chance, span)


def _matched(runs: Runs, similar: FeatureSimilarity, partners: str) -> Pairs:
    """Return O_AB: features of A outside B with a similar one in B (or in B∖A)."""
    if partners not in _PARTNERS:
        raise ValueError(f"partners={partners!r} must be one of {', '.join(_PARTNERS)}.")
    selected = runs.selected
    matched = np.zeros((runs.n_runs, runs.n_runs))
    # float32 products are exact enough: all that counts is whether they are 0.
    everyone = selected.T.astype(np.float32)
    for index, own in enumerate(selected):
        related = similar.block(runs.features[own], runs.features) != 0
        pool = everyone if partners == "anywhere" else everyone * ~own[:, None]
        has_partner = related.astype(np.float32) @ pool > 0
        matched[index] = (has_partner & ~selected[:, own].T).sum(axis=0)
    return matched


def _expected(runs: Runs, similar: FeatureSimilarity, partners: str) -> Pairs:
    """Return E[O_AB] for random subsets of the runs' sizes."""
    p = runs.n_features
    chances = _chance_of_partner(similar.degrees, p, int(runs.sizes.max(initial=0)))
    sizes, where = np.unique(runs.sizes, return_inverse=True)
    by_size = [[_closed_form(chances, p, partners, int(a), int(b)) for b in sizes] for a in sizes]
    return np.asarray(np.array(by_size)[np.ix_(where, where)])


def _chance_of_partner(degrees: NDArray[np.int64], p: int, largest: int) -> NDArray[np.float64]:
    """Return c(w) = Σ_i [1 − C(p−1−d_i, w)/C(p−1, w)] for w = 0..largest."""
    # c(w)/p is the chance that a random feature has a partner in w random other ones. The ratio of
    # binomials is built up factor by factor, which loses no accuracy.
    degree, weight = np.unique(degrees, return_counts=True)
    missed = np.ones(degree.size)
    chances = np.zeros(largest + 1)
    for w in range(1, min(largest, p - 1) + 1):
        missed *= np.maximum(p - degree - w, 0) / (p - w)
        chances[w] = weight @ (1 - missed)
    return chances


def _closed_form(chances: NDArray[np.float64], p: int, partners: str, a: int, b: int) -> float:
    """Return E[O_AB] for random subsets of sizes a and b."""
    # A feature counts when it is in A, not in B (a/p · (1 − b/p)) and has a partner among the b
    # features of B. If partners must be unshared they lie in B∖A, which given its size w is a
    # random w-subset of the other p − 1 features; w is hypergeometric.
    if a == 0 or b in (0, p):
        return 0.0
    outside = a / p * (1 - b / p)
    if partners == "anywhere":
        return float(outside * chances[b])
    fresh = np.arange(b + 1)
    chance = stats.hypergeom.pmf(b - fresh, p - 1, a - 1, b)
    return float(outside * (chance @ chances[: b + 1]))
