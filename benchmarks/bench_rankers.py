"""SVM-RFE beside a plain loop over SVC; filters beside scikit-learn and Weka."""

import tempfile

import numpy as np
from sklearn.feature_selection import f_classif
from sklearn.preprocessing import minmax_scale
from sklearn.svm import SVC

from backstay.datasets import make_han_yu
from backstay.feature_weighting import SVMRFE, FStatistic, InformationGain, TTest
from backstay.feature_weighting import _svm as svm
from benchmarks._measure import has_weka, medians, report, weka_call

KEEP = 10


def smallest(weights, remaining):
    count = min(max(1, int(0.1 * remaining)), remaining - KEEP)
    return np.argsort(weights, kind="stable")[:count]


def plain_loop(X, y):
    """10 % of the remaining features a round, down to 10, each round from scratch."""
    X = minmax_scale(X)
    features = np.arange(X.shape[1])
    while len(features) > KEEP:
        machine = SVC(kernel="linear").fit(X[:, features], y)
        gone = smallest(np.abs(machine.coef_[0]), len(features))
        features = np.delete(features, gone)
    return features


def gram_loop(X, y):
    """The same with a downdated Gram matrix, but through SVC: what its solver calls cost."""
    X = minmax_scale(X)
    features = np.arange(X.shape[1])
    K = X @ X.T
    while len(features) > KEEP:
        machine = SVC(kernel="precomputed").fit(K, y)
        weights = np.abs(machine.dual_coef_[0] @ X[machine.support_])
        gone = smallest(weights, len(features))
        K -= X[:, gone] @ X[:, gone].T
        X, features = np.delete(X, gone, axis=1), np.delete(features, gone)
    return features


def selected(X, y):
    """Our own goes on down to one feature, for a complete ranking."""
    return SVMRFE(n_features_to_select=KEEP).fit(X, y).get_support(indices=True)


def downdating_error(X, y):
    """Largest error of the Gram matrix along the path, relative to its largest entry."""
    machines = svm._Machines(minmax_scale(X), y, np.ones(len(y)), 1e-3, None)
    worst = 0.0
    while machines.remaining > 1:
        features = machines.features[: machines.remaining]
        count = svm._n_dropped(0.1, machines.remaining)
        machines.drop(svm._smallest(machines.weights(), features, count))
        rest = machines.columns[: machines.remaining]
        exact = rest.T @ rest
        worst = max(worst, np.abs(machines.gram - exact).max() / np.abs(exact).max())
    return worst


def svm_rfe(quick):
    for n, d in ((100, 1000), (100, 10000)):
        X, y, _ = make_han_yu(n, n_features=d, random_state=0)
        calls = {
            "backstay": lambda X=X, y=y: selected(X, y),
            "loop over SVC": lambda X=X, y=y: plain_loop(X, y),
            "loop over SVC, Gram matrix": lambda X=X, y=y: gram_loop(X, y),
        }
        report(f"SVM-RFE, 10 % of the remaining a round, {n} × {d}", medians(calls, 9))
        seeds = range(3 if quick else 20)
        same = sum(
            np.array_equal(selected(X, y), plain_loop(X, y))
            for X, y, _ in (make_han_yu(n, n_features=d, random_state=s) for s in seeds)
        )
        print(f"  same {KEEP} features as the loop over SVC: {same} of {len(seeds)} data sets")
        print(f"  error of the downdated Gram matrix: {downdating_error(X, y):.1e}")


def filters(quick):
    X, y, _ = make_han_yu(200, n_features=10000, random_state=0)
    calls = {"backstay": lambda: InformationGain().fit(X, y)}
    with tempfile.TemporaryDirectory() as folder:
        if not quick and has_weka():
            calls["Weka, command line"] = (weka_call(X, y, folder, "InfoGainAttributeEval"), 2)
        report("Information gain with MDL discretisation, 200 × 10000", medians(calls))
    calls = {
        "backstay": lambda: FStatistic().fit(X, y),
        "scikit-learn f_classif": lambda: f_classif(X, y),
    }
    report("F statistic, 200 × 10000", medians(calls))
    calls = {
        "backstay": lambda: TTest().fit(X, y),
        "with moderation='moderated'": lambda: TTest(moderation="moderated").fit(X, y),
    }
    report("t statistic, 200 × 10000", medians(calls))


def main(quick=False):
    svm_rfe(quick)
    filters(quick)


if __name__ == "__main__":
    main()
