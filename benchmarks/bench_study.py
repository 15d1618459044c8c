"""The study engine: how long, how much of it is overhead, and how much memory."""

import json
import tempfile
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from backstay import (
    DoublyWeightedKNeighborsClassifier,
    InstanceWeighted,
    LogisticWeighting,
    MarginWeighting,
    ReliefF,
    Simba,
)
from backstay.base import ranking_from_importances
from backstay.datasets import make_han_yu
from backstay.feature_weighting import SVMRFE, TTest
from backstay.results import Results
from backstay.store import _file
from backstay.study import Study, Subsampling
from benchmarks._measure import in_fresh_process, n_cores, seconds_of
from benchmarks._workload import FOLDER, Measurement, Target, fact

METHODS = {
    "t": TTest(),
    "relieff": ReliefF(),
    "mbiw+relieff": InstanceWeighted(ReliefF(), MarginWeighting()),
    "liw+relieff": InstanceWeighted(ReliefF(), LogisticWeighting()),
    "simba": Simba(),
    "rfe": SVMRFE(),
    "mbiw+rfe": InstanceWeighted(SVMRFE(), MarginWeighting(scale="sum")),
}
CLASSIFIERS = {
    "svm": make_pipeline(MinMaxScaler(), SVC(kernel="linear")),
    "1nn": make_pipeline(MinMaxScaler(), KNeighborsClassifier(1)),
    "weighted-knn": DoublyWeightedKNeighborsClassifier(),
}
SIZES = [10, 20, 50, 100]


def study(n_resamples, n_jobs, store=None, controls=False):
    return Study(
        METHODS,
        Subsampling(n_resamples),
        models=CLASSIFIERS,
        sizes=SIZES,
        metric="accuracy",  # what the loop beside it keeps
        controls=controls,
        store=store,
        n_jobs=n_jobs,
        random_state=0,
        verbose=0,
    )


def data(n=62, d=2000):
    X, y, _ = make_han_yu(n, n_features=d, random_state=0)
    return X, y


def overhead(results, wall, n_jobs):
    """Share of the workers' time that went neither into methods nor into models."""
    tasks = results._store.tasks("data")
    busy = sum(task["seconds"]["method"] + task["seconds"]["model"] for task in tasks)
    return 1 - busy / (n_jobs * wall)


def scale(quick):
    X, y = data()
    n_resamples, jobs = 4 if quick else 100, n_cores()
    facts = {"resamples": n_resamples, "jobs": jobs, "methods": len(METHODS)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "warm.db"
        study(2, jobs).run(X, y)  # starts the workers, loads the kernels
        facts["seconds"], results = seconds_of(lambda: study(n_resamples, jobs, path).run(X, y))
        facts["overhead"] = overhead(results, facts["seconds"], jobs)
        facts["store_mb"] = path.stat().st_size / 2**20
        path = Path(folder) / "single.db"
        facts["seconds_one_job"], results = seconds_of(
            lambda: study(n_resamples, 1, path).run(X, y)
        )
        facts["overhead_one_job"] = overhead(results, facts["seconds_one_job"], 1)

        def tables():
            loaded = Results.load(path)
            return (
                loaded.frame(),
                loaded.weights.gains(),
                loaded.comparisons.summary(),
                loaded.recommend(),
            )

        facts["seconds_for_tables"] = seconds_of(tables)[0]
    return facts


def by_hand(X, y, method, train, test):
    """What a user would write: fit, rank, take the best, train, predict."""
    fitted = clone(method).fit(X[train], y[train])
    order = np.argsort(ranking_from_importances(fitted.feature_importances_))
    scores = []
    for size in SIZES:
        chosen = np.sort(order[:size])
        for model in CLASSIFIERS.values():
            model = clone(model).fit(X[np.ix_(train, chosen)], y[train])
            scores.append((model.predict(X[np.ix_(test, chosen)]) == y[test]).mean())
    return fitted.ranking_, scores


def beside_a_joblib_loop(quick):
    X, y = data()
    n_resamples, jobs = (3, 1) if quick else (10, n_cores())
    splits = list(Subsampling(n_resamples, random_state=0).split(X, y))

    def loop():
        Parallel(n_jobs=jobs)(
            delayed(by_hand)(X, y, method, train, test)
            for train, test in splits
            for method in METHODS.values()
        )

    def engine():
        study(n_resamples, jobs).run(X, y)

    loop()
    engine()
    taken = [(seconds_of(engine)[0], seconds_of(loop)[0]) for _ in range(1 if quick else 3)]
    ours, theirs = np.median(taken, axis=0)
    return {"seconds": float(ours), "seconds_of_the_loop": float(theirs), "ratio": theirs / ours}


MEMORY = """
import json, sys, tempfile
from benchmarks._measure import peak_megabytes
from benchmarks.bench_study import data, study
with tempfile.TemporaryDirectory() as folder:
    study(int(sys.argv[1]), 1, folder + "/study.db").run(*data())
print(json.dumps(peak_megabytes()))
"""


def memory(quick):
    few, many = (2, 4) if quick else (5, 30)
    peaks = {n: float(json.loads(in_fresh_process(MEMORY, n))) for n in (few, many)}
    return {
        "resamples": [few, many],
        "peak_mb": [peaks[few], peaks[many]],
        "mb_per_resample": (peaks[many] - peaks[few]) / (many - few),
    }


def shortest_tasks(n_tasks, store):
    """A study whose tasks take about ten milliseconds, so that waiting is visible."""
    return Study(
        {"t": TTest()},
        Subsampling(n_tasks),
        models={"1nn": KNeighborsClassifier(1)},
        sizes=[10],
        metric="accuracy",
        store=store,
        random_state=0,
        verbose=0,
    )


def seconds_with_syncs(between, engine):
    """Run a study whose store waits for the disk at most once in the given seconds."""
    before = _file.SECONDS_BETWEEN_SYNCS
    _file.SECONDS_BETWEEN_SYNCS = between
    try:
        return seconds_of(lambda: engine.run(*data()))[0]
    finally:
        _file.SECONDS_BETWEEN_SYNCS = before


def waiting_for_the_disk(quick):
    """Cost of `PRAGMA synchronous=FULL` with every task, as a share of the time without."""
    n_resamples, turns = (2, 1) if quick else (14, 3)
    n_tasks = n_resamples * len(METHODS)
    makers = {
        "shortest tasks": lambda path: shortest_tasks(n_tasks, path),
        "seven methods": lambda path: study(n_resamples, 1, path),
    }
    facts = {"tasks": n_tasks}
    # Beside the records, because temporary files may lie in memory, where waiting costs nothing.
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        for name, make in makers.items():
            make(f"{folder}/{name}.db").run(*data())  # loads the kernels
            usual, full = [], []
            for turn in range(turns):
                for taken, between in ((usual, _file.SECONDS_BETWEEN_SYNCS), (full, 0)):
                    path = f"{folder}/{name} {turn} {between}.db"
                    taken.append(seconds_with_syncs(between, make(path)))
            shares = np.divide(full, usual) - 1
            waits = np.subtract(full, usual) / n_tasks * 1e3
            facts[f"{name}, ms each"] = float(np.median(usual) / n_tasks * 1e3)
            facts[f"{name}, share"] = [round(float(share), 3) for share in shares]
            facts[f"{name}, ms of waiting each"] = [round(float(wait), 1) for wait in waits]
    return facts


WORKLOADS = (
    Measurement(
        "study_62x2000",
        "A study: 7 methods × 100 subsamples of 62 × 2,000, 3 models × 4 sizes, a store",
        scale,
        (
            Target(
                "7 methods × 100 subsamples, 62 × 2,000, all cores",
                fact("seconds"),
                at_most=60,
                unit="s",
            ),
            Target(
                "the engine's overhead, workers there already",
                fact("overhead"),
                at_most=0.1,
                unit="share",
                why="tasks take a few milliseconds: the faster the methods, the larger its share",
            ),
        ),
    ),
    Measurement(
        "study_beside_loop",
        "The same engine beside a joblib loop that keeps accuracies only, no store",
        beside_a_joblib_loop,
    ),
    Measurement(
        "study_full_sync",
        "Waiting for the disk with every task of a study, beside once in two seconds",
        waiting_for_the_disk,
    ),
    Measurement(
        "study_memory",
        "Peak memory of a study in one process, by number of subsamples",
        memory,
        (
            Target(
                "memory of a study, per further subsample",
                fact("mb_per_resample"),
                at_most=1,
                unit="MB",
            ),
        ),
    ),
)
