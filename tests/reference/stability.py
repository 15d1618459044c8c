"""Stability measures straight from their definitions, on sets and exact fractions.

Slow and plain on purpose: loops over pairs and features, no arrays. A function returns a
Fraction where the formula is rational, a float where it has a root or a logarithm, and
None where it is 0/0. A similarity is a set of frozensets {i, j}, or a dict from such
pairs to fractions for `zucknick`.
"""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations
from math import comb, log2, sqrt


def over(numerator, denominator):
    if denominator == 0:
        return None
    if isinstance(numerator, float) or isinstance(denominator, float):
        return numerator / denominator
    return Fraction(numerator) / Fraction(denominator)


def average(values):
    values = list(values)
    if any(value is None for value in values):
        return None
    return sum(values) / Fraction(len(values)) if values else None


def over_pairs(function):
    """A measure on a system of sets as the mean of a function of two sets."""

    def measure(sets, p, **options):
        return average(function(a, b, p, **options) for a, b in combinations(sets, 2))

    return measure


def over_ordered_pairs(function):
    def measure(sets, p, **options):
        return average(function(a, b, p, **options) for a, b in permutations(sets, 2))

    return measure


def counts(sets, p):
    return [sum(f in chosen for chosen in sets) for f in range(p)]


# Pairs


def hamming(a, b, p):
    return 1 - Fraction(len(a ^ b), p)


def jaccard(a, b, p):
    return over(len(a & b), len(a | b))


def dice(a, b, p):
    return over(2 * len(a & b), len(a) + len(b))


def ochiai(a, b, p):
    return over(float(len(a & b)), sqrt(len(a) * len(b)))


def kuncheva(a, b, p):
    chance = Fraction(len(a) ** 2, p)
    return over(len(a & b) - chance, len(a) - chance)


def chance_overlap(a, b, p):
    return Fraction(len(a) * len(b), p)


def lustgarten(a, b, p):
    span = min(len(a), len(b)) - max(0, len(a) + len(b) - p)
    return over(len(a & b) - chance_overlap(a, b, p), span)


def wald(a, b, p):
    chance = chance_overlap(a, b, p)
    return over(len(a & b) - chance, min(len(a), len(b)) - chance)


def phi(a, b, p):
    spread = Fraction(len(a) * (p - len(a)) * len(b) * (p - len(b)), p * p)
    return over(float(len(a & b) - chance_overlap(a, b, p)), sqrt(spread))


def kappa(a, b, p):
    chance = chance_overlap(a, b, p)
    return over(len(a & b) - chance, Fraction(len(a) + len(b), 2) - chance)


# Frequencies


def krizek(sets, p):
    shares = [Fraction(sets.count(chosen), len(sets)) for chosen in set(sets)]
    return abs(sum(float(share) * log2(share) for share in shares))


def krizek_normalized(sets, p):
    sizes = {len(chosen) for chosen in sets}
    possible = comb(p, sizes.pop()) if len(sizes) == 1 else 2**p
    most = min(len(sets), possible)
    return 1 - krizek(sets, p) / log2(most) if most > 1 else None


def somol(sets, p):
    m = len(sets)
    return average(Fraction(h - 1, m - 1) for h in counts(sets, p) if h > 0)


def somol_weighted(sets, p):
    m, q = len(sets), sum(map(len, sets))
    if q == 0:
        return None
    return sum(Fraction(h, q) * Fraction(h - 1, m - 1) for h in counts(sets, p))


def somol_relative(sets, p):
    m, q = len(sets), sum(map(len, sets))
    if q == 0:
        return None
    d, h = q % p, q % m
    low = Fraction(q * q - p * (q - d) - d * d, p * q * (m - 1))
    high = Fraction(h * h + q * (m - 1) - h * m, q * (m - 1))
    value = somol_weighted(sets, p)
    return value if low == high else (value - low) / (high - low)


def nogueira(sets, p):
    m = len(sets)
    mean_size = Fraction(sum(map(len, sets)), m)
    shares = [Fraction(h, m) for h in counts(sets, p)]
    observed = sum(Fraction(m, m - 1) * s * (1 - s) for s in shares) / p
    expected = mean_size / p * (1 - mean_size / p)
    ratio = over(observed, expected)
    return None if ratio is None else 1 - ratio


def least_variance(sets, p, short):
    """2 short² Σ v²/(Σ v)² / (m(m − 1)), v the unbiased variance of a feature's selection."""
    m, v = len(sets), []
    for f in range(p):
        share = Fraction(sum(f in chosen for chosen in sets), m)
        v.append(sum(((f in chosen) - share) ** 2 for chosen in sets) / (m - 1))
    if sum(v) == 0:
        return 0
    return 2 * short**2 * sum(x**2 for x in v) / sum(v) ** 2 / (m * (m - 1))


def nogueira_variance(sets, p):
    m = len(sets)
    value = nogueira(sets, p)
    mean_size = Fraction(sum(map(len, sets)), m)
    shares = [Fraction(h, m) for h in counts(sets, p)]
    scale = mean_size / p * (1 - mean_size / p)
    terms = []
    for chosen in sets:
        k = len(chosen)
        overlap = sum(shares[f] for f in chosen) / p - k * mean_size / p**2
        tilt = 2 * k * mean_size / p**2 - Fraction(k, p) - mean_size / p + 1
        terms.append((overlap + value / 2 * tilt) / scale)
    mean = sum(terms) / m
    return Fraction(4, m * m) * sum((term - mean) ** 2 for term in terms)


def drotar(sets, p, top=None):
    if top is None:
        top = max(1, round(sum(map(len, sets)) / len(sets)))
    ordered = sorted(counts(sets, p), reverse=True)
    rest = [h for h in ordered[top:] if h > 0]
    other = Fraction(sum(rest), len(rest)) if rest else 0
    return Fraction(sum(ordered[:top]), top) / (1 + other)


def davis(sets, p, penalty=Fraction(0)):
    ever = set().union(*sets)
    if not ever:
        return None
    sizes = sorted(map(len, sets))
    m = len(sizes)
    median = Fraction(sizes[(m - 1) // 2] + sizes[m // 2], 2)
    return max(Fraction(0), Fraction(sum(sizes), m * len(ever)) - penalty * median / p)


# Similar features


def matched(a, b, similarity, partners):
    pool = b if partners == "anywhere" else b - a
    return sum(any(frozenset((f, g)) in similarity for g in pool) for f in a - b)


@cache
def expected_matched(size_a, size_b, p, similarity, partners):
    """The mean over all pairs of subsets of these sizes, by enumeration."""
    firsts = list(map(frozenset, combinations(range(p), size_a)))
    seconds = list(map(frozenset, combinations(range(p), size_b)))
    total = sum(matched(a, b, similarity, partners) for a in firsts for b in seconds)
    return Fraction(total, len(firsts) * len(seconds))


def expected_matched_closed(size_a, size_b, p, similarity):
    """The closed form of the specification, for partners anywhere."""
    total = Fraction(0)
    for f in range(p):
        degree = sum(f in pair for pair in similarity)
        total += comb(p - 1, size_b) - comb(p - 1 - degree, size_b)
    return Fraction(size_a, p) * total / comb(p, size_b)


def pogr(a, b, p, similarity, partners="anywhere"):
    return over(len(a & b) + matched(a, b, similarity, partners), len(a))


def npogr(a, b, p, similarity, partners="anywhere"):
    chance = chance_overlap(a, b, p) + expected_matched(len(a), len(b), p, similarity, partners)
    return over(len(a & b) + matched(a, b, similarity, partners) - chance, len(a) - chance)


def npogr_symmetric(a, b, p, similarity, partners="anywhere"):
    """[Han] eq. 5.8, for subsets of one size."""
    both = matched(a, b, similarity, partners) + matched(b, a, similarity, partners)
    chance = chance_overlap(a, b, p) + expected_matched(len(a), len(b), p, similarity, partners)
    return over(len(a & b) + Fraction(both, 2) - chance, len(a) - chance)


def yu(a, b, p, similarity):
    both = matched(a, b, similarity, "unshared") + matched(b, a, similarity, "unshared")
    expected = expected_matched(len(a), len(b), p, similarity, "unshared")
    expected += expected_matched(len(b), len(a), p, similarity, "unshared")
    chance = chance_overlap(a, b, p) + expected / 2
    gained = len(a & b) + Fraction(both, 2)
    return over(gained - chance, Fraction(len(a) + len(b), 2) - chance)


def matched_within(a, b, modules):
    """Take features of A one by one, each with an unused feature of B in the same module."""
    left, pairs = list(b), 0
    for f in a:
        partner = next((g for g in left if modules[g] == modules[f]), None)
        if partner is not None:
            left.remove(partner)
            pairs += 1
    return pairs


def module_match(a, b, p, modules=None):
    modules = list(range(p)) if modules is None else list(modules)
    at_random = [matched_within(a, other, modules) for other in combinations(range(p), len(b))]
    chance = Fraction(sum(at_random), len(at_random))
    return over(matched_within(a, b, modules) - chance, Fraction(len(a) + len(b), 2) - chance)


def zucknick(a, b, p, similarity):
    def credit(first, second):
        if not second:
            return Fraction(0)
        pairs = [frozenset((x, y)) for x in first for y in second - first]
        return sum(Fraction(similarity.get(pair, 0)) for pair in pairs) / len(second)

    return over(len(a & b) + credit(a, b) + credit(b, a), len(a | b))


SUBSETS = {
    "dunne": over_pairs(hamming),
    "kalousis": over_pairs(jaccard),
    "dice": over_pairs(dice),
    "ochiai": over_pairs(ochiai),
    "kuncheva": over_pairs(kuncheva),
    "krizek": krizek,
    "somol": somol,
    "somol_weighted": somol_weighted,
    "somol_relative": somol_relative,
    "lustgarten": over_pairs(lustgarten),
    "wald": over_pairs(wald),
    "phi": over_pairs(phi),
    "kappa": over_pairs(kappa),
    "nogueira": nogueira,
    "drotar": drotar,
    "davis": davis,
    "pogr": over_ordered_pairs(pogr),
    "module_match": over_ordered_pairs(module_match),
    "npogr": over_ordered_pairs(npogr),
    "yu": over_pairs(yu),
    "zucknick": over_pairs(zucknick),
}


# Rankings, weights, predictions: one sequence per run


def mid_ranks(row):
    """Ranks from 1 for the smallest, ties share the mean."""
    return [Fraction(sum(y < x for y in row) * 2 + sum(y == x for y in row) + 1, 2) for x in row]


def pearson(x, y):
    mean_x, mean_y = sum(x) / Fraction(len(x)), sum(y) / Fraction(len(y))
    cross = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    spread = sum((a - mean_x) ** 2 for a in x) * sum((b - mean_y) ** 2 for b in y)
    return over(float(cross), sqrt(spread))


def sign(value):
    return (value > 0) - (value < 0)


def kendall(x, y):
    signs = [(sign(x[i] - x[j]), sign(y[i] - y[j])) for i, j in combinations(range(len(x)), 2)]
    spread = sum(a != 0 for a, _ in signs) * sum(b != 0 for _, b in signs)
    return over(float(sum(a * b for a, b in signs)), sqrt(spread))


def canberra(x, y, top=None):
    """On ranks, over its mean over all pairs of places."""
    p = len(x)
    last = p if top is None else top

    def distance(r, s):
        r, s = min(r, last + 1), min(s, last + 1)
        return Fraction(abs(r - s)) / (r + s)

    places = [Fraction(i) for i in range(1, p + 1)]
    expected = sum(distance(r, s) for r in places for s in places) / p
    return over(sum(distance(r, s) for r, s in zip(x, y, strict=True)), expected)


def agreement(x, y):
    return Fraction(sum(a == b for a, b in zip(x, y, strict=True)), len(x))


def cohen(x, y):
    labels = set(x) | set(y)
    chance = sum(Fraction(x.count(c) * y.count(c), len(x) ** 2) for c in labels)
    return over(agreement(x, y) - chance, 1 - chance)


def common(x, y):
    """The samples that both predicted; None stands for no prediction."""
    both = [(a, b) for a, b in zip(x, y, strict=True) if None not in (a, b)]
    return [a for a, _ in both], [b for _, b in both]


def cohen_of_common(x, y):
    x, y = common(x, y)
    return cohen(x, y) if x else None


def phi_of_common(x, y):
    x, y = common(x, y)
    return pearson(x, y) if x else None


def pooled(rows, kappa):
    """Agreement or κ in the table of all ordered pairs of runs and the samples both predicted."""
    table = Counter()
    for x, y in permutations(rows, 2):
        table.update(zip(*common(x, y), strict=True))
    total = table.total()
    agree = over(Fraction(sum(n for (a, b), n in table.items() if a == b)), total)
    if not kappa or agree is None:
        return agree
    chance = Fraction(0)
    for label in {a for a, _ in table}:
        chance += Fraction(sum(n for (a, _), n in table.items() if a == label), total) ** 2
    return over(agree - chance, 1 - chance)


def fleiss(rows):
    """Fleiss' κ, from how many runs predicted each class for each sample."""
    m, n = len(rows), len(rows[0])
    counts = [Counter(sample) for sample in zip(*rows, strict=True)]
    within = [Fraction(sum(k * k for k in c.values()) - m, m * (m - 1)) for c in counts]
    shares = Counter(label for row in rows for label in row)
    chance = sum(Fraction(k, n * m) ** 2 for k in shares.values())
    return over(sum(within) / n - chance, 1 - chance)


def mean_over_rows(function, rows, **options):
    return average(function(x, y, **options) for x, y in combinations(rows, 2))


def bias_variance(weights, truth):
    """Per feature (error, bias², variance), exact for fractions."""
    m = Fraction(len(weights))
    out = []
    for f, right in enumerate(truth):
        column = [row[f] for row in weights]
        mean = sum(column) / m
        error = sum((w - right) ** 2 for w in column) / m
        variance = sum((w - mean) ** 2 for w in column) / m
        out.append((error, (mean - right) ** 2, variance))
    return out


def subset_bias_variance(sets, truth, p):
    """Per feature (error, bias, variance) under zero-one loss, decision by decision."""
    m = Fraction(len(sets))
    out = []
    for f in range(p):
        right = f in truth
        decisions = [f in s for s in sets]
        main = decisions.count(True) > decisions.count(False)
        wrong = sum(d != right for d in decisions) / m
        out.append((wrong, Fraction(main != right), sum(d != main for d in decisions) / m))
    return out


def model_bias_variance(said, truth):
    """Per row (error, bias, variance, net variance) under zero-one loss (Domingos 2000).

    `said` are the predictions of a row's runs, classes in order. With two classes, or if the main
    prediction is right, variance is weighed by ±1; else by the share of the others that are right.
    """
    out = []
    for votes, own in zip(said, truth, strict=True):
        m = Fraction(len(votes))
        main = max(sorted(set(votes)), key=votes.count)
        others = [vote for vote in votes if vote != main]
        variance = len(others) / m
        weight = Fraction(1)
        if main != own:
            weight = -Fraction(others.count(own), len(others)) if others else 0
        error = sum(vote != own for vote in votes) / m
        out.append((error, Fraction(main != own), variance, weight * variance))
    return out


def jackknife(measure, sets, p, **options):
    """Leave each run out in turn."""
    m = len(sets)
    values = [measure(sets[:i] + sets[i + 1 :], p, **options) for i in range(m)]
    mean = sum(values) / Fraction(m)
    return Fraction(m - 1, m) * sum((value - mean) ** 2 for value in values)
