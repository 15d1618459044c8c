"""Slow, obviously right versions of what a study computes."""

import math
from itertools import combinations

import numpy as np
from scipy import special

from backstay.store import NUMBERS, Store


def t_tail(t, df):
    """Two-sided p-value of Student's t, from the incomplete beta function."""
    return float(special.betainc(df / 2, 0.5, df / (df + t * t)))


def f_tail(f, a, b):
    """P(F > f), from the incomplete beta function."""
    return float(special.betainc(b / 2, a / 2, b / (b + a * f)))


def five_by_two(first, second):
    """Dietterich's t and Alpaydın's F with their p-values, written out."""
    squares = variances = 0.0
    first_difference = None
    for repeat in range(5):
        one = first[2 * repeat] - second[2 * repeat]
        two = first[2 * repeat + 1] - second[2 * repeat + 1]
        mean = (one + two) / 2
        variances += (one - mean) ** 2 + (two - mean) ** 2
        squares += one**2 + two**2
        if first_difference is None:
            first_difference = one
    t = first_difference / math.sqrt(variances / 5)
    f = squares / (2 * variances)
    return t, t_tail(t, 5), f, f_tail(f, 10, 5)


def corrected_t(first, second, n_train, n_test):
    """Nadeau and Bengio's t with its p-value, written out."""
    d = [a - b for a, b in zip(first, second, strict=True)]
    j = len(d)
    mean = sum(d) / j
    variance = sum((x - mean) ** 2 for x in d) / (j - 1)
    t = mean / math.sqrt((1 / j + n_test / n_train) * variance)
    return t, t_tail(t, j - 1)


def signed_rank_p(differences):
    """Exact two-sided p-value of the signed-rank test: all signs equally likely."""
    size = np.argsort(np.argsort(np.abs(differences))) + 1
    observed = sum(r for r, d in zip(size, differences, strict=True) if d > 0)
    middle = size.sum() / 2
    n = len(differences)
    extreme = 0
    for signs in range(2**n):
        w = sum(int(size[i]) for i in range(n) if signs >> i & 1)
        extreme += abs(w - middle) >= abs(observed - middle) - 1e-9
    return extreme / 2**n


def friedman(scores):
    """Friedman's χ² by Demšar's formula, right without ties, and the mean ranks."""
    n, k = len(scores), len(scores[0])
    ranks = [[1 + sum(other > value for other in row) for value in row] for row in scores]
    mean = [sum(row[j] for row in ranks) / n for j in range(k)]
    chi2 = 12 * n / (k * (k + 1)) * (sum(r * r for r in mean) - k * (k + 1) ** 2 / 4)
    return chi2, mean


def kuncheva(subsets, d):
    """Mean over pairs of (r − k²/d)/(k − k²/d)."""
    k = len(subsets[0])
    values = [
        (len(set(a) & set(b)) - k * k / d) / (k - k * k / d) for a, b in combinations(subsets, 2)
    ]
    return sum(values) / len(values)


def beside_null(real, shuffled, size, d, n_each):
    """A row of the table of the null, from orders by run and orders by permutation and run."""

    def stability(orders):
        return kuncheva([order[:size] for order in orders], d)

    floor = sorted(stability(orders) for orders in shuffled)
    mean, own = sum(floor) / len(floor), stability(real)
    return {
        "stability": own,
        "null": mean,
        "p_value": null_tail(real, floor, size, d, n_each),
        "above": (own - mean) / (1 - mean),
        "n_permutations": len(shuffled),
        "n_runs": sum(len(orders) for orders in shuffled),
    }


def null_tail(real, floor, size, d, n_each):
    """Chance of so high a stability under the null, by a t distribution over permutations."""
    m = len(real)
    pair = [[kuncheva([a[:size], b[:size]], d) for b in real] for a in real]
    every = [pair[i][j] for i, j in combinations(range(m), 2)]
    mean = sum(every) / len(every)
    of_pairs = sum((value - mean) ** 2 for value in every) / len(every)
    without = [
        np.mean([pair[i][j] for i, j in combinations(range(m), 2) if r not in (i, j)])
        for r in range(m)
    ]
    of_runs = (m - 1) / m * sum((value - np.mean(without)) ** 2 for value in without)
    of_runs = max(of_runs, 2 * of_pairs / (m * (m - 1)))
    center, spread = np.mean(floor), np.var(floor, ddof=1)
    own = max(spread - of_pairs / (n_each * (n_each - 1) / 2), spread / 10)
    t = (mean - center) / math.sqrt(own * (1 + 1 / len(floor)) + of_runs)
    half = t_tail(t, len(floor) - 1) / 2
    return half if t > 0 else 1 - half


def agreement(models):
    """Share of equal predictions and Cohen's κ over all pairs of models and common rows.

    `models` are dicts of row to predicted class.
    """
    table = {}
    for a, b in combinations(models, 2):
        for row in set(a) & set(b):
            for pair in ((a[row], b[row]), (b[row], a[row])):
                table[pair] = table.get(pair, 0) + 1
    total = sum(table.values())
    agree = sum(n for (x, y), n in table.items() if x == y) / total
    share = {}
    for (x, _), n in table.items():
        share[x] = share.get(x, 0) + n / total
    chance = sum(s * s for s in share.values())
    return agree, (agree - chance) / (1 - chance)


def forget_tasks(path, which):
    """Take tasks out of a store as if they had not been run yet, and what was computed of all."""
    with Store(path) as store, store._transaction():
        store._forget(which)
        for dataset in store.datasets():
            store._remove_arrays(f"computed {dataset}")


def contents(results):
    """Everything in a store but times: facts, errors, and the bytes of every array."""
    store = results._store
    found = {"study": store.study()["facts"], "datasets": store.datasets()}
    for dataset in found["datasets"]:
        held = store.dataset_arrays(dataset) | store.computed_arrays(dataset)
        for name, array in held.items():
            found[dataset, name] = array.tobytes()
        for task in store.tasks(dataset):
            key = (dataset, task["method"], task["resample"])
            found[key] = (task["stage"], task["error"])
        for method in found["datasets"][dataset]["methods"]:
            kinds = ("order", "weights", "best weights", "other weights", "n_ranked")
            for name in (*kinds, "sample_weight", "outputs"):
                for of in NUMBERS:
                    for resample, array in store.task_arrays(dataset, method, name, of=of):
                        place = (dataset, method, resample, name)
                        found[place] = (array.dtype.str, array.shape, array.tobytes())
    return found
