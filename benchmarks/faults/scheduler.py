"""The scheduler of a cluster is killed while a study runs on it.

The command must end by itself with a sentence, or finish; run again without a cluster, its results
must be those of a study that never had one.
"""

import contextlib
import random
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

FAULT = "scheduler of a dask cluster killed at a random moment"
TRIALS = 12
BROKEN = {"traceback", "hangs", "other results", "other exit code"}
OPTIONS = [
    "-t",
    "kind",
    "-m",
    "t,relieff",
    "--repeats",
    "40",
    "--null",
    "0",
    "--sizes",
    "2,5",
    "-q",
]
SECONDS_TO_BEGIN, SECONDS_TO_END = 120, 60


def started(*command, log=subprocess.DEVNULL):
    return subprocess.Popen([sys.executable, "-m", *map(str, command)], stdout=log, stderr=log)


def wait_until(condition):
    end = time.monotonic() + SECONDS_TO_BEGIN
    while not condition():
        if time.monotonic() > end:
            raise SystemExit("scheduler: dask did not start.")
        time.sleep(0.05)


@contextlib.contextmanager
def cluster(folder):
    """Start a scheduler and two workers; all that is left of them is killed at the end."""
    where = folder / "scheduler.json"
    where.unlink(missing_ok=True)
    scheduler = started(
        "dask", "scheduler", "--port", 0, "--no-dashboard", "--scheduler-file", where
    )
    every = [scheduler]
    try:
        wait_until(where.exists)
        worker = ("dask", "worker", "--scheduler-file", where, "--nthreads", 1, "--no-nanny")
        every += [started(*worker, "--no-dashboard") for _ in range(2)]
        yield scheduler, where
    finally:
        for process in every:
            process.kill()
            process.wait()


@contextlib.contextmanager
def laboratory():
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 800)).round(3)).add_prefix("g")
    X["kind"] = np.resize(["a", "b"], 60)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = folder / "table.csv"
        X.to_csv(table, index=False)
        study = ["backstay", "run", table, *OPTIONS, "-o"]
        before = time.monotonic()
        started(*study, folder / "sound", "-j", 2).wait()
        seconds = time.monotonic() - before
        sound = (folder / "sound" / "features.csv").read_text()

        def trial(seed):
            out, said = folder / str(seed), folder / f"{seed}.log"
            with cluster(folder) as (scheduler, where), said.open("w") as log:
                command = started(*study, out, "--cluster", where, log=log)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    command.wait(random.Random(seed).uniform(0.2, 1.0) * seconds)
                scheduler.kill()
                killed = time.monotonic()
                try:
                    code = command.wait(SECONDS_TO_END)
                except subprocess.TimeoutExpired:
                    command.kill()
                    return f"hangs: {said.read_text()[-300:]}"
            took = time.monotonic() - killed
            text = said.read_text()
            if "Traceback" in text:
                return f"traceback: {text[-300:]}"
            if code not in (0, 2):
                return f"other exit code: {code}: {text[-300:]}"
            if again := started(*study, out, "-j", 2).wait():
                return f"other results: exit code {again}"
            if (out / "features.csv").read_text() != sound:
                return "other results"
            return "finished" if code == 0 else f"stopped: after {took:.1f} s"

        yield trial
