"""Stability: what the curves and nPOGR cost, beside the direct way in the same run.

Run as ``python benchmarks/bench_stability.py``. Every large case runs in a process of
its own, so that its peak memory is its own.
"""

import os
import resource
import subprocess
import sys
import time

import numpy as np

from backstay.stability import correlated_features, stability_curve, stability_score


def seconds(function, repeats=3, clock=time.perf_counter):
    """Best of a few runs, and the last outcome."""
    best, outcome = np.inf, None
    for _ in range(repeats):
        start = clock()
        outcome = function()
        best = min(best, clock() - start)
    return best, outcome


def busy_seconds(function, repeats=3):
    """Processor time: with one thread, what an idle machine would take."""
    return seconds(function, repeats, time.process_time)


def noisy_orders(m, d, seed=0):
    """M rankings of d features by a common score plus noise."""
    rng = np.random.default_rng(seed)
    score = rng.normal(size=d)
    return np.argsort(score + rng.normal(size=(m, d)), axis=1)


def by_matrix_products(order, d, sizes):
    """Kuncheva at each size from all pairs' overlaps: one M×d by d×M product per size."""
    m = order.shape[0]
    off = ~np.eye(m, dtype=bool)
    values = []
    for k in sizes:
        mask = np.zeros((m, d))
        np.put_along_axis(mask, order[:, :k], 1, axis=1)
        overlap = (mask @ mask.T)[off]
        values.append(np.mean((overlap * d - k**2) / (k * (d - k))))
    return np.array(values)


def by_pairs(order, d, sizes):
    """Kuncheva at each size by intersecting every two subsets."""
    m = order.shape[0]
    values = []
    for k in sizes:
        subsets = order[:, :k]
        overlap = [
            np.intersect1d(subsets[i], subsets[j], assume_unique=True).size
            for i in range(m)
            for j in range(i + 1, m)
        ]
        values.append(np.mean((np.array(overlap) * d - k**2) / (k * (d - k))))
    return np.array(values)


def bench_every_size():
    m, d = 100, 2000
    order = noisy_orders(m, d)
    sizes = np.arange(1, d)
    ours, curve = busy_seconds(lambda: stability_curve(order, "kuncheva"), repeats=10)
    products, direct = busy_seconds(lambda: by_matrix_products(order, d, sizes))
    np.testing.assert_allclose(curve.value[:-1], direct, atol=1e-12)
    some = np.linspace(1, d - 1, 8).astype(int)
    pairs, few = busy_seconds(lambda: by_pairs(order, d, some), repeats=1)
    np.testing.assert_allclose(curve.value[some - 1], few, atol=1e-12)
    pairs *= d / some.size
    print("One thread each, processor time:")
    print(f"Kuncheva at every k, M={m}, d={d}, values and intervals: {ours:.3f} s")
    print(f"  a matrix product per k (values only): {products:.2f} s, ratio {products / ours:.0f}")
    print(
        f"  every two subsets per k (values only): {pairs:.0f} s from {some.size} sizes, "
        f"ratio {pairs / ours:.0f}"
    )
    for measure in ("nogueira", "somol_relative", "dunne", "somol", "kalousis"):
        took, _ = busy_seconds(lambda name=measure: stability_curve(order, name))
        print(f"  {measure}: {took:.3f} s")


def bench_large_curve(measure):
    m, d = 100, 100_000
    order = noisy_orders(m, d)
    print(f"{measure} at every k, M={m}, d={d}, values and intervals:")
    for attempt in ("first", "second", "third"):
        busy = time.process_time()
        took, _ = seconds(lambda: stability_curve(order, measure), repeats=1)
        print(f"  {attempt} call {took:.2f} s, processor {time.process_time() - busy:.2f} s")


def bench_npogr():
    n, d, k, m = 102, 12_600, 200, 100
    rng = np.random.default_rng(0)
    # 60 factors give correlations as dense as in expression data.
    loadings = rng.normal(size=(60, d)) * (rng.random((60, d)) < 0.1)
    X = rng.normal(size=(n, 60)) @ loadings + rng.normal(size=(n, d))
    score = rng.normal(size=d)
    subsets = np.argsort(score + rng.normal(size=(m, d)), axis=1)[:, :k]
    found_in, similar = seconds(lambda: correlated_features(X), repeats=1)
    scored_in, result = seconds(
        lambda: stability_score(subsets, d, "npogr", similarity=similar), repeats=1
    )
    print(f"nPOGR, n={n}, d={d}, k={k}, M={m}: {found_in + scored_in:.1f} s")
    print(f"  correlations at 0.1 % FDR {found_in:.1f} s, {similar}")
    print(f"  score {scored_in:.1f} s, {result}")
    print(f"  a d×d matrix of floats alone would take {8 * d * d / 1e9:.2f} GB")


CASES = {
    "every_size": bench_every_size,
    "kuncheva": lambda: bench_large_curve("kuncheva"),
    "kalousis": lambda: bench_large_curve("kalousis"),
    "npogr": bench_npogr,
}


def run_case(name):
    CASES[name]()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"  peak memory of the process, input included: {peak:.2f} GB", flush=True)


def main(quick=False):
    threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    for name in ["every_size"] if quick else CASES:
        # The ratio compares one thread with one thread; the others run as they come.
        one = dict.fromkeys(threads, "1") if name == "every_size" else {}
        subprocess.run([sys.executable, __file__, name], check=True, env=os.environ | one)


if __name__ == "__main__":
    run_case(sys.argv[1]) if len(sys.argv) > 1 else main()
