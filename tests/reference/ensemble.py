"""Ensembles written as their definitions read, one feature and one member at a time."""

from itertools import pairwise, product
from math import comb, log10


def rank_sum(rankings):
    d = len(rankings[0])
    return [sum(d + 1 - member[j] for member in rankings) for j in range(d)]


def rank_median(rankings):
    d = len(rankings[0])
    scores = []
    for j in range(d):
        ranks = sorted(member[j] for member in rankings)
        middle = len(ranks) // 2
        median = ranks[middle] if len(ranks) % 2 else (ranks[middle - 1] + ranks[middle]) / 2
        scores.append(d + 1 - median)
    return scores


def weight_mean(weights):
    return [sum(member[j] for member in weights) / len(weights) for j in range(len(weights[0]))]


def frequency(rankings, k):
    d = len(rankings[0])
    return [sum(member[j] <= k for member in rankings) / len(rankings) for j in range(d)]


def borda(rankings, k):
    """The best of a member gets k points, the next k − 1, the k-th 1, the others none."""
    d = len(rankings[0])
    return [sum(max(0, k + 1 - member[j]) for member in rankings) for j in range(d)]


def at_least(successes, trials, p):
    """P(Binomial(trials, p) ≥ successes)."""
    return sum(
        comb(trials, s) * p**s * (1 - p) ** (trials - s) for s in range(successes, trials + 1)
    )


def rra(rankings):
    """Kolde et al.: the l-th smallest of m uniform ranks is ≤ x if at least l of m are."""
    m, d = len(rankings), len(rankings[0])
    scores = []
    for j in range(d):
        ranks = sorted(member[j] / d for member in rankings)
        rho = min(at_least(i + 1, m, x) for i, x in enumerate(ranks))
        scores.append(-log10(min(1.0, m * rho)))
    return scores


def ranking_by(scores, rankings):
    """Best score first, then the smaller sum of ranks, then the column."""
    totals = [sum(member[j] for member in rankings) for j in range(len(scores))]
    order = sorted(range(len(scores)), key=lambda j: (-scores[j], totals[j], j))
    ranking = [0] * len(scores)
    for position, j in enumerate(order):
        ranking[j] = position + 1
    return ranking


def meinshausen_buhlmann(q, d, threshold):
    return q**2 / ((2 * threshold - 1) * d)


def on_grid(threshold, n_runs):
    """The smallest multiple of 1/n_runs that is at least the threshold."""
    return next(i for i in range(n_runs + 1) if i / n_runs >= threshold - 1e-12) / n_runs


def unimodal(q, d, threshold, n_pairs):
    """Shah & Samworth, Theorem 2, with θ = q/d; where it says nothing, Theorem 1."""
    tau, theta, B = on_grid(threshold, 2 * n_pairs), q / d, n_pairs
    if theta > 3**-0.5 or tau <= min(0.5 + theta**2, 0.5 + 1 / (2 * B) + 0.75 * theta**2):
        return meinshausen_buhlmann(q, d, tau)
    if tau <= 0.75:
        return 1 / (2 * (2 * tau - 1 - 1 / (2 * B))) * q**2 / d
    return 4 * (1 - tau + 1 / (2 * B)) / (1 + 1 / B) * q**2 / d


def tail_by_search(mean, t, r, steps):
    """The largest P(X ≥ t) met among r-concave X on 0..B with E X ≤ mean, B = len(steps).

    f is r-concave (r < 0) if f^r is convex: g = f^r runs through sequences that
    begin at 1, change by the first of `steps` and whose changes never shrink; the
    support is 0..B or any shorter beginning.
    """
    best = 0.0
    for slopes in product(*steps):
        if any(b < a for a, b in pairwise(slopes)):
            continue
        g = [1.0]
        for slope in slopes:
            g.append(g[-1] + slope)
        if min(g) <= 0:
            continue
        f = [value ** (1 / r) for value in g]
        for size in range(1, len(f) + 1):
            total = sum(f[:size])
            if sum(i * p for i, p in enumerate(f[:size])) / total <= mean:
                best = max(best, sum(f[t:size]) / total)
    return best


def bagged(fit_one, X, y, samples, weights=None):
    """The importances `fit_one` gives on every sample, in a plain loop."""
    if weights is None:
        return [fit_one(X[rows], y[rows]) for rows in samples]
    return [fit_one(X[rows], y[rows], weights[rows]) for rows in samples]


def grow(order, score):
    """Add features in order while the score rises; return how many were kept and all scores."""
    scores = [score(order[:1])]
    for size in range(2, len(order) + 1):
        scores.append(score(order[:size]))
        if scores[-1] <= scores[-2]:
            return size - 1, scores
    return len(order), scores


def frequency_curve(subsets, n_features):
    """For m = 1..M, how many features were selected in at least m runs."""
    counts = [sum(f in set(s) for s in subsets) for f in range(n_features)]
    return [sum(c >= m for c in counts) for m in range(1, len(subsets) + 1)]


def path_frequencies(paths, q):
    """Meinshausen & Bühlmann: largest share of runs over the λ, cut where unions exceed q.

    `paths` holds, for every run, one set of features per λ. Runs may end early, and keep then what
    they have. Returns the frequencies, and how many λ are left.
    """
    n_steps = max(map(len, paths))
    paths = [path + [path[-1]] * (n_steps - len(path)) for path in paths]
    largest, left = {}, 0
    for step in range(n_steps):
        unions = [set().union(*path[: step + 1]) for path in paths]
        if sum(map(len, unions)) / len(paths) > q:
            break
        left += 1
        for feature in set().union(*unions):
            share = sum(feature in path[step] for path in paths) / len(paths)
            largest[feature] = max(largest.get(feature, 0), share)
    return largest, left
