"""How often is something recommended: on noise, and where there is a signal?

python -m benchmarks.simulations.recommended --out recommended.jsonl
"""

import numpy as np
import pandas as pd

from benchmarks.simulations._run import arguments, repeat, rows, study

METRICS = ("roc_auc", "balanced_accuracy", "accuracy", "average_precision", "mcc")
# Rows of the classes, relevant features, and how far their means are apart.
CASES = {
    "noise, 30:30": ([30, 30], 0, 0.0),
    "noise, 10:1": ([100, 10], 0, 0.0),
    "noise, four classes": ([20, 20, 20, 20], 0, 0.0),
    "signal, 10:1": ([100, 10], 20, 0.8),
    "strong signal, 10:1": ([100, 10], 20, 1.1),
}


def one(name, seed):
    counts, n_relevant, shift = CASES[name]
    X, y = rows(np.random.default_rng([seed, 1]), counts, 300, n_relevant, shift)
    results = study(30, seed, null=0, scoring=METRICS).run(X, y)
    table = results.scores("roc_auc").frame()
    found = {metric: results.recommend(metric=metric, n_bootstrap=500) for metric in METRICS}
    return {
        "best_auc": float(table["value"].max()),
        **{metric: answer.method is not None for metric, answer in found.items()},
    }


def main():
    args = arguments(__doc__, 100)
    n_sets = {name: args.sets if "noise" in name else args.sets // 2 for name in CASES}
    cases = [(name, seed) for seed in range(args.sets) for name in CASES if seed < n_sets[name]]
    frame = pd.DataFrame(repeat(one, cases, args.out, args.jobs))
    frame["kind"] = [case[0] for case in frame.pop("case")]
    shares = frame.groupby("kind", sort=False)[list(METRICS)].mean()
    shares.insert(0, "data sets", frame.groupby("kind").size())
    shares.insert(1, "best AUC, mean", frame.groupby("kind")["best_auc"].mean())
    print(shares.loc[list(CASES)].round(3).to_string())
    strong = frame[frame["kind"].str.contains("signal") & (frame["best_auc"] >= 0.9)]
    print(f"\nBest AUC of 0.9 or more at 10:1: {len(strong)} data sets, recommended in")
    print(strong[list(METRICS)].mean().round(3).to_frame("share").T.to_string())


if __name__ == "__main__":
    main()
