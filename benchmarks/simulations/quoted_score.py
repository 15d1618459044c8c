"""Is the quoted score right? Beside the truth: what was chosen, tested on fresh rows.

    python -m benchmarks.simulations.quoted_score --out quoted.jsonl

The study chooses on a data set. What it chose is then trained on training parts of that data set,
as in the study, and tested on many fresh rows of the same population.
"""

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.metrics import accuracy_score, balanced_accuracy_score, roc_auc_score
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from benchmarks.simulations._run import METHODS, arguments, repeat, rows, study

METRICS = ("accuracy", "balanced_accuracy", "roc_auc")
GENERATORS = {
    "independent": ([40, 40], 20, 0.6, 1),
    "blocks of ten": ([40, 40], 30, 0.5, 10),
    "imbalanced, 3:1": ([75, 25], 20, 0.7, 1),
}
N_TRAINING_SETS, N_FRESH = 10, 2000


def draw(name, seed, counts=None):
    given, n_relevant, shift, block = GENERATORS[name]
    rng = np.random.default_rng(seed)
    return rows(rng, given if counts is None else counts, 300, n_relevant, shift, block)


def one(name, seed):
    X, y = draw(name, [seed, 2])
    given = np.array(GENERATORS[name][0])
    fresh = draw(name, [seed, 3], (given * N_FRESH // given.sum()).tolist())
    svm = {"svm": make_pipeline(MinMaxScaler(), SVC(kernel="linear", class_weight="balanced"))}
    results = study(50, seed, null=0, scoring=METRICS, models=svm).run(X, y)
    found = {}
    for metric in METRICS:
        answer = results.recommend(metric=metric)
        method, size = _chosen(results, metric, answer)
        truth = fresh_score(metric, method, size, (X, y), fresh, seed)
        score = answer.score
        found[metric] = {
            "recommended": answer.trusted is not None,
            "quoted": score.value,
            "truth": truth,
            "bias": score.value - truth,
            "bias of the apparent score": answer.apparent - truth,
            "covered": score.low <= truth <= score.high,
        }
    return {"found": found}


def _chosen(results, metric, answer):
    """Return method and size: the trusted answer's, or the best score's if there is none."""
    if answer.trusted is not None:
        return answer.trusted.method, answer.trusted.size
    means = results.runs.scores(metric).frame().groupby(["method", "size"])["value"].mean()
    method, size = means.idxmax()
    return method, int(size)


def fresh_score(metric, method, size, data, fresh, seed):
    """Return the score on fresh rows of what training parts of the data give, on average."""
    X, y = data
    parts = StratifiedShuffleSplit(N_TRAINING_SETS, train_size=2 / 3, random_state=seed)
    scores = [
        _score(metric, METHODS[method], size, (X[train], y[train]), fresh)
        for train, _ in parts.split(X, y)
    ]
    return float(np.mean(scores))


def _score(metric, method, size, train, fresh):
    ranker = clone(method).fit(*train)
    best = np.argsort(ranker.ranking_)[:size]
    model = make_pipeline(MinMaxScaler(), SVC(kernel="linear", class_weight="balanced"))
    model.fit(train[0][:, best], train[1])
    X, y = fresh[0][:, best], fresh[1]
    if metric == "roc_auc":
        return roc_auc_score(y, model.decision_function(X))
    scorer = accuracy_score if metric == "accuracy" else balanced_accuracy_score
    return scorer(y, model.predict(X))


def main():
    args = arguments(__doc__, 40)
    cases = [(name, seed) for seed in range(args.sets) for name in GENERATORS]
    lines = [
        {"generator": row["case"][0], "metric": metric, **figures}
        for row in repeat(one, cases, args.out, args.jobs)
        for metric, figures in row["found"].items()
    ]
    frame = pd.DataFrame(lines)
    for title, part in (
        ("Recommended", frame[frame["recommended"]]),
        ("All data sets", frame),
    ):
        by = part.drop(columns="recommended").groupby(["generator", "metric"], sort=False)
        table = by.mean()
        table.insert(0, "data sets", by.size())
        table.insert(4, "± bias", by["bias"].sem())
        print(title, table.round(3).reset_index().to_string(index=False), sep="\n", end="\n\n")


if __name__ == "__main__":
    main()
