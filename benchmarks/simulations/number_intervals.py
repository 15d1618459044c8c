"""Do prediction intervals of a frozen signature hold the share of fresh rows that they promise?

    python -m benchmarks.simulations.number_intervals --out intervals.jsonl --jobs 1

A study chooses method, size and model; what it chose is frozen, and 2000 fresh rows of the same
population are predicted. Beside our width, from every error of every tested row, is that
from one mean error per row. Spread: how much the share inside differs between data sets.
"""

import numpy as np
import pandas as pd

from backstay import SlopeTest, Spearman, Study
from backstay.study import Subsampling
from benchmarks.simulations._run import arguments, repeat
from benchmarks.simulations.numbers import draw

METHODS = {"slope": SlopeTest(), "spearman": Spearman()}
CASES, SIZES = ("independent", "blocks of ten", "heavy tails"), (60, 120)
N_FRESH, LEVELS = 2000, (0.8, 0.9)


def one(name, n_rows, seed):
    X, y = draw(name, [seed, 21], n_rows)
    fresh, outcome = draw(name, [seed, 22], N_FRESH)
    study = Study(METHODS, Subsampling(50), sizes=[5, 10, 20], random_state=seed, verbose=0)
    results = study.run(X, y)
    choice = results.choice()
    chosen = (choice.method, choice.size, choice.model)
    signature = results.freeze(X, y, chosen, include_rows=True)
    names = [f"x{j}" for j in range(X.shape[1])]
    tested = results.predictions.rows(*chosen).frame()
    apart = (tested["outcome"] - tested["predicted"]).abs().groupby(tested["row"]).mean()
    predicted = signature.predict(fresh, feature_names=names)
    found = {"R2": 1 - ((outcome - predicted) ** 2).mean() / outcome.var()}
    for level in LEVELS:
        low, high = signature.predict_interval(fresh, level, feature_names=names).T
        found[f"inside {level}"] = ((low <= outcome) & (outcome <= high)).mean()
        found[f"width {level}"] = (high - low).mean() / outcome.std()
        rank = int(np.ceil(level * (len(apart) + 1))) - 1
        mean_width = np.sort(apart)[min(rank, len(apart) - 1)]
        found[f"by mean errors {level}"] = (np.abs(outcome - predicted) <= mean_width).mean()
    return {key: float(value) for key, value in found.items()}


def main():
    args = arguments(__doc__, 40)
    cases = [(name, n, seed) for seed in range(args.sets) for name in CASES for n in SIZES]
    frame = pd.DataFrame(repeat(one, cases, args.out, args.jobs))
    frame["population"], frame["rows"], _ = zip(*frame["case"], strict=True)
    by = frame.drop(columns="case").groupby(["population", "rows"], sort=False)
    table = by.mean()
    table.insert(0, "data sets", by.size())
    for level in LEVELS:
        table[f"spread {level}"] = by[f"inside {level}"].std()
    print(table.round(3).T.to_string())


if __name__ == "__main__":
    main()
