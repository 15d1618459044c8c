"""What trees find on wide tables, how many features they rank at all, and what it costs.

    python -m benchmarks.simulations.tree_rankers [--rows 80 --features 2000 --sets 4]
    python -m benchmarks.simulations.tree_rankers --boruta --features 500

Data sets have 50 relevant features: in correlated blocks (Han and Yu), or independent ones. The
second command has Boruta beside the package ``boruta``, if that is installed.
"""

import argparse
import time
import warnings

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from backstay import BorutaRanker, ForestImportance, PermutationImportance
from backstay.base import one_thread
from backstay.datasets import make_han_yu

N_RELEVANT, SHIFT = 50, 0.8


def tables(n_rows, n_features, n_sets):
    """Yield kind, rows, classes and which features are relevant."""
    for seed in range(n_sets):
        X, y, relevance = make_han_yu(
            n_rows, n_features=n_features, n_relevant=N_RELEVANT, random_state=seed
        )
        yield "blocks", X, y, np.asarray(relevance, dtype=bool)
        X = np.random.default_rng(seed).normal(size=(n_rows, n_features))
        relevant = np.arange(n_features) < N_RELEVANT
        yield "independent", X + SHIFT * np.outer(y, relevant), y, relevant


def timed(fit, *data):
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.process_time()
        found = fit(*data)
        return found, time.process_time() - start


RANKERS = {
    "forest, 100 trees": ForestImportance(100, random_state=0),
    "forest, 500 trees": ForestImportance(500, random_state=0),
    "permutation": PermutationImportance(random_state=0),
}


def rank(options):
    """Print the share of relevant features among the 20 best, features ranked, seconds."""
    data = list(tables(options.rows, options.features, options.sets))
    print("| | relevant of 20, blocks | independent | importance above 0 | CPU s |")
    print("|---|---|---|---|---|")
    for name, ranker in RANKERS.items():
        share, ranked, seconds = {"blocks": [], "independent": []}, [], []
        for kind, X, y, relevant in data:
            fitted, spent = timed(ranker.fit, X, y)
            share[kind].append(relevant[fitted.ranking_ <= 20].mean())
            ranked.append((fitted.feature_importances_ > 0).sum())
            seconds.append(spent)
        shares = " | ".join(f"{np.mean(values):.2f}" for values in share.values())
        print(f"| {name} | {shares} | {np.mean(ranked):.0f} | {np.mean(seconds):.2f} |", flush=True)


def ours(X, y):
    return BorutaRanker(100, random_state=0).fit(X, y).get_support()


def theirs(X, y):
    from boruta import BorutaPy

    forest = RandomForestClassifier(100, random_state=0)
    peer = BorutaPy(forest, n_estimators=100, alpha=0.01, two_step=False, random_state=0)
    return peer.fit(X, y).support_


def boruta(options):
    """Print what is confirmed: how many, the share of false ones, the share of relevant found."""
    print("| | data | confirmed | false | found | CPU s |\n|---|---|---|---|---|---|")
    for kind, X, y, relevant in tables(options.rows, options.features, options.sets):
        for name, select in (("backstay", ours), ("boruta", theirs)):
            try:
                chosen, spent = timed(select, X, y)
            except ImportError:
                continue
            false = (chosen & ~relevant).sum() / max(chosen.sum(), 1)
            found = chosen[relevant].mean()
            print(
                f"| {name} | {kind} | {chosen.sum()} | {false:.2f} | {found:.2f} | {spent:.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=80)
    parser.add_argument("--features", type=int, default=2000)
    parser.add_argument("--sets", type=int, default=4)
    parser.add_argument("--boruta", action="store_true")
    given = parser.parse_args()
    (boruta if given.boruta else rank)(given)
