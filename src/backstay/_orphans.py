"""A worker process ends with its parent.

Apart from the rest because it is the first thing that a worker imports: until it has run, nothing
would end the worker, and the rest takes seconds to import.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import threading
import time

PR_SET_PDEATHSIG = 1
SECONDS_BETWEEN_LOOKS = 1.0


def end_with_parent(parent: int, by_signal: bool) -> None:
    """In a worker process: see to it that it ends when its parent does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if not (by_signal and _end_by_signal()):
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    if os.getppid() != parent:  # it has gone already
        os._exit(1)


def _end_by_signal() -> bool:
    """Ask Linux to kill this process with its parent; return False where that cannot be had."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        return ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL) == 0
    except (OSError, AttributeError):
        return False


def _watch(parent: int) -> None:
    if sys.platform == "win32":
        import _winapi

        synchronize, forever = 0x00100000, 0xFFFFFFFF
        with contextlib.suppress(OSError):  # it has gone already
            _winapi.WaitForSingleObject(_winapi.OpenProcess(synchronize, False, parent), forever)
    else:
        while os.getppid() == parent:
            time.sleep(SECONDS_BETWEEN_LOOKS)
    os._exit(1)
