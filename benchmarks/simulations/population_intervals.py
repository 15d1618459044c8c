"""Do intervals of stability cover other samples of the population? Two kinds, beside each other.

    python -m benchmarks.simulations.population_intervals --out population.jsonl

"Runs" is the jackknife over runs, which is what backstay reports: it covers more resamples of the
same rows. "Rows" adds an infinitesimal jackknife over rows (Efron 2014; Wager, Hastie & Efron
2014), which is meant to cover other rows. The target is the mean stability over data sets. Two
methods that are exchangeable in the population, one ranker on two halves of the columns, give the
type-I error.
"""

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.model_selection import StratifiedShuffleSplit

from backstay import SVMRFE, ReliefF, TTest
from backstay.stability import PairMatrix
from benchmarks.simulations._run import arguments, repeat

SIZE, N_RUNS, HALF = 20, (20, 50, 100), 200
RANKERS = {"t": TTest(moderation="shrunken"), "relieff": ReliefF(), "svm-rfe": SVMRFE()}
# Rows of the classes, relevant features of each half, their shift, and the size of blocks.
GENERATORS = {
    "noise": ([30, 30], 0, 0.0, 1),
    "signal": ([30, 30], 20, 0.9, 1),
    "blocks": ([40, 40], 30, 0.7, 10),
    "imbalanced": ([75, 15], 20, 1.0, 1),
}


def draw(name, rng):
    counts, n_relevant, shift, block = GENERATORS[name]
    y = np.repeat([0, 1], counts)
    shared = np.repeat(rng.normal(size=(len(y), 2 * HALF // block)), block, axis=1)
    own = rng.normal(size=(len(y), 2 * HALF))
    X = own if block == 1 else np.sqrt(0.8) * shared + np.sqrt(0.2) * own
    for start in (0, HALF):
        X[:, start : start + n_relevant] += shift * y[:, None]
    return X, y


def kuncheva(orders):
    mask = np.zeros((len(orders), HALF))
    np.put_along_axis(mask, orders[:, :SIZE], 1, axis=1)
    pairs = (mask @ mask.T - SIZE**2 / HALF) / (SIZE - SIZE**2 / HALF)
    np.fill_diagonal(pairs, 0)
    return pairs


def rows_variance(pairs, trained, strata):
    """Variance of a mean over pairs of runs that other rows would bring, class by class.

    Within a class of n rows, s of them in each training set, a statistic linear in the rows has
    cov_i = f (1 − f) n/(n − 1) (a_i − ā) with f = s/n, and its variance over the population is
    n (n − 1)/(n − s)² Σ cov_i². What Monte-Carlo noise adds to the sum of squares is taken off.
    """
    m = len(pairs)
    share = pairs.sum(axis=1) / (m - 1)
    h = 2 * (share - share.mean())
    cov = (trained - trained.mean(axis=0)).T @ h / (m - 1)
    noise = (h**2).sum() / ((m - 1) * m)
    spread = trained.var(axis=0, ddof=1)
    total = 0.0
    for c in np.unique(strata):
        mine = strata == c
        n, s = mine.sum(), trained[:, mine].sum(axis=1).mean()
        total += n * (n - 1) / (n - s) ** 2 * ((cov[mine] ** 2).sum() - noise * spread[mine].sum())
    return max(total, 0.0)


def one(name, seed):
    X, y = draw(name, np.random.default_rng([seed, list(GENERATORS).index(name)]))
    splitter = StratifiedShuffleSplit(max(N_RUNS), train_size=2 / 3, random_state=seed)
    trains = [train for train, _ in splitter.split(X, y)]
    trained = np.zeros((len(trains), len(y)))
    for run, train in enumerate(trains):
        trained[run, train] = 1
    found = []
    for ranker_name, ranker in RANKERS.items():
        first, second = (
            kuncheva(np.array([np.argsort(ranker.fit(half[t], y[t]).ranking_) for t in trains]))
            for half in (np.ascontiguousarray(X[:, :HALF]), np.ascontiguousarray(X[:, HALF:]))
        )
        for m in N_RUNS:
            for what, pairs in (("one", first), ("other", second), ("apart", second - first)):
                here = PairMatrix(pairs[:m, :m])
                rows = rows_variance(here.values, trained[:m], y)
                found.append([ranker_name, m, what, here.mean(), here.variance(), rows])
    return {"found": found}


def main():
    args = arguments(__doc__, 100)
    cases = [(name, seed) for seed in range(args.sets) for name in GENERATORS]
    columns = ["generator", "ranker", "runs", "what", "value", "over_runs", "over_rows"]
    done = repeat(one, cases, args.out, args.jobs)
    frame = pd.DataFrame(
        [[row["case"][0], *line] for row in done for line in row["found"]], columns=columns
    )
    lines = []
    for (generator, ranker, m), group in frame.groupby(["generator", "ranker", "runs"], sort=False):
        t = stats.t.ppf(0.975, m - 1)
        single, apart = group[group["what"] != "apart"], group[group["what"] == "apart"]
        missed = (single["value"] - single["value"].mean()).abs()
        line = {"generator": generator, "ranker": ranker, "runs": m, "data sets": len(apart)}
        for kind, variance in (("runs", ["over_runs"]), ("rows", ["over_runs", "over_rows"])):
            covered = missed <= t * np.sqrt(single[variance].sum(axis=1))
            rejected = apart["value"].abs() > t * np.sqrt(apart[variance].sum(axis=1))
            line |= {f"coverage, {kind}": covered.mean(), f"type I, {kind}": rejected.mean()}
        lines.append(line)
    print(pd.DataFrame(lines).round(3).to_string(index=False))


if __name__ == "__main__":
    main()
