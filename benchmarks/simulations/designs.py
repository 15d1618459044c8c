"""What a confounder, or batches with unequal class shares, do to an analysis that knows of them.

    python -m benchmarks.simulations.designs --jobs 1 --out designs.jsonl

Noise: age, or the batch, drives half of the features and goes with the class; no feature says more
than that. Signal: age moves the ten features that differ between the classes, and hides them.
"""

import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from backstay import ReliefF, Study, TTest
from backstay.study import Subsampling
from benchmarks.simulations._run import arguments, repeat

N_ROWS, N_FEATURES, SIGNAL = 80, 200, 10
# What each analysis of a kind of data is told.
ANALYSES = {
    "confounder": ("unadjusted", "adjusted"),
    "batches": ("unadjusted", "batch", "adjusted"),
    "hidden": ("unadjusted", "adjusted"),
}


def draw(kind, seed):
    """Return rows, classes, and what an analysis may know of the rows."""
    rng = np.random.default_rng([seed, 16])
    X = rng.normal(size=(N_ROWS, N_FEATURES))
    if kind == "batches":
        batch = np.repeat(["a", "b", "c", "d"], N_ROWS // 4)
        share = np.repeat([0.2, 0.4, 0.6, 0.8], N_ROWS // 4)
        y = (rng.random(N_ROWS) < share).astype(int)
        level = rng.normal(size=(4, N_FEATURES // 2))
        X[:, : N_FEATURES // 2] += np.repeat(level, N_ROWS // 4, axis=0)
        return X, y, {"batch": batch, "adjusted": {"covariates": pd.DataFrame({"site": batch})}}
    age = rng.normal(size=N_ROWS)
    if kind == "confounder":
        y = (age + rng.normal(size=N_ROWS) > 0).astype(int)
        X[:, : N_FEATURES // 2] += age[:, None]
    else:
        y = np.arange(N_ROWS) % 2
        X[:, :SIGNAL] += 0.9 * y[:, None] + 2.0 * age[:, None]
    return X, y, {"adjusted": {"covariates": pd.DataFrame({"age": 50 + 10 * age})}}


def one(kind, analysis, seed):
    X, y, known = draw(kind, seed)
    told = {"batch": known["batch"]} if analysis != "unadjusted" and "batch" in known else {}
    told |= known["adjusted"] if analysis == "adjusted" else {}
    methods = {"t": TTest(moderation="shrunken"), "relieff": ReliefF()}
    svm = {"svm": make_pipeline(MinMaxScaler(), SVC(kernel="linear", class_weight="balanced"))}
    study = Study(methods, Subsampling(30), models=svm, sizes=[5, 10, 20], null=20,
                  random_state=seed, verbose=0)  # fmt: skip
    results = study.run(X, y, **told)
    answer, choice = results.recommend(), results.choice()
    p = results.features(choice.method, choice.size).frame()["p_value"]
    added = None if answer.added is None else answer.added.gain
    return {
        "recommended": answer.trusted is not None,
        "refused": answer.refused,
        "p_below_05": float((p < 0.05).mean()),
        "score": answer.score.value,
        "gain": None if added is None else [added.value, added.low, added.high],
        "found": sum(feature < SIGNAL for feature in answer.features),
        "chosen": len(answer.features),
    }


def main():
    args = arguments(__doc__, 100)
    # Noise first: the data sets with a signal are half as many.
    cases = [
        (kind, analysis, seed)
        for last in (False, True)
        for seed in range(args.sets // 2 if last else args.sets)
        for kind, analyses in ANALYSES.items()
        for analysis in analyses
        if (kind == "hidden") == last
    ]
    frame = pd.DataFrame(repeat(one, cases, args.out, args.jobs))
    frame["kind"] = [" ".join(case[:2]) for case in frame["case"]]
    grouped = frame.groupby("kind", sort=True)
    table = grouped[["recommended", "p_below_05", "score", "found", "chosen"]].mean()
    table.insert(0, "data sets", grouped.size())
    table["p_below_05 SE"] = grouped["p_below_05"].sem()
    table["refused by"] = grouped["refused"].agg(lambda codes: dict(codes.value_counts()))
    print(table.round(3).to_string())


if __name__ == "__main__":
    main()
