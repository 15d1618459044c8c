"""The file of a store: opened, locked, checked, and written in whole transactions.

Every row of every table has a checksum in the table ``sums``, so that damage is noticed when the
file is opened. Nothing in it is ever executed or unpickled: a stranger's store is safe to open.
"""

import contextlib
import json
import os
import sqlite3
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from backstay._files import create_private

APPLICATION = 0x6261636B  # "back"
FORMAT = 4
LOCK_SECONDS = 5.0
# A committed task survives the death of the process at any moment. Waiting for the disk with
# every task took 1 to 13 ms of each (benchmarks/bench_study.py, docs/reliability.md), which is much
# of a short one; waiting once in so many seconds takes 1 % at most, and no more than these seconds
# are lost when the machine itself dies.
SECONDS_BETWEEN_SYNCS = 2.0
HEADER = b"SQLite format 3\0"

SCHEMA = """
CREATE TABLE study (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE datasets (name TEXT PRIMARY KEY, facts TEXT NOT NULL);
CREATE TABLE tasks (
    id INTEGER PRIMARY KEY,
    dataset TEXT NOT NULL REFERENCES datasets (name),
    method TEXT NOT NULL,
    resample INTEGER NOT NULL,
    stage TEXT NOT NULL,
    error TEXT,
    seconds TEXT NOT NULL,
    UNIQUE (dataset, method, resample)
);
CREATE TABLE arrays (
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    dtype TEXT NOT NULL,
    shape TEXT NOT NULL,
    checksum INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (owner, name)
);
CREATE TABLE sums (
    source TEXT NOT NULL,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (source, owner, name)
) WITHOUT ROWID;
"""
STATEMENTS = SCHEMA.strip().removesuffix(";").split(";\n")
# What the checksum of a row covers, and the two columns that name the row. The bytes of an array
# have a checksum of their own, which is covered here.
COVERED = {
    "study": "key, value",
    "datasets": "name, facts",
    "tasks": "id, dataset, method, resample, stage, error, seconds",
    "arrays": "owner, name, dtype, shape, checksum",
}
NAMED_BY = {
    "study": ("study.key", "''"),
    "datasets": ("datasets.name", "''"),
    "tasks": ("CAST(tasks.id AS TEXT)", "''"),
    "arrays": ("arrays.owner", "arrays.name"),
}
# How a message names a row.
ENTRIES = {
    "study": "the entry {0!r}",
    "datasets": "the description of data set {0!r}",
    "tasks": "the record of task {0}",
    "arrays": "array {1!r} of {0}",
}


class StoreError(RuntimeError):
    """A store cannot be used: damaged, locked, of another study, or no store at all."""


class Lock:
    """One running study per store: an exclusive SQLite transaction on a file beside the store.

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


class StoreFile:
    """An open file of a store, or (``path=None``) the same in memory.

    Errors call it by `name`, where that is not the path: a draft is named after what it will be.
    A new file that is `private` can be read by its owner only. One in which rows are missing is
    refused, unless it may be `incomplete`. Rows are compared with their checksums on opening.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        *,
        write: bool = True,
        name: str | None = None,
        private: bool = True,
        incomplete: bool = False,
    ) -> None:
        self.path = None if path is None else Path(path)
        self.name = name or ("the store in memory" if self.path is None else str(self.path))
        self._lock: Lock | None = None
        self._place: tuple[int, int] | None = None
        self._synced = -SECONDS_BETWEEN_SYNCS
        if self.path is not None:
            self._check_file(write)
        try:
            with self._explained():
                if write and self.path is not None:
                    self._lock = Lock(self.path.with_name(self.path.name + "-lock"))
                    if not self._lock.acquire():
                        raise StoreError(f"{self.name} is in use by another running study.")
                    if private and not self.path.exists():
                        create_private(self.path)
                self._connection = self._connect(write)
                self._prepare(write)
            if not incomplete:
                self._check_rows()
            self._place = self._where()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; another study may then use it."""
        if hasattr(self, "_connection"):
            self._connection.close()
        if self._lock is not None:
            self._lock.release()

    def __del__(self) -> None:
        self.close()

    def finish(self) -> None:
        """End writing: the file can still be read, and another study may write to it."""
        with self._explained():
            # All that was written comes into the one file, unless somebody is reading it.
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            self._connection.execute("PRAGMA query_only = ON")
        if self._lock is not None:
            self._lock.release()

    def gather(self) -> None:
        """Bring all into the one file; closing does, too, but says nothing if there is no room."""
        with self._explained():
            (busy, *_) = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise StoreError(f"{self.name} is locked by another program.")

    # Opening.

    def _check_file(self, write: bool) -> None:
        """Refuse what is not an SQLite file before SQLite could touch it."""
        assert self.path is not None
        if not self.path.exists():
            if not write:
                raise FileNotFoundError(f"there is no store {self.name}.")
            if not self.path.parent.is_dir():
                raise FileNotFoundError(f"store={self.name!r}: its folder does not exist.")
            return
        if not self.path.is_file():
            raise StoreError(f"{self.name} is not a file, as a store is.")
        with self.path.open("rb") as file:
            start = file.read(len(HEADER))
        # An empty file is what is left of a store killed before its first write.
        if start not in (b"", HEADER) or (start == b"" and not write):
            raise StoreError(f"{self.name} is not a study's store; it was left as it is.")

    def _connect(self, write: bool) -> sqlite3.Connection:
        if self.path is None:
            return sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        mode = "rwc" if write else "rw"  # a reader too tidies up after a killed writer
        if not write and not os.access(self.path.parent, os.W_OK):
            mode = "ro&immutable=1"  # nothing can be written beside the file, nobody writes it
        return sqlite3.connect(
            f"{self.path.resolve().as_uri()}?mode={mode}",
            uri=True,
            timeout=LOCK_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )

    def _prepare(self, write: bool) -> None:
        run = self._connection.execute
        run("PRAGMA trusted_schema = OFF")
        if not write:
            run("PRAGMA query_only = ON")
        tables = {row[0] for row in run("SELECT name FROM sqlite_master WHERE type = 'table'")}
        (application,) = run("PRAGMA application_id").fetchone()
        if not tables and application == 0 and write:
            if self.path is not None:
                run("PRAGMA journal_mode = WAL")
            with self._transaction():
                for statement in STATEMENTS:
                    run(statement)
                run(f"PRAGMA application_id = {APPLICATION}")
                run(f"PRAGMA user_version = {FORMAT}")
        elif application != APPLICATION:
            raise StoreError(f"{self.name} is not a study's store; it was left as it is.")
        (number,) = run("PRAGMA user_version").fetchone()
        if number != FORMAT:
            raise StoreError(
                f"{self.name} has format {number}; this version of backstay reads format {FORMAT}."
                + (" Update backstay." if number > FORMAT else "")
            )
        (verdict,) = run("PRAGMA integrity_check(1)").fetchone()
        if verdict != "ok":
            raise self.damaged(" ".join(str(verdict).split()))

    def _check_rows(self) -> None:
        """Refuse a store in which rows are missing, changed, renamed or added."""
        with self.snapshot():
            found = StoreFile.problems(self)
        if found:
            more = f", and {len(found) - 1} more like this" if len(found) > 1 else ""
            raise self.damaged(f"{found[0]}{more}")

    def _where(self) -> tuple[int, int] | None:
        """Return what tells the file from any other that may take its place."""
        if self.path is None:
            return None
        try:
            place = self.path.stat()
        except OSError:
            return None
        return place.st_dev, place.st_ino

    def damaged(self, what: str) -> StoreError:
        """Return an error that names the file and what of it is damaged."""
        return StoreError(
            f"{self.name} is damaged: {what}. It was left as it is; restore it from a copy or use "
            "another file."
        )

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn SQLite's errors into ones that say what happened to which file."""
        try:
            yield
        except sqlite3.OperationalError as error:
            if "locked" in str(error) or "busy" in str(error):
                raise StoreError(
                    f"{self.name} is locked by another program (waited {LOCK_SECONDS:g} s)."
                ) from error
            if any(sign in str(error) for sign in ("decode", "no such", "malformed")):
                raise self.damaged(str(error)) from error
            raise StoreError(f"{self.name} cannot be used: {error}.") from error
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise self.damaged(str(error)) from error

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        # SQLite would go on writing to a file that nobody can open any more.
        if self._place is not None and self._where() != self._place:
            raise StoreError(
                f"{self.name} was deleted, moved or replaced while the study ran; what is done "
                "from now on could not be kept, so the study stopped."
            )
        due = time.monotonic() - self._synced >= SECONDS_BETWEEN_SYNCS
        with self._explained():
            self._connection.execute(f"PRAGMA synchronous = {'FULL' if due else 'NORMAL'}")
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")
            if due:
                self._synced = time.monotonic()

    # Rows and their checksums.

    def _seal(self, table: str, owner: str, name: str, *, values: Any) -> None:
        """Write the checksum of a row."""
        self._connection.execute(
            "INSERT OR REPLACE INTO sums VALUES (?, ?, ?, ?)",
            (table, owner, name, _checksum(values)),
        )

    def _select(self, table: str, rest: str = "", *values: Any) -> list[Any]:
        """Return rows of a table: the columns that checksums cover."""
        return self._rows(f"SELECT {COVERED[table]} FROM {table} {rest}", *values)

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read the store as it is now, whatever is written meanwhile; damaged text too."""
        as_usual = self._connection.text_factory
        self._connection.text_factory = lambda data: data.decode("utf-8", "replace")
        with self._explained():
            self._connection.execute("BEGIN")
            try:
                yield
            finally:
                self._connection.execute("ROLLBACK")
                self._connection.text_factory = as_usual

    def counts(self) -> dict[str, int]:
        """Return the number of rows of every table."""
        return {table: self._rows(f"SELECT count(*) FROM {table}")[0][0] for table in COVERED}

    def problems(self) -> list[str]:
        """Name the rows that differ from their checksums, have none, or are gone."""
        problems = []
        for table, (owner, name) in NAMED_BY.items():
            rows = self._rows(f"SELECT {owner}, {name}, {COVERED[table]} FROM {table}")
            held = {row[:2]: _checksum(row[2:]) for row in rows}
            query = "SELECT owner, name, checksum FROM sums WHERE source = ?"
            sums = {row[:2]: row[2] for row in self._rows(query, table)}
            for key in dict.fromkeys([*held, *sums]):
                if held.get(key) != sums.get(key):
                    entry = ENTRIES[table].format(*key)
                    problems.append(f"{entry} {'does not check' if key in held else 'is missing'}")
        sources = {row[0] for row in self._rows("SELECT DISTINCT source FROM sums")}
        return [*problems, *(f"the table {one!r} is missing" for one in sources - {*NAMED_BY})]

    def _rows(self, query: str, *values: Any) -> list[Any]:
        with self._explained():
            return self._connection.execute(query, values).fetchall()


def _checksum(values: Any) -> int:
    # A damaged row may hold bytes where there was text.
    return zlib.crc32(json.dumps(list(values), default=repr).encode())
