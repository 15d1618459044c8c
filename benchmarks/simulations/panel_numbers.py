"""What does every method gain and cost where the outcome is a number? Beside the shrunken slope.

    python -m benchmarks.simulations.panel_numbers --data folder
    python -m benchmarks.simulations.panel_numbers --data folder --judge
    python -m benchmarks.simulations.panel_numbers --data folder --only trees

The folder holds riboflavin, liver_toxicity, ovarian_tcga_survival (purity from miRNA) and
gametes_continuous as .npz files; tables that are missing are left out. Two synthetic tables are
beside them. Every method sees the same 10 subsamples of two thirds of the rows. A panel is settled
on these. `--judge` draws 10 others, and other synthetic tables. The score is R² of ridge
regression on the 50 best features. A store per table is kept in `--stores`, and a run resumes.

Then it looks for the two features of gametes_continuous that matter only together.
"""

import sys
import time

import numpy as np
import pandas as pd

from backstay import RidgeRFE, RReliefF, SlopeTest, Spearman
from backstay.datasets import make_regression_blocks
from backstay.study import Subsampling, make_methods
from backstay.targets import as_target
from benchmarks.simulations.panel import arguments, summary, table

FIRST = "slope"
WANTED = (FIRST, "spearman", "mrmr", "mrmr-f", "rrelieff", "lasso", "elastic-net")
TREES = ("forest", "extra-trees")  # a hundred times as slow: on their own
PENALTIES = (1.0, 100.0, 10_000.0)


def methods(only):
    """Return the methods to try, by name."""
    ridge = {f"ridge-rfe, α = {alpha:g}": RidgeRFE(alpha) for alpha in PENALTIES}
    if only == "trees":
        return make_methods([FIRST, *TREES], kind="numbers")
    every = {**make_methods(WANTED, kind="numbers"), **ridge}
    return {name: every[name] for name in (FIRST, *only.split(";"))} if only else every


def tables(folder, seed):
    """Yield name, rows and numbers of every table that is there."""
    for name in ("riboflavin", "liver_toxicity", "ovarian_tcga_survival"):
        if not (folder / f"{name}.npz").exists():
            continue
        with np.load(folder / f"{name}.npz", allow_pickle=False) as held:
            if name == "ovarian_tcga_survival":
                X, y = held["mirna"].astype(float), held["purity"].astype(float)
                known = np.isfinite(y) & np.isfinite(X).all(axis=1)
                yield "ovarian_purity", X[known], y[known]
            else:
                y = held["y"].astype(float)
                yield name, held["X"].astype(float), np.log2(y) if name[:5] == "liver" else y
    for name, share in (("linear", 0.0), ("interaction", 0.6)):
        X, y, _ = make_regression_blocks(interaction=share, random_state=seed)
        yield name, X, y


def gametes(folder):
    """Say where the two features that matter only together end up."""
    file = folder / "gametes_continuous.npz"
    if not file.exists():
        return
    with np.load(file, allow_pickle=False) as held:
        X, y = held["X"].astype(float), held["y"].astype(float)
        names = held["feature_names"].tolist() if "feature_names" in held else None
    columns = [names.index(n) for n in ("M0P0", "M0P1")] if names else [-2, -1]
    for ranker in (RReliefF(10), SlopeTest(), Spearman()):
        ranks = ranker.fit(X, y).ranking_[columns].tolist()
        print(f"gametes_continuous, {type(ranker).__name__}: M0P0 and M0P1 rank {ranks} of 20")


def main():
    judge = "--judge" in sys.argv
    sys.argv = [word for word in sys.argv if word != "--judge"]
    options = arguments(__doc__)
    every, seed = [], int(judge)
    for name, X, y in tables(options.data, seed):
        start = time.time()
        models = {"ridge": as_target(y).default_models()["ridge"]}
        how = {"models": models, "metric": "r2", "random_state": seed}
        how["resampling"] = Subsampling(10, train_size=2 / 3)
        chosen = methods(options.only)
        store = "-".join([name, "judged" if judge else "settled", *filter(None, [options.only])])
        every.append(table(store, X, y, chosen, options, **how))
        shown = every[-1].round(3).to_string(index=False)
        print(f"{len(X)} x {X.shape[1]}\n{shown}\n{time.time() - start:.0f} s\n", flush=True)
    print(summary(pd.concat(every), FIRST, "R²"))
    gametes(options.data)


if __name__ == "__main__":
    main()
