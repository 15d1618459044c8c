"""Ensembles beside the plain loops they replace, on the same resamples."""

import numpy as np
from sklearn.feature_selection import RFE
from sklearn.preprocessing import minmax_scale
from sklearn.svm import SVC

from backstay import ReliefF
from backstay.datasets import make_han_yu
from backstay.ensemble import BaggedRanker
from backstay.feature_weighting import SVMRFE
from benchmarks import _peers, _plain
from benchmarks._agreement import SAME_SETS, best, mean_overlap
from benchmarks._workload import Peer, Target, Workload, ratio

KEEP = 10
N_MEMBERS = 20


def selections(ranker):
    """The best features of every member."""
    return [np.flatnonzero(ranking <= KEEP) for ranking in ranker.rankings_]


def bagged(p, jobs):
    X, y, _ = p
    ranker = BaggedRanker(SVMRFE(), N_MEMBERS, n_jobs=jobs, random_state=0)
    return selections(ranker.fit(X, y))


def loop_over_svc(p, jobs):
    X, y, samples = p
    return [_plain.svm_rfe(minmax_scale(X[r]), y[r], KEEP)[:KEEP] for r in samples]


def bootstraps(n, d):
    X, y, _ = make_han_yu(n, n_features=d, random_state=0)
    # The rows do not depend on the ranker: a single feature is enough to draw them.
    drawn = BaggedRanker(SVMRFE(), N_MEMBERS, random_state=0).fit(X[:, :2], y)
    return X, y, drawn.estimators_samples_


def svm_rfe(n, d, quick=None):
    loop = "loop over SVC"
    original_step = RFE(SVC(kernel="linear", tol=_plain.TOL), n_features_to_select=KEEP, step=0.1)
    return Workload(
        f"bagged_svm_rfe_{n}x{d}",
        f"SVM-RFE on {N_MEMBERS} bootstraps of {n:,} × {d:,}",
        lambda: bootstraps(n, d),
        bagged,
        (
            Peer(loop, loop_over_svc, parallel=False),
            Peer(
                "pyensemblefs",
                lambda p, jobs: _peers.pyensemblefs_bagged(
                    original_step, minmax_scale(p[0]), p[1], N_MEMBERS, jobs
                ),
                same=False,
                note="bootstraps of its own, not by class, and scikit-learn's RFE, which drops "
                "10 % of the original number a round and so trains far fewer machines",
            ),
        ),
        SAME_SETS,
        (
            Target(
                f"{N_MEMBERS}-bootstrap SVM-RFE beside a loop over SVC, {n:,} × {d:,}",
                ratio(loop),
                at_least=3,
                goal=5,
            ),
        ),
        quick=quick and (lambda: bootstraps(*quick)),
    )


def halves(n, d, n_members):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, d)).astype(np.float32), rng.integers(0, 2, n)
    X[:, :10] += y[:, None] * 0.5
    drawn = half_ranker(n_members, 1).fit(X[:, :2], y)
    return X, y, drawn.estimators_samples_


def half_ranker(n_members, jobs):
    return BaggedRanker(ReliefF(), n_members, resample="subsample", n_jobs=jobs, random_state=0)


def relieff(n, d, n_members, check=False):
    def ours(p, jobs):
        return half_ranker(n_members, jobs).fit(p[0], p[1]).weights_

    def theirs(p, jobs):
        X, y, samples = p
        return np.array([_peers.fast_select_relieff(X[r], y[r], jobs) for r in samples])

    def loop(p, jobs):
        X, y, samples = p
        return [ReliefF(n_jobs=jobs).fit(X[r], y[r]).feature_importances_ for r in samples]

    def overlap(a, b):
        return mean_overlap([best(row, 50) for row in a], [best(row, 50) for row in b])

    return Workload(
        f"bagged_relieff_{n}x{d}",
        f"ReliefF on {n_members} halves of {n:,} × {d:,}, float32",
        lambda: halves(n, d, n_members),
        ours,
        (
            Peer("backstay, plain loop", loop, ours=True),
            Peer("fast-select", theirs, prepare=lambda p: _peers.compile_fast_select()),
        ),
        ("overlap of the best 50", overlap),
        tuple(
            Target(
                f"{n_members} halves of {n:,} × {d:,} beside fast-select, {said}",
                ratio("fast-select", count),
                at_least=1,
            )
            for count, said in ((1, "one thread"), ("all", "all cores"))
        ),
        check=check,
    )


WORKLOADS = (svm_rfe(100, 2000, quick=(60, 500)), relieff(200, 2000, 100))
