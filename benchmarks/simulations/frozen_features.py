"""Which features should a frozen signature hold? Two rules, tested on fresh rows.

    python -m benchmarks.simulations.frozen_features --out frozen.jsonl

A study is run on a data set. Then a model is trained on all its rows, once with the features
that the method selects on all rows ("refitted"), once with those that its runs selected most
often ("frequent"), and both predict many fresh rows of the same population.
"""

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.metrics import balanced_accuracy_score, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from benchmarks.simulations._run import METHODS, SIZES, arguments, repeat, study
from benchmarks.simulations.quoted_score import GENERATORS, N_FRESH, draw


def svm():
    return make_pipeline(MinMaxScaler(), SVC(kernel="linear", class_weight="balanced"))


def one(name, seed):
    X, y = draw(name, [seed, 4])
    given = np.array(GENERATORS[name][0])
    fresh = draw(name, [seed, 5], (given * N_FRESH // given.sum()).tolist())
    results = study(30, seed, null=0, models={"svm": svm()}).run(X, y)
    answer = results.recommend().trusted
    found = []
    for method, ranker in METHODS.items():
        refitted = np.argsort(clone(ranker).fit(X, y).ranking_)
        for size in SIZES:
            frequent = results.signature(method, size).frame()["feature"].to_numpy()
            chosen = answer is not None and (answer.method, answer.size) == (method, size)
            both = [_scores((X, y), fresh, np.sort(c)) for c in (refitted[:size], frequent)]
            found.append([method, size, bool(chosen), *both])
    return {"found": found}


def _scores(train, fresh, columns):
    model = svm().fit(train[0][:, columns], train[1])
    X, y = fresh[0][:, columns], fresh[1]
    auc = roc_auc_score(y, model.decision_function(X))
    return [float(auc), float(balanced_accuracy_score(y, model.predict(X)))]


def main():
    args = arguments(__doc__, 20)
    cases = [(name, seed) for seed in range(args.sets) for name in GENERATORS]
    lines = []
    for row in repeat(one, cases, args.out, args.jobs):
        for method, size, chosen, refitted, frequent in row["found"]:
            line = {"generator": row["case"][0], "seed": row["case"][1], "chosen": chosen}
            line |= {"refitted": refitted[0], "frequent": frequent[0]}
            line["frequent - refitted"] = frequent[0] - refitted[0]
            line["of balanced accuracy"] = frequent[1] - refitted[1]
            lines.append({**line, "method": method, "size": size})
    frame = pd.DataFrame(lines)
    for title, part in {"all": frame, "trusted": frame[frame["chosen"]]}.items():
        values = part.drop(columns=["chosen", "method", "size"])
        sets = values.groupby(["generator", "seed"], sort=False).mean()
        by = sets.groupby("generator", sort=False)
        table = by.mean()
        table["error"] = by["frequent - refitted"].sem()
        table.insert(0, "data sets", by.size())
        print(f"{title} configurations, AUC on fresh rows")
        print(table.round(4).reset_index().to_string(index=False))


if __name__ == "__main__":
    main()
