"""Instance weighting. No library has it: the peer is the paper's algorithm in numpy."""

import numpy as np

from backstay import MarginWeighting
from benchmarks import _plain
from benchmarks._agreement import DIFFERENCE
from benchmarks._workload import Peer, Target, Workload, ratio

DIRECT = Peer("direct numpy loop", lambda p, jobs: _plain.margin_weights(*p), parallel=False)


def problem(n, d):
    """Noise; weights cost the same whatever the labels say."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, d)), rng.integers(0, 2, n)


def margin(n, d, check=False, targets=()):
    """All neighbours, as published."""
    return Workload(
        f"margin_{n}x{d}",
        f"MarginWeighting, all neighbours, {n} × {d}",
        lambda: problem(n, d),
        lambda p, jobs: MarginWeighting().fit_weight(*p),
        (DIRECT,),
        DIFFERENCE,
        targets,
        check=check,
        parallel=False,
    )


WORKLOADS = (
    margin(200, 2000, check=True),
    margin(
        200,
        10000,
        targets=(
            Target(
                "MarginWeighting 200 × 10,000 beside the direct loop",
                ratio("direct numpy loop"),
                at_least=20,
                why="both sides stream a table of 16 MB; the loop's share of cache misses varies",
            ),
        ),
    ),
)
