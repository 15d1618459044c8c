"""Running tasks through joblib, on processes, threads or a cluster, and the memory they need."""

from __future__ import annotations

import ctypes
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, nullcontext, suppress
from pathlib import Path
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from joblib.parallel import get_active_backend
from scipy import sparse
from sklearn.utils.parallel import Parallel, delayed

from backstay._leftovers import memory_maps_in_own_folder
from backstay._orphans import stops_held_back, uses_processes
from backstay._workers import parallel_options
from backstay.base import one_thread
from backstay.store import NUMBERS, Store, TaskRecord
from backstay.study._cluster import SchedulerLost, active_client, records_from_cluster
from backstay.study._protocols import Split
from backstay.study._task import OUT_OF_MEMORY, SharedInputs, run_task

# A worker may die (killed, out of memory, its machine gone). Its tasks are then run again, until
# so many attempts in a row finish none.
ATTEMPTS = 3
# A worker process with the libraries it loads.
WORKER_BYTES = 200e6
# Copies of the training rows that a task holds at once (taken from the table, scaled, in the
# method's own layout), and matrices of training rows × training rows. Tasks of t, relieff, mrmr-f
# and svm-rfe on 100 × 20,000, 400 × 20,000 and 3000 × 500 took 38 to 72, 129 to 206 and 30 to 82
# MB beyond their process; this says 43, 171 and 96.
COPIES, KERNELS = 4, 2
GIGABYTE = 1e9


class StudyError(RuntimeError):
    """A study could not be completed; what was done is kept in its store."""


def finished_tasks(
    inputs: SharedInputs,
    methods: dict[str, Any],
    splits: Mapping[int, Split],
    pending: list[tuple[str, int]],
    n_jobs: int | None,
) -> Generator[TaskRecord, None, None]:
    """Run the pending tasks (method, resample) and yield their records as they finish.

    Where a task finds too little memory, or a worker dies, which may be the system's answer to the
    same, what is left runs again with half as many tasks at a time. A task that finds too little
    memory alone has failed.
    """
    left = dict.fromkeys(pending)
    fruitless = 0
    while left:
        before = len(left)
        n_jobs = 1 if active_client() is not None else effective_n_jobs(n_jobs)
        try:
            for record in _attempt(inputs, methods, splits, list(left), n_jobs):
                if n_jobs > 1 and (record.error or "").startswith(OUT_OF_MEMORY):
                    continue
                del left[record.method, record.resample]
                yield record
            if left:
                n_jobs = max(n_jobs // 2, 1)
                _warn_again("tasks found too little memory", len(left), n_jobs)
        except (GeneratorExit, KeyboardInterrupt, SchedulerLost):
            raise
        except Exception as error:
            fruitless = 0 if len(left) < before else fruitless + 1
            if fruitless == ATTEMPTS:
                name, resample = next(iter(left))
                raise StudyError(
                    f"workers failed {ATTEMPTS} times in a row without finishing a task; "
                    f"{len(left)} tasks are left, the first of them {name!r} on resample "
                    f"{resample}. The last error was {type(error).__name__}: {error}"
                ) from error
            n_jobs = max(n_jobs // 2, 1)
            _warn_again(f"workers failed ({type(error).__name__})", len(left), n_jobs)


def _warn_again(why: str, n_left: int, n_jobs: int) -> None:
    tasks = "1 task left is" if n_left == 1 else f"{n_left} tasks left are"
    at_once = "" if active_client() is not None else f", {n_jobs} at a time"
    warnings.warn(f"{why}; the {tasks} started again{at_once}.", RuntimeWarning, stacklevel=3)


def _attempt(
    inputs: SharedInputs,
    methods: dict[str, Any],
    splits: Mapping[int, Split],
    tasks: list[tuple[str, int]],
    n_jobs: int | None,
) -> Iterator[TaskRecord]:
    client = active_client()
    if client is not None:
        yield from records_from_cluster(client, run_task, inputs, methods, splits, tasks)
        return
    call: Callable[..., Any] = delayed(run_task)
    backend, _ = get_active_backend()
    processes = uses_processes(backend) and effective_n_jobs(n_jobs) > 1
    parallel = Parallel(n_jobs=n_jobs, **parallel_options())
    with ExitStack() as held:
        # Threads of this process share one limit, held for the whole run.
        held.enter_context(one_thread())
        if processes:
            held.enter_context(memory_maps_in_own_folder())
            give_memory_back()
        held.enter_context(parallel)
        with stops_held_back() if processes else nullcontext():  # while workers are started
            running = parallel(
                call(inputs, name, methods[name], resample, splits[resample])
                for name, resample in tasks
            )
            held.callback(_close, running)
        for record in running:  # noqa: UP028 - yield from would close it first
            yield record


def give_memory_back() -> None:
    """Have the C library return what is free; after a wide table is read, that is 100 MB."""
    with suppress(AttributeError, OSError, TypeError):  # another one than Linux's
        ctypes.CDLL(None).malloc_trim(0)


def _close(running: Generator[TaskRecord, None, None]) -> None:
    """End the tasks that are left, without joblib's advice not to have started them."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "(?s).*limit unnecessary computation time", UserWarning)
        running.close()


def report_failures(store: Store, dataset: str) -> None:
    """Warn of tasks that failed; if all did, raise, as there are no results to return."""
    every = store.tasks(dataset)
    for kind, words in (
        ("splits", "tasks"),
        ("shuffled", "runs with shuffled outcomes"),
        ("parts", "runs on parts of the rows"),
    ):
        low, high = NUMBERS[kind]
        tasks = [task for task in every if low <= task["resample"] <= high]
        failed = [task for task in tasks if task["error"]]
        if not failed:
            continue
        first = failed[0]
        example = f"{first['method']!r} on resample {first['resample']}: {first['error']}"
        if kind == "splits" and len(failed) == len(tasks):
            raise StudyError(f"all {len(tasks)} tasks on {dataset!r} failed; {example}")
        more = ", see results.runs.errors()" if kind == "splits" else ""
        warnings.warn(
            f"{len(failed)} of {len(tasks)} {words} on {dataset!r} failed{more}; {example}",
            UserWarning,
            stacklevel=5,  # the caller of Study.run
        )


def bytes_of_task(X: Any, splits: dict[int, Split]) -> float:
    """Return about how much memory the largest task needs, its process included."""
    n_train = max((len(split.train) for split in splits.values()), default=0)
    cells = X.nnz / X.shape[0] if sparse.issparse(X) else X.shape[1]
    single = set(X.dtypes if hasattr(X, "dtypes") else [X.dtype]) == {np.dtype(np.float32)}
    return WORKER_BYTES + (4 if single else 8) * COPIES * n_train * cells + 8 * KERNELS * n_train**2


def bytes_free() -> float | None:
    """Return how much memory Linux, or the container or job, can still give; None elsewhere."""
    known = []
    with suppress(OSError, ValueError):
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                known.append(float(line.split()[1]) * 1024)
    with suppress(OSError, ValueError):  # no group, or one without a limit
        limit, used = (Path(f"/sys/fs/cgroup/memory.{of}").read_text() for of in ("max", "current"))
        known.append(max(float(limit) - float(used), 0.0))
    return min(known, default=None)


def warn_of_memory(X: Any, splits: dict[int, Split], n_jobs: int | None) -> None:
    """Warn if so many tasks at once probably need more memory than there is."""
    if active_client() is not None:  # on other machines
        return
    n_jobs, free, each = effective_n_jobs(n_jobs), bytes_free(), bytes_of_task(X, splits)
    if free is None or n_jobs * each <= free:
        return
    room = max(int(free // each), 1)
    fewer = f" Use --jobs {room} (n_jobs={room})." if room < n_jobs else ""
    tasks = f"{n_jobs} tasks at a time" if n_jobs > 1 else "a task"
    warnings.warn(
        f"{tasks} may need about {n_jobs * each / GIGABYTE:.1f} GB of memory, and "
        f"{free / GIGABYTE:.1f} GB are free.{fewer}",
        UserWarning,
        stacklevel=7,  # the caller of Study.run
    )
