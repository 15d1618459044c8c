"""What do methods find of features planted in real tables, and what do random lists find?

    python -m benchmarks.simulations.planted --data folder --tables colon_alon sonar

The folder holds .npz files with X and y. Raw intensities of microarrays are floored at 20 and
logarithms taken first.
"""

import argparse
import time
from pathlib import Path

import numpy as np

from backstay.datasets import log2_floor
from backstay.study import planted_truth
from benchmarks.simulations.false_alarms import INTENSITIES

METHODS = ["t", "wilcoxon", "relieff", "elastic-net", "svm-rfe"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--tables", nargs="+", default=["colon_alon", "sonar"])
    parser.add_argument("--true", type=int, default=20)
    parser.add_argument("--effect", type=float, default=0.8)
    given = parser.parse_args()
    for name in given.tables:
        held = np.load(given.data / f"{name}.npz")
        X = held["X"].astype(float)
        X = log2_floor(X, 20) if name in INTENSITIES else X
        start = time.perf_counter()
        truth = planted_truth(
            X, held["y"], METHODS, n_true=given.true, effect=given.effect, random_state=0
        )
        print(f"\n{name} {X.shape}, {time.perf_counter() - start:.0f} s")
        strong = np.mean(truth.as_strong)
        print(f"effect {truth.effect:.2f}; {strong:.0%} of the others are as strong")
        columns = ["method", "size", *truth.MEASURES]
        print(truth.frame()[columns].round(2).to_string(index=False))
        print(truth.standings().round(2).to_string(index=False))


if __name__ == "__main__":
    main()
