"""A study gets too little memory (a limit on its address space); nothing wrong may be kept.

It must finish, or stop or fail with sentences only. Run again without the limit and with
--retry-failed, it must be as if there had never been one.
"""

import contextlib
import random
import resource
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

FAULT = "too little memory for a study (RLIMIT_AS), then run again without the limit"
TRIALS = 12
BROKEN = {"traceback", "other results"}
OPTIONS = [
    "-t",
    "kind",
    "-m",
    "t,relieff,svm-rfe",
    "--repeats",
    "4",
    "--null",
    "0",
    "-j",
    "2",
    "-q",
]
MEGABYTE = 2**20


def study(table, out, limit=None, *more):
    """Run a study in a process of its own, which may have so many bytes of address space."""

    def limited():
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    command = [sys.executable, "-m", "backstay", "run", table, *OPTIONS, "-o", out, *more]
    return subprocess.run(command, capture_output=True, text=True, preexec_fn=limited, timeout=900)


@contextlib.contextmanager
def laboratory():
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(120, 4000)).round(3)).add_prefix("g")
    X["kind"] = np.resize(["a", "b"], 120)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        X.to_csv(folder / "table.csv", index=False)
        study(folder / "table.csv", folder / "sound").check_returncode()
        sound = results(folder / "sound")

        def trial(seed):
            limit = random.Random(seed).randrange(600, 3000) * MEGABYTE
            out = folder / str(seed)
            first = study(folder / "table.csv", out, limit)
            if "Traceback" in first.stderr:
                return f"traceback: {limit // MEGABYTE} MB: {first.stderr[-300:]}"
            again = study(folder / "table.csv", out, None, "--retry-failed")
            if again.returncode or results(out) != sound:
                return f"other results: {limit // MEGABYTE} MB: {again.stderr[-300:]}"
            if first.returncode == 0:
                return "tasks failed" if "failed" in first.stderr else "finished"
            return "stopped"

        yield trial


def results(folder):
    """Return what a study found: its features with their figures, whatever time it took."""
    return (folder / "features.csv").read_text()
