"""Does a second study choose what the first one said it would?

    python examples/replication.py
    python examples/replication.py --data folder --out halves.jsonl    # NPZ files with X and y

Two independent samples of as many rows: drawn from generators, or the two halves of a table. A
study of the first says, for every method and size, what a second study would share, and for every
feature the chance to be chosen again; a study of the second one shows what it does. Another table
is about what the first study recommends, which was chosen because it looked good. The last one
tests the three answers of the first study on the rows of the second sample. With ``--out`` a run
that was stopped goes on.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from backstay import Study
from backstay.datasets import log2_floor, make_han_yu
from backstay.study import Subsampling, make_methods

METHODS = ["t", "relieff", "svm-rfe", "elastic-net"]
SIZES = [5, 10, 20, 50]
TABLES = (
    *("colon_alon", "leukemia_golub", "prostate_singh", "breast_vantveer78", "gisette_mini168"),
    *("stemcells_studies", "lsvt_voice", "sonar", "lung_gordon", "arcene", "spectf"),
)
BINS = [0, 0.1, 0.3, 0.5, 0.7, 0.88, 0.99, 1.01]


def blocks(n, rng):
    """Draw rows whose features come in blocks of twenty; ten blocks differ between classes."""
    y = np.repeat([0, 1], [n // 2, n - n // 2])
    shared = np.repeat(rng.normal(size=(n, 50)), 20, axis=1)
    X = np.sqrt(0.7) * shared + np.sqrt(0.3) * rng.normal(size=(n, 1000))
    effect = np.repeat(np.r_[np.linspace(0.3, 1.0, 10), np.zeros(40)], 20)
    return X + y[:, None] * effect, y


def sparse(n, rng):
    """Draw independent features, twenty of which differ between classes, some more than others."""
    y = np.repeat([0, 1], [n // 2, n - n // 2])
    effect = np.r_[np.linspace(0.3, 1.2, 20), np.zeros(980)]
    return rng.normal(size=(n, 1000)) + y[:, None] * effect, y


def han_yu(n, rng):
    X, y, _ = make_han_yu(n, random_state=int(rng.integers(2**31)))
    return X, y


def noise(n, rng):
    return rng.normal(size=(n, 1000)), np.repeat([0, 1], [n // 2, n - n // 2])


GENERATORS = {
    "sparse": (sparse, 60),
    "blocks": (blocks, 100),
    "Han–Yu, 60 rows": (han_yu, 60),
    "Han–Yu, 200 rows": (han_yu, 200),
    "noise": (noise, 60),
}


def two_samples(name, seed, folder):
    """Return two independent samples: of a generator, or the halves of a table."""
    if name in GENERATORS:
        draw, n = GENERATORS[name]
        return [draw(n, np.random.default_rng([seed, part])) for part in range(2)]
    with np.load(folder / f"{name}.npz", allow_pickle=False) as held:
        X, y = held["X"].astype(float), held["y"]
    X = X[:, np.isfinite(X).all(axis=0)]
    X = log2_floor(X) if X.max() > 1000 else X
    halves = StratifiedShuffleSplit(1, train_size=0.5, random_state=seed).split(X, y)
    return [(X[rows], y[rows]) for rows in next(halves)]


def svm():
    return make_pipeline(MinMaxScaler(), SVC(kernel="linear", class_weight="balanced"))


def study(X, y, n_runs, seed):
    sizes = [size for size in SIZES if size < X.shape[1] / 2]
    methods, model = make_methods(METHODS), {"svm": svm()}
    found = Study(methods, Subsampling(n_runs), models=model, sizes=sizes, random_state=seed)
    return found.run(X, y)


def shared(first, second, method, size):
    """Return the chance-corrected overlap of the two signatures, and the second one."""
    own, other = (set(one.signature(method, size).frame()["feature"]) for one in (first, second))
    at_random = size**2 / first.data.n_features
    return (len(own & other) - at_random) / (size - at_random), other


def compared(first, second):
    """Return what the first study said of each method and size beside what the second chose."""
    said = first.replication().frame().to_dict("records")
    stability = first.stability().frame().set_index(["method", "size"])["value"]
    advice = first.recommend()
    chosen = None if advice.trusted is None else (advice.method, advice.size)
    rows, bins = [], []
    for row in said:
        at = (row["method"], row["size"])
        overlap, other = shared(first, second, *at)
        figures = {key: row[key] for key in ("method", "size", "expected", "low", "high")}
        rows.append({**figures, "stability": stability[at], "found": overlap})
        if at == chosen:
            said_of_it = advice.replication
            ends = {"low": said_of_it.low, "high": said_of_it.high}
            rows.append({**rows[-1], "expected": said_of_it.value, **ends, "chosen": True})
        features = first.features(*at).frame()
        features = features[features["frequency"] > 0]
        there = features["feature"].isin(other)
        place = pd.cut(features["frequency"], BINS, labels=False, right=False)
        for number, part in features.assign(there=there).groupby(place):
            sums = part[["frequency", "again", "there"]].sum()
            bins.append([row["method"], int(number), len(part), *map(float, sums)])
    return {"rows": rows, "bins": bins}


def tested(first, second, samples):
    """Return the AUC of the first study's answers on the second sample's rows, and the overlap."""
    (X, y), (other_X, other_y) = samples
    rows = []
    for name, answer in first.recommend().answers.items():
        features = list(first.signature(answer.method, answer.size).frame()["feature"])
        model = svm().fit(X[:, features], y)
        score = model.decision_function(other_X[:, features])
        # One class against the others, averaged, beyond two classes.
        columns = score[:, None] if score.ndim == 1 else score
        classes = model.classes_[1:] if score.ndim == 1 else model.classes_
        by_class = [roc_auc_score(other_y == c, columns[:, i]) for i, c in enumerate(classes)]
        figures = {"size": answer.size, "quoted": answer.score.value, "share": answer.share}
        overlap, _ = shared(first, second, answer.method, answer.size)
        rows.append({"answer": name, **figures, "found": overlap, "AUC": float(np.mean(by_class))})
    return rows


def one(name, seed, folder, n_runs):
    samples = two_samples(name, seed, folder)
    studies = [study(X, y, n_runs, seed) for X, y in samples]
    ways = [1] if name in GENERATORS else [1, -1]
    return [
        {**compared(*studies[::way]), "answers": tested(*studies[::way], samples[::way])}
        for way in ways
    ]


def tables(found):
    """Print what was said beside what was found."""
    frame = pd.DataFrame({"table": name, **row} for name, way in found for row in way["rows"])
    frame["is_chosen"] = frame.pop("chosen").notna() if "chosen" in frame else False
    bins = pd.DataFrame(
        (row for _, way in found for row in way["bins"]),
        columns=["method", "bin", "n", "frequency", "again", "found"],
    )
    by = bins.groupby("bin")[["n", "frequency", "again", "found"]].sum()
    shares = by[["frequency", "again", "found"]].div(by["n"], axis=0).round(2)
    print("Features, by the share of the runs that chose them")
    print(shares.assign(features=by["n"]).to_string(index=False), end="\n\n")
    # What a table's second samples share on average is the best that is known of the truth.
    cell = ["table", "method", "size"]
    truth = frame[~frame["is_chosen"]].groupby(cell)["found"].mean().rename("truth")
    frame = frame.join(truth, on=cell)
    frame["covered"] = (frame["low"] <= frame["truth"]) & (frame["truth"] <= frame["high"])
    shown = ["stability", "expected", "found", "covered"]
    for title, part in (
        ("Every method and size", frame[~frame["is_chosen"]]),
        ("What the first study recommends", frame[frame["is_chosen"]]),
    ):
        if len(part):
            mean = part.groupby("table")[shown].mean()
            mean.loc["all"] = part[shown].mean()
            mean["error"] = mean["expected"] - mean["found"]
            print(title, mean.round(3).to_string(), sep="\n", end="\n\n")
    answers = [{"table": name, **row} for name, way in found for row in way["answers"]]
    if answers:
        shown = ["AUC", "quoted", "found", "size", "share"]
        mean = pd.DataFrame(answers).groupby(["table", "answer"])[shown].mean()
        for name, part in mean.groupby("answer"):
            mean.loc[("all", name), :] = part.mean()
        print("The answers on the second sample", mean.round(3).to_string(), sep="\n")


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, help="folder of NPZ files")
    options.add_argument("--out", type=Path, help="file of results, to go on with")
    options.add_argument("--repeats", type=int, default=3, help="pairs of samples of each kind")
    options.add_argument("--runs", type=int, default=50)
    given = options.parse_args()
    names = list(GENERATORS) if given.data is None else TABLES
    done = {}
    if given.out is not None and given.out.exists():
        lines = map(json.loads, given.out.read_text().splitlines())
        done = {(name, seed): ways for name, seed, ways in lines}
    for seed in range(given.repeats):
        for name in names:
            if (name, seed) not in done:
                done[name, seed] = one(name, seed, given.data, given.runs)
                if given.out is not None:
                    with given.out.open("a") as file:
                        file.write(json.dumps([name, seed, done[name, seed]]) + "\n")
    tables([(name, way) for (name, _), ways in done.items() for way in ways])


if __name__ == "__main__":
    main()
