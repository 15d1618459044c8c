"""Stability at every size beside the direct ways, pyensemblefs, and two large cases."""

import numpy as np

from backstay.stability import correlated_features, stability_curve, stability_score
from benchmarks import _peers, _plain
from benchmarks._agreement import DIFFERENCE
from benchmarks._measure import median_seconds, peak_megabytes, seconds_of
from benchmarks._workload import Measurement, Peer, Target, Workload, fact, ratio


def noisy_orders(m, d):
    """M rankings of d features by a common score plus noise, best first."""
    rng = np.random.default_rng(0)
    score = rng.normal(size=d)
    return np.argsort(score + rng.normal(size=(m, d)), axis=1)


def every_size(m, d):
    return noisy_orders(m, d), d, np.arange(1, d)


def some_sizes(m, d, count):
    return noisy_orders(m, d), d, np.unique(np.linspace(1, d - 1, count).astype(int))


def curve(p, measure):
    order, _, sizes = p
    return stability_curve(order, measure, sizes=sizes).value.to_numpy()


PRODUCTS = "a matrix product per size"


def every_size_workload(m, d, check=False, targets=()):
    return Workload(
        f"kuncheva_every_size_{m}x{d}",
        f"Kuncheva's index at every size, {m} rankings of {d:,} features",
        lambda: every_size(m, d),
        lambda p, jobs: curve(p, "kuncheva"),
        (
            Peer(
                PRODUCTS,
                lambda p, jobs: _plain.kuncheva_by_products(*p),
                parallel=False,
                note="values only; ours has intervals as well",
            ),
        ),
        DIFFERENCE,
        targets,
        check=check,
        parallel=False,
    )


def large_curve(quick):
    m, d = (20, 10_000) if quick else (100, 100_000)
    order = noisy_orders(m, d)
    taken = median_seconds(lambda: stability_curve(order, "kuncheva"), 3)
    return {"seconds": taken, "peak_gb": peak_megabytes() / 1024, "runs": m, "features": d}


def npogr(quick):
    n, d, k, m = (60, 1000, 50, 20) if quick else (102, 12_600, 200, 100)
    rng = np.random.default_rng(0)
    # 60 factors give correlations as dense as in expression data.
    loadings = rng.normal(size=(60, d)) * (rng.random((60, d)) < 0.1)
    X = rng.normal(size=(n, 60)) @ loadings + rng.normal(size=(n, d))
    subsets = np.argsort(rng.normal(size=d) + rng.normal(size=(m, d)), axis=1)[:, :k]
    found_in, similar = seconds_of(lambda: correlated_features(X))
    scored_in, _ = seconds_of(lambda: stability_score(subsets, d, "npogr", similarity=similar))
    return {
        "seconds": found_in + scored_in,
        "seconds_for_correlations": found_in,
        "peak_gb": peak_megabytes() / 1024,
        "gb_of_a_full_correlation_matrix": 8 * d * d / 2**30,
    }


WORKLOADS = (
    every_size_workload(50, 500, check=True),
    every_size_workload(
        100,
        2000,
        targets=(
            Target(
                "Kuncheva at every size, 100 × 2,000, beside a product per size",
                ratio(PRODUCTS),
                at_least=100,
            ),
        ),
    ),
    Workload(
        "kuncheva_20_sizes",
        "Kuncheva's index at 20 sizes, 100 rankings of 2,000 features",
        lambda: some_sizes(100, 2000, 20),
        lambda p, jobs: curve(p, "kuncheva"),
        (
            Peer(
                "every two subsets",
                lambda p, jobs: _plain.kuncheva_by_pairs(*p),
                parallel=False,
                note="values only",
            ),
        ),
        DIFFERENCE,
        quick=lambda: some_sizes(20, 500, 5),
        parallel=False,
    ),
    Workload(
        "nogueira_20_sizes",
        "Nogueira's measure at 20 sizes, 100 rankings of 2,000 features",
        lambda: some_sizes(100, 2000, 20),
        lambda p, jobs: curve(p, "nogueira"),
        (
            Peer(
                "pyensemblefs",
                lambda p, jobs: _peers.pyensemblefs_nogueira(*p),
                parallel=False,
                note="values only",
            ),
        ),
        DIFFERENCE,
        quick=lambda: some_sizes(20, 500, 5),
        parallel=False,
    ),
    Measurement(
        "kuncheva_100x100000",
        "Kuncheva's index at every size, 100 rankings of 100,000 features",
        large_curve,
        (
            Target(
                "Kuncheva at every size, 100 × 100,000, time",
                fact("seconds"),
                at_most=2,
                unit="s",
            ),
            Target(
                "Kuncheva at every size, 100 × 100,000, memory of the process",
                fact("peak_gb"),
                at_most=1,
                unit="GB",
            ),
        ),
    ),
    Measurement(
        "npogr_12600",
        "nPOGR, 100 subsets of 200 of 12,600 features, correlations at 0.1 % FDR",
        npogr,
        (Target("nPOGR, d = 12,600", fact("seconds"), at_most=60, unit="s"),),
    ),
)
