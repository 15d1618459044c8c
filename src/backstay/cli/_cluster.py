"""``--cluster``: where tasks run, if not in processes of this machine."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from backstay.cli._guard import WrongUse

LOCAL = re.compile(r"local(?::([1-9][0-9]*))?$")
ADDRESS = re.compile(r"[a-z]+://[^\s/]+$")
SECONDS_TO_ANSWER = 20


def check_cluster(cluster: str | None, jobs: int | None) -> None:
    """Refuse what is no address of a cluster, before anything heavy is loaded."""
    if cluster is None:
        return
    if jobs is not None:
        raise WrongUse("--jobs is for this machine and --cluster for others; give one of them.")
    if not (LOCAL.match(cluster) or ADDRESS.match(cluster) or cluster.endswith(".json")):
        raise WrongUse(
            f"--cluster {cluster} must be the address of a dask scheduler, such as "
            "tcp://host:8786, its scheduler file, such as scheduler.json, or local:4."
        )
    if cluster.endswith(".json") and not os.path.isfile(cluster):
        raise WrongUse(f"--cluster {cluster}: there is no such scheduler file.")


@contextmanager
def connected(cluster: str | None) -> Iterator[None]:
    """Run what is inside on a cluster, if one is named."""
    if cluster is None:
        yield
        return
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise WrongUse('--cluster needs dask.distributed: pip install "backstay[dask]".') from error
    import joblib

    with ExitStack() as held:
        local = LOCAL.match(cluster)
        try:
            if local:
                n_workers = int(local[1]) if local[1] else None
                server = LocalCluster(
                    n_workers=n_workers,
                    threads_per_worker=1,
                    dashboard_address=None,
                    silence_logs=logging.CRITICAL,
                )
                client = Client(held.enter_context(server))
            elif cluster.endswith(".json"):
                client = Client(scheduler_file=cluster, timeout=SECONDS_TO_ANSWER)
            else:
                client = Client(cluster, timeout=SECONDS_TO_ANSWER)
        except (OSError, ValueError) as error:
            raise WrongUse(f"no dask scheduler answers at {cluster}: {error}") from error
        held.enter_context(client)
        held.enter_context(joblib.parallel_config(backend="dask"))
        yield
