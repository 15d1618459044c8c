"""Two large problems in processes of their own: seconds and peak memory, input included."""

import json

from benchmarks._measure import in_fresh_process
from benchmarks._workload import Measurement, Target, fact

LARGE = """
import json, sys, time
import numpy as np
from backstay import ReliefF
from backstay.feature_weighting import SVMRFE
from benchmarks._measure import n_cores, peak_megabytes
name, n, d = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(0)
X, y = rng.normal(size=(n, d)), rng.integers(0, 2, n)
methods = {
    "relieff": ReliefF(n_draws=min(2000, n), n_jobs=n_cores(), random_state=0),
    "svm_rfe": SVMRFE(),
}
before = peak_megabytes()
start = time.perf_counter()
methods[name].fit(X, y)
taken = time.perf_counter() - start
print(json.dumps({"seconds": taken, "input_mb": before, "peak_mb": peak_megabytes()}))
"""


def large(quick, method, n, d):
    """Fit once in a fresh process."""
    shape = (n // 50, d) if n > d else (n, d // 50)
    return json.loads(in_fresh_process(LARGE, method, *(shape if quick else (n, d))))


def measurement(method, said, n, d):
    return Measurement(
        f"large_{method}",
        f"{said}, in a process of its own",
        large,
        (
            Target(f"{said}, time", fact("seconds"), at_most=60, unit="s"),
            Target(f"{said}, memory of the process", fact("peak_mb"), at_most=1000, unit="MB"),
        ),
        arguments={"method": method, "n": n, "d": d},
    )


WORKLOADS = (
    measurement("relieff", "ReliefF(n_draws=2000) on 100,000 × 100", 100_000, 100),
    measurement("svm_rfe", "SVM-RFE on 200 × 100,000", 200, 100_000),
)
