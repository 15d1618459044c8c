"""What sets the classes apart in one feature, from its values, by loops and textbook formulas."""

from math import isnan, nan, sqrt
from statistics import mean, stdev

from scipy import stats


def effects(values, classes):
    """Means, direction, difference, Hedges' g with its interval, and p."""
    known = [(v, c) for v, c in zip(values, classes, strict=True) if not isnan(v)]
    names = sorted(set(classes))
    by_class = {name: [v for v, c in known if c == name] for name in names}
    means = {name: mean(by_class[name]) for name in names}
    high = max(names, key=lambda name: means[name])
    against = {name: hedges(by_class, name) for name in names}
    ours = names[1] if len(names) == 2 else max(names, key=lambda name: abs(against[name][1]))
    difference, g, n, m = against[ours]
    if len(names) > 2:
        high = f"{'high' if difference >= 0 else 'low'} in {ours}"
    error = sqrt((n + m) / (n * m) + g**2 / (2 * (n + m)))
    if len(names) == 2:
        p = stats.ttest_ind(by_class[names[1]], by_class[names[0]], equal_var=False).pvalue
    else:
        p = stats.f_oneway(*by_class.values()).pvalue
    z = stats.norm.ppf(0.975)
    return {
        "means": [means[name] for name in names],
        "high_in": high,
        "difference": difference,
        "effect": g,
        "effect_low": g - z * error,
        "effect_high": g + z * error,
        "p_value": float(p),
    }


def hedges(by_class, ours):
    """Difference of a class from all other rows, Hedges' g, and both numbers of rows."""
    one = by_class[ours]
    rest = [v for name in by_class if name != ours for v in by_class[name]]
    n, m = len(one), len(rest)
    difference = mean(one) - mean(rest)
    pooled = sqrt(((n - 1) * stdev(one) ** 2 + (m - 1) * stdev(rest) ** 2) / (n + m - 2))
    return (
        difference,
        (1 - 3 / (4 * (n + m - 2) - 1)) * difference / pooled if pooled else nan,
        n,
        m,
    )


def q_values(p_values):
    """Benjamini and Hochberg's, by their step-up procedure: the least level that rejects."""
    n = len(p_values)
    ranked = sorted(range(n), key=lambda i: p_values[i])
    q, least = [0.0] * n, 1.0
    for rank in range(n, 0, -1):
        i = ranked[rank - 1]
        least = min(least, p_values[i] * n / rank)
        q[i] = least
    return q
