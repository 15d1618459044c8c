"""Are q-values right, and what do they find? Decoys beside tests, stability selection, Stabl, IPSS.

    python -m benchmarks.simulations.error_control --out control.jsonl
    python -m benchmarks.simulations.error_control --out ipss.jsonl --ipss venv/bin/python

A feature is false if it is independent of the class; proxies of relevant features are not. The
stricter share counts them as false, too. The second line runs IPSS alone, on the same data sets, by
a Python that has it.
"""

import json
import subprocess
from functools import partial

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.svm import l1_min_c

from backstay import SVMRFE, DecoyControl, ReliefF, StabilitySelection, TTest, Wilcoxon
from backstay.datasets import make_han_yu
from benchmarks.simulations._run import parser, repeat

RATES = (0.05, 0.1)
N_DRAWS = 30
N_SEEDS = 5  # data sets on which seeds are compared
N_ALL = 8  # data sets on which all methods run; on later ones only what is quick
# Of Stabl's rule: subsamples of half the rows, penalties, and the thresholds it looks at.
SUBSAMPLES, PENALTIES, THRESHOLDS = 40, 6, np.arange(0.1, 1.0, 0.01)
IPSS = """
import json, sys, warnings
warnings.filterwarnings("ignore")
import numpy as np
from ipss import ipss
table = np.load(sys.argv[1])
found = ipss(table["X"], table["y"].astype(float), selector="l1", n_jobs=1)
q = found["q_values"]
print(json.dumps([float(q.get(j, 1.0)) for j in range(table["X"].shape[1])]))
"""


def independent(rng, n_relevant, shift, n=100, d=500, tails=None):
    """Independent features; heavy tails if a t distribution is named."""
    y = rng.permutation(np.repeat([0, 1], n // 2))
    X = rng.normal(size=(n, d)) if tails is None else rng.standard_t(tails, size=(n, d))
    X[y == 1, :n_relevant] += shift
    return X, y, np.arange(d) < n_relevant, np.zeros(d, bool)


def blocks(rng, n_relevant, shift, n=100, d=500):
    """Blocks of ten: one relevant feature, and nine proxies that know the class only through it.

    In the other blocks all ten are noise with the same correlations.
    """
    y = rng.permutation(np.repeat([0, 1], n // 2))
    first = rng.normal(size=(n, d // 10))
    first[y == 1, :n_relevant] += shift
    X = 0.8 * np.repeat(first, 10, axis=1) + 0.6 * rng.normal(size=(n, d))
    X[:, ::10] = first
    place = np.arange(d)
    relevant = (place % 10 == 0) & (place < 10 * n_relevant)
    return X, y, relevant, (place < 10 * n_relevant) & ~relevant


def han_yu(rng, n_relevant, shift, d=500):
    """Han and Yu's blocks; those that share a block with relevant features are proxies."""
    X, y, relevance = make_han_yu(
        n_features=d, n_relevant=n_relevant or 10, shift=shift, random_state=rng.integers(2**31)
    )
    if not n_relevant:
        return X, rng.permutation(y), np.zeros(d, bool), np.zeros(d, bool)
    block = np.arange(d) // 10
    touched = np.isin(block, block[relevance > 0])
    return X, y, relevance > 0, touched & (relevance == 0)


def interaction(rng, n=300, d=20):
    """The class is the sign of a product: no single feature predicts it."""
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int), np.arange(d) < 2, np.zeros(d, bool)


def suppressors(rng, n=300, d=40, n_pairs=3):
    """Pairs x = z + class and z: the second alone predicts nothing, but denoises the first."""
    y = rng.permutation(np.repeat([0, 1], n // 2))
    X = rng.normal(size=(n, d))
    for pair in range(n_pairs):
        z = rng.normal(size=n)
        X[:, 2 * pair] = z + 0.25 * rng.normal(size=n) + 0.4 * y
        X[:, 2 * pair + 1] = z
    return X, y, np.arange(d) < 2 * n_pairs, np.zeros(d, bool)


DATA = {
    "noise": partial(independent, n_relevant=0, shift=0),
    "independent, 5": partial(independent, n_relevant=5, shift=0.9),
    "independent, 50": partial(independent, n_relevant=50, shift=0.7),
    "noise in blocks": partial(blocks, n_relevant=0, shift=0),
    "blocks, 5": partial(blocks, n_relevant=5, shift=0.9),
    "blocks, 50": partial(blocks, n_relevant=50, shift=0.7, d=1000),
    "Han-Yu, 0": partial(han_yu, n_relevant=0, shift=0.5),
    "Han-Yu, 5": partial(han_yu, n_relevant=5, shift=0.5),
    "Han-Yu, 50": partial(han_yu, n_relevant=50, shift=0.5),
    "heavy tails, 50": partial(independent, n_relevant=50, shift=1.0, tails=2),
    "interaction, 2": interaction,
    "suppressors, 6": suppressors,
}


def q_values(X, y, seed):
    """The methods that give q-values."""
    found = {f"{kind.__name__}, test": kind().fit(X, y).qvalues_ for kind in (TTest, Wilcoxon)}
    many_rows = len(X) > X.shape[1]
    rankers = {"t": TTest()}
    if many_rows or seed < N_ALL:
        rankers |= {"ReliefF": ReliefF(), "SVM-RFE": SVMRFE(C=1.0 if many_rows else 0.01)}
    for name, ranker in rankers.items():
        control = DecoyControl(ranker, N_DRAWS, random_state=seed).fit(X, y)
        found[f"{name}, decoys"] = control.qvalues_
    return found


def stabl(X, y, seed):
    """Stabl's rule: decoys once, the most frequent selection along a lasso path, least FDP+."""
    rng = np.random.default_rng(seed)
    decoys = np.column_stack([rng.permutation(column) for column in X.T])
    Z = StandardScaler().fit_transform(np.hstack([X, decoys]))
    counts = np.zeros((PENALTIES, Z.shape[1]))
    for _ in range(SUBSAMPLES):
        parts = [rng.choice(np.flatnonzero(y == c), (y == c).sum() // 2, False) for c in (0, 1)]
        rows = np.concatenate(parts)
        path = l1_min_c(Z[rows], y[rows], loss="log") * np.geomspace(1.2, 12, PENALTIES)
        for place, C in enumerate(path):
            lasso = LogisticRegression(l1_ratio=1, C=C, solver="liblinear", tol=1e-2, max_iter=50)
            counts[place] += lasso.fit(Z[rows], y[rows]).coef_[0] != 0
    frequency = (counts / SUBSAMPLES).max(axis=0)
    ours, theirs = frequency[: X.shape[1]], frequency[X.shape[1] :]
    fdp = [(1 + (theirs > t).sum()) / max(1, (ours > t).sum()) for t in THRESHOLDS]
    return ours > THRESHOLDS[int(np.argmin(fdp))]


def ipss(python, scratch, name, seed):
    """Integrated path stability selection, by a Python that has it."""
    X, y, relevant, proxy = DATA[name](np.random.default_rng([seed, 21]))
    table = scratch.with_suffix(f".{seed}.npz")
    np.savez(table, X=X, y=y)
    command = [python, "-c", IPSS, str(table)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    table.unlink()
    q = np.array(json.loads(done.stdout.splitlines()[-1]))
    return {"found": {f"IPSS {rate:.0%}": judged(q <= rate, relevant, proxy) for rate in RATES}}


def judged(selected, relevant, proxy):
    """FDP, FDP with proxies as false, power, and how many."""
    n = max(1, int(selected.sum()))
    return {
        "false": float((selected & ~relevant & ~proxy).sum() / n),
        "false or proxy": float((selected & ~relevant).sum() / n),
        "power": float(selected[relevant].mean()) if relevant.any() else 0.0,
        "selected": int(selected.sum()),
    }


def one(name, seed):
    X, y, relevant, proxy = DATA[name](np.random.default_rng([seed, 21]))
    judge = partial(judged, relevant=relevant, proxy=proxy)
    found = {}
    q = q_values(X, y, seed)
    for method, values in q.items():
        for rate in RATES:
            found[f"{method} {rate:.0%}"] = judge(values <= rate)
    sets = {}
    if seed < N_ALL:
        bounded = StabilitySelection(
            TTest(),
            threshold=0.6,
            pfer=1,
            assumption="r_concave",
            n_resamples=50,
            random_state=seed,
        )
        sets["Stabl's rule"] = stabl(X, y, seed)
        sets["t, stability selection"] = bounded.fit(X, y).get_support()
    found |= {method: judge(selected) for method, selected in sets.items()}
    if seed < N_SEEDS:
        again = DecoyControl(TTest(), N_DRAWS, random_state=seed + 1000).fit(X, y).qvalues_
        pairs = {
            "t, decoys 10%": (q["t, decoys"] <= 0.1, again <= 0.1),
            "Stabl's rule": (sets["Stabl's rule"], stabl(X, y, seed + 1000)),
        }
        for method, (a, b) in pairs.items():
            found[method]["jaccard"] = float((a & b).sum() / (a | b).sum()) if (a | b).any() else 1
    return {"found": found}


def main():
    options = parser(__doc__, 20)
    options.add_argument("--ipss", help="a Python in whose environment ipss is installed")
    options.add_argument("--only", nargs="*", default=list(DATA), help="data of these names")
    args = options.parse_args()
    cases = [(name, seed) for seed in range(args.sets) for name in args.only]
    task = partial(ipss, args.ipss, args.out) if args.ipss else one
    rows = repeat(task, cases, args.out, args.jobs)
    lines = [
        {"data": row["case"][0], "method": method, **values}
        for row in rows
        for method, values in row["found"].items()
    ]
    frame = pd.DataFrame(lines)
    frame["any"] = frame["selected"] > 0
    groups = frame.groupby(["data", "method"], sort=False)
    table = groups.mean()
    table.insert(1, "SE", groups["false"].std() / np.sqrt(groups.size()))
    table["sets"] = groups.size()
    print(table.round(3).to_string())


if __name__ == "__main__":
    main()
