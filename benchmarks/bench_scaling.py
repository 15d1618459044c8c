"""How cost grows, and how near it comes to what the machine can do."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numba import njit

from backstay import MarginWeighting, ReliefF, Simba
from backstay.datasets import make_han_yu
from backstay.feature_weighting import SVMRFE, TTest
from backstay.stability import stability_curve
from backstay.study import Study, Subsampling
from benchmarks._fit import exponent
from benchmarks._measure import median_seconds, n_cores, threads
from benchmarks._workload import Measurement

# Limits of the machine.


@njit(fastmath=True, nogil=True)
def total(X):
    """Read an array once."""
    s = 0.0
    for i in range(X.shape[0]):
        s += X[i]
    return s


@njit(fastmath=True, nogil=True)
def absolute_differences(A, B, times):
    """Sum |a − b| over rows that stay in cache; four sums at a time, as a tile would."""
    s = A.dtype.type(0)
    for _ in range(times):
        for i in range(0, A.shape[0], 4):
            s0 = s1 = s2 = s3 = A.dtype.type(0)
            for f in range(A.shape[1]):
                b = B[f]
                s0 += abs(A[i, f] - b)
                s1 += abs(A[i + 1, f] - b)
                s2 += abs(A[i + 2, f] - b)
                s3 += abs(A[i + 3, f] - b)
            s = max(s, s0 + s1 + s2 + s3)
        B[0] += 1  # a new row for the compiler
    return s


TIMES = 10**4


def limits(quick):
    """Rates per second of one thread: products, bytes from memory, absolute differences."""
    rng = np.random.default_rng(0)
    size, length = (300, 10**6) if quick else (1500, 4 * 10**7)
    M = rng.normal(size=(size, size))
    long = rng.normal(size=length)
    facts = {}
    for count in sorted({1, n_cores()}):
        with threads(count):
            facts[f"gemm_gflops_{count}"] = 2e-9 * size**3 / median_seconds(lambda: M @ M)
    facts["bandwidth_gb_per_s"] = 8e-9 * length / median_seconds(lambda: total(long))
    for dtype in (np.float32, np.float64):
        A, B = rng.normal(size=(8, 1000)).astype(dtype), np.zeros(1000, dtype)
        taken = median_seconds(lambda A=A, B=B: absolute_differences(A, B, TIMES))
        facts[f"differences_{np.dtype(dtype).name}_g_per_s"] = 1e-9 * A.size * TIMES / taken
    return facts


# Growth: method → in what → (sizes, quick sizes, call of a size).


def noise(n, d, dtype=np.float64):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, d)).astype(dtype), np.arange(n) % 2


def han_yu(n, d):
    X, y, _ = make_han_yu(n, n_features=d, random_state=0)
    return X, y


def orders(m, d):
    rng = np.random.default_rng(0)
    return np.argsort(rng.normal(size=d) + rng.normal(size=(m, d)), axis=1)


def fit(method, n, d, make=noise):
    X, y = make(n, d)
    return lambda: method.fit(X, y)


def curve(m, d):
    order = orders(m, d)
    return lambda: stability_curve(order, "kuncheva")


def study(n_resamples=5, d=1000, n=62, copies=1):
    """A study into a store, on n rows and d features, with several copies of three methods."""
    X, y = han_yu(n, d)
    three = {"t": TTest(), "relieff": ReliefF(), "rfe": SVMRFE()}
    methods = {f"{name} {i}": method for i in range(copies) for name, method in three.items()}

    def run():
        with TemporaryDirectory() as folder:
            Study(
                methods,
                Subsampling(n_resamples),
                sizes=[10, 20],
                controls=False,
                store=Path(folder) / "study.db",
                n_jobs=1,
                random_state=0,
                verbose=0,
            ).run(X, y)

    return run


ROWS = [250, 500, 1000, 2000, 4000]
FEATURES = [1000, 2000, 4000, 8000, 16000]
FEW = [50, 100, 200]
FEW_IN_STUDY = {
    "resamples": [2, 4, 6],
    "features": [100, 200, 400],
    "rows": [60, 90, 120],
    "methods": [3, 6, 9],
}
CURVES = {
    "ReliefF": {
        "rows": (ROWS, lambda n: fit(ReliefF(n_jobs=1), n, 200)),
        "features": (FEATURES, lambda d: fit(ReliefF(n_jobs=1), 200, d)),
    },
    "MarginWeighting": {
        "rows": (ROWS, lambda n: fit(MarginWeighting(), n, 200)),
        "features": (FEATURES, lambda d: fit(MarginWeighting(), 200, d)),
    },
    "Simba": {
        "rows": (ROWS, lambda n: fit(Simba(random_state=0), n, 200)),
        "features": (FEATURES, lambda d: fit(Simba(random_state=0), 200, d)),
    },
    "SVM-RFE": {
        "rows": ([25, 50, 100, 200, 400], lambda n: fit(SVMRFE(), n, 4000, han_yu)),
        "features": (FEATURES, lambda d: fit(SVMRFE(), 100, d, han_yu)),
    },
    "SVM-RFE, tall": {
        "rows": ([1000, 2000, 4000, 8000, 16000], lambda n: fit(SVMRFE(), n, 100)),
        "features": ([50, 100, 200, 400, 800], lambda d: fit(SVMRFE(), 2000, d)),
    },
    "stability_curve": {
        "resamples": ([25, 50, 100, 200, 400], lambda m: curve(m, 5000)),
        "features": ([2000, 4000, 8000, 16000, 32000], lambda d: curve(100, d)),
    },
    "Study": {
        "resamples": ([5, 10, 20, 40], lambda m: study(m)),
        "features": ([1000, 2000, 4000, 8000], lambda d: study(d=d)),
        "rows": ([60, 120, 240, 480], lambda n: study(n=n)),
        "methods": ([3, 6, 12, 24], lambda m: study(copies=m // 3)),
    },
}
# What theory says of the largest term, shown beside the fit.
EXPECTED = {
    ("ReliefF", "rows"): "2",
    ("ReliefF", "features"): "1",
    ("MarginWeighting", "rows"): "1 to 2",
    ("MarginWeighting", "features"): "1",
    ("Simba", "rows"): "2",
    ("Simba", "features"): "1",
    ("SVM-RFE", "rows"): "1 to 2",
    ("SVM-RFE", "features"): "up to 1",
    # Reading the rows grows with the features, the equations with their third power.
    ("SVM-RFE, tall", "rows"): "1",
    ("SVM-RFE, tall", "features"): "1 to 3",
    # Values grow with the number of runs, intervals with its square, 64 at a time.
    ("stability_curve", "resamples"): "1 to 2",
    ("stability_curve", "features"): "1",
    ("Study", "resamples"): "1",
    ("Study", "features"): "up to 1",
    ("Study", "rows"): "up to 2",
    ("Study", "methods"): "1",
}


def growth(quick):
    """Fit exponents, with all times."""
    found = {}
    for method, parameters in CURVES.items():
        for parameter, (sizes, make) in parameters.items():
            sizes = FEW[: len(sizes)] if quick else sizes
            if quick and method == "Study":
                sizes = FEW_IN_STUDY[parameter]
            with threads(1):
                taken = [median_seconds(make(size), 3) for size in sizes]
            fitted = {"sizes": sizes, "seconds": taken, **exponent(sizes, taken)}
            found[f"{method} in {parameter}"] = fitted
    return found


# Fractions of the limits.


def fractions(quick):
    """Rates of the methods in the limits' own units, one thread, and the share reached."""
    rates = limits(quick)
    facts = {"limits": rates, "reached": {}}

    def reach(name, work, limit, call, unit):
        with threads(1):
            rate = work * 1e-9 / median_seconds(call, 5)
        facts["reached"][name] = {
            **{"rate": rate, "limit": rates[limit], "of": limit, "unit": unit},
            "share": rate / rates[limit],
        }

    n, d = (100, 100) if quick else (1000, 1000)
    for dtype in (np.float32, np.float64):
        X, y = noise(n, d, dtype)
        name = np.dtype(dtype).name
        reach(
            f"ReliefF, {name}, {n} × {d}",
            n * (n - 1) / 2 * d,
            f"differences_{name}_g_per_s",
            lambda X=X, y=y: ReliefF(n_jobs=1).fit(X, y),
            "10⁹ differences/s; each pair counted once",
        )
    X, y = noise(n, 2 * d)
    reach(
        f"MarginWeighting, {n} × {2 * d}",
        2.0 * n * n * 2 * d,
        "gemm_gflops_1",
        lambda: MarginWeighting().fit(X, y),
        "GFLOP/s; only the product is counted, not the sorting",
    )
    n, d = (50, 500) if quick else (200, 10000)
    Z, z = noise(n, d)
    reach(
        f"Simba, {n} × {d}",
        8.0 * n * n * d,
        "bandwidth_gb_per_s",
        lambda: Simba(random_state=0).fit(Z, z),
        "GB/s; the table once per visit",
    )
    n, d = (50, 500) if quick else (200, 20000)
    V, v = han_yu(n, d)
    reach(
        f"SVM-RFE, {n} × {d}",
        # Gram matrix and the downdates together touch every feature twice.
        2 * 2.0 * n * n * d,
        "gemm_gflops_1",
        lambda: SVMRFE().fit(V, v),
        "GFLOP/s; Gram matrix and downdates only, not the solver",
    )
    m, d = (20, 500) if quick else (100, 100_000)
    order = orders(m, d)
    reach(
        f"stability_curve, {m} × {d}",
        8.0 * m * d,
        "bandwidth_gb_per_s",
        lambda: stability_curve(order, "kuncheva"),
        "GB/s; the table of rankings once",
    )
    return facts


WORKLOADS = (
    Measurement("growth", "How time grows: fitted exponents", growth),
    Measurement("limits", "What the machine can do, and the share reached", fractions),
)
