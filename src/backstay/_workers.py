"""Worker processes: one set for a whole command, started before there is work for them."""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from typing import Any

from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend

from backstay._leftovers import memory_maps_in_own_folder
from backstay._orphans import stops_held_back, uses_processes, worker_options

# Arrays above this many bytes reach worker processes as a memory map, once for all tasks.
SHARED_BYTES = 100_000


def parallel_options() -> dict[str, Any]:
    """Return the options of ``Parallel``; with others joblib starts new workers."""
    return {
        "return_as": "generator_unordered",
        "max_nbytes": SHARED_BYTES,
        # More than fit into loky's queue would make it print a traceback when it is stopped.
        "pre_dispatch": "2*n_jobs",
        **worker_options(get_active_backend()[0]),
    }


@contextmanager
def workers_at_hand(n_jobs: int | None) -> Iterator[None]:
    """Have workers load what tasks need meanwhile, such as while a table is read."""
    if effective_n_jobs(n_jobs) == 1 or not uses_processes(get_active_backend()[0]):
        yield
        return
    with ExitStack() as held:
        with memory_maps_in_own_folder(), stops_held_back():
            parallel = Parallel(n_jobs=n_jobs, **parallel_options())
            rarely = gc.get_threshold()  # as the command looks for garbage
            loading = parallel(delayed(_load)(*rarely) for _ in range(effective_n_jobs(n_jobs)))
            held.callback(_wait_for, loading)
        yield


def _wait_for(loading: Generator[Any, None, None]) -> None:
    """Wait: workers that are ended while they load leave tracebacks behind."""
    with suppress(Exception):  # tasks will show what could not load
        deque(loading, maxlen=0)


def _load(*threshold: int) -> None:
    gc.set_threshold(*threshold)
    for name in ("feature_weighting", "study._task"):
        import_module(f"backstay.{name}")
