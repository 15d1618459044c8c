"""A worker process ends with its parent, and only the parent reacts to Ctrl-C.

Workers of joblib's loky do not watch their parent: if it is killed, they wait for tasks that never
come, and keep alive the trackers that would remove its files.

This is a module of its own because it is the first thing that a worker imports: until it has run,
nothing would end the worker, and other modules take seconds to import.
"""

import contextlib
import ctypes
import inspect
import os
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from typing import Any

PR_SET_PDEATHSIG = 1
SECONDS_BETWEEN_LOOKS = 1.0
# Signals that stop a study. It ends its workers itself, so they need not receive them.
STOPS = (signal.SIGINT, signal.SIGTERM)


def worker_options(backend: Any) -> dict[str, Any]:
    """Return what joblib needs so that worker processes end with this one."""
    from joblib import Parallel

    parameters = inspect.signature(Parallel).parameters.values()
    if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return {}  # joblib passes options on to its workers from version 1.5 on
    own = getattr(backend, "backend_kwargs", {})
    if not uses_processes(backend) or own.get("initializer") is not None:
        return {}
    # Linux signals a process when the *thread* that started it ends.
    by_signal = threading.current_thread() is threading.main_thread()
    return {"initializer": end_with_parent, "initargs": (os.getpid(), by_signal)}


def uses_processes(backend: Any) -> bool:
    """Return whether tasks run in loky's processes on this machine."""
    from joblib.parallel import BACKENDS

    return isinstance(backend, BACKENDS["loky"])


@contextlib.contextmanager
def stops_held_back(unheard: Iterable[signal.Signals] = STOPS) -> Iterator[None]:
    """Delay Ctrl-C and SIGTERM; processes started meanwhile never receive the `unheard` signals.

    A terminal sends Ctrl-C to every process of a command. Without this, each worker that is still
    starting would print a traceback.
    """
    with _handlers_held_back():
        if not hasattr(signal, "pthread_sigmask"):
            yield
            return
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()  # starting it would change the mask
        before = signal.pthread_sigmask(signal.SIG_BLOCK, unheard)  # processes inherit the mask
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def _handlers_held_back() -> Iterator[None]:
    """Note the signals that have a handler, and raise them at the end.

    The mask alone does not hold them back: another thread of this process may receive them.
    """
    if threading.current_thread() is not threading.main_thread():  # only this one sets handlers
        yield
        return
    received: list[int] = []
    before = {number: signal.getsignal(number) for number in STOPS}
    handled = {which: handler for which, handler in before.items() if callable(handler)}
    for which in handled:
        signal.signal(which, lambda number, frame: received.append(number))
    try:
        yield
    finally:
        for which, handler in handled.items():
            signal.signal(which, handler)
        for number in received:
            signal.raise_signal(number)


def end_with_parent(parent: int, by_signal: bool) -> None:
    """Make this worker process end when its parent does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    linux = sys.platform.startswith("linux")
    if not (by_signal and linux and ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL) == 0):
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    if os.getppid() != parent:  # the parent is gone already
        os._exit(1)


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(SECONDS_BETWEEN_LOOKS)
    os._exit(1)
