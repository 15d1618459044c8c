"""Timing and memory, the same way for everyone."""

import ctypes
import os
import platform
import resource
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path

import numpy as np

# How often a call is timed after a warm-up, by how long the warm-up took. The slowest are
# timed once and cold: the warm-up is the measurement.
ONCE_ABOVE = 5.0
THRICE_ABOVE = 1.5
OFTEN_BELOW = 0.03


def n_cores():
    """Cores this process may use."""
    return len(os.sched_getaffinity(0))


@contextmanager
def threads(count):
    """Hold BLAS, OpenMP and numba to a number of threads."""
    import numba
    from threadpoolctl import threadpool_limits

    before = numba.get_num_threads()
    numba.set_num_threads(min(count, numba.config.NUMBA_NUM_THREADS))
    try:
        with threadpool_limits(limits=count):
            yield
    finally:
        numba.set_num_threads(before)


def seconds_of(call):
    """Seconds a call takes, and what it returns."""
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def repeats_after(warm_up):
    """How many more times a call is timed; 0 if its first run is the measurement."""
    if warm_up > ONCE_ABOVE:
        return 0
    if warm_up > THRICE_ABOVE:
        return 3
    return 5 if warm_up > OFTEN_BELOW else 15


def take_turns(calls, counts):
    """Time calls in turns, so that drift affects all of them alike; all seconds by name."""
    times = {name: [] for name in calls}
    for turn in range(max(counts.values(), default=0)):
        for name, call in calls.items():
            if turn < counts[name]:
                times[name].append(seconds_of(call)[0])
    return times


def median_seconds(call, repeats=5, warm_up=True):
    """Median seconds of a single call, after a warm-up unless told otherwise."""
    if warm_up:
        call()
    return float(np.median([seconds_of(call)[0] for _ in range(repeats)]))


def in_fresh_process(code, *arguments, **environment):
    """Run code in a process of its own and return what it printed."""
    run = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
    if run.returncode:
        raise RuntimeError(f"a fresh process failed:\n{run.stderr[-2000:]}")
    return run.stdout.strip()


def resident_megabytes():
    """Resident memory of this process now."""
    with open("/proc/self/statm") as pages:
        return int(pages.read().split()[1]) * resource.getpagesize() / 2**20


def peak_megabytes():
    """Largest resident memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def trim():
    """Give freed memory back to the system, so that reusing it counts as new memory."""
    ctypes.CDLL(None).malloc_trim(0)


def peak_extra_megabytes(call, every=0.001):
    """How far resident memory rises above its start while a call runs, and its result."""
    trim()
    start = peak = resident_megabytes()
    done = threading.Event()

    def watch():
        nonlocal peak
        while not done.wait(every):
            peak = max(peak, resident_megabytes())

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        result = call()
    finally:
        done.set()
        watcher.join()
    return max(peak, resident_megabytes()) - start, result


def _cpu():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.machine()


def _system():
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        return platform.system()


PACKAGES = (
    *("backstay", "numpy", "scipy", "scikit-learn", "numba", "joblib", "pandas", "fast-select"),
    *("skrebate", "skfeature-chappers", "Orange3", "mlxtend", "ITMO_FS", "pyensemblefs"),
    *("scikit-survival", "lifelines"),
)


def versions():
    """Versions of what is installed here, of all that may be compared."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def machine():
    """What this machine is, without its name."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "cpu": _cpu(),
        "cores": n_cores(),
        "memory_gb": round(memory, 1),
        "system": _system(),
        "kernel": platform.release().split("-")[0],
        "python": platform.python_version(),
        "versions": versions(),
    }
