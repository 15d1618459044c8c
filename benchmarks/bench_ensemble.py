"""Ensembles beside the plain loops they replace, on the same resamples."""

import numpy as np
from sklearn.svm import SVC

from backstay import ReliefF
from backstay.base import Scaling
from backstay.datasets import make_han_yu
from backstay.ensemble import BaggedRanker
from backstay.feature_weighting import SVMRFE
from benchmarks._measure import medians, report

N_LEFT = 10


def svc_loop(Z, y):
    """SVM-RFE as a loop over SVC: 10 % of the remaining features a round, down to 10."""
    features = np.arange(Z.shape[1])
    while len(features) > N_LEFT:
        weights = np.abs(SVC(kernel="linear").fit(Z[:, features], y).coef_[0])
        dropped = min(max(1, int(0.1 * len(features))), len(features) - N_LEFT)
        features = np.delete(features, np.argsort(weights, kind="stable")[:dropped])
    return set(features.tolist())


def bagged_svm_rfe(n, d, repeats):
    X, y, _ = make_han_yu(n, n_features=d, random_state=0)
    Z = Scaling(X, "minmax")(X)
    ensemble = BaggedRanker(SVMRFE(), random_state=0)
    shared = BaggedRanker(SVMRFE(), scaling="ensemble", random_state=0)
    samples = ensemble.fit(X, y).estimators_samples_
    loops = {}

    def loop():
        loops["own"] = [svc_loop(Scaling(X[r], "minmax")(X[r]), y[r]) for r in samples]

    def loop_at_one_scale():
        loops["one"] = [svc_loop(Z[r], y[r]) for r in samples]

    seconds = medians(
        {
            "backstay": lambda: ensemble.fit(X, y),
            "backstay, one scale": lambda: shared.fit(X, y),
            "loop over SVC": (loop, max(2, repeats - 2)),
        },
        repeats,
    )
    loop_at_one_scale()
    report(f"SVM-RFE on 20 bootstraps, {n} × {d}, one job", seconds)
    ratio = seconds["backstay"] / seconds["backstay, one scale"]
    print(f"  one Gram matrix for all members: {ratio:.2f} × as fast as one for each")
    for name, ranker, key in (("own scale", ensemble, "own"), ("one scale", shared, "one")):
        ours = [set(np.flatnonzero(r <= N_LEFT).tolist()) for r in ranker.rankings_]
        same = sum(a == b for a, b in zip(ours, loops[key], strict=True))
        print(f"  same {N_LEFT} features as the loop, {name}: {same} of {len(samples)} members")
    if d == 2000:
        jobs = BaggedRanker(SVMRFE(), n_jobs=2, random_state=0)
        report(
            "… and with two jobs",
            medians({"backstay": lambda: ensemble.fit(X, y), "2 jobs": lambda: jobs.fit(X, y)}),
        )


def bagged_relieff(n, d, n_members, jobs, repeats):
    from fast_select import ReliefF as FastReliefF

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, d)).astype(np.float32), rng.integers(0, 2, n)
    X[:, :10] += y[:, None] * 0.5
    options = {"resample": "subsample", "random_state": 0, "n_jobs": jobs}
    ensemble = BaggedRanker(ReliefF(), n_members, **options)
    shared = BaggedRanker(ReliefF(), n_members, scaling="ensemble", **options)
    samples = ensemble.fit(X, y).estimators_samples_
    X64 = X.astype(np.float64)
    whole = BaggedRanker(ReliefF(), n_members, **options)

    def fast():
        for rows in samples:
            FastReliefF(n_features_to_select=1, n_neighbors=10, n_jobs=jobs).fit(X[rows], y[rows])

    def plain():
        for rows in samples:
            ReliefF(n_jobs=jobs).fit(X[rows], y[rows])

    seconds = medians(
        {
            "backstay": lambda: ensemble.fit(X, y),
            "backstay, float64": lambda: whole.fit(X64, y),
            "backstay, one scale": lambda: shared.fit(X, y),
            "loop over our ReliefF": plain,
            "loop over fast-select": (fast, max(2, repeats - 2)),
        },
        repeats,
    )
    report(f"ReliefF on {n_members} halves of {n} × {d}, float32, {jobs} job(s)", seconds)
    overlap = np.mean(
        [
            len(set(np.argsort(a)[:50]) & set(np.argsort(b)[:50])) / 50
            for a, b in zip(ensemble.rankings_, shared.rankings_, strict=True)
        ]
    )
    print(f"  best 50 that a member keeps when the scale is the ensemble's: {overlap:.0%}")


def main(quick=False):
    repeats = 3 if quick else 7
    bagged_svm_rfe(100, 2000, repeats)
    if not quick:
        bagged_svm_rfe(100, 10000, 3)
    for jobs in (1,) if quick else (1, 2):
        bagged_relieff(200, 2000, 100, jobs, repeats)
