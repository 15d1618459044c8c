"""Modules of correlated features beside scipy's linkage, and on a table too wide for it."""

import json

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage

from backstay.redundancy import correlation_modules
from benchmarks._measure import in_fresh_process
from benchmarks._workload import Measurement, Peer, Target, Workload, fact, ratio

N, CUT = 100, 0.3


def expression(d, n=N):
    """Half of the features in blocks of twenty, |r| about 0.8 within, the others on their own."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    X[:, : d // 2] += 2 * np.repeat(rng.normal(size=(n, d // 40 + 1)), 20, axis=1)[:, : d // 2]
    return X


def scipy_modules(X, jobs):
    r = np.corrcoef(X.T)
    return fcluster(linkage(1 - np.abs(r[np.triu_indices(len(r), 1)]), "average"), CUT, "distance")


def same_clusters(ours, theirs):
    pairs = len({*zip(ours.tolist(), theirs.tolist(), strict=True)})
    return float(pairs == len({*ours.tolist()}) == len({*theirs.tolist()}))


def beside_scipy(d, quick):
    peer = "scipy linkage"
    return Workload(
        f"modules_{N}x{d}",
        f"average linkage on 1 − |r| of {N} × {d:,}, cut at {CUT}",
        lambda: expression(d),
        lambda X, jobs: correlation_modules(X, CUT),
        (Peer(peer, scipy_modules, parallel=False),),
        ("same modules", same_clusters),
        (Target(f"modules of {N} × {d:,} beside scipy's whole tree", ratio(peer), at_least=2),),
        quick=lambda: expression(quick),
        parallel=False,
    )


WIDE = """
import json, sys, time
from backstay.redundancy import correlation_modules
from benchmarks._measure import peak_megabytes
from benchmarks.bench_redundancy import expression
X, cut = expression(int(sys.argv[1])), float(sys.argv[2])
correlation_modules(X[:, :50], cut)
before = peak_megabytes()
start = time.perf_counter()
labels = correlation_modules(X, cut)
taken = time.perf_counter() - start
facts = {"seconds": taken, "input_mb": before, "peak_mb": peak_megabytes()}
print(json.dumps(facts | {"modules": int(labels.max()) + 1}))
"""


def wide(quick, d, cut):
    """Cluster once in a fresh process."""
    return json.loads(in_fresh_process(WIDE, d // 20 if quick else d, cut))


def measurement(d, cut, said):
    title = f"modules of {N} × {d:,}, cut at {cut}: {said}"
    return Measurement(
        f"modules_{d}_cut_{round(100 * cut)}",
        f"{title}, in a process of its own",
        wide,
        (
            Target(f"{title}, time", fact("seconds"), at_most=60, unit="s"),
            Target(f"{title}, memory of the process", fact("peak_mb"), at_most=2000, unit="MB"),
        ),
        arguments={"d": d, "cut": cut},
    )


WORKLOADS = (
    beside_scipy(4000, quick=1000),
    measurement(20_000, CUT, "few pairs are near"),
    measurement(20_000, 0.9, "every pair is held"),
)
