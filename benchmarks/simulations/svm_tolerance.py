"""Does the SVM's tolerance decide what SVM-RFE finds? The best ten beside an exact solution's.

    python -m benchmarks.simulations.svm_tolerance --data folder

The folder holds .npz files with X and y. Raw intensities of microarrays are floored at 20 and
logarithms taken first. Training sets are two thirds of the rows, by class.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedShuffleSplit

from backstay import SVMRFE

WIDE = ("colon_alon", "leukemia_golub", "prostate_singh", "arcene", "gcm_ramaswamy_filtered")
TALL = ("wdbc", "sonar", "ionosphere", "spectf", "heart_statlog", "madelon")
INTENSITIES = ("colon_alon", "leukemia_golub", "prostate_singh")
EXACT = {"fewer rows than features": 1e-12, "no fewer": 1e-8}  # libsvm may not end at 1e-12
BEST, MOST_ROWS = 10, 700


def read(file):
    with np.load(file) as data:
        X, y = data["X"].astype(float), data["y"]
    if file.stem in INTENSITIES:
        X = np.log2(np.maximum(X, 20))
    return X, y


def selections(X, y, trains, tol):
    """The best features of every training set, and the processor time of a fit."""
    SVMRFE(tol=tol).fit(X[trains[0]][:, :50], y[trains[0]])  # loads the kernels
    start = time.process_time()
    rankings = [SVMRFE(tol=tol).fit(X[train], y[train]).ranking_ for train in trains]
    seconds = (time.process_time() - start) / len(trains)
    return [set(np.flatnonzero(ranking <= BEST)) for ranking in rankings], seconds


def jaccard(some, others):
    return np.mean([len(a & b) / len(a | b) for a, b in zip(some, others, strict=True)])


def line(file, n_sets):
    X, y = read(file)
    size = min(len(y) * 2 // 3, MOST_ROWS)
    splitter = StratifiedShuffleSplit(n_sets, train_size=size, random_state=0)
    trains = [train for train, _ in splitter.split(X, y)]
    kind = "fewer rows than features" if size < X.shape[1] else "no fewer"
    exact, _ = selections(X, y, trains, EXACT[kind])
    loose, seconds_loose = selections(X, y, trains, 1e-3)
    tight, seconds_tight = selections(X, y, trains, 1e-8)
    return {
        "data": file.stem,
        "rows × features": f"{size} × {X.shape[1]}",
        "Jaccard at 1e-3": jaccard(loose, exact),
        "at 1e-8": jaccard(tight, exact),
        "ms at 1e-3": 1000 * seconds_loose,
        "at 1e-8, ms": 1000 * seconds_tight,
        "ratio": seconds_tight / seconds_loose,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of .npz files")
    parser.add_argument("--sets", type=int, default=20, help="training sets of each data set")
    args = parser.parse_args()
    files = [args.data / f"{name}.npz" for name in (*WIDE, *TALL)]
    frame = pd.DataFrame([line(file, args.sets) for file in files if file.exists()])
    print(frame.round({"ratio": 2, "Jaccard at 1e-3": 2, "at 1e-8": 2}).to_markdown(index=False))


if __name__ == "__main__":
    main()
