"""What does every method gain and cost? Stability and accuracy on real arrays, beside shrunken t.

    python -m benchmarks.simulations.panel --data folder
    python -m benchmarks.simulations.panel --data folder --only dial
    python -m benchmarks.simulations.panel --data folder --only lasso,elastic-net

The folder holds .npz files with X and y. Raw intensities are floored at 20 and logarithms taken;
genes with missing values are left out. Every method sees the same 20 subsamples of two thirds of
the rows of every table. A store per table is kept in the folder `--stores`, and a run resumes.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from backstay import SVMRFE, BaggedRanker, EffectRanker, Study
from backstay.datasets import log2_floor
from backstay.feature_weighting import ForestImportance
from backstay.study import Subsampling, list_methods, make_methods

TABLES = (
    "colon_alon", "leukemia_golub", "prostate_singh", "lung_gordon", "breast_vantveer78",
    "gcm_ramaswamy_filtered", "arcene", "gisette_mini168",
)  # fmt: skip
POWERS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5)
SIZES = (10, 50)
FIRST = "t"  # what the others are compared with


def methods(only):
    """Return the methods to try, by name."""
    dial = {f"effect {g:g}": EffectRanker(g) for g in POWERS}
    if only == "dial":
        return {**make_methods([FIRST]), **dial}
    wanted = (
        FIRST, "wilcoxon", "mrmr-f", "relieff", "iw-relieff", "simba", "lasso", "elastic-net",
        "boruta", "pam", "modules-t", "bagged-t", "iw-svm-rfe", "stability-selection",
    )  # fmt: skip
    known = set(list_methods()["name"])
    panel = make_methods([name for name in wanted if name in known])
    machines = {
        "svm-rfe, C = 1": SVMRFE(),
        "svm-rfe, C = 1/n": SVMRFE(C="1/n"),
        "bagged svm-rfe, C = 1": BaggedRanker(SVMRFE()),
        "bagged svm-rfe, C = 1/n": BaggedRanker(SVMRFE(C="1/n")),
    }
    forests = {f"forest of {n}": ForestImportance(n) for n in (100, 500)}
    every = {**panel, **machines, **forests, **dial}
    return {name: every[name] for name in (FIRST, *only.split(","))} if only else every


def read(file):
    with np.load(file, allow_pickle=False) as held:
        X, y = held["X"].astype(float), held["y"]
    X = X[:, np.isfinite(X).all(axis=0)]
    return (log2_floor(X) if X.max() > 1000 else X), y


def table(name, X, y, chosen, options, **how):
    """Run one table; return a row per method. `how` may name other models, metric and seed."""
    how = {
        "resampling": Subsampling(20, train_size=2 / 3),
        "models": {"svm": make_pipeline(MinMaxScaler(), SVC(kernel="linear"))},
        "metric": "accuracy",
        "random_state": 0,
        **how,
    }
    study = Study(
        chosen,
        sizes=SIZES,
        controls=False,
        store=options.stores / f"{name}.db",
        n_jobs=options.jobs,
        verbose=0,
        **how,
    )
    results = study.run(X, y, dataset=name)
    stability = results.stability("kuncheva", list(SIZES)).frame()
    accuracy = results.scores(how["metric"]).frame()
    seconds = results.runs.times().frame().set_index("method")["method_seconds"]
    rows = []
    for method in chosen:
        mine = stability[stability["method"] == method].set_index("size")["value"]
        score = accuracy[(accuracy["method"] == method) & (accuracy["size"] == SIZES[-1])]
        rows.append(
            {
                "table": name,
                "method": method,
                **{f"K{size}": mine[size] for size in SIZES},
                "score": score["value"].iloc[0],
                "seconds": seconds[method],
            }
        )
    return pd.DataFrame(rows)


def against(rows, column, first):
    """Return mean differences to a method over tables with their t intervals, and the least."""
    wide = rows.pivot(index="table", columns="method", values=column)
    found = {}
    for name in wide.columns:
        apart = (wide[name] - wide[first]).dropna()
        half = stats.t.ppf(0.975, len(apart) - 1) * apart.sem() if len(apart) > 1 else np.nan
        found[name] = (apart.mean(), apart.mean() - half, apart.mean() + half, apart.min())
    return found


def summary(rows, first=FIRST, metric="accuracy"):
    """Return a table of means over tables, and of differences to the first method."""
    order = rows["method"].drop_duplicates()
    means = rows.groupby("method")[["K10", "K50", "score", "seconds"]].mean().loc[order]
    accuracy, stability = against(rows, "score", first), against(rows, "K50", first)
    lines = [
        f"| method | K10 | K50 | {metric} at 50 | {metric} beside {first} | least "
        f"| K50 beside {first} | least | time of a fit : {first} |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, row in means.iterrows():
        a, k = accuracy[name], stability[name]
        lines.append(
            f"| {name} | {row['K10']:.2f} | {row['K50']:.2f} | {row['score']:.3f} "
            f"| {a[0]:+.3f} [{a[1]:+.3f}, {a[2]:+.3f}] | {a[3]:+.3f} "
            f"| {k[0]:+.3f} [{k[1]:+.3f}, {k[2]:+.3f}] | {k[3]:+.3f} "
            f"| {row['seconds'] / means.loc[first, 'seconds']:.0f} |"
        )
    return "\n".join(lines)


def main():
    options = arguments(__doc__)
    files = [options.data / f"{name}.npz" for name in TABLES]
    every = []
    for file in (f for f in files if f.exists()):
        start = time.time()
        every.append(table(file.stem, *read(file), methods(options.only), options))
        print(
            every[-1].round(3).to_string(index=False),
            f"\n{time.time() - start:.0f} s\n",
            flush=True,
        )
    print(summary(pd.concat(every)))


def arguments(description):
    """Read the options of the command line."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", type=Path, required=True, help="folder of .npz files")
    parser.add_argument("--stores", type=Path, default=Path("panel-stores"))
    parser.add_argument("--only", help="dial, or some of the names, separated by commas")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    options.stores.mkdir(exist_ok=True)
    return options


if __name__ == "__main__":
    main()
