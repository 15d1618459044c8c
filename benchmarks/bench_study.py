"""The study engine: how long, how much of it is overhead, and how much memory."""

import tempfile
import time
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
from backstay.study import Results, Study, Subsampling
from benchmarks._measure import in_fresh_process

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


def study(n_resamples, n_jobs, store=None, controls=True):
    return Study(
        METHODS,
        Subsampling(n_resamples),
        classifiers=CLASSIFIERS,
        sizes=SIZES,
        controls=controls,
        store=store,
        n_jobs=n_jobs,
        random_state=0,
        verbose=0,
    )


def busy_seconds(results):
    """Seconds in methods and classifiers, over all tasks."""
    tasks = results._store.tasks("data")
    return sum(t["seconds"]["method"] + t["seconds"]["classifier"] for t in tasks), len(tasks)


def scale(n_resamples):
    X, y, _ = make_han_yu(62, n_features=2000, random_state=0)
    print(f"\n7 methods × {n_resamples} subsamples, 62 × 2000, 3 classifiers × 4 sizes, a store")
    with tempfile.TemporaryDirectory() as folder:
        for title, n_jobs, controls in (
            ("2 jobs, processes started within", 2, False),
            ("2 jobs, processes there already", 2, False),
            ("2 jobs, with the controls as well", 2, True),
            ("1 job", 1, False),
        ):
            path = Path(folder) / f"{title}.db"
            start = time.perf_counter()
            results = study(n_resamples, n_jobs, path, controls).run(X, y)
            wall = time.perf_counter() - start
            busy, n_tasks = busy_seconds(results)
            share = 1 - busy / (n_jobs * wall)
            print(
                f"  {title:36s}{n_tasks:5d} tasks{wall:8.1f} s   "
                f"overhead {share:6.1%}   store {path.stat().st_size / 2**20:.0f} MB"
            )
        start = time.perf_counter()
        results = Results.load(path)
        results.frame(), results.gains(), results.summary(), results.recommend()
        print(f"  frame, gains, summary and recommendation{time.perf_counter() - start:16.1f} s")


def by_hand(X, y, method, train, test):
    """What a user would write: fit, rank, take the best, train, predict."""
    fitted = clone(method).fit(X[train], y[train])
    order = np.argsort(ranking_from_importances(fitted.feature_importances_))
    scores = []
    for size in SIZES:
        chosen = np.sort(order[:size])
        for classifier in CLASSIFIERS.values():
            model = clone(classifier).fit(X[np.ix_(train, chosen)], y[train])
            scores.append((model.predict(X[np.ix_(test, chosen)]) == y[test]).mean())
    return fitted.ranking_, scores


def beside_a_plain_loop(n_resamples):
    X, y, _ = make_han_yu(62, n_features=2000, random_state=0)
    splits = list(Subsampling(n_resamples, random_state=0).split(X, y))

    def loop():
        Parallel(n_jobs=2)(
            delayed(by_hand)(X, y, method, train, test)
            for train, test in splits
            for method in METHODS.values()
        )

    def engine():
        study(n_resamples, 2, controls=False).run(X, y)

    seconds = {"backstay": [], "plain joblib loop": []}
    loop()
    engine()
    for _ in range(3):
        for name, call in (("backstay", engine), ("plain joblib loop", loop)):
            start = time.perf_counter()
            call()
            seconds[name].append(time.perf_counter() - start)
    print(f"\nThe same work in a loop that keeps accuracies only, {n_resamples} subsamples, 2 jobs")
    for name, taken in seconds.items():
        print(f"  {name:28s}{np.median(taken):8.1f} s")


MEMORY = """
import resource, sys, tempfile
from benchmarks.bench_study import METHODS, study
from backstay.datasets import make_han_yu
X, y, _ = make_han_yu(62, n_features=2000, random_state=0)
with tempfile.TemporaryDirectory() as folder:
    study({n}, 1, folder + "/study.db", False).run(X, y)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def memory(counts):
    print("\nPeak resident memory of a study in one process, results in a store")
    for n in counts:
        peak = float(in_fresh_process(MEMORY.format(n=n)))
        print(f"  {n:5d} subsamples{peak:10.0f} MB")


def main(quick=False):
    scale(10 if quick else 100)
    beside_a_plain_loop(5 if quick else 20)
    memory((2, 6) if quick else (5, 20, 80))


if __name__ == "__main__":
    main()
