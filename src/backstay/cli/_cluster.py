"""``--cluster``: where tasks run, if not in processes of this machine."""

from __future__ import annotations

import logging
import os
import re
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

from backstay._orphans import stops_held_back
from backstay.cli._guard import WrongUse

LOCAL = re.compile(r"local(?::([1-9][0-9]*))?$")
ADDRESS = re.compile(r"[a-z]+://[^\s/]+$")
SECONDS_TO_ANSWER = 20
LARGEST_GREETING = 2**20
# A terminal also sends Ctrl-C to local workers, which would answer with tracebacks. They must hear
# SIGTERM: with it, Python ends those that dask could not end, and waits for them.
UNHEARD = (signal.SIGINT,)


def check_cluster(cluster: str | None, jobs: int | None) -> None:
    """Refuse what is not the address of a cluster, before anything heavy is loaded."""
    if cluster is None:
        return
    if jobs is not None:
        raise WrongUse("--jobs is for this machine and --cluster for others; give one only.")
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
        from distributed import Client
    except ImportError as error:
        raise WrongUse('--cluster needs dask.distributed: pip install "backstay[dask]".') from error
    import joblib

    # What goes wrong is said in a sentence; dask's own log would add tracebacks.
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
    with ExitStack() as held:
        local = LOCAL.match(cluster)
        try:
            if local:
                held.enter_context(_local_cluster(int(local[1]) if local[1] else None))
            else:
                where = "scheduler_file" if cluster.endswith(".json") else "address"
                _check_dask_answers(cluster)
                client = Client(**{where: cluster}, timeout=SECONDS_TO_ANSWER)
                held.callback(_close, client)
        except (OSError, ValueError) as error:
            raise WrongUse(f"no dask scheduler answers at {cluster}: {error}") from error
        held.enter_context(joblib.parallel_config(backend="dask"))
        try:
            yield
        except ConnectionError as error:
            raise WrongUse(str(error)) from error


def _close(client: Any) -> None:
    """End the connection; if it is lost already, without waiting for it to come back."""
    with suppress(OSError):  # TimeoutError is one
        client.close(timeout=SECONDS_TO_ANSWER if client.status == "running" else 0.1)


def _check_dask_answers(cluster: str) -> None:
    """Refuse an address at which something else answers.

    dask would wait for it without an end, or take its first words for the size of a message. A
    scheduler begins with such a size, of a few hundred bytes.
    """
    at = urlsplit(cluster)
    if at.scheme != "tcp" or not at.port:
        return
    try:
        there = socket.create_connection((at.hostname, at.port), SECONDS_TO_ANSWER)
    except OSError:  # nobody is there yet; dask tries again
        return
    with there:
        try:
            there.sendall(b"\r\n\r\n")  # has others answer; it is too short for a scheduler
            first = there.recv(8)
        except OSError:
            first = b""
    if len(first) < 8 or int.from_bytes(first, "little") > LARGEST_GREETING:
        raise WrongUse(f"no dask scheduler answers at {cluster}: another program does.")


@contextmanager
def _local_cluster(n_workers: int | None) -> Iterator[None]:
    """Start workers on this machine, and end them; a stop waits until that is done.

    dask can neither end nor forget a cluster with only half of its workers started.
    """
    from distributed import Client, LocalCluster

    opened: list[Any] = []
    try:
        with stops_held_back(UNHEARD):
            server = LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                dashboard_address=None,
                # dask opens a port even without a page: any free one, so clusters do not clash.
                scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
                silence_logs=logging.CRITICAL,
            )
            opened += [server, Client(server)]
        yield
    finally:
        with stops_held_back(UNHEARD):
            for one in opened:  # the server first: while it works it would miss its client, loudly
                one.close()
