"""Which rankers of survival predict well and choose stably, beside two plain recipes?

    python -m benchmarks.simulations.survival_yardstick --data folder [--seed 1] [--study]

Harrell's C on 20 splits of two thirds of the rows, dealt out by event. The recipes are the sum of
the signs of the 50 best features by the score test, and the Cox lasso at the penalty where about
30 features are in. Every method with a short name is tried at some sizes, with a Cox model on the
standardised features that it chose. The ridge of the model is 1 (every coefficient has a prior of
variance 1), or the number of features (all of them together have). Beside the mean C is how alike
the chosen features are over the splits (Nogueira's measure). A file holds what was run, to resume
from.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedShuffleSplit

from backstay._kernels._cox import cox_path, cox_ridge, score_tests
from backstay._kernels._survival import concordance_counts
from backstay.base import one_thread
from backstay.stability import stability_score
from backstay.study import Study, list_methods, make_methods
from backstay.targets import survival

SIZES = [10, 20, 30, 50]
N_SPLITS = 20


def tables(folder):
    for name, title in (("breast_vdv", "vdv"), ("breast_nki70", "nki70")):
        with np.load(folder / f"{name}_survival.npz") as held:
            yield title, held["X"].astype(float), held["time"], held["event"]
    with np.load(folder / "ovarian_tcga_survival.npz") as held:
        for block, title in (("mirna", "ovarian miRNA"), ("rppa", "ovarian proteins")):
            X, time, event = held[block].astype(float), held["time"], held["event"]
            known = np.isfinite(X).all(axis=1) & np.isfinite(time) & (time > 0)
            yield title, X[known], time[known], event[known]


def standardised(X, train):
    deviation = X[train].std(axis=0)
    return (X - X[train].mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)


def harrell(time, event, risk):
    concordant, discordant, tied, _, _ = concordance_counts(time, event, np.round(risk, 10))
    return (concordant + tied / 2) / (concordant + discordant + tied)


def signs_of_the_best(Z, time, event, train):
    U, V = score_tests(Z[train], time[train], event[train], np.ones(len(train)), Z[train][:, :0])
    best = np.argsort(-np.abs(U) / np.sqrt(np.maximum(V, 1e-300)), kind="stable")[:50]
    return Z[:, best] @ np.sign(U[best])


def lasso_of_thirty(Z, time, event, train):
    ones = np.ones(len(train))
    _, path = cox_path(
        Z[train], time[train], event[train], ones, 1.0, 50, ones[:1], least=0.1, tol=1e-4
    )
    counts = (path != 0).sum(axis=1)
    return Z @ path[np.argmin(np.abs(counts - 30))]


RECIPES = {"signs of the 50 best": signs_of_the_best, "Cox lasso of 30": lasso_of_thirty}


def ridge_risk(part, time, event, train, penalty):
    ones = np.ones(len(train))
    return part @ cox_ridge(part[train], time[train], event[train], ones, penalty, ones[:1])


def one_method(ranker, X, time, event, splits):
    """Return C of both models at every size and split, and Nogueira's stability of each size."""
    y = np.empty(len(time), dtype=[("event", "?"), ("time", "<f8")])
    y["event"], y["time"] = event, time
    sizes = [size for size in SIZES if size < X.shape[1]]
    found = {size: {"size": size, "scores": [], "ridge of k": []} for size in sizes}
    chosen = {size: [] for size in sizes}
    for train, test in splits:
        Z = standardised(X, train)
        order = np.argsort(ranker.fit(X[train], y[train]).ranking_)
        for size in sizes:
            best = order[:size]
            support = np.zeros(X.shape[1], dtype=bool)
            support[best] = True
            chosen[size].append(support)
            for column, penalty in (("scores", 1.0), ("ridge of k", float(size))):
                risk = ridge_risk(Z[:, best], time, event, train, penalty)
                found[size][column].append(harrell(time[test], event[test], risk[test]))
    return [found[k] | {"stability": stability_score(chosen[k]).value} for k in sizes]


def run(folder, out, seed):
    """Yield one line per table, method and size; what the file holds is not run again."""
    done = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
    yield from done
    known = {(line["table"], line["method"]) for line in done}
    names = list_methods("survival")["name"].tolist()
    with out.open("a") as file:
        for title, X, time, event in tables(folder):
            draw = StratifiedShuffleSplit(N_SPLITS, train_size=2 / 3, random_state=seed)
            splits = list(draw.split(X, event))
            for name in [*RECIPES, *names]:
                if (title, name) in known:
                    continue
                if name in RECIPES:
                    scores = []
                    for train, test in splits:
                        Z = standardised(X, train)
                        risk = RECIPES[name](Z, time, event, train)
                        scores.append(harrell(time[test], event[test], risk[test]))
                    found = [{"size": 0, "scores": scores, "ridge of k": [], "stability": np.nan}]
                else:
                    found = one_method(make_methods([name])[name], X, time, event, splits)
                for line in found:
                    line = {"table": title, "method": name, **line}
                    file.write(json.dumps(line) + "\n")
                    file.flush()
                    yield line


def accurate_answers(folder, seed):
    """Print the accurate answer of a study on the same splits beside the recipes.

    "apparent" is the mean C over the splits, as that of the recipes; "quoted" is corrected for the
    choice among methods and sizes.
    """
    for title, X, time, event in tables(folder):
        draw = StratifiedShuffleSplit(N_SPLITS, train_size=2 / 3, random_state=seed)
        splits = list(draw.split(X, event))
        study = Study("default", splits, sizes=SIZES, metric="harrell_c", random_state=seed)
        answer = study.run(X, survival(time, event)).recommend().answers
        said = [title]
        for name, recipe in RECIPES.items():
            scores = []
            for train, test in splits:
                risk = recipe(standardised(X, train), time, event, train)
                scores.append(harrell(time[test], event[test], risk[test]))
            said.append(f"{name} {np.mean(scores):.3f} (SE {np.std(scores) / N_SPLITS**0.5:.3f})")
        if "accurate" in answer:
            one = answer["accurate"]
            said.append(
                f"accurate answer: {one.method}, {one.size}: apparent {one.apparent:.3f}, "
                f"quoted {one.score.value:.3f} [{one.score.low:.3f}, {one.score.high:.3f}]"
            )
        else:
            said.append("nothing is recommended")
        print("; ".join(said), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("survival_yardstick.jsonl"))
    parser.add_argument("--seed", type=int, default=0, help="of the splits; another judges")
    parser.add_argument("--study", action="store_true", help="a study's accurate answer instead")
    options = parser.parse_args()
    if options.study:
        accurate_answers(options.data, options.seed)
        return
    with one_thread():
        frame = pd.DataFrame(run(options.data, options.out, options.seed))
    frame["C"] = [np.mean(scores) for scores in frame.scores]
    frame["C, ridge of k"] = [np.mean(c) if c else np.nan for c in frame["ridge of k"]]
    frame["error"] = [np.std(scores, ddof=1) / np.sqrt(len(scores)) for scores in frame.scores]
    for value in ("C", "C, ridge of k", "stability"):
        shown = frame.pivot(index=["method", "size"], columns="table", values=value)
        print(value, shown.round(3).to_string(), sep="\n")
    print(frame.groupby("table")["error"].mean().round(3).rename("mean standard error of C"))


if __name__ == "__main__":
    main()
