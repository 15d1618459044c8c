"""What do measures of modules say if one module holds a third of all features?

    python -m benchmarks.simulations.giant_module

5966 features, 2139 of them in one module, 500 in modules of ten, the others alone. Thirty runs
choose 50 each, in ways that differ in how much they agree. "two random" and "cosine" are what
`module_match` could have been: the match of two random subsets as the standard, instead of that of
a run and a random subset; and the cosine of (features per module - at random).
"""

import numpy as np
import pandas as pd
from scipy import stats

from backstay.stability import stability_score

N_FEATURES, N_RUNS, SIZE, REPEATS = 5966, 30, 50, 20
EVERYWHERE, GIANT, OUTSIDE = np.arange(N_FEATURES), np.arange(2139), np.arange(2139, N_FEATURES)
TENS = OUTSIDE[:500].reshape(-1, 10)
MODULES = EVERYWHERE.copy()
MODULES[GIANT] = 0
MODULES[TENS] = TENS[:, :1]
MEMBERS = np.bincount(MODULES, minlength=N_FEATURES)


def drawn(rng, *parts):
    """One run: so many features of each pool."""
    return np.concatenate([rng.choice(pool, n, replace=False) for pool, n in parts])


def like_svm_rfe(rng):
    """Some of 25 features that are often chosen, some of the giant module, others at random."""
    often = OUTSIDE[1000:1025][rng.random(25) < 0.6]
    giant = rng.binomial(15, 0.9)
    rest = (OUTSIDE[1025:], SIZE - len(often) - giant)
    return np.concatenate([often, drawn(rng, (GIANT, giant), rest)])


CASES = {
    "at random, of all features": lambda rng: drawn(rng, (EVERYWHERE, SIZE)),
    "at random, outside the giant module": lambda rng: drawn(rng, (OUTSIDE, SIZE)),
    "at random, inside the giant module": lambda rng: drawn(rng, (GIANT, SIZE)),
    "40 of the giant module, 10 others": lambda rng: drawn(rng, (GIANT, 40), (OUTSIDE, 10)),
    "always the same 25 of it, 25 others": lambda rng: drawn(rng, (GIANT[:25], 25), (OUTSIDE, 25)),
    "5 of each of ten modules": lambda rng: drawn(rng, *((ten, 5) for ten in TENS[:10])),
    "like SVM-RFE": like_svm_rfe,
}


def of_two_random():
    """Expected match of two random subsets."""
    total = 0.0
    for n, modules in zip(*np.unique(MEMBERS[MEMBERS > 0], return_counts=True), strict=True):
        chance = stats.hypergeom.sf(np.arange(SIZE), N_FEATURES, n, SIZE)
        total += modules * (chance**2).sum()  # both have at least t
    return total


def alternatives(runs, expected):
    """Mean over pairs of the match beyond that of two random subsets, and of the cosine."""
    counts = np.array([np.bincount(MODULES[run], minlength=N_FEATURES) for run in runs])
    counts = counts[:, MEMBERS > 0]
    matched = np.array([np.minimum(own, counts).sum(axis=1) for own in counts])
    more = counts - SIZE * MEMBERS[MEMBERS > 0] / N_FEATURES
    cosine = more @ more.T / np.outer(*2 * [np.linalg.norm(more, axis=1)])
    pairs = ~np.eye(N_RUNS, dtype=bool)
    return (matched[pairs].mean() - expected) / (SIZE - expected), cosine[pairs].mean()


def main():
    expected = of_two_random()
    lines = []
    for name, draw in CASES.items():
        found = []
        for seed in range(REPEATS):
            rng = np.random.default_rng(seed)
            runs = [draw(rng) for _ in range(N_RUNS)]
            features = stability_score(runs, N_FEATURES, "kuncheva").value
            modules = stability_score(runs, N_FEATURES, "module_match", modules=MODULES).value
            found.append([features, modules, *alternatives(runs, expected)])
        lines.append([name, *np.mean(found, axis=0)])
    columns = ["50 features", "kuncheva", "module_match", "two random", "cosine"]
    print(pd.DataFrame(lines, columns=columns).to_string(index=False, float_format="{:.2f}".format))


if __name__ == "__main__":
    main()
