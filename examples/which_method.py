"""Which method for which data? Three kinds of data whose truth is known, nine methods.

Every method keeps as many features as are relevant, on training sets drawn afresh; the table
has the stability (Kuncheva's index, 95 % interval), the share of the kept features that are
relevant, and the seconds of one fit.

Usage: python which_method.py [number of training sets, 20 if not given]
"""

import sys
from time import perf_counter

import numpy as np

from backstay import (
    SVMRFE,
    BaggedRanker,
    ForestImportance,
    InformationGain,
    ReliefF,
    Simba,
    TTest,
)
from backstay.datasets import make_han_yu, make_xor
from backstay.stability import stability_score

n_sets = int(sys.argv[1]) if len(sys.argv) > 1 else 20
situations = {
    "correlated blocks, 100 × 1000, 50 relevant": lambda seed: make_han_yu(
        100, n_features=1000, n_relevant=50, random_state=seed
    ),
    "independent, 60 × 500, 20 relevant": lambda seed: make_han_yu(
        60, n_features=500, n_relevant=20, block_size=1, correlation=0, random_state=seed
    ),
    "interaction (XOR of 2), 200 × 30": lambda seed: make_xor(
        200, n_features=30, n_relevant=2, random_state=seed
    ),
}
methods = {
    "TTest, shrunken": lambda n: TTest(moderation="shrunken"),
    "InformationGain": lambda n: InformationGain(),
    "ReliefF": lambda n: ReliefF(),
    "Simba": lambda n: Simba(random_state=0),
    "SVMRFE, C = 1": lambda n: SVMRFE(),
    "SVMRFE, C = 1/n": lambda n: SVMRFE(C=1 / n),
    "bagged SVMRFE": lambda n: BaggedRanker(SVMRFE(), n_resamples=10, random_state=0),
    "forest, 100 trees": lambda n: ForestImportance(100, random_state=0),
    "forest, 500 trees": lambda n: ForestImportance(random_state=0),
}

for situation, make in situations.items():
    print(f"\n{situation}")
    print(f"{'':20s}{'stability':>21s}{'relevant':>10s}{'seconds':>9s}")
    for name, build in methods.items():
        subsets, shares, seconds = [], [], []
        for seed in range(n_sets):
            X, y, relevance = make(seed)
            started = perf_counter()
            ranker = build(len(y)).fit(X, y)
            seconds.append(perf_counter() - started)
            # Ties in random order: in order of columns they would pass for stability, and
            # the relevant features come first.
            ties = np.random.default_rng(seed).permutation(X.shape[1])
            order = ties[np.argsort(-ranker.feature_importances_[ties], kind="stable")]
            subsets.append(order[: (relevance > 0).sum()])
            shares.append((relevance[subsets[-1]] > 0).mean())
        score = stability_score(subsets, X.shape[1], measure="kuncheva")
        low, high = score.confidence_interval
        print(
            f"{name:20s}{score.value:>7.2f} [{low:.2f}, {high:.2f}]"
            f"{np.mean(shares):>10.0%}{np.median(seconds):>9.2f}"
        )
