"""A row of a store is deleted, renamed, copied, changed or swapped with SQL; it must be refused.

The edits are systematic: every kind of row of every table, every column.
"""

import contextlib
import sqlite3
import tempfile
import warnings
from pathlib import Path

import numpy as np

from backstay import InstanceWeighted, MarginWeighting, ReliefF
from backstay.datasets import make_han_yu
from backstay.feature_weighting import TTest
from backstay.store import StoreError
from backstay.study import Study, Subsampling
from benchmarks.faults.stores import everything

FAULT = "store edited: rows deleted, renamed, copied, changed or swapped"
TRIALS = 585
BROKEN = {"silent change", "wrong error"}
KEYS = {
    "study": ["key"],
    "datasets": ["name"],
    "tasks": ["id"],
    "arrays": ["owner", "name"],
    "sums": ["source", "owner", "name"],
}


def store(path):
    """Write a store that has every kind of row: two data sets, weights, shuffled labels."""
    X, y, _ = make_han_yu(24, n_features=12, n_relevant=4, block_size=4, random_state=1)
    Study(
        {"t": TTest(), "w": InstanceWeighted(ReliefF(n_neighbors=3), MarginWeighting())},
        Subsampling(3),
        sizes=[2, 5],
        null=1,
        store=path,
        random_state=0,
    ).run_many({"one": (X, y), "two": (np.abs(X), y)})


def kinds(connection):
    """Yield a table and the row number of every kind of row, which differ in more than numbers."""
    for table, keys in KEYS.items():
        rowid = "" if table == "sums" else "rowid, "  # which has none
        seen = set()
        for row in connection.execute(f"SELECT {rowid}{', '.join(keys)} FROM {table}"):
            key = row if table == "sums" else row[1:]
            kind = tuple("".join(c for c in str(part) if not c.isdigit()) for part in key)
            if kind not in seen:
                seen.add(kind)
                yield (
                    table,
                    " AND ".join(
                        f"{name} = {quoted(value)}" for name, value in zip(keys, key, strict=True)
                    ),
                )


def quoted(value):
    return str(value) if isinstance(value, int) else "'" + str(value).replace("'", "''") + "'"


def edits(path):
    """Return every edit as SQL."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        found = []
        for table, where in kinds(connection):
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            found.append(f"DELETE FROM {table} WHERE {where}")
            for column in columns:
                changed = f"CASE typeof({column}) WHEN 'integer' THEN {column} + 1000 "
                changed += f"ELSE ifnull({column}, '') || 'x' END"
                found.append(f"UPDATE {table} SET {column} = {changed} WHERE {where}")
            key = columns[0]
            other = f"{key} + 1000" if key == "id" else f"{key} || 'x'"
            # A task is one of its kind: a copy needs another number of its run as well.
            rest = ["resample + 1000" if one == "resample" else one for one in columns[1:]]
            rest = ", ".join([other, *rest])
            found.append(f"INSERT INTO {table} SELECT {rest} FROM {table} WHERE {where}")
        for name in ("order", "weights", "n_ranked", "outputs", "sample_weight"):
            found.append(f"DELETE FROM arrays WHERE name = '{name}'")
            renames = [("task 3", "nobody"), ("task 8", "task 3"), ("nobody", "task 8")]
            found.append(
                "; ".join(
                    f"UPDATE arrays SET owner = '{new}' WHERE owner = '{old}' AND name = '{name}'"
                    for old, new in renames
                )
            )
        found += [f"DELETE FROM {table}" for table in KEYS]
        found += [
            "DELETE FROM tasks WHERE dataset = 'two'",
            "DELETE FROM arrays WHERE owner = 'dataset two'",
            "UPDATE tasks SET dataset = 'two', resample = 1000 WHERE id = 4",
            "UPDATE tasks SET resample = 1000 - resample WHERE id = 4",
            "UPDATE arrays SET owner = 'task 04' WHERE owner = 'task 4'",
        ]
        return found


@contextlib.contextmanager
def laboratory():
    with tempfile.TemporaryDirectory() as folder:
        sound = Path(folder) / "sound.db"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            store(sound)
        before, data, every = everything(sound), sound.read_bytes(), edits(sound)
        assert len(every) == TRIALS, len(every)

        def trial(seed):
            path = Path(folder) / f"edited-{seed}.db"
            path.write_bytes(data)
            with contextlib.closing(sqlite3.connect(path)) as connection:
                connection.executescript(every[seed])
            try:
                after = everything(path)
            except StoreError as error:
                verdict = "refused" if path.name in str(error) else f"wrong error: {error}"
            except Exception as error:
                verdict = f"wrong error: {type(error).__name__}: {error}"
            else:
                verdict = "harmless" if after == before else "silent change"
            return verdict if verdict == "refused" else f"{verdict}: {every[seed]}"

        yield trial
