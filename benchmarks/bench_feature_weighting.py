"""ReliefF beside fast-select, skrebate, skfeature, Orange3 and Weka; Simba beside memory."""

import tempfile

import numpy as np
from numba import njit
from scipy.stats import spearmanr

from backstay import ReliefF, Simba
from benchmarks._measure import has_weka, in_fresh_process, medians, report, weka_call

SHAPES = [(1000, 1000), (200, 10000), (5000, 100), (20000, 50)]


def data(n, d, dtype):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, d)), rng.integers(0, 2, n)
    X[:, : min(10, d)] += y[:, None] * 0.5
    return X.astype(dtype), y


def orange_relieff(X, y):
    from Orange.data import ContinuousVariable, DiscreteVariable, Domain, Table
    from Orange.preprocess.score import ReliefF as OrangeReliefF

    domain = Domain(
        [ContinuousVariable(f"x{j}") for j in range(X.shape[1])], DiscreteVariable("y", ("0", "1"))
    )
    table = Table.from_numpy(domain, X, y)
    scorer = OrangeReliefF(n_iterations=len(y), k_nearest=10, random_state=0)
    return lambda: scorer(table)


def relieff(quick):
    from fast_select import ReliefF as FastReliefF

    for n, d in SHAPES[:2] if quick else SHAPES:
        X, y = data(n, d, np.float64)
        X32 = X.astype(np.float32)
        for jobs in (1, 2):
            repeats = 5 if n < 20000 else 3

            def fast(jobs=jobs, X=X32, y=y):
                return FastReliefF(n_features_to_select=1, n_neighbors=10, n_jobs=jobs).fit(X, y)

            calls = {
                "backstay": lambda jobs=jobs, X=X32, y=y: ReliefF(n_jobs=jobs).fit(X, y),
                "backstay, float64": lambda jobs=jobs, X=X, y=y: ReliefF(n_jobs=jobs).fit(X, y),
                "fast-select": fast,
            }
            title = f"ReliefF, k = 10, {n} × {d}, float32, {jobs} thread(s)"
            report(title, medians(calls, repeats))
        ours, theirs = ReliefF().fit(X32, y), fast()
        agreement = spearmanr(ours.feature_importances_, theirs.feature_importances_)[0]
        print(f"  agreement with fast-select (Spearman): {agreement:.4f}")


def slow_peers(quick):
    from skfeature.function.similarity_based import reliefF as skfeature_relieff
    from skrebate import ReliefF as SkrebateReliefF

    n, d = (200, 1000) if quick else (1000, 1000)
    X, y = data(n, d, np.float64)
    with tempfile.TemporaryDirectory() as folder:
        calls = {
            "backstay": lambda: ReliefF(n_jobs=1).fit(X, y),
            "skrebate": (lambda: SkrebateReliefF(n_neighbors=10, n_jobs=1).fit(X, y), 1),
            "skfeature": (lambda: skfeature_relieff.reliefF(X, y, k=10), 1),
            "Orange3": (orange_relieff(X, y), 1),
        }
        if has_weka():
            calls["Weka, with start-up"] = (
                weka_call(X, y, folder, "ReliefFAttributeEval", "-K", "10"),
                1,
            )
        report(f"ReliefF, k = 10, {n} × {d}, float64, 1 thread, slower peers", medians(calls))


def relieff_memory():
    code = (
        "import numpy as np\n"
        "from backstay import ReliefF\n"
        "from benchmarks._measure import peak_extra_megabytes\n"
        "rng = np.random.default_rng(0)\n"
        "X, y = rng.normal(size=(20000, 50)), rng.integers(0, 2, 20000)\n"
        "ReliefF().fit(X[:100], y[:100])\n"
        "print(peak_extra_megabytes(lambda: ReliefF(n_jobs=2).fit(X, y)))"
    )
    print(f"\nReliefF, 20000 × 50: peak extra memory {float(in_fresh_process(code)):.0f} MB")


@njit(fastmath=True, nogil=True)
def read(X, times):
    """Sum a matrix over and over: what reading it costs."""
    total = 0.0
    for _ in range(times):
        for i in range(X.shape[0]):
            row = 0.0
            for f in range(X.shape[1]):
                row += X[i, f]
            total = max(total, row)
        X[0, 0] += 1e-12  # a new matrix for the compiler
    return total


def simba(quick):
    for n, d in ((200, 10000), (1000, 100)) if quick else ((200, 10000), (5000, 100)):
        X, y = data(n, d, np.float64)
        calls = {
            "backstay": lambda X=X, y=y: Simba(random_state=0).fit(X, y),
            "reading the matrix n times": lambda X=X, n=n: read(X, n),
        }
        seconds = medians(calls, 3)
        report(f"Simba, one epoch, {n} × {d}", seconds)
        ratio = seconds["backstay"] / seconds["reading the matrix n times"]
        print(f"  Simba takes {ratio:.2f} × as long as reading")


def first_calls():
    code = (
        "import time\n"
        "start = time.perf_counter()\n"
        "import backstay\n"
        "loaded = time.perf_counter()\n"
        "from backstay import *\n"
        "from backstay.datasets import make_xor\n"
        "X, y, _ = make_xor(n_samples=50, random_state=0)\n"
        "for data in (X, X.astype('float32')):\n"
        "    for method in (ReliefF(), Relief(20), DoubleReliefF(), Simba(),\n"
        "                   Simba(solver='batch'), MarginWeighting(), MarginWeighting(3),\n"
        "                   LogisticWeighting(), DoublyWeightedKNeighborsClassifier()):\n"
        "        fitted = method.fit(data, y)\n"
        "    fitted.predict(data)\n"
        "print(loaded - start, time.perf_counter() - loaded)"
    )
    with tempfile.TemporaryDirectory() as cache:
        print()
        for turn in ("first", "second"):
            loading, calling = in_fresh_process(code, NUMBA_CACHE_DIR=cache).split()
            print(
                f"{turn} process after installation: import {float(loading):.1f} s, "
                f"a call of everything in float64 and float32 {float(calling):.1f} s"
            )


def main(quick=False):
    relieff(quick)
    slow_peers(quick)
    relieff_memory()
    simba(quick)
    first_calls()


if __name__ == "__main__":
    main()
