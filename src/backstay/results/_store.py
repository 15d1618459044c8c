"""The store: one SQLite file that holds a study, task by task, and survives being killed.

Values are JSON text and raw little-endian arrays with their type, shape and
checksum. Nothing in it is ever executed or unpickled, so a stranger's store is
safe to open.
"""

from __future__ import annotations

import json
import math
import os
import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from backstay._identity import with_present_names
from backstay.results._lock import Lock

APPLICATION = 0x6261636B  # "back"
FORMAT = 2  # 1 described classes by private modules and by parameters since renamed
LOCK_SECONDS = 5.0
# The only types an array of a store may have.
DTYPES = {"<i2", "<i4", "<i8", "<f8"}
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
"""


@dataclass
class TaskRecord:
    """What a task hands back, failed or not.

    ``arrays`` may hold "order" (features, best first), "weights" (importances),
    "n_ranked" (how many features preprocessing left), "sample_weight",
    "predicted" (classifier × size × test row, class numbers) and "scores" (the
    same, times one column, or one per class beyond two).
    """

    method: str
    resample: int
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    stage: str = "preprocess"
    error: str | None = None


class StoreError(RuntimeError):
    """A store cannot be used: damaged, locked, of another study, or no store at all."""


class Store:
    """An open store, in a file or (``path=None``) in memory."""

    def __init__(self, path: str | os.PathLike[str] | None, *, write: bool = True) -> None:
        self.path = None if path is None else Path(path)
        self.name = "the store in memory" if self.path is None else str(self.path)
        self._lock: Lock | None = None
        self._format = FORMAT
        if self.path is not None:
            self._check_file(write)
        try:
            with self._explained():
                if write and self.path is not None:
                    self._lock = Lock(self.path.with_name(self.path.name + "-lock"))
                    if not self._lock.acquire():
                        raise StoreError(f"{self.name} is in use by another running study.")
                self._connection = self._connect(write)
                self._prepare(write)
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
        if self.path.is_dir():
            raise StoreError(f"{self.name} is a folder; a store is a file.")
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
                for statement in SCHEMA.split(";\n"):
                    run(statement)
                run(f"PRAGMA application_id = {APPLICATION}")
                run(f"PRAGMA user_version = {FORMAT}")
        elif application != APPLICATION:
            raise StoreError(f"{self.name} is not a study's store; it was left as it is.")
        (self._format,) = run("PRAGMA user_version").fetchone()
        if not 1 <= self._format <= FORMAT:
            raise StoreError(
                f"{self.name} has format {self._format}; this version of backstay reads formats "
                f"1 to {FORMAT}." + (" Update backstay." if self._format > FORMAT else "")
            )
        (verdict,) = run("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise StoreError(f"{self.name} is damaged ({verdict}); it was left as it is.")
        # A committed task survives the death of the process at any moment; of the whole
        # machine, all but perhaps the last few, and the file stays sound.
        run("PRAGMA synchronous = NORMAL")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn SQLite's errors into ones that say what happened to which file."""
        try:
            yield
        except sqlite3.OperationalError as error:
            if "locked" in str(error) or "busy" in str(error):
                raise StoreError(
                    f"{self.name} is locked by another program (waited {LOCK_SECONDS:g} s)."
                ) from error
            raise StoreError(f"{self.name} cannot be used: {error}.") from error
        except sqlite3.DatabaseError as error:
            raise StoreError(
                f"{self.name} is damaged ({error}); it was left as it is. "
                "Restore it from a copy or use another file."
            ) from error

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._explained():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                if self._format < FORMAT:
                    self._upgrade()
                yield
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")
            self._format = FORMAT

    def _upgrade(self) -> None:
        """Rewrite the descriptions of an older format; a store that is only read stays as it is."""
        run = self._connection.execute
        for name, facts in self.datasets().items():
            run("UPDATE datasets SET facts = ? WHERE name = ?", (json.dumps(facts), name))
        study = json.dumps(self.study().get("facts"))
        run("UPDATE study SET value = ? WHERE key = 'facts'", (study,))
        run(f"PRAGMA user_version = {FORMAT}")

    def _description(self, text: str) -> Any:
        """Read a description, in the names of the present format."""
        stored = json.loads(text)
        return stored if self._format == FORMAT else with_present_names(stored)

    def _rows(self, query: str, *values: Any) -> list[Any]:
        with self._explained():
            return self._connection.execute(query, values).fetchall()

    # The study and its data sets.

    def study(self) -> dict[str, Any]:
        """Return everything said about the study, by key."""
        return {
            key: self._description(value) if key == "facts" else json.loads(value)
            for key, value in self._rows("SELECT * FROM study")
        }

    def describe_study(self, facts: Mapping[str, Any]) -> None:
        """Write what there is to say about the study."""
        with self._transaction():
            self._connection.executemany(
                "INSERT OR REPLACE INTO study VALUES (?, ?)",
                [(key, json.dumps(value)) for key, value in facts.items()],
            )

    def datasets(self) -> dict[str, dict[str, Any]]:
        """Return what is known about every data set, in the order they were added."""
        rows = self._rows("SELECT name, facts FROM datasets ORDER BY rowid")
        return {name: self._description(facts) for name, facts in rows}

    def add_dataset(
        self, name: str, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> None:
        """Write a data set's facts and arrays, all or nothing."""
        with self._transaction():
            self._connection.execute(
                "INSERT INTO datasets VALUES (?, ?)", (name, json.dumps(facts))
            )
            for key, array in arrays.items():
                self._put(f"dataset {name}", key, array)

    def set_array(self, dataset: str, key: str, array: NDArray[Any]) -> None:
        """Write or replace one array of a data set."""
        with self._transaction():
            self._put(f"dataset {dataset}", key, array)

    def dataset_arrays(self, name: str) -> dict[str, NDArray[Any]]:
        """Return the arrays of a data set."""
        return self._arrays(f"dataset {name}")

    # Tasks.

    def done(self, dataset: str) -> set[tuple[str, int]]:
        """Return the tasks of a data set that are done, failed ones included."""
        rows = self._rows("SELECT method, resample FROM tasks WHERE dataset = ?", dataset)
        return {(method, resample) for method, resample in rows}

    def write(self, dataset: str, outcome: TaskRecord) -> None:
        """Write a finished task with its arrays, all or nothing."""
        with self._transaction():
            cursor = self._connection.execute(
                "INSERT INTO tasks (dataset, method, resample, stage, error, seconds) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (
                    dataset,
                    outcome.method,
                    outcome.resample,
                    outcome.stage,
                    outcome.error,
                    json.dumps(outcome.seconds),
                ),
            )
            for key, array in outcome.arrays.items():
                self._put(f"task {cursor.lastrowid}", key, array)

    def forget_failures(self, dataset: str) -> None:
        """Forget the tasks that failed, so that they are run again."""
        with self._transaction():
            self._connection.execute(
                "DELETE FROM tasks WHERE dataset = ? AND error IS NOT NULL", (dataset,)
            )

    def tasks(self, dataset: str) -> list[dict[str, Any]]:
        """Return method, resample, stage, error and seconds of every task done."""
        rows = self._rows(
            "SELECT method, resample, stage, error, seconds FROM tasks WHERE dataset = ? "
            "ORDER BY method, resample",
            dataset,
        )
        names = ("method", "resample", "stage", "error", "seconds")
        return [dict(zip(names, (*row[:4], json.loads(row[4])), strict=True)) for row in rows]

    def task_arrays(
        self, dataset: str, method: str, name: str, *, null: bool = False
    ) -> Iterator[tuple[int, NDArray[Any]]]:
        """Yield one array of every task of a method that went well, by resample.

        Runs with shuffled labels, which have negative numbers, are yielded for ``null=True`` only.
        """
        ids = self._rows(
            "SELECT resample, id FROM tasks WHERE dataset = ? AND method = ? AND error IS NULL "
            f"AND resample {'<' if null else '>='} 0 ORDER BY resample",
            dataset,
            method,
        )
        for resample, number in ids:
            found = self._arrays(f"task {number}", name)
            if name in found:
                yield resample, found[name]

    # Arrays.

    def _put(self, owner: str, name: str, array: NDArray[Any]) -> None:
        array = np.ascontiguousarray(array)
        if array.dtype.str not in DTYPES:
            raise TypeError(f"array {name!r} of {owner} has type {array.dtype.str}")
        data = array.tobytes()
        row = (owner, name, array.dtype.str, json.dumps(array.shape), zlib.crc32(data), data)
        self._connection.execute("INSERT OR REPLACE INTO arrays VALUES (?, ?, ?, ?, ?, ?)", row)

    def _arrays(self, owner: str, name: str | None = None) -> dict[str, NDArray[Any]]:
        query = "SELECT name, dtype, shape, checksum, data FROM arrays WHERE owner = ?"
        if name is None:
            rows = self._rows(query, owner)
        else:
            rows = self._rows(f"{query} AND name = ?", owner, name)
        return {row[0]: self._read(owner, *row) for row in rows}

    def _read(
        self, owner: str, name: str, dtype: str, shape: str, checksum: int, data: bytes
    ) -> NDArray[Any]:
        sides = json.loads(shape)
        sound = (
            dtype in DTYPES
            and isinstance(data, bytes)
            and all(isinstance(side, int) and side >= 0 for side in sides)
            and math.prod(sides) * np.dtype(dtype).itemsize == len(data)
            and zlib.crc32(data) == checksum
        )
        if not sound:
            raise StoreError(f"{self.name} is damaged: array {name!r} of {owner} does not check.")
        return np.frombuffer(data, dtype=dtype).reshape(sides)

    def copy_to(self, path: str | os.PathLike[str]) -> None:
        """Write a copy to a new file."""
        target = Path(path)
        if target.exists():
            raise StoreError(f"{target} exists already; it was left as it is.")
        with self._explained():
            copy = sqlite3.connect(target)
            try:
                self._connection.backup(copy)
                copy.execute("PRAGMA journal_mode = WAL")
            finally:
                copy.close()
