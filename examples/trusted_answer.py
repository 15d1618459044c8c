"""What does the trusted answer cost? Outer splits judge what a study on the inner rows chose.

    python examples/trusted_answer.py
    python examples/trusted_answer.py --data folder    # NPZ files with X and y

Every table is split into outer training and test rows. A study on the outer training rows
names its answers; each is trained there and tested on the outer test rows, beside the
bias-corrected score that the study quoted. "smallest" is a simpler rule: the smallest size within
one plain standard error of the best score, and the most stable method there.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from backstay import SVMRFE, ReliefF, Study, TTest
from backstay.datasets import log2_floor, make_han_yu
from backstay.study import Subsampling

METHODS = {
    "t": TTest(moderation="shrunken"),
    "relieff": ReliefF(),
    "svm-rfe": SVMRFE(),
    "svm-rfe-soft": SVMRFE(C=0.02),
}
SIZES = [5, 10, 20, 50]
ARRAYS = ("colon_alon", "leukemia_golub", "lung_gordon", "prostate_singh", "sonar")


def svm():
    return make_pipeline(MinMaxScaler(), SVC(kernel="linear", class_weight="balanced"))


def tables(folder):
    """Yield names, rows and classes: generated ones, or some files of a folder."""
    if folder is None:
        for seed, n_relevant in ((0, 50), (1, 20)):
            X, y, _ = make_han_yu(80, n_features=500, n_relevant=n_relevant, random_state=seed)
            yield f"Han–Yu, {n_relevant} relevant", X, y
        return
    for name in ARRAYS:
        with np.load(folder / f"{name}.npz", allow_pickle=False) as held:
            X = held["X"].astype(float)
            yield name, log2_floor(X) if X.max() > 1000 else X, held["y"]


def smallest(results):
    """Return the smallest size within one plain standard error of the best, by mean score."""
    scores = results.runs.scores("balanced_accuracy").frame()
    grouped = scores.groupby(["method", "size"])["value"]
    mean, error = grouped.mean(), grouped.sem()
    enough = mean[mean >= mean.max() - error[mean.idxmax()]].reset_index()
    there = enough[enough["size"] == enough["size"].min()]
    steady = results.stability().frame().set_index(["method", "size"])["value"]
    best = max(zip(there["method"], there["size"], strict=True), key=lambda key: steady[key])
    return best[0], int(best[1]), float(steady[best])


def main(n_outer=12, n_inner=25, null=20, folder=None):
    """Print, for every table and answer, the outer score minus *accurate*'s, and the stability."""
    rows = []
    for name, X, y in tables(folder):
        splitter = StratifiedShuffleSplit(n_outer, train_size=2 / 3, random_state=0)
        for number, (train, test) in enumerate(splitter.split(X, y)):
            study = Study(
                METHODS,
                Subsampling(n_inner),
                sizes=SIZES,
                models={"svm": svm()},
                metric="balanced_accuracy",
                null=null,
                random_state=number,
                n_jobs=2,
            )
            results = study.run(X[train], y[train])
            found = results.recommend()
            if found.trusted is None:
                continue
            chosen = {
                answer.name: (
                    answer.method,
                    answer.size,
                    answer.stability.value,
                    answer.score.value,
                )
                for answer in found.answers.values()
            }
            chosen["smallest"] = (*smallest(results), np.nan)
            for rule, (method, size, stability, quoted) in chosen.items():
                ranker = clone(METHODS[method]).fit(X[train], y[train])
                best = np.argsort(ranker.ranking_)[:size]
                model = svm().fit(X[train][:, best], y[train])
                outer = balanced_accuracy_score(y[test], model.predict(X[test][:, best]))
                rows.append([name, number, rule, outer, stability, size, quoted])
    columns = ["data", "split", "rule", "outer score", "stability", "size", "quoted score"]
    frame = pd.DataFrame(rows, columns=columns)
    accurate = frame[frame["rule"] == "accurate"].set_index(["data", "split"])["outer score"]
    of_same_split = pd.MultiIndex.from_frame(frame[["data", "split"]])
    frame["minus accurate"] = frame["outer score"] - accurate.reindex(of_same_split).to_numpy()
    figures = ["outer score", "minus accurate", "quoted score", "stability", "size"]
    by_table = frame.groupby(["data", "rule"], sort=False)[figures].mean()
    print(by_table.round(3).reset_index().to_string(index=False))
    print()
    print(by_table.groupby("rule", sort=False).mean().round(3).to_string())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--outer", type=int, default=12, help="outer splits")
    parser.add_argument("--inner", type=int, default=25, help="resamples of each study")
    parser.add_argument("--null", type=int, default=20, help="permutations of the labels")
    given = parser.parse_args()
    main(given.outer, given.inner, given.null, given.data)
