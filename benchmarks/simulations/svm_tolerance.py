"""Does the SVM's tolerance decide what SVM-RFE finds? The best ten beside an exact solution's.

    python -m benchmarks.simulations.svm_tolerance --data folder

The folder holds .npz files with X and y. Raw intensities of microarrays are floored at 20 and
logarithms taken first. Training sets are two thirds of the rows, by class.
"""

import argparse
import time
from pathlib import Path

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

from backstay import SVMRFE
from backstay._scaling import Scaling
from backstay.base import ranking_from_importances
from backstay.feature_weighting._svm_elimination import eliminate

INTENSITIES = ("colon_alon", "leukemia_golub", "prostate_singh")
NAMES = (
    *INTENSITIES, "arcene", "gcm_ramaswamy_filtered", "lsvt_voice",  # fewer rows than features
    "wdbc", "sonar", "ionosphere", "spectf", "heart_statlog", "madelon",
)  # fmt: skip
HEAD = ("data", "rows × features", "Jaccard, 1e-3", "1e-8", "CPU time, 1e-8 : 1e-3")
BEST, MOST_ROWS = 10, 600


def read(file):
    with np.load(file) as data:
        X, y = data["X"].astype(float), data["y"]
    if file.stem in INTENSITIES:
        X = np.log2(np.maximum(X, 20))
    return X, y


def best(ranker, X, y):
    return set(np.flatnonzero(ranker.fit(X, y).ranking_ <= BEST))


def exact_best(X, y):
    """From the Gram matrix, however large: libsvm, in single precision, may never finish."""
    Z, codes = np.asarray(Scaling(X, "minmax")(X)), np.unique(y, return_inverse=True)[1]
    course = eliminate(Z, codes, np.ones(len(y)), tol=1e-12)
    return set(np.flatnonzero(ranking_from_importances(course.importances()) <= BEST))


def selections(ranker, data):
    """The best features of every training set, and the processor time of a fit."""
    best(ranker, *data[0])  # loads the kernels
    start = time.process_time()
    found = [best(ranker, X, y) for X, y in data]
    return found, (time.process_time() - start) / len(data)


def jaccard(some, others):
    return np.mean([len(a & b) / len(a | b) for a, b in zip(some, others, strict=True)])


def row(file, n_sets):
    X, y = read(file)
    size = min(len(y) * 2 // 3, MOST_ROWS)
    splitter = StratifiedShuffleSplit(n_sets, train_size=size, random_state=0)
    data = [(X[train], y[train]) for train, _ in splitter.split(X, y)]
    exact = [exact_best(*each) for each in data]
    loose, seconds_loose = selections(SVMRFE(tol=1e-3), data)
    tight, seconds_tight = selections(SVMRFE(tol=1e-8), data)
    return (
        file.stem,
        f"{size} × {X.shape[1]}",
        f"{jaccard(loose, exact):.2f}",
        f"{jaccard(tight, exact):.2f}",
        f"{seconds_tight / seconds_loose:.1f}",
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of .npz files")
    parser.add_argument("--sets", type=int, default=10, help="training sets of each data set")
    args = parser.parse_args()
    print(f"| {' | '.join(HEAD)} |\n|{'---|' * len(HEAD)}")
    for file in (args.data / f"{name}.npz" for name in NAMES):
        if file.exists():
            print(f"| {' | '.join(row(file, args.sets))} |", flush=True)


if __name__ == "__main__":
    main()
