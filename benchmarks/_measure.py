"""Timing and memory, the same way for everyone."""

import os
import resource
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np


def medians(calls, repeats=5):
    """Median seconds of each call after one warm-up, taking turns so that drift hits all alike.

    `calls` maps names to functions; a pair (function, repeats) overrides the count.
    """
    plan = {
        name: call if isinstance(call, tuple) else (call, repeats) for name, call in calls.items()
    }
    times = {name: [] for name in plan}
    for call, count in plan.values():
        if count > 1:
            call()
    for turn in range(max(count for _, count in plan.values())):
        for name, (call, count) in plan.items():
            if turn < count:
                start = time.perf_counter()
                call()
                times[name].append(time.perf_counter() - start)
    return {name: float(np.median(taken)) for name, taken in times.items()}


def report(title, seconds, ours="backstay"):
    """Print how many times as long every peer takes."""
    print(f"\n{title}")
    for name, taken in seconds.items():
        ratio = "" if name == ours else f"{taken / seconds[ours]:10.1f} × ours"
        print(f"  {name:28s}{taken * 1e3:12.1f} ms{ratio}")


def in_fresh_process(code, **environment):
    """Run code in a process of its own and return what it printed."""
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    )
    return run.stdout.strip()


def resident_megabytes():
    """Resident memory of this process now."""
    with open("/proc/self/statm") as pages:
        return int(pages.read().split()[1]) * resource.getpagesize() / 2**20


def peak_extra_megabytes(call):
    """How far resident memory rises above its start while a call runs, sampled every ms."""
    start = peak = resident_megabytes()
    done = threading.Event()

    def watch():
        nonlocal peak
        while not done.wait(0.001):
            peak = max(peak, resident_megabytes())

    watcher = threading.Thread(target=watch)
    watcher.start()
    call()
    done.set()
    watcher.join()
    return peak - start


WEKA = Path("/usr/share/java/weka.jar")  # where Debian's package puts it


def has_weka():
    """Whether Weka can be run here."""
    return WEKA.exists() and shutil.which("java") is not None


def weka_call(X, y, folder, evaluator, *options):
    """Weka's command line on a table, with its start-up and its reading of the file."""
    path = Path(folder) / "table.arff"
    with path.open("w") as out:
        out.write("@relation r\n")
        out.writelines(f"@attribute x{j} numeric\n" for j in range(X.shape[1]))
        out.write("@attribute y {0,1}\n@data\n")
        out.writelines(
            ",".join(f"{v:.6f}" for v in row) + f",{c}\n" for row, c in zip(X, y, strict=True)
        )
    command = ["java", "-Xmx4g", "-cp", str(WEKA), f"weka.attributeSelection.{evaluator}"]
    command += ["-i", str(path), *options, "-s", "weka.attributeSelection.Ranker"]
    return lambda: subprocess.run(command, check=True, capture_output=True)
