"""Does a plan hold? What a pilot of 40 rows predicts, beside what 80 and 160 rows give.

    python -m benchmarks.simulations.planning --data FOLDER --out planning.jsonl

The score at m rows is the mean over samples of m rows, tested on other rows; the replication the
mean overlap of pairs of samples that share no row. No sample has a row of the pilot. The form of
the bands was settled on the tables of SETTLED with the seeds 0 to 4; it is judged on the other
tables, and on those with other seeds. `chosen` is the configuration that the pilot's study chooses,
corrected for the choice; the others are all that were run.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from scipy import sparse

from backstay import ReliefF, Study
from backstay.feature_weighting import FStatistic
from backstay.study import Subsampling
from backstay.targets import as_target
from benchmarks.simulations._run import parser, repeat, rows

PILOT, LARGER, PAIRS, MOST_TESTED, MOST_ROWS = 40, (80, 160), 8, 300, 1500
# Of wide tables, the features of the largest variance: whole ones take too long.
MOST_FEATURES = 2000
# Relevant features of 300, how far their means are apart, and features that share most of their
# variance.
GENERATORS = {
    "weak": (20, 0.6, 1),
    "strong": (20, 1.0, 1),
    "many": (100, 0.5, 1),
    "blocks": (60, 0.7, 10),
    "noise": (0, 0.0, 1),
}
SETTLED = ("madelon", "wdbc", "waveform21", "breast_w", "landsat", "weak", "strong", "many")
JUDGED = (
    *("dexter", "ionosphere", "pima", "vehicle", "heart_statlog", "spectf", "sonar", "arcene"),
    *("blocks", "noise"),
)
FIRST_SEED = 100


def table(name, rng, folder):
    """Return rows and classes: a generator's, or those of a file, at most MOST_ROWS."""
    if name in GENERATORS:
        n_relevant, shift, block = GENERATORS[name]
        n = PILOT + 2 * LARGER[-1] + 400
        return rows(rng, [n // 2] * 2, 300, n_relevant, shift, block)
    held = np.load(Path(folder) / f"{name}.npz", allow_pickle=True)
    y = held["y"]
    if "indptr" in held:
        parts = (held["data"].astype(float), held["indices"], held["indptr"])
        X = sparse.csr_matrix(parts, shape=held["shape"]).toarray()
    else:
        X = held["X"].astype(float)
    kept = np.isfinite(X).all(axis=1)
    if name == "landsat":  # two soils that are hard to tell apart
        kept &= np.isin(y, [2, 3])
    X, y = X[kept], y[kept]
    X = X[:, np.sort(np.argsort(-X.var(axis=0), kind="stable")[:MOST_FEATURES])]
    if len(y) > MOST_ROWS:
        some = draw(rng, y, np.arange(len(y)), MOST_ROWS)
        X, y = X[some], y[some]
    return X, y


def draw(rng, y, among, n):
    """Draw n of some rows, with the shares of the classes that these rows have."""
    counts = np.array([(y[among] == c).sum() for c in np.unique(y)])
    wanted = np.maximum(counts * n // counts.sum(), 3)
    while wanted.sum() != n:
        if wanted.sum() < n:
            wanted[np.argmax(counts / wanted)] += 1
        else:
            wanted[np.argmax(wanted)] -= 1
    of_classes = zip(np.unique(y), wanted, strict=True)
    taken = [rng.choice(among[y[among] == c], k, replace=False) for c, k in of_classes]
    return np.sort(np.concatenate(taken))


def truth_splits(rng, y, rest, m):
    """Draw pairs of samples of m rows that share none, each with other rows to test."""
    for _ in range(PAIRS):
        first = draw(rng, y, rest, m)
        second = draw(rng, y, np.setdiff1d(rest, first), m)
        for sample in (first, second):
            others = np.setdiff1d(rest, sample)
            yield sample, draw(rng, y, others, MOST_TESTED) if len(others) > MOST_TESTED else others


def one(name, seed, folder):
    rng = np.random.default_rng([seed, 77])
    X, y = table(name, rng, folder)
    n_features, everyone = X.shape[1], np.arange(len(y))
    pilot = draw(rng, y, everyone, PILOT)
    rest = np.setdiff1d(everyone, pilot)
    larger = [m for m in LARGER if 2 * m <= len(rest) and len(rest) - m >= 40]
    sizes = [3] if n_features < 15 else [5, 10] if n_features < 60 else [5, 20, 50]
    methods = {"f": FStatistic(), "relieff": ReliefF()}
    models = {"svm": as_target(y).default_models()["svm"]}
    options = {"models": models, "sizes": sizes, "random_state": seed, "verbose": 0}
    results = Study(methods, Subsampling(50), planning=4, **options).run(X[pilot], y[pilot])
    splits = [split for m in larger for split in truth_splits(rng, y, rest, m)]
    whole = Study(methods, splits, **options).run(X, y)
    choice, metric = results.choice(), results.data.metric
    scores = whole.runs.scores(metric).frame().set_index(["method", "size"])["value"]
    plans = {("chosen", choice.method, choice.size): results.plan()}
    plans |= {("any", k, s): results.plan(k, s) for k in methods for s in sizes}
    found = []
    for (kind, method, size), plan in plans.items():
        said = plan.frame().set_index("rows")
        orders = whole.runs.orders(method)[:, :size]
        at_random = size * size / n_features
        for place, m in enumerate(larger):
            here = slice(place * 2 * PAIRS, (place + 1) * 2 * PAIRS)
            pairs = zip(orders[here][::2], orders[here][1::2], strict=True)
            shared = np.mean([len(np.intersect1d(a, b)) for a, b in pairs])
            true = {
                "score": float(scores.loc[(method, size)].to_numpy()[here].mean()),
                "replication": float((shared - at_random) / (size - at_random)),
            }
            for what, value in true.items():
                ends = {key: float(said.loc[m, what + end]) for key, end in ENDS.items()}
                about = {"kind": kind, "method": method, "size": size, "rows": m, "what": what}
                found.append({**about, **ends, "truth": value})
        if plan.shared is not None:
            needed = [plan.shared.value, plan.shared.low, plan.shared.high]
            found[-1]["shared"] = [min(rows, 1e9) for rows in needed]
    return {"found": found}


ENDS = {"value": "", "low": "_low", "high": "_high"}


def main():
    options = parser(__doc__, 5)
    options.add_argument("--data", type=Path, required=True, help="folder of the tables, as .npz")
    args = options.parse_args()
    names = (*JUDGED, *SETTLED)
    seeds = range(FIRST_SEED, FIRST_SEED + args.sets)
    cases = [(name, seed, str(args.data)) for seed in seeds for name in names]
    lines = []
    for row in repeat(one, cases, args.out, args.jobs):
        lines += [{"table": row["case"][0], **found} for found in row["found"]]
    frame = pd.DataFrame(lines)
    frame["settled"] = frame["table"].isin(SETTLED)
    frame["inside"] = (frame["low"] <= frame["truth"]) & (frame["truth"] <= frame["high"])
    frame["truth below"] = frame["truth"] < frame["low"]
    frame["width"] = frame["high"] - frame["low"]
    frame["error"] = frame["value"] - frame["truth"]
    frame["size of error"] = frame["error"].abs()
    shown = ["inside", "truth below", "width", "error", "size of error"]
    for keys in (["kind", "settled", "what", "rows"], ["kind", "what", "table", "rows"]):
        parts = frame.groupby(keys, sort=False)
        summary = parts[shown].mean()
        summary.insert(0, "n", parts.size())
        print(summary.round(3).to_string(), end="\n\n")


if __name__ == "__main__":
    main()
