"""When is something recommended, and is what is said of it right? Noise, few rows, poor data.

    python -m benchmarks.simulations.gate --out gate.jsonl

The quoted AUC is set beside that on many fresh rows of the same population.
"""

import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from benchmarks.simulations._run import arguments, repeat, rows, study
from benchmarks.simulations.quoted_score import fresh_score

# Rows of the classes, relevant features, how far their means are apart, and what is wrong.
CASES = {
    "noise, 30 + 30": ([30, 30], 0, 0.0, ""),
    "noise, 100 + 10": ([100, 10], 0, 0.0, ""),
    "noise, 15 + 15": ([15, 15], 0, 0.0, ""),
    "10 + 10": ([10, 10], 20, 0.6, ""),
    "15 + 15": ([15, 15], 20, 0.6, ""),
    "20 + 20": ([20, 20], 20, 0.6, ""),
    "30 + 30": ([30, 30], 20, 0.6, ""),
    "60 + 12": ([60, 12], 20, 0.6, ""),
    "heavy tails, 30 + 30": ([30, 30], 20, 1.0, "heavy"),
    "10 % mislabelled, 30 + 30": ([30, 30], 20, 0.8, "mislabelled"),
}
N_FRESH = 2000


def draw(name, seed, counts=None):
    given, n_relevant, shift, wrong = CASES[name]
    rng = np.random.default_rng(seed)
    X, y = rows(rng, given if counts is None else counts, 300, n_relevant, shift)
    if wrong == "heavy":
        X /= np.sqrt(rng.chisquare(3, X.shape) / 3)
    if wrong == "mislabelled" and counts is None:
        swapped = rng.choice(len(y), len(y) // 10, replace=False)
        y[swapped] = 1 - y[swapped]
    return X, y


def one(name, seed):
    X, y = draw(name, [seed, 4])
    given = np.array(CASES[name][0])
    fresh = draw(name, [seed, 5], (given * N_FRESH // given.sum()).tolist())
    svm = {"svm": make_pipeline(MinMaxScaler(), SVC(kernel="linear", class_weight="balanced"))}
    results = study(50, seed, null=20, models=svm).run(X, y)
    answer, choice = results.recommend(), results.choice()
    truth = fresh_score("roc_auc", choice.method, choice.size, (X, y), fresh, seed)
    null = results.null().frame().set_index(["method", "size"]).loc[(choice.method, choice.size)]
    replication = getattr(choice, "replication", None)
    return {
        "recommended": answer.trusted is not None,
        "refused": getattr(answer, "refused", None),
        "quoted": answer.score.value,
        "low": answer.score.low,
        "high": answer.score.high,
        "truth": truth,
        "null_p": float(null["p_value"]),
        "replication": None if replication is None else [replication.value, replication.low],
        "stability": choice.stability,
    }


def main():
    args = arguments(__doc__, 100)
    cases = [(name, seed) for seed in range(args.sets) for name in CASES]
    frame = pd.DataFrame(repeat(one, cases, args.out, args.jobs))
    frame["case"] = [case[0] for case in frame["case"]]
    frame["bias"] = frame["quoted"] - frame["truth"]
    frame["covered"] = (frame["low"] <= frame["truth"]) & (frame["truth"] <= frame["high"])
    frame["null p ≤ 0.05"], frame["null p ≤ 0.2"] = frame["null_p"] <= 0.05, frame["null_p"] <= 0.2
    shown = ["quoted", "truth", "bias", "covered"]
    table = frame.groupby("case", sort=False)[
        ["recommended", *shown, "null p ≤ 0.05", "null p ≤ 0.2"]
    ].mean()
    said = frame[frame["recommended"]].groupby("case", sort=False)[shown].mean()
    table = table.join(said.add_suffix(" if recommended"))
    table.insert(0, "data sets", frame.groupby("case").size())
    print(table.loc[[name for name in CASES if name in table.index]].round(3).to_string())


if __name__ == "__main__":
    main()
