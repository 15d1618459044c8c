"""Running tasks on a dask cluster, through its client.

joblib's own way counts the workers once, at the start, and puts the data on one of them. Here the
data go to every worker, also later ones, and enough tasks wait for an adaptive cluster to grow.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

import sklearn
from joblib.parallel import get_active_backend

from backstay.store import TaskRecord
from backstay.study._protocols import Split

# Tasks that the scheduler knows of at a time.
MOST_WAITING = 1000
SECONDS_TO_JOIN = 20


class SchedulerLost(ConnectionError):
    """The scheduler of a cluster died or cannot be reached any more."""


def active_client() -> Any:
    """Return the dask client that joblib has been told to use; None if it has not."""
    backend, _ = get_active_backend()
    return getattr(backend, "client", None)


def records_from_cluster(client: Any, *work: Any) -> Iterator[TaskRecord]:
    """Run tasks on the workers and yield their records as they finish; `work` is of `_records`.

    Tasks of a worker that dies are run again by the scheduler.
    """
    address = getattr(client.scheduler, "address", "its address")  # none if it is lost already
    try:
        yield from _records(client, *work)
    except Exception as error:
        if client.status == "running":
            raise
        # Its futures are lost, even if it came back.
        raise SchedulerLost(
            f"the dask scheduler at {address} no longer answers. What was done is kept: start a "
            "scheduler and run the study again to go on."
        ) from error


def _records(
    client: Any,
    run_task: Callable[..., TaskRecord],
    inputs: Any,
    methods: dict[str, Any],
    splits: Mapping[int, Split],
    tasks: list[tuple[str, int]],
) -> Iterator[TaskRecord]:
    from distributed import as_completed

    _wait_for_a_worker(client)
    shared = client.scatter(inputs, broadcast=True, hash=False)
    config = sklearn.get_config()
    left, waiting = iter(tasks), set()
    finished = as_completed(with_results=True, raise_errors=False)

    def submit(n: int) -> None:
        for name, resample in islice(left, n):
            task = (shared, name, methods[name], resample, splits[resample])
            future = client.submit(_run, config, run_task, *task, pure=False)
            waiting.add(future)
            finished.add(future)

    try:
        submit(MOST_WAITING)
        for future, record in finished:
            if future.status != "finished":
                future.result()  # raises what went wrong
            waiting.discard(future)
            submit(1)
            yield record
    finally:
        if client.status == "running":
            client.cancel(list(waiting))


def _run(config: Mapping[str, Any], run_task: Callable[..., TaskRecord], *task: Any) -> TaskRecord:
    with sklearn.config_context(**config):
        return run_task(*task)


def _wait_for_a_worker(client: Any) -> None:
    """Wait until there is a worker; a cluster may start them only when there is work."""
    from distributed import wait

    work = client.submit(int, pure=False)  # next to nothing
    while not work.done():
        try:
            wait(work, timeout=SECONDS_TO_JOIN)
        except TimeoutError:
            warnings.warn(
                f"the cluster at {client.scheduler.address} has no workers yet; waiting for one.",
                RuntimeWarning,
                stacklevel=2,
            )
