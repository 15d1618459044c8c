"""Sequential search beside scikit-learn's and mlxtend's: same folds, same path, one core.

Peers get data already scaled and bare estimators, so nothing but the search is
timed. They count right predictions instead of averaging accuracies: counts tie
exactly where accuracies tie, while sums of accuracies tie or not by rounding.
"""

import time

import numpy as np
from mlxtend.feature_selection import SequentialFeatureSelector as MlxtendSelector
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from backstay.datasets import make_han_yu
from backstay.wrappers import SequentialSelector
from benchmarks._measure import report

COUNT = make_scorer(accuracy_score, normalize=False)
INDUCERS = {
    "1nn": (KNeighborsClassifier(1), 100),
    "lda": (LinearDiscriminantAnalysis(), 30),
    "svm_linear": (SVC(kernel="linear"), 5),
}


def problem(n_samples, n_features):
    X, y, _ = make_han_yu(n_samples, n_features=n_features, n_relevant=10, random_state=0)
    folds = list(RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=0).split(X, y))
    return MinMaxScaler().fit_transform(X), y, folds


def timed(call, repeats=1):
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = call()
        taken.append(time.perf_counter() - start)
    return float(np.median(taken)), result


def ours(name, X, y, folds, direction, size):
    selector = SequentialSelector(
        name, direction=direction, n_features_to_select=size, cv=folds, scaling=None
    )
    return set(selector.fit(X, y).get_support(indices=True).tolist())


def scikit_learns(estimator, X, y, folds, direction, size):
    selector = SequentialFeatureSelector(
        estimator, direction=direction, n_features_to_select=size, cv=folds, scoring=COUNT
    )
    return set(selector.fit(X, y).get_support(indices=True).tolist())


def mlxtends(estimator, X, y, folds, direction, size):
    # Its backward search gives ties to the last column: turned round, to the first.
    forward = direction == "forward"
    table = X if forward else np.ascontiguousarray(X[:, ::-1])
    selector = MlxtendSelector(
        estimator, k_features=size, forward=forward, cv=folds, scoring=COUNT, verbose=0
    ).fit(table, y)
    return {i if forward else X.shape[1] - 1 - i for i in selector.k_feature_idx_}


def beside_peers(name, direction, quick):
    estimator, wanted = INDUCERS[name]
    X, y, folds = problem(200, 60)
    size = 20 if direction == "forward" else 1
    if quick:
        X, size = X[:, :20], 5 if direction == "forward" else 10
    search = (X, y, folds, direction, size)
    ours(name, *search)  # compiles
    seconds, results = {}, {}
    seconds["backstay"], results["backstay"] = timed(lambda: ours(name, *search), 3)
    for peer, run in (("scikit-learn", scikit_learns), ("mlxtend", mlxtends)):
        seconds[peer], results[peer] = timed(lambda run=run: run(estimator, *search))
    shape = f"{X.shape[0]}×{X.shape[1]}"
    report(f"{name} {direction} to {size} on {shape}, 5×2 folds (wanted {wanted}×)", seconds)
    for peer in ("scikit-learn", "mlxtend"):
        print(f"  same subset as {peer}: {results[peer] == results['backstay']}")


def full_backward():
    X, y, folds = problem(100, 200)
    ours("1nn", X, y, folds, "backward", 199)
    seconds, _ = timed(lambda: ours("1nn", X, y, folds, "backward", 1), 3)
    print(f"\nfull SBG with 1-NN on 100×200, 5×2 folds: {seconds:.2f} s (wanted under 10 s)")


def main(quick=False):
    with threadpool_limits(limits=1):
        full_backward()
        for name in INDUCERS:
            for direction in ("forward", "backward"):
                beside_peers(name, direction, quick)


if __name__ == "__main__":
    main()
