"""Running tasks through joblib, on processes, threads or a cluster."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, nullcontext
from typing import Any

from joblib import effective_n_jobs
from joblib.parallel import get_active_backend
from sklearn.utils.parallel import Parallel, delayed

from backstay._orphans import stops_held_back, uses_processes, worker_options
from backstay.base import one_thread
from backstay.store import NUMBERS, Store, TaskRecord
from backstay.study._cluster import SchedulerLost, active_client, records_from_cluster
from backstay.study._leftovers import memory_maps_in_own_folder
from backstay.study._protocols import Split
from backstay.study._task import OUT_OF_MEMORY, SharedInputs, run_task

# Arrays above this many bytes reach worker processes as a memory map, once for all tasks.
SHARED_BYTES = 100_000
# A worker may die (killed, out of memory, its machine gone). Its tasks are then run again, until
# so many attempts in a row finish none.
ATTEMPTS = 3


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
    parallel = Parallel(
        n_jobs=n_jobs,
        return_as="generator_unordered",
        max_nbytes=SHARED_BYTES,
        # More than fit into loky's queue would make it print a traceback when it is stopped.
        pre_dispatch="2*n_jobs",
        **worker_options(backend),
    )
    with ExitStack() as held:
        # Threads of this process share one limit, held for the whole run.
        held.enter_context(one_thread())
        if processes:
            held.enter_context(memory_maps_in_own_folder())
        held.enter_context(parallel)
        with stops_held_back() if processes else nullcontext():  # while workers are started
            running = parallel(
                call(inputs, name, methods[name], resample, splits[resample])
                for name, resample in tasks
            )
            held.callback(_close, running)
        for record in running:  # noqa: UP028 - yield from would close it first
            yield record


def _close(running: Generator[TaskRecord, None, None]) -> None:
    """End the tasks that are left, without joblib's advice not to have started them."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*limit unnecessary computation time", UserWarning)
        running.close()


def report_failures(store: Store, dataset: str) -> None:
    """Warn of tasks that failed; if all did, raise, as there are no results to return."""
    every = store.tasks(dataset)
    tasks = [task for task in every if task["resample"] >= 0]
    failed = [task for task in tasks if task["error"]]
    if failed:
        first = failed[0]
        example = f"{first['method']!r} on resample {first['resample']}: {first['error']}"
        if len(failed) == len(tasks):
            raise StudyError(f"all {len(tasks)} tasks on {dataset!r} failed; {example}")
        _warn(
            f"{len(failed)} of {len(tasks)} tasks on {dataset!r} failed, "
            f"see results.runs.errors(); {example}"
        )
    for words, (lowest, highest) in (
        ("with shuffled outcomes", NUMBERS["shuffled"]),
        ("on parts of the rows", NUMBERS["parts"]),
    ):
        runs = [task for task in every if lowest <= task["resample"] <= highest]
        if failed := [task for task in runs if task["error"]]:
            _warn(
                f"{len(failed)} of {len(runs)} runs {words} on {dataset!r} failed; "
                f"{failed[0]['method']!r}: {failed[0]['error']}"
            )


def _warn(message: str) -> None:
    warnings.warn(message, UserWarning, stacklevel=6)  # the caller of Study.run
