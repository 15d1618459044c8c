"""Large problems in processes of their own: seconds and peak memory, input included."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

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


# The whole command on a table so wide, or so tall, that it must not be copied. Memory is that of
# the command and its workers together, each page counted once.
COMMAND = """
import json, sqlite3, subprocess, sys, time
from pathlib import Path
import numpy as np
n, d, repeats, folder = *map(int, sys.argv[1:4]), Path(sys.argv[4])
rng = np.random.default_rng(0)
X = np.empty((n, d), dtype=np.float32)
for row in X:
    row[:] = rng.random(d, dtype=np.float32)
y = np.arange(n) % 2
X[y == 1, :50] += 0.3
np.savez(folder / "table.npz", X=X, y=y)
del X
command = [sys.executable, "-m", "backstay", "run", folder / "table.npz", "-o", folder / "out"]
command += "--methods t,relieff,svm-rfe --null 0 --jobs 2 --quiet --repeats".split()

def family(pid):
    pids = [pid]
    for one in pids:
        for children in Path(f"/proc/{one}/task").glob("*/children"):
            pids += map(int, children.read_text().split())
    return pids

def megabytes(pid):
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:  # it has ended
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1000

start, peak = time.perf_counter(), 0
running = subprocess.Popen([*map(str, command), str(repeats)], stdout=subprocess.DEVNULL)
while running.poll() is None:
    try:
        peak = max(peak, sum(map(megabytes, family(running.pid))))
    except OSError:
        pass
    time.sleep(0.2)
assert running.returncode == 0
taken = time.perf_counter() - start
path = folder / "out" / "study.db"
store = path.stat().st_size / 1e6
with sqlite3.connect(path) as database:  # what is there once, however many runs
    once = "SELECT sum(length(data)) FROM arrays WHERE owner LIKE 'dataset %'"
    fixed = database.execute(once).fetchone()[0] / 1e6
    fixed += database.execute("SELECT sum(length(facts)) FROM datasets").fetchone()[0] / 1e6
    tasks = database.execute("SELECT count(*) FROM tasks").fetchone()[0]
facts = {"seconds": taken, "all_mb": peak, "store_mb": store, "store_once_mb": fixed}
facts |= {"rows": n, "features": d, "splits": repeats, "tasks": tasks}
print(json.dumps(facts))
"""


def whole_command(quick, n, d, repeats):
    """Run the command once on a table of single precision."""
    shape = (40, d // 100) if d > n else (n // 100, 100)
    with TemporaryDirectory() as folder:
        n, d = shape if quick else (n, d)
        return json.loads(in_fresh_process(COMMAND, n, d, repeats, Path(folder)))


def command(name, n, d, repeats, targets):
    said = f"backstay run on {n:,} × {d:,}"
    return Measurement(
        name,
        f"{said}, three methods, {repeats} splits, in a process of its own",
        whole_command,
        tuple(Target(f"{said}, {what}", quantity, **how) for what, quantity, how in targets),
        arguments={"n": n, "d": d, "repeats": repeats},
    )


def store_of(n_runs):
    """Megabytes of a store of three methods after some runs: what is stored once, and tasks."""

    def megabytes(record):
        once, tasks = fact("store_once_mb")(record), fact("tasks")(record)
        return once + 3 * n_runs * (fact("store_mb")(record) - once) / tasks

    return megabytes


IN_ALL = ("memory of all processes", fact("all_mb"), {"at_most": 4000, "unit": "MB"})
# 20 splits and 20 permutations of the labels in pairs are 60 runs.
RUNS = 60
WIDE = (IN_ALL, (f"store of {RUNS} runs", store_of(RUNS), {"at_most": 500, "unit": "MB"}))
TALL = (IN_ALL,)

WORKLOADS = (
    command("wide_command", 400, 850_000, 2, WIDE),
    command("tall_command", 20_000, 2000, 2, TALL),
    measurement("relieff", "ReliefF(n_draws=2000) on 100,000 × 100", 100_000, 100),
    measurement("svm_rfe", "SVM-RFE on 200 × 100,000", 200, 100_000),
)
