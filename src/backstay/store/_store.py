"""The store: one SQLite file that holds a study, task by task, and survives being killed.

Values are JSON text and raw little-endian arrays with their type, shape and checksum.
"""

import json
import os
import re
import sqlite3
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay._files import create_private, draft_of
from backstay.store._file import StoreError, StoreFile

# Numbers of runs, by what they are on: splits of the rows, shuffled outcomes, or parts of the rows
# to plan by. Each kind may grow without end, the latter two downwards.
FIRST_PART = -1_000_001
NUMBERS = {
    "splits": (0, sys.maxsize),
    "shuffled": (FIRST_PART + 1, -1),
    "parts": (-sys.maxsize, FIRST_PART),
}
# How a note on samples that only one of two files has begins; it names them.
NAMING = re.compile(r"Left out: [\d,]+ samples? of ")
# Arrays that hold a number for every sample and feature.
VALUES = ("candidate values", "candidate rows", "shard candidate values")
# The bytes of an array, even where somebody has written text over them.
BYTES = "CAST(data AS BLOB)"
# The only types an array of a store may have.
DTYPES = {"<i2", "<i4", "<i8", "<f8"}


@dataclass
class TaskRecord:
    """What a task hands back, failed or not.

    ``arrays`` may hold "order" (features, best first; of a wide table, the best of them), "weights"
    (importances by column) or, of a wide table, "best weights" (in that order) and "other weights"
    (number, sum, sum of squares, sum of sizes, least and largest of the others), "n_ranked" (how
    many features the method truly ranked; others follow at random), "sample_weight" and "outputs"
    (model × size × test row × column).
    """

    method: str
    resample: int
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    stage: str = "preprocess"
    error: str | None = None


class Store(StoreFile):
    """What an open store holds: the study, its data sets, their tasks and arrays."""

    # The study and its data sets.

    def study(self) -> dict[str, Any]:
        """Return everything said about the study, by key."""
        return {key: json.loads(value) for key, value in self._select("study")}

    def describe_study(self, facts: Mapping[str, Any]) -> None:
        """Write what there is to say about the study."""
        with self._transaction():
            for key, value in facts.items():
                row = (key, json.dumps(value))
                self._connection.execute("INSERT OR REPLACE INTO study VALUES (?, ?)", row)
                self._seal("study", key, "", values=row)

    @staticmethod
    def without_names(provenance: Mapping[str, Any]) -> dict[str, Any]:
        """Return what is said of a table's origin without the notes that name samples."""
        return {
            key: [one for one in said if not NAMING.match(str(one))]
            if isinstance(said, list)
            else said
            for key, said in provenance.items()
        }

    def datasets(self) -> dict[str, dict[str, Any]]:
        """Return what is known about every data set, in the order they were added."""
        rows = self._select("datasets", "ORDER BY rowid")
        return {name: json.loads(facts) for name, facts in rows}

    def add_dataset(
        self, name: str, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> None:
        """Write a data set's facts and arrays, all or nothing."""
        with self._transaction():
            row = (name, json.dumps(facts))
            self._connection.execute("INSERT INTO datasets VALUES (?, ?)", row)
            self._seal("datasets", name, "", values=row)
            for key, array in arrays.items():
                self._put(f"dataset {name}", key, array)

    def grow_dataset(
        self, name: str, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> None:
        """Replace facts and arrays of a data set by those of more runs or methods, all or nothing.

        Forgotten are tasks of methods that the facts no longer name, and what was computed.
        """
        kept = [*facts["methods"]]
        with self._transaction():
            row = (name, json.dumps(facts))
            self._connection.execute("UPDATE datasets SET facts = ? WHERE name = ?", row[::-1])
            self._seal("datasets", name, "", values=row)
            for key, array in arrays.items():
                self._put(f"dataset {name}", key, array)
            self._remove_arrays(f"computed {name}")
            marks = ", ".join("?" * len(kept))
            self._forget(f"dataset = ? AND method NOT IN ({marks})", name, *kept)

    def set_array(self, dataset: str, key: str, array: NDArray[Any]) -> None:
        """Write or replace one array of a data set."""
        with self._transaction():
            self._put(f"dataset {dataset}", key, array)

    def set_computed(self, dataset: str, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Write what was computed from all runs of a data set, in place of what was before."""
        with self._transaction():
            self._remove_arrays(f"computed {dataset}")
            for key, array in arrays.items():
                self._put(f"computed {dataset}", key, array)

    def dataset_arrays(self, name: str) -> dict[str, NDArray[Any]]:
        """Return the arrays of a data set: its rows, its splits and what was drawn for it."""
        return self._arrays(f"dataset {name}")

    def computed_arrays(self, name: str) -> dict[str, NDArray[Any]]:
        """Return what was computed from all runs of a data set."""
        return self._arrays(f"computed {name}")

    def kept_of_samples(self, dataset: str) -> list[str]:
        """Return what is kept of the samples of a data set: "values", "names", both or none."""
        held = self.computed_arrays(dataset)
        values = any(held[name].size for name in VALUES if name in held)
        names = self.datasets()[dataset]["sample_names"] is not None
        return ["values"] * values + ["names"] * names

    # Tasks.

    def done(self, dataset: str) -> set[tuple[str, int]]:
        """Return the tasks of a data set that are done, failed ones included."""
        return {(row[2], row[3]) for row in self._task_rows(dataset)}

    def planned(self, dataset: str) -> list[tuple[str, int]]:
        """Return every task of a data set, done or not; of the splits first, of parts last."""
        facts = self.datasets()[dataset]
        n_permutations, n_each = facts["null"]
        numbers = [*range(len(self.dataset_arrays(dataset)["seeds"]))]
        numbers += [-1 - i for i in range(n_permutations * n_each)]
        numbers += [FIRST_PART - i for i in range(facts.get("planning", [0])[0])]
        return [(method, number) for number in numbers for method in facts["methods"]]

    def _task_rows(self, dataset: str, rest: str = "", *values: Any) -> list[Any]:
        """Return id, dataset, method, resample, stage, error and seconds of tasks."""
        return self._select("tasks", f"WHERE dataset = ? {rest}", dataset, *values)

    def write(self, dataset: str, outcome: TaskRecord) -> None:
        """Write a finished task with its arrays, all or nothing."""
        self.write_all(dataset, [outcome])

    def write_all(self, dataset: str, outcomes: Iterable[TaskRecord]) -> None:
        """Write many finished tasks, all or nothing."""
        with self._transaction():
            for outcome in outcomes:
                self._write_task(dataset, outcome)

    def record(self, dataset: str, method: str, resample: int) -> TaskRecord:
        """Return a task that is done, with its arrays."""
        ((number, *_, stage, error, seconds),) = self._task_rows(
            dataset, "AND method = ? AND resample = ?", method, resample
        )
        arrays = self._arrays(f"task {number}")
        return TaskRecord(method, resample, arrays, json.loads(seconds), stage, error)

    def _write_task(self, dataset: str, outcome: TaskRecord) -> None:
        named = (dataset, outcome.method, outcome.resample)
        row = (*named, outcome.stage, outcome.error, json.dumps(outcome.seconds))
        cursor = self._connection.execute(
            "INSERT INTO tasks (dataset, method, resample, stage, error, seconds) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            row,
        )
        number = cursor.lastrowid
        self._seal("tasks", str(number), "", values=(number, *row))
        for key, array in outcome.arrays.items():
            self._put(f"task {number}", key, array)

    def forget_failures(self, dataset: str) -> None:
        """Forget the tasks that failed, so that they are run again."""
        with self._transaction():
            self._forget("dataset = ? AND error IS NOT NULL", dataset)

    def _forget(self, which: str, *values: Any) -> None:
        """Remove tasks with everything that belongs to them."""
        run = self._connection.execute
        for (number,) in run(f"SELECT id FROM tasks WHERE {which}", values).fetchall():
            run("DELETE FROM tasks WHERE id = ?", (number,))
            run("DELETE FROM sums WHERE source = 'tasks' AND owner = ?", (str(number),))
            self._remove_arrays(f"task {number}")

    def _remove_arrays(self, owner: str) -> None:
        run = self._connection.execute
        run("DELETE FROM arrays WHERE owner = ?", (owner,))
        run("DELETE FROM sums WHERE source = 'arrays' AND owner = ?", (owner,))

    def tasks(self, dataset: str) -> list[dict[str, Any]]:
        """Return method, resample, stage, error and seconds of every task done."""
        names = ("method", "resample", "stage", "error", "seconds")
        return [
            dict(zip(names, (*row[2:6], json.loads(row[6])), strict=True))
            for row in self._task_rows(dataset, "ORDER BY method, resample")
        ]

    def task_arrays(
        self, dataset: str, method: str, name: str, *, of: str = "splits"
    ) -> Iterator[tuple[int, NDArray[Any]]]:
        """Yield one array of every task of a method that went well, by resample."""
        rows = self._task_rows(
            dataset,
            "AND method = ? AND error IS NULL AND resample BETWEEN ? AND ? ORDER BY resample",
            method,
            *NUMBERS[of],
        )
        for number, _, _, resample, *_ in rows:
            for array in self._arrays(f"task {number}", name).values():
                yield resample, array

    # Arrays.

    def _put(self, owner: str, name: str, array: NDArray[Any]) -> None:
        array = np.ascontiguousarray(array)
        if array.dtype.str not in DTYPES:
            raise TypeError(f"array {name!r} of {owner} has type {array.dtype.str}")
        data = array.tobytes()
        row = (owner, name, array.dtype.str, json.dumps(array.shape), zlib.crc32(data))
        self._connection.execute(
            "INSERT OR REPLACE INTO arrays VALUES (?, ?, ?, ?, ?, ?)", (*row, data)
        )
        self._seal("arrays", owner, name, values=row)

    def _arrays(self, owner: str, name: str | None = None) -> dict[str, NDArray[Any]]:
        where, key = ("", ()) if name is None else (" AND name = ?", (name,))
        query = f"SELECT name, dtype, shape, checksum, {BYTES} FROM arrays WHERE owner = ?{where}"
        found = {}
        for held, dtype, shape, checksum, data in self._rows(query, owner, *key):
            if zlib.crc32(data) != checksum:
                raise self.damaged(f"array {held!r} of {owner} does not check")
            found[held] = np.frombuffer(data, dtype=dtype).reshape(json.loads(shape))
        return found

    def problems(self) -> list[str]:
        """Name the rows and the arrays that differ from their checksums, or are gone."""
        problems = super().problems()
        query = f"SELECT owner, name, checksum, {BYTES} FROM arrays"
        for owner, name, checksum, data in self._connection.execute(query):
            if zlib.crc32(data) != checksum:
                problems.append(f"array {name!r} of {owner} does not check")
        return list(dict.fromkeys(problems))

    def copy_to(self, path: str | os.PathLike[str]) -> None:
        """Write a copy to a new file, whole or not at all; only its owner may read it."""
        target = Path(path)
        if target.exists():
            raise StoreError(f"{target} exists already; it was left as it is.")
        with self._explained(), draft_of(target) as draft:
            create_private(draft)
            try:
                with closing(sqlite3.connect(draft)) as copy:
                    self._connection.backup(copy)
                    copy.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                raise StoreError(f"{target} cannot be written: {error}.") from error

    def strip_to(self, path: str | os.PathLike[str]) -> None:
        """Write a copy without values of features and names of samples to a new file.

        Rows are written anew: those deleted from a copy could still be found in its free pages.
        """
        target, origin = Path(path), "provenance of "
        if target.exists():
            raise StoreError(f"{target} exists already; it was left as it is.")
        with draft_of(target) as draft, Store(draft, name=str(target), private=False) as copy:
            said = self.study()
            origins = {key: said[key] for key in said if key.startswith(origin) and said[key]}
            said |= {key: self.without_names(value) for key, value in origins.items()}
            copy.describe_study(said)
            for dataset, facts in self.datasets().items():
                nameless = {**facts, "sample_names": None, "keep_samples": False}
                copy.add_dataset(dataset, nameless, self.dataset_arrays(dataset))
                tasks = [(task["method"], task["resample"]) for task in self.tasks(dataset)]
                copy.write_all(dataset, (self.record(dataset, *task) for task in tasks))
                computed = self.computed_arrays(dataset)
                kept = {name: computed[name] for name in computed if name not in VALUES}
                copy.set_computed(dataset, kept)
            copy.gather()
