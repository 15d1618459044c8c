"""Which defaults of stability selection find most without finding more noise than promised?

    python -m benchmarks.simulations.stability_selection_defaults --out defaults.jsonl

Data have 100 rows of two classes and 1000 features, of which 0, 5 or 50 are relevant: independent
ones, or Han and Yu's correlated blocks. Every candidate is a bound (assumption, pfer) and a
threshold; q follows. One set of runs per data set serves all candidates. The first 20 seeds are
there to choose by, the others to judge.
"""

from functools import cache

import numpy as np
import pandas as pd
from scipy.stats import false_discovery_control, ttest_ind

from backstay import StabilitySelection, TTest
from backstay.datasets import make_han_yu
from backstay.ensemble._error_bounds import ASSUMPTIONS, largest_q
from benchmarks.simulations._run import arguments, repeat, rows

N, D, N_PAIRS, SHIFT = 100, 1000, 50, 0.8
TO_CHOOSE = 20
CANDIDATES = [
    (assumption, threshold, pfer)
    for assumption in ASSUMPTIONS
    for threshold in (0.6, 0.75, 0.9)
    for pfer in (0.2, 0.5, 1, 2)
]
KINDS = {
    "noise": ("independent", 0),
    "noise, blocks": ("han-yu", 0),
    "independent, 5": ("independent", 5),
    "independent, 50": ("independent", 50),
    "Han-Yu, 50": ("han-yu", 50),
}


@cache
def resolved(assumption, threshold, pfer):
    return largest_q(pfer, D, threshold, N_PAIRS, assumption)


def draw(kind, seed):
    """Rows, classes, and which features are relevant."""
    source, n_relevant = KINDS[kind]
    rng = np.random.default_rng([seed, 7])
    if source == "independent":
        X, y = rows(rng, [N // 2, N // 2], D, 0)
        X[y == 1, :n_relevant] += SHIFT
        return X, y, np.arange(D) < n_relevant
    X, y, relevance = make_han_yu(N, n_features=D, random_state=seed)
    if n_relevant == 0:
        return X, rng.permutation(y), np.zeros(D, dtype=bool)
    return X, y, relevance > 0


def judged(chosen, relevant):
    """Numbers of true and of false features, given the relevant ones."""
    return [int((chosen & relevant).sum()), int((chosen & ~relevant).sum()), int(relevant.sum())]


def one(kind, seed):
    X, y, relevant = draw(kind, seed)
    base = TTest(moderation="shrunken")
    selection = StabilitySelection(
        base, n_features_per_run=1, n_resamples=N_PAIRS, random_state=seed
    ).fit(X, y)
    found = {}
    for assumption, threshold, pfer in CANDIDATES:
        q = resolved(assumption, threshold, pfer)
        frequency = (selection.rankings_ <= q).mean(axis=0)
        name = f"{assumption} {threshold} {pfer} (q = {q})"
        found[name] = judged(frequency >= threshold - 1e-12, relevant)
    p = ttest_ind(X[y == 0], X[y == 1]).pvalue
    found["t test, Benjamini-Hochberg 5 %"] = judged(false_discovery_control(p) <= 0.05, relevant)
    return {"found": found}


def table(done):
    """FDP and power where something is relevant; false features and any of them where not."""
    lines = [
        {"kind": row["case"][0], "candidate": name, "true": t, "false": f, "relevant": n}
        for row in done
        for name, (t, f, n) in row["found"].items()
    ]
    frame = pd.DataFrame(lines)
    frame["FDP"] = frame["false"] / np.maximum(frame["true"] + frame["false"], 1)
    frame["power"] = frame["true"] / frame["relevant"].replace(0, np.nan)
    frame["any false"] = frame["false"] > 0
    columns = {}
    for kind, (_, n_relevant) in KINDS.items():
        by = frame[frame["kind"] == kind].groupby("candidate", sort=False)
        for measure in ("FDP", "power", "false") if n_relevant else ("false", "any false"):
            columns[kind, measure] = by[measure].mean()
    return pd.DataFrame(columns).round(2)


def main():
    args = arguments(__doc__, 60)
    cases = [(kind, seed) for seed in range(args.sets) for kind in KINDS]
    done = repeat(one, cases, args.out, args.jobs)
    parts = {
        f"to choose by, {TO_CHOOSE} data sets of each kind": lambda seed: seed < TO_CHOOSE,
        f"to judge, {args.sets - TO_CHOOSE} others": lambda seed: seed >= TO_CHOOSE,
    }
    pd.set_option("display.width", 250, "display.max_columns", None)
    for title, inside in parts.items():
        print(title)
        print(table([row for row in done if inside(row["case"][1])]).to_string())


if __name__ == "__main__":
    main()
