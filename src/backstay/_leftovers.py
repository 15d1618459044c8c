"""A study that was killed leaves no temporary files behind.

Its workers end with it, and joblib's tracker then removes its files. If that was killed, too, they
lie in a folder that the next study can tell is nobody's any more.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows, where an open file cannot be removed anyway
    fcntl = None  # type: ignore[assignment]

PREFIX = "backstay-"
# Below so many bytes joblib prefers the disk to shared memory.
SHARED_MEMORY, ENOUGH_SHARED = Path("/dev/shm"), 2e9


@contextlib.contextmanager
def memory_maps_in_own_folder() -> Iterator[None]:
    """Have joblib put memory maps into this process's folder, unless it is told where to."""
    folder = own_folder(os.getpid())
    with contextlib.nullcontext() if folder is None else _variable("JOBLIB_TEMP_FOLDER", folder):
        yield


@contextlib.contextmanager
def _variable(name: str, value: object) -> Iterator[None]:
    """Set a variable of the environment for a while."""
    before = os.environ.get(name)
    os.environ[name] = str(value)
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


@cache
def own_folder(pid: int) -> Path | None:
    """Make this process's folder, locked while it lives; remove those of dead processes."""
    if fcntl is None:
        return None
    root = _temporary_root()
    try:
        remove_leftovers(root)
        folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{pid}-", dir=root))
        lock = os.open(folder / "lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # no such folder, or no locks on it: joblib then finds its own place
        return None
    # joblib's tracker outlives a process that is killed, and removes what is registered with it.
    from joblib.externals.loky.backend import resource_tracker

    # A study that is stopped may have removed a folder before it: nobody needs to hear of that.
    with _variable("PYTHONWARNINGS", "ignore"):  # this starts the tracker
        resource_tracker.register(str(folder), "folder")

    def remove() -> None:
        if os.getpid() == pid:  # not in a fork
            shutil.rmtree(folder, ignore_errors=True)
            resource_tracker.unregister(str(folder), "folder")

    atexit.register(remove)
    return folder


def _temporary_root() -> Path:
    """Return where joblib would put memory maps."""
    given = os.environ.get("JOBLIB_TEMP_FOLDER")
    if given is not None:
        return Path(given)
    with contextlib.suppress(OSError):
        room = os.statvfs(SHARED_MEMORY)
        if room.f_bsize * room.f_bavail > ENOUGH_SHARED and os.access(SHARED_MEMORY, os.W_OK):
            return SHARED_MEMORY
    return Path(tempfile.gettempdir())


def remove_leftovers(root: Path) -> None:
    """Remove the folders of studies that were killed together with their tracker."""
    for folder in root.glob(f"{PREFIX}[0-9]*-*"):
        try:
            lock = os.open(folder / "lock", os.O_RDWR | os.O_CLOEXEC)
        except OSError:  # just being made, another user's, or no folder of ours
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:  # in use
            continue
        else:
            shutil.rmtree(folder, ignore_errors=True)
            _remove_semaphores(int(folder.name.split("-")[1]))
        finally:
            os.close(lock)


def _remove_semaphores(pid: int) -> None:
    """Remove the names of loky's semaphores, which Linux shows as files, of a dead process."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        for name in SHARED_MEMORY.glob(f"sem.loky-{pid}-*"):
            with contextlib.suppress(OSError):  # another user's
                name.unlink()
    except OSError:  # another user's process by now
        return
