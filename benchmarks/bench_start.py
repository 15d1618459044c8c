"""What a new process costs: the import, and compiling on the first call after installation."""

import json
import tempfile

from benchmarks._measure import in_fresh_process
from benchmarks._workload import Measurement, Target, fact

IMPORT = """
import sys, time
start = time.perf_counter()
import backstay
print(time.perf_counter() - start)
unwanted = {"matplotlib", "dask", "typer", "rich", "jinja2", "pyarrow"} & set(sys.modules)
print(" ".join(sorted(unwanted)))
"""

SCIKIT_LEARN = """
import time
start = time.perf_counter()
import numpy, scipy.stats, pandas, sklearn.svm, sklearn.neighbors, sklearn.pipeline
import sklearn.covariance, sklearn.feature_selection, sklearn.model_selection, joblib, numba
print(time.perf_counter() - start)
"""

# Everything that is compiled, in both precisions; kernels shared with an earlier one are
# there already, so a method's seconds are what it adds.
CALLS = """
import json, time
from backstay import *
from backstay.datasets import make_xor
from backstay.feature_weighting import SVMRFE, InformationGain
X, y, _ = make_xor(n_samples=50, random_state=0)
methods = {
    "ReliefF": ReliefF(), "Relief": Relief(20), "DoubleReliefF": DoubleReliefF(),
    "Simba": Simba(), "Simba, batch": Simba(solver="batch"),
    "MarginWeighting": MarginWeighting(), "MarginWeighting, 3 neighbours": MarginWeighting(3),
    "LogisticWeighting": LogisticWeighting(),
    "DoublyWeightedKNeighborsClassifier": DoublyWeightedKNeighborsClassifier(),
    "SVMRFE": SVMRFE(), "InformationGain": InformationGain(),
}
taken = {}
for name, method in methods.items():
    start = time.perf_counter()
    for data in (X, X.astype("float32")):
        fitted = method.fit(data, y)
        if hasattr(fitted, "predict"):
            fitted.predict(data)
    taken[name] = time.perf_counter() - start
print(json.dumps(taken))
"""
# The issue named these; SVM-RFE and the filters came later.
OF_THE_ISSUE = (
    *("ReliefF", "Relief", "DoubleReliefF", "Simba", "Simba, batch", "MarginWeighting"),
    *("MarginWeighting, 3 neighbours", "LogisticWeighting", "DoublyWeightedKNeighborsClassifier"),
)


def start(quick):
    """Import and first calls, with an empty cache and with a filled one."""
    loads = [in_fresh_process(IMPORT).splitlines() for _ in range(2 if quick else 6)]
    # The first may read files from disk; sorted()[…] is the median of the others.
    times = sorted(float(lines[0]) for lines in loads[1:])
    unwanted = sorted({name for lines in loads for name in lines[1:] if name})
    others = sorted(float(in_fresh_process(SCIKIT_LEARN)) for _ in range(1 if quick else 5))
    with tempfile.TemporaryDirectory() as cache:
        first, second = (
            json.loads(in_fresh_process(CALLS, NUMBA_CACHE_DIR=cache)) for _ in range(2)
        )
    return {
        "import_seconds": times[len(times) // 2],
        "import_seconds_of_dependencies": others[len(others) // 2],
        "imports_not_wanted": unwanted,
        "first_calls_seconds": sum(first[name] for name in OF_THE_ISSUE),
        "first_calls_of_everything_seconds": sum(first.values()),
        "second_process_seconds": sum(second.values()),
        "compile_seconds": first,
    }


WORKLOADS = (
    Measurement(
        "start",
        "A new process: import, and compiling on the first calls after installation",
        start,
        (
            Target(
                2,
                "first calls after installation, compiling everything",
                fact("first_calls_seconds"),
                at_most=20,
                unit="s",
            ),
            Target(
                2,
                "`import backstay`",
                fact("import_seconds"),
                at_most=2,
                unit="s",
                why="nearly all of it is scikit-learn, SciPy, pandas and numba, "
                "which the same run measured by themselves",
            ),
            Target(
                2,
                "modules of the app loaded by the import",
                lambda record: len(record["facts"]["imports_not_wanted"]),
                at_most=0,
                unit="",
                why="pandas imports pyarrow wherever it is installed",
            ),
        ),
    ),
)
