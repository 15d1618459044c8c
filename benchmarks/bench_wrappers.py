"""Sequential search beside scikit-learn's and mlxtend's: same folds, same path, one core.

Peers get data already scaled and bare estimators, so nothing but the search is
timed. They count right predictions instead of averaging accuracies: counts tie
exactly where accuracies tie, while sums of accuracies tie or not by rounding.
"""

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from backstay.datasets import make_han_yu
from backstay.wrappers import SequentialSelector
from benchmarks._agreement import SAME_SET
from benchmarks._measure import median_seconds
from benchmarks._workload import Measurement, Peer, Target, Workload, fact, ratio

COUNT = make_scorer(accuracy_score, normalize=False)
# Estimator, and the factor over scikit-learn that is the target.
INDUCERS = {
    "1nn": (KNeighborsClassifier(1), 100),
    "lda": (LinearDiscriminantAnalysis(), 30),
    "svm_linear": (SVC(kernel="linear"), 5),
}


def problem(n_samples, n_features):
    X, y, _ = make_han_yu(n_samples, n_features=n_features, n_relevant=10, random_state=0)
    folds = list(RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=0).split(X, y))
    return MinMaxScaler().fit_transform(X), y, folds


def ours(name, p, direction, size):
    X, y, folds = p
    selector = SequentialSelector(
        name, direction=direction, n_features_to_select=size, cv=folds, scaling=None
    )
    return selector.fit(X, y).get_support(indices=True)


def scikit_learns(estimator, p, direction, size):
    X, y, folds = p
    selector = SequentialFeatureSelector(
        estimator, direction=direction, n_features_to_select=size, cv=folds, scoring=COUNT
    )
    return selector.fit(X, y).get_support(indices=True)


def mlxtends(estimator, p, direction, size):
    from mlxtend.feature_selection import SequentialFeatureSelector as MlxtendSelector

    X, y, folds = p
    # Its backward search breaks ties in favour of the last column: reversed, the first.
    forward = direction == "forward"
    table = X if forward else np.ascontiguousarray(X[:, ::-1])
    selector = MlxtendSelector(
        estimator, k_features=size, forward=forward, cv=folds, scoring=COUNT, verbose=0
    ).fit(table, y)
    return [i if forward else X.shape[1] - 1 - i for i in selector.k_feature_idx_]


PEERS = {"scikit-learn": scikit_learns, "mlxtend": mlxtends}
ONE = ("scikit-learn",)


def search(name, direction, n, d, size, peers=PEERS, check=False):
    """A workload; every peer that is timed has a target, unless CI watches it."""
    estimator, wanted = INDUCERS[name]
    title = f"{name} {direction} to {size} on {n} × {d}, 5×2 folds"
    return Workload(
        f"{direction}_{name}_{n}x{d}",
        f"Sequential search, {title}",
        lambda: problem(n, d),
        lambda p, jobs: ours(name, p, direction, size),
        tuple(
            Peer(
                peer,
                lambda p, jobs, call=PEERS[peer]: call(estimator, p, direction, size),
                parallel=False,
            )
            for peer in peers
        ),
        SAME_SET,
        tuple(
            Target(f"{title}, beside {peer}", ratio(peer), at_least=wanted)
            for peer in peers
            if not check
        ),
        check=check,
        parallel=False,
    )


def full_backward(quick):
    n, d = (60, 40) if quick else (100, 200)
    p = problem(n, d)
    ours("1nn", p, "backward", d - 1)
    return {"seconds": median_seconds(lambda: ours("1nn", p, "backward", 1), 3, warm_up=False)}


WORKLOADS = (
    search("1nn", "forward", 200, 20, 3, ONE, check=True),
    search("lda", "forward", 200, 20, 3, ONE, check=True),
    search("1nn", "forward", 200, 60, 20),
    # With the others mlxtend, which takes as long as scikit-learn, is timed in the short
    # backward searches below: all of it would take longer than everything else together.
    search("lda", "forward", 200, 60, 20, ONE),
    search("svm_linear", "forward", 200, 60, 20, ONE),
    search("1nn", "backward", 200, 60, 1, ONE),
    search("lda", "backward", 200, 20, 1),
    search("svm_linear", "backward", 200, 20, 1),
    Measurement(
        "backward_1nn_100x200",
        "Full backward search with 1-NN on 100 × 200, 5×2 folds",
        full_backward,
        (Target("full SBG with 1-NN, 100 × 200", fact("seconds"), at_most=10, unit="s"),),
    ),
)
