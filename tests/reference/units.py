"""Means of groups, differences within pairs, and tests of them, by loops over rows."""

from itertools import product
from math import isnan, nan, sqrt
from statistics import mean, median, stdev

from scipy import stats

from reference.univariate import divide, empirical_bayes


def group_means(column, groups):
    """The mean of every group that has a value, by its name."""
    means = {}
    for name in sorted(set(groups)):
        own = [v for v, g in zip(column, groups, strict=True) if g == name and not isnan(v)]
        means[name] = sum(own) / len(own) if own else nan
    return means


def differences(column, sides, pairs):
    """Mean of the second side minus that of the first, of pairs that have both."""
    found = []
    for name in sorted(set(pairs)):
        own = [(v, s) for v, s, p in zip(column, sides, pairs, strict=True) if p == name]
        first, second = ([v for v, s in own if s == side] for side in (0, 1))
        if first and second:
            found.append(mean(second) - mean(first))
    return found


def paired_t(columns, sides, pairs, moderation=None):
    """|t| of the mean difference within pairs."""
    apart = [differences(column, sides, pairs) for column in columns]
    n = len(apart[0])
    variances = [stdev(one) ** 2 for one in apart]
    if moderation == "moderated":
        variances = empirical_bayes(variances, n - 1)
    errors = [sqrt(v / n) for v in variances]
    extra = median(errors) if moderation == "shrunken" else 0.0
    return [divide(abs(mean(one)), e + extra) for one, e in zip(apart, errors, strict=True)]


def signed_rank(column, sides, pairs):
    """Sum of signed ranks over its largest value, and p over all signs of the differences."""
    apart = [one for one in differences(column, sides, pairs) if one != 0]
    if not apart:
        return 0.0, 1.0
    sizes = [abs(one) for one in apart]
    ranks = [sum(b < a for b in sizes) + (sum(b == a for b in sizes) + 1) / 2 for a in sizes]
    total = abs(sum(r if a > 0 else -r for r, a in zip(ranks, apart, strict=True)))
    signs = product([-1, 1], repeat=len(ranks))
    sums = [abs(sum(s * r for s, r in zip(one, ranks, strict=True))) for one in signs]
    return total / sum(ranks), sum(one >= total - 1e-9 for one in sums) / len(sums)


def paired_effects(column, sides, pairs):
    """Difference, Hedges' g of differences with its interval, and p of the paired t test."""
    apart = differences(column, sides, pairs)
    n = len(apart)
    g = (1 - 3 / (4 * (n - 1) - 1)) * mean(apart) / stdev(apart)
    half = stats.norm.ppf(0.975) * sqrt(1 / n + g**2 / (2 * n))
    return {
        "difference": mean(apart),
        "effect": g,
        "effect_low": g - half,
        "effect_high": g + half,
        "p_value": float(stats.ttest_1samp(apart, 0).pvalue),
    }
