"""What a new process costs: the import, and compiling on the first call after installation."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks._measure import in_fresh_process
from benchmarks._workload import Measurement, Target, fact

# As where backstay is installed without its app: pandas and scikit-learn import pyarrow and
# rich wherever they find them.
WITHOUT_THE_APP = """
import sys, time
for name in ("matplotlib", "dask", "typer", "rich", "jinja2", "pyarrow"):
    sys.modules[name] = None
start = time.perf_counter()
"""
DEPENDENCIES = """
import numpy, scipy.stats, pandas, sklearn.svm, sklearn.neighbors, sklearn.pipeline
import sklearn.covariance, sklearn.feature_selection, sklearn.model_selection, joblib, numba
"""
TAKEN = "\nprint(time.perf_counter() - start)"
# `import backstay` alone loads almost nothing; its parts are loaded when first used.
EVERYTHING = """
from backstay import *
from backstay import comparison, datasets, redundancy, stability
"""
BARE_IMPORT = f"{WITHOUT_THE_APP}import backstay{TAKEN}"
IMPORT = f"{WITHOUT_THE_APP}{EVERYTHING}{TAKEN}"
IMPORT_DEPENDENCIES = f"{WITHOUT_THE_APP}{DEPENDENCIES}{TAKEN}"
IMPORT_SKLEARN = f"{WITHOUT_THE_APP}import sklearn{TAKEN}"
# Needs the app; the help is printed before the seconds.
HELP = f"""
import time
start = time.perf_counter()
from backstay.cli import main
try:
    main(["--help"])
except SystemExit:
    pass{TAKEN}"""
ADDED = f"""
import sys
{DEPENDENCIES}
before = set(sys.modules)
{EVERYTHING}
app = {{"matplotlib", "dask", "typer", "rich", "jinja2", "pyarrow"}}
print(" ".join(sorted(app & (set(sys.modules) - before))))
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
# What the target on compiling covers: the weighters, the Relief family, Simba and the k-NN.
WITH_TARGET = (
    *("ReliefF", "Relief", "DoubleReliefF", "Simba", "Simba, batch", "MarginWeighting"),
    *("MarginWeighting, 3 neighbours", "LogisticWeighting", "DoublyWeightedKNeighborsClassifier"),
)


def start(quick):
    """Import and first calls, with an empty cache and with a filled one."""
    turns = 1 if quick else 5
    added = in_fresh_process(ADDED).split()  # first, so that files are read from disk here
    codes = (BARE_IMPORT, HELP, IMPORT_SKLEARN, IMPORT, IMPORT_DEPENDENCIES)
    loads = [
        [float(in_fresh_process(code).splitlines()[-1]) for code in codes] for _ in range(turns)
    ]
    bare, shown, sklearn, ours, dependencies = np.median(loads, axis=0).tolist()
    with tempfile.TemporaryDirectory() as cache:
        first, second = (
            json.loads(in_fresh_process(CALLS, NUMBA_CACHE_DIR=cache)) for _ in range(2)
        )
    return {
        "bare_import_to_sklearn": bare / sklearn,
        "help_to_sklearn": shown / sklearn,
        "import_seconds": ours,
        "import_seconds_of_dependencies": dependencies,
        "app_modules_added": added,
        "first_calls_seconds": sum(first[name] for name in WITH_TARGET),
        "first_calls_of_everything_seconds": sum(first.values()),
        "second_process_seconds": sum(second.values()),
        "compile_seconds": first,
    }


# Python imports a module of this name at its start, in the command and in all its workers.
LISTENER = """
import os, time
from numba.core import event

class Compiling(event.Listener):
    inside = []

    def on_start(self, event):
        self.inside.append([time.process_time(), 0.0])

    def on_end(self, event):
        start, callees = self.inside.pop()
        taken = time.process_time() - start
        if self.inside:
            self.inside[-1][1] += taken
        function = event.data["dispatcher"].py_func
        with open(os.environ["COMPILED"], "a") as file:
            print(f"{function.__module__}.{function.__name__}", taken - callees, file=file)

event.register("numba:compile", Compiling())
"""


def first_run(quick):
    """`backstay run` with an empty cache of compiled code, and again with what it left there.

    Seconds of the clock, of all processors together, and those of every compiled function without
    those that it calls.
    """
    rng, shape = np.random.default_rng(0), (40, 500) if quick else (77, 6854)
    X = rng.normal(size=shape)
    X[:, :40] += 0.9 * (np.arange(len(X)) % 2)[:, None]
    facts = {"table": list(shape)}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        frame = pd.DataFrame(X.round(4), columns=[f"g{j}" for j in range(shape[1])])
        frame.assign(diagnosis=np.arange(len(X)) % 2).to_csv(folder / "table.csv", index=False)
        (folder / "sitecustomize.py").write_text(LISTENER)
        path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
        for which in ("cold", "warm"):
            log = folder / which
            log.touch()
            given = {"NUMBA_CACHE_DIR": name, "COMPILED": str(log), "PYTHONPATH": path}
            command = [sys.executable, "-m", "backstay", "run", "table.csv", "-t", "diagnosis"]
            before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            subprocess.run(
                [*command, "-o", f"{which}-run", "-q"],
                cwd=folder,
                check=True,
                capture_output=True,
                env={**os.environ, **given},
            )
            facts[f"{which}_seconds"] = time.perf_counter() - start
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            facts[f"{which}_processor_seconds"] = spent
            compiled = Counter()
            for line in log.read_text().splitlines():
                function, taken = line.rsplit(maxsplit=1)
                compiled[function] += float(taken)
            facts[f"{which}_compiled"] = dict(compiled.most_common(20))
            facts[f"{which}_compile_seconds"] = sum(compiled.values())
    return facts


WORKLOADS = (
    Measurement(
        "first_run",
        "The first run after installation and the second, from a file to a report",
        first_run,
        (
            Target(
                "first run after installation over the second, seconds of the clock",
                lambda record: record["facts"]["cold_seconds"] / record["facts"]["warm_seconds"],
                at_most=1.5,
                unit="×",
            ),
        ),
    ),
    Measurement(
        "start",
        "A new process: import, and compiling on the first calls after installation",
        start,
        (
            Target(
                "first calls after installation: weighters, Relief family, Simba, k-NN",
                fact("first_calls_seconds"),
                at_most=20,
                unit="s",
            ),
            Target(
                "`import backstay`, as a share of `import sklearn`",
                fact("bare_import_to_sklearn"),
                at_most=0.1,
                unit="share",
            ),
            Target(
                "all of backstay imported",
                fact("import_seconds"),
                at_most=2,
                unit="s",
                why="most of it is scikit-learn, SciPy, pandas and numba, "
                "which the same run measured by themselves",
            ),
            Target(
                "modules of the app loaded by the import",
                lambda record: len(record["facts"]["app_modules_added"]),
                at_most=0,
                unit="",
            ),
        ),
    ),
)
