"""How kernels are compiled: kept on disk, and by one process while the others wait for it.

Without taking turns, all workers of a study compile the same kernels at the same time.
"""

import contextlib
import os
from importlib import import_module
from importlib.util import find_spec

from numba import njit
from numba.core import event

# Windows has none; every process compiles by itself there.
fcntl = import_module("fcntl") if find_spec("fcntl") else None


def kernel(**options):
    """Compile a function when it is first called, and keep it on disk.

    Nobody calls kernels from C: without a wrapper for that they compile a sixth faster.
    """
    return njit(cache=True, nogil=True, no_cfunc_wrapper=True, **options)


class Turns(event.Listener):
    """Hold a lock on a kernel's file while it is compiled.

    The lock ends with its process. Files that cannot be locked are compiled without.
    """

    def __init__(self):
        self.held = {}  # file: its descriptor, and how many of its kernels are being compiled

    def on_start(self, event):
        """Wait until no other process compiles kernels of this file."""
        path = _file(event)
        if path in self.held:
            self.held[path][1] += 1
        elif path is not None:
            try:
                descriptor = os.open(path, os.O_RDONLY)
            except OSError:
                return
            self.held[path] = [descriptor, 1]
            with contextlib.suppress(OSError):  # such as on some network drives
                fcntl.flock(descriptor, fcntl.LOCK_EX)

    def on_end(self, event):
        """Let others go on."""
        path = _file(event)
        if path in self.held:
            self.held[path][1] -= 1
            if self.held[path][1] == 0:
                os.close(self.held.pop(path)[0])


def _file(event):
    function = event.data["dispatcher"].py_func
    ours = function.__module__.startswith("backstay._kernels")
    return function.__code__.co_filename if ours else None


if fcntl is not None:
    event.register("numba:compile", Turns())
