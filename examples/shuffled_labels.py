"""What stability is worth: the same methods with shuffled labels, on noise and on a signal.

python examples/shuffled_labels.py
python examples/shuffled_labels.py --data folder    # NPZ files with X and y
"""

import argparse
from pathlib import Path

import numpy as np

from backstay import SVMRFE, ForestImportance, ReliefF, Study, TTest
from backstay.datasets import log2_floor, make_han_yu
from backstay.study import Subsampling

SIZE = 50
METHODS = {
    "t": TTest(moderation="shrunken"),
    "relieff": ReliefF(),
    "svm-rfe": SVMRFE(),
    "forest": ForestImportance(100),
}


def tables(folder):
    """Yield names, rows and classes: generated ones, or the files of a folder."""
    if folder is None:
        rng = np.random.default_rng(0)
        yield "noise", rng.normal(size=(60, 500)), np.repeat([0, 1], 30)
        X, y, _ = make_han_yu(60, n_features=500, random_state=0)
        yield "Han–Yu", X, y
        return
    for path in sorted(folder.glob("*.npz")):
        with np.load(path, allow_pickle=False) as held:
            if "X" in held and held["X"].shape[1] > 1000 and np.isfinite(held["X"]).all():
                X = held["X"].astype(float)
                # Raw intensities of microarrays span orders of magnitude.
                yield path.stem, log2_floor(X) if X.max() > 1000 else X, held["y"]


def main(n_splits=20, n_permutations=20, folder=None):
    """Print a row per table and method."""
    print(f"| data | method | stability at {SIZE} | shuffled labels | 95 % range | above | p |")
    print("|---|---|---|---|---|---|---|")
    for name, X, y in tables(folder):
        study = Study(
            METHODS,
            Subsampling(n_splits),
            sizes=[SIZE],
            models={},
            null=n_permutations,
            random_state=0,
            n_jobs=2,
        )
        for row in study.run(X, y).null().frame().itertuples(index=False):
            print(
                f"| {name} | {row.method} | {row.stability:.2f} | {row.null:.2f} | "
                f"{row.low:.2f} to {row.high:.2f} | {row.above:.2f} | {row.p_value:.2f} |"
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--splits", type=int, default=20, help="resamples with the true labels")
    parser.add_argument("--permutations", type=int, default=20)
    given = parser.parse_args()
    main(given.splits, given.permutations, given.data)
