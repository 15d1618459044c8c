"""Does the accurate answer predict numbers as well as two plain recipes do?

    python -m benchmarks.simulations.numbers_yardstick --data folder

R² and Spearman's correlation on 15 splits of two thirds of the rows: the 50 best features by F and
a ridge regression, the lasso with its penalty by cross-validation, and the accurate answer of a
study on the same splits, corrected for the choice. The last lines are about riboflavin: how often
stability selection with the lasso chooses each gene.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import spearmanr
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.linear_model import LassoCV, RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from backstay import LassoPath, StabilitySelection, Study
from backstay.study import Subsampling, make_methods
from backstay.targets import as_target

PENALTIES = np.logspace(-2, 6, 17)
RECIPES = {
    "50 best by F, ridge": lambda: make_pipeline(
        SelectKBest(f_regression, k=50), StandardScaler(), RidgeCV(PENALTIES)
    ),
    "lasso": lambda: make_pipeline(StandardScaler(), LassoCV(cv=5, max_iter=5000)),
}


def tables(folder):
    with np.load(folder / "riboflavin.npz") as held:
        yield "riboflavin", held["X"], held["y"]
    with np.load(folder / "liver_toxicity.npz") as held:
        yield "log2 of ALT, liver", held["X"], np.log2(held["y"])
    with np.load(folder / "ovarian_tcga_survival.npz") as held:
        X, y = held["mirna"], held["purity"]
        known = np.isfinite(X).all(axis=1) & np.isfinite(y)
        yield "purity from miRNA, ovary", X[known], y[known]


def recipe_scores(make, X, y, splits):
    """Return R² over all tested rows, and the mean rank correlation of a split."""
    errors, spread, ranks = 0.0, 0.0, []
    for train, test in splits:
        predicted = make().fit(X[train], y[train]).predict(X[test])
        errors += ((y[test] - predicted) ** 2).sum()
        spread += ((y[test] - y[train].mean()) ** 2).sum()
        ranks.append(spearmanr(predicted, y[test]).statistic)
    return 1 - errors / spread, np.mean(ranks)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    folder = parser.parse_args().data
    lines = []
    for name, X, y in tables(folder):
        protocol = Subsampling(15, random_state=0)
        splits = list(protocol.split(X, as_target(y)))
        methods = make_methods(n_features=X.shape[1], kind="numbers")
        sizes = [5, 10, 20, 50, 100]
        study = Study(methods, splits, sizes=sizes, random_state=0, verbose=0, n_jobs=-1)
        advice = study.run(X, y).recommend()
        best = advice.answers["accurate"]
        line = {"table": name}
        for title, make in RECIPES.items():
            line[title], line[f"{title}, Spearman"] = recipe_scores(make, X, y, splits)
        line |= {"accurate": best.score.value, "low": best.score.low, "high": best.score.high}
        lines.append(line | {"by": f"{best.method}, {best.size}, {best.model}"})
    print(pd.DataFrame(lines).round(2).T.to_string())
    with np.load(folder / "riboflavin.npz") as held:
        X, y, names = held["X"], held["y"], held["feature_names"]
    selection = StabilitySelection(
        LassoPath(), threshold=0.75, n_features_per_run=45, n_resamples=100, random_state=0
    ).fit(X, y)
    often = np.argsort(-selection.selection_frequency_)[:6]
    print({str(names[j]): round(float(selection.selection_frequency_[j]), 2) for j in often})


if __name__ == "__main__":
    main()
