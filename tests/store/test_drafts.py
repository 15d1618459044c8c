"""Stores that are merged or saved are written whole or not at all."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from backstay.datasets import make_han_yu
from backstay.feature_weighting import TTest
from backstay.results import Results
from backstay.store import Store, StoreError
from backstay.study import Study, Subsampling, merge_stores
from reference.study import contents

START = """
import resource, sys
from backstay.results import Results
from backstay.store import StoreError
from backstay.study import merge_stores
one, two, target = sys.argv[1:]
"""
WRITERS = {
    "merge": "merge_stores([one, two], target)",
    "save": "Results.load(one).save(target)",
}
# A limit on the size of files is what a full disk is to the one who writes. SQLite needs 32 kB to
# read the shards.
FULL = """
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    {}
except StoreError as error:
    print(error)
"""
KILLED = """
import os
os.fsync = lambda file: (print("written", flush=True), input())
{}
"""


@pytest.fixture(scope="module")
def shards(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shards")
    X, y, _ = make_han_yu(40, n_features=300, n_relevant=8, random_state=0)
    paths = [folder / "1.db", folder / "2.db"]
    for number, path in enumerate(paths, start=1):
        study = Study(
            {"t": TTest()},
            Subsampling(20),
            models={},
            sizes=[5],
            store=path,
            random_state=0,
            verbose=0,
        )
        study.run(X, y, shard=(number, 2))
    return paths


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on files")
@pytest.mark.parametrize(
    ("writes", "limit"), [*zip(WRITERS.values(), (70_000, 40_000), strict=True)]
)
def test_where_there_is_no_room_the_target_is_named_and_nothing_left(
    shards, tmp_path, writes, limit
):
    target = tmp_path / "study.db"
    code = f"{START}\nlimit = {limit}\n{FULL.format(writes)}"
    command = [sys.executable, "-c", code, *shards, target]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{target} cannot be "), done.stdout
    assert not os.listdir(tmp_path)
    assert not [name for name in os.listdir(shards[0].parent) if name.startswith(".")]


@pytest.mark.parametrize("writes", WRITERS.values(), ids=WRITERS)
def test_what_a_killed_writer_left_is_removed_by_the_next(shards, tmp_path, writes):
    target = tmp_path / "study.db"
    code = f"{START}\n{KILLED.format(writes)}"
    writer = subprocess.Popen(
        [sys.executable, "-c", code, *shards, target],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert writer.stdout.readline() == "written\n"
    writer.send_signal(signal.SIGKILL)
    writer.communicate()
    assert not target.exists()
    assert len(os.listdir(tmp_path)) == 1
    merge_stores(shards, target)
    assert os.listdir(tmp_path) == ["study.db"]
    Results.load(target).save(tmp_path / "copy.db")
    assert contents(Results.load(tmp_path / "copy.db")) == contents(Results.load(target))


def test_what_cannot_be_brought_into_one_file_is_an_error(tmp_path):
    path = tmp_path / "draft.db"
    with Store(path, name="study.db") as store:
        store._connection.execute("PRAGMA busy_timeout = 0")
        with closing(sqlite3.connect(path)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT * FROM study").fetchall()
            store.describe_study({"key": "value"})
            with pytest.raises(StoreError, match=r"^study\.db is locked"):
                store.gather()
        store.gather()
        assert (tmp_path / "draft.db-wal").stat().st_size == 0
