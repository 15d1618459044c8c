"""Which suspicions do clean tables raise? Simulated ones of several kinds, and real ones.

    python -m benchmarks.simulations.false_alarms --data folder

The folder holds .npz files with X (or a CSR matrix) and y; a number to predict is cut at its
median, an event is taken for a class. Raw intensities of microarrays are floored at 20 and
logarithms taken first.
"""

import argparse
import time
from collections import Counter
from pathlib import Path

import numpy as np
from scipy import sparse

from backstay.datasets import log2_floor, make_han_yu
from backstay.study import suspicions

INTENSITIES = ("colon_alon", "leukemia_golub", "prostate_singh", "lung_gordon")
N, D = 60, 300
Y = np.arange(N) % 2


def noise(rng, n_rows=N, n_features=D):
    return rng.normal(size=(n_rows, n_features))


def signal(rng, n_relevant, shift):
    signs = rng.choice([-1, 1], D) * (np.arange(D) < n_relevant)
    return noise(rng) + shift * signs * Y[:, None]


CLEAN = {
    "noise": lambda rng: (noise(rng), Y),
    "noise, 20 rows × 1000": lambda rng: (noise(rng, 20, 1000), Y[:20]),
    "noise, 200 rows × 8": lambda rng: (noise(rng, 200, 8), np.arange(200) % 2),
    "noise, three classes": lambda rng: (noise(rng), np.arange(N) % 3),
    "20 features differ by 3": lambda rng: (signal(rng, 20, 3.0), Y),
    "half of the features differ by 1": lambda rng: (signal(rng, D // 2, 1.0), Y),
    "one feature differs by 2": lambda rng: (signal(rng, 1, 2.0), Y),
    "one factor in all features": lambda rng: (noise(rng) + noise(rng, n_features=1), Y),
    "six clusters of rows": lambda rng: (
        noise(rng) + 2 * noise(rng, 6)[rng.integers(6, size=N)],
        Y,
    ),
    "log-normal": lambda rng: (np.exp(2 * noise(rng)), Y),
    "counts": lambda rng: (rng.negative_binomial(1, 0.2, (N, D)).astype(float), Y),
    "genotypes, 30": lambda rng: (rng.integers(3, size=(N, 30)).astype(float), Y),
    "Han and Yu": lambda rng: make_han_yu(N, n_features=D, random_state=int(rng.integers(1000)))[
        :2
    ],
}


def real_tables(folder):
    """Yield name, rows, classes and groups of every table of a folder."""
    for file in sorted(folder.glob("*.npz")):
        held = np.load(file)
        if "data" in held:
            parts = (held["data"], held["indices"], held["indptr"])
            X = sparse.csr_matrix(parts, shape=tuple(held["shape"]))
        elif "X" in held:
            X = held["X"].astype(float)
        elif "mrna" in held:
            X = np.hstack([held[name] for name in ("mirna", "mrna", "protein")])
        else:
            continue
        y = held["y"] if "y" in held else held["event"].astype(int)
        if y.dtype.kind == "f" and len(np.unique(y)) > 20:
            y = (y > np.median(y)).astype(int)
        X = log2_floor(X) if file.stem in INTENSITIES else X
        yield file.stem, X, y, held.get("groups")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of .npz files")
    parser.add_argument("--seeds", type=int, default=100)
    options = parser.parse_args()
    for name, make in CLEAN.items():
        raised = Counter()
        for seed in range(options.seeds):
            raised.update(one.kind for one in suspicions(*make(np.random.default_rng(seed))))
        print(f"{name}: {dict(raised) or 'none'} in {options.seeds} tables", flush=True)
    for name, X, y, groups in real_tables(options.data) if options.data else ():
        start = time.perf_counter()
        found = suspicions(X, y, groups)
        print(
            f"{name}, {X.shape}, {time.perf_counter() - start:.2f} s: {found or 'none'}", flush=True
        )


if __name__ == "__main__":
    main()
