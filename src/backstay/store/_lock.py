"""One running study per store: a lock that dies with its process."""

import contextlib
import os
import sqlite3
from pathlib import Path


class Lock:
    """An exclusive SQLite transaction on a file beside the store.

    The store itself cannot be locked for the whole run, because results may be
    read while it goes on. The operating system ends the lock with the process,
    however it dies, so there are no stale ones; a file left behind is harmless.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection: sqlite3.Connection | None = None

    def acquire(self) -> bool:
        """Take the lock, or return False if another process has it."""
        while True:
            connection = sqlite3.connect(self.path, timeout=0.0, isolation_level=None)
            try:
                connection.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError as error:
                connection.close()
                if "locked" in str(error):
                    return False
                raise
            # The owner before us may have removed the file between our opening and locking it.
            if self._is_current():
                self._connection = connection
                return True
            connection.close()

    def _is_current(self) -> bool:
        """Whether the file at our path is locked, and so the one that we hold."""
        probe = sqlite3.connect(self.path, timeout=0.0, isolation_level=None)
        try:
            probe.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            return True
        finally:
            probe.close()
        return False

    def release(self) -> None:
        """Give the lock back and remove its file."""
        if self._connection is None:
            return
        with contextlib.suppress(OSError):  # Windows keeps open files
            os.unlink(self.path)
        self._connection.close()
        self._connection = None
