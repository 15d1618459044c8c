"""The store: what is written comes back, and what is not a store is left alone."""

import contextlib
import json
import os
import shutil
import sqlite3

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler

from backstay import ReliefF
from backstay.datasets import make_xor
from backstay.feature_weighting import TTest
from backstay.results import Results
from backstay.store import Store, StoreError, TaskRecord, check_store
from backstay.study import Study, Subsampling, _stored_study
from reference.study import contents

X, y, _ = make_xor(40, random_state=0)


def study(store, **changes):
    options = {
        "methods": {"t": TTest()},
        "resampling": Subsampling(3),
        "models": {"1nn": KNeighborsClassifier(1)},
        "sizes": [2],
        "random_state": 0,
    }
    return Study(**{**options, "store": store, **changes})


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    path = tmp_path_factory.mktemp("sound") / "study.db"
    study(path).run(X, y)
    return path


@pytest.fixture
def path(sound, tmp_path):
    return shutil.copy(sound, tmp_path / "study.db")


def unchanged(path):
    """A context that checks that a file's bytes stay as they are."""

    @contextlib.contextmanager
    def check():
        before = path.read_bytes()
        yield
        assert path.read_bytes() == before

    return check()


def test_arrays_come_back_as_they_went(tmp_path):
    arrays = {
        "order": np.arange(6, dtype="<i4"),
        "weights": np.array([[0.1, -np.inf], [np.nan, 1e-300]]),
        "empty": np.empty((0, 3), dtype="<i2"),
    }
    with Store(tmp_path / "s.db") as store:
        store.add_dataset("d", {"n": 1}, {"codes": np.arange(3)})
        store.write("d", TaskRecord("m", 0, arrays, {"total": 0.5}))
    with Store(tmp_path / "s.db", write=False) as store:
        for name, array in arrays.items():
            ((resample, found),) = store.task_arrays("d", "m", name)
            assert resample == 0
            assert found.dtype == array.dtype
            assert found.shape == array.shape
            assert found.tobytes() == array.tobytes()
        assert store.done("d") == {("m", 0)}


def test_no_files_are_left_beside_the_store(sound):
    assert os.listdir(sound.parent) == ["study.db"]
    with sound.open("rb") as file:
        assert file.read(16) == b"SQLite format 3\0"


def test_it_holds_json_and_plain_arrays_only(path):
    with contextlib.closing(sqlite3.connect(path)) as connection:
        for (text,) in connection.execute(
            "SELECT value FROM study UNION ALL SELECT facts FROM datasets "
            "UNION ALL SELECT seconds FROM tasks UNION ALL SELECT shape FROM arrays"
        ):
            json.loads(text)
        rows = connection.execute("SELECT dtype, shape, data FROM arrays").fetchall()
    for dtype, shape, data in rows:
        assert dtype in {"<i2", "<i4", "<i8", "<f8"}
        assert len(data) == np.dtype(dtype).itemsize * np.prod(json.loads(shape), dtype=int)


def test_a_stranger_cannot_smuggle_in_objects(path):
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE arrays SET dtype = '|O' WHERE name = 'order'")
    with pytest.raises(StoreError, match="damaged: array 'order'"):
        Results.load(path).stability()


def test_the_same_study_skips_what_is_done(path, monkeypatch):
    before = contents(Results.load(path))
    monkeypatch.setattr("backstay.study._study.finished_tasks", never_called_with_tasks)
    assert contents(study(path).run(X, y)) == before


def never_called_with_tasks(inputs, methods, splits, pending, n_jobs):
    assert pending == []
    yield from ()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"methods": {"t": ReliefF()}}, r"other parameters: methods\.t\.class is"),
        ({"methods": {"u": TTest()}}, r"other parameters: methods\.t is in the store only"),
        ({"sizes": [3]}, r"other parameters: sizes\[0\] is 2 in the store and 3 now"),
        ({"random_state": 1}, "random_state is 0 in the store and 1 now"),
        ({"resampling": Subsampling(4, 0.5)}, r"other data or splits: resampling is 'Subsampling"),
        ({"resampling": Subsampling(2)}, r"holds 3 splits of 'data', and now there are 2\."),
        ({"models": {"3nn": KNeighborsClassifier(3)}}, r"models\.1nn is in the store"),
        ({"preprocess": MinMaxScaler()}, "preprocess is None in the store"),
    ],
)
def test_another_study_is_refused(path, changes, message):
    with unchanged(path), pytest.raises(StoreError, match=message):
        study(path, **changes).run(X, y)


def test_other_data_are_refused(path):
    other = X.copy()
    other[3, 4] = np.nextafter(other[3, 4], 2)
    with unchanged(path), pytest.raises(StoreError, match=r"other data or splits: data\.X is"):
        study(path).run(other, y)
    with unchanged(path), pytest.raises(StoreError, match=r"data\.y is"):
        study(path).run(X, np.where(y == 1, "a", "b"))


def test_n_jobs_and_verbose_do_not_make_another_study(path):
    study(path, n_jobs=1, verbose=0, methods={"t": TTest()}).run(X, y)
    nested = {"1nn": KNeighborsClassifier(1, n_jobs=1)}
    study(path, models=nested).run(X, y)


@pytest.mark.parametrize("content", [b"not a database", b"SQLite format 3\0" + b"x" * 5000])
def test_what_is_no_store_is_left_alone(tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with unchanged(path), pytest.raises(StoreError, match=r"not a study's store|damaged"):
        study(path).run(X, y)
    with unchanged(path), pytest.raises(StoreError, match=r"not a study's store|damaged"):
        Results.load(path)


def test_another_database_is_left_alone(tmp_path):
    path = tmp_path / "other.db"
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE mine (x)")
    with unchanged(path), pytest.raises(StoreError, match="not a study's store"):
        study(path).run(X, y)


def test_a_truncated_store_is_left_alone(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with unchanged(path), pytest.raises(StoreError, match="damaged"):
        study(path).run(X, y)


def test_a_flipped_bit_in_an_array_is_found(path):
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        (data,) = connection.execute(
            "SELECT data FROM arrays WHERE name = 'weights' LIMIT 1"
        ).fetchone()
        flipped = bytes([data[0] ^ 1]) + data[1:]
        connection.execute("UPDATE arrays SET data = ? WHERE name = 'weights'", (flipped,))
    with pytest.raises(StoreError, match="array 'weights' of task 1 does not check"):
        Results.load(path).weights.variance()


def test_a_locked_store_says_so(path, monkeypatch):
    monkeypatch.setattr("backstay.store._file.LOCK_SECONDS", 0.1)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked by another program"):
            study(path).run_many({"more": (X, y)})
        other.execute("ROLLBACK")


def test_one_running_study_per_store(path):
    with Store(path):
        with pytest.raises(StoreError, match="in use by another running study"):
            study(path).run(X, y)
        assert Results.load(path).methods == ["t"]
    study(path).run(X, y)


def test_missing_files_and_folders(tmp_path):
    with pytest.raises(FileNotFoundError, match="no store"):
        Results.load(tmp_path / "none.db")
    with pytest.raises(FileNotFoundError, match="folder does not exist"):
        study(tmp_path / "none" / "study.db").run(X, y)
    with pytest.raises(StoreError, match="is not a file"):
        study(tmp_path).run(X, y)


def test_a_store_killed_before_its_first_write_is_begun_anew(tmp_path):
    path = tmp_path / "study.db"
    path.touch()
    study(path).run(X, y)
    started = tmp_path / "started.db"
    with contextlib.closing(sqlite3.connect(started)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    assert contents(study(started).run(X, y)) == contents(Results.load(path))


def test_other_versions_give_a_warning_once(path, monkeypatch):
    now = _stored_study.versions()
    monkeypatch.setattr(_stored_study, "versions", lambda: {**now, "numpy": "9.9"})
    with pytest.warns(UserWarning, match=r"other versions \(numpy is"):
        study(path).run(X, y)
    results = study(path).run(X, y)
    assert [v["numpy"] for v in results.facts.versions] == [now["numpy"], "9.9"]


def test_results_in_memory_can_be_saved_and_resumed(tmp_path):
    results = study(None).run(X, y)
    results.save(tmp_path / "kept.db")
    assert contents(Results.load(tmp_path / "kept.db")) == contents(results)
    study(tmp_path / "kept.db").run(X, y)
    with pytest.raises(StoreError, match="exists already"):
        results.save(tmp_path / "kept.db")


def test_without_a_seed_a_resumed_study_takes_the_stored_one(tmp_path):
    path = tmp_path / "study.db"
    first = contents(study(path, random_state=None).run(X, y))
    assert contents(study(path, random_state=None).run(X, y)) == first


def test_a_read_only_folder_can_be_read(path):
    os.chmod(path.parent, 0o500)
    try:
        assert Results.load(path).methods == ["t"]
    finally:
        os.chmod(path.parent, 0o700)


def test_results_can_be_loaded_while_a_study_runs(tmp_path, monkeypatch):
    path, seen = tmp_path / "study.db", []
    original = Store.write

    def write(self, dataset, outcome):
        original(self, dataset, outcome)
        seen.append(len(Results.load(path).runs.scores("accuracy")))

    monkeypatch.setattr(Store, "write", write)
    study(path).run(X, y)
    assert seen == [1, 2, 3]


TEXTS = {
    "study": ("value", "key = 'facts'"),
    "datasets": ("facts", "name = 'data'"),
    "tasks": ("seconds", "id = 1"),
    "tasks ": ("method", "id = 1"),
    "arrays": ("shape", "owner = 'task 1' AND name = 'order'"),
}


@pytest.mark.parametrize("place", TEXTS)
def test_a_changed_byte_of_text_is_found(path, place):
    column, where = TEXTS[place]
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        (text,) = connection.execute(f"SELECT {column} FROM {place} WHERE {where}").fetchone()
        data = bytearray(text.encode())
        data[4 % len(data)] ^= 1
        changed = (data.decode(),)
        connection.execute(f"UPDATE {place} SET {column} = ? WHERE {where}", changed)
    found = check_store(path)
    assert len(found.damages) == 1
    assert "does not check" in found.damages[0]
    with pytest.raises(StoreError, match=r"study\.db is damaged: .* does not check"):
        contents(Results.load(path))


def test_flipped_bits_anywhere_in_the_file_change_no_result(path):
    whole, before = path.read_bytes(), contents(Results.load(path))
    rng, noticed = np.random.default_rng(0), 0
    held = np.flatnonzero(np.frombuffer(whole, np.uint8))  # most of so small a file is empty
    for place in rng.choice(held, 30, replace=False):
        data = bytearray(whole)
        data[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(data)
        found = contents_or_message(path)
        noticed += isinstance(found, str)
        assert str(path) in found if isinstance(found, str) else found == before
    assert noticed > 15


def contents_or_message(path):
    try:
        return contents(Results.load(path))
    except StoreError as error:
        return str(error)


def test_a_row_that_is_gone_is_missed(path):
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM tasks WHERE id = 2")
        connection.execute("DELETE FROM arrays WHERE owner = 'dataset data' AND name = 'codes'")
    assert check_store(path).damages == [
        "the record of task 2 is missing",
        "array 'codes' of dataset data is missing",
    ]


def test_a_sound_store_says_what_it_holds(path):
    found = check_store(path)
    assert (found.sound, found.missing) == (True, {"data": 0})
    assert found.counts["tasks"] == 3
    with Store(path) as store:
        assert check_store(path).sound  # while a study runs
        store.write("data", TaskRecord("more", 0, error="it failed"))
        store.forget_failures("data")
    assert check_store(path).sound


@pytest.mark.parametrize("change", ["deleted", "replaced"])
def test_a_store_that_goes_away_stops_the_study_at_once(tmp_path, monkeypatch, change):
    path, original, written = tmp_path / "study.db", Store.write, []

    def write(self, dataset, outcome):
        original(self, dataset, outcome)
        written.append(outcome.resample)
        path.rename(tmp_path / "elsewhere.db")
        if change == "replaced":
            path.touch()

    monkeypatch.setattr(Store, "write", write)
    with pytest.raises(StoreError, match=r"study\.db was deleted, moved or replaced while"):
        study(path).run(X, y)
    assert len(written) == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_only_files_are_stores(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", os.devnull):
        for use in (lambda p: study(p).run(X, y), Results.load):
            with pytest.raises(StoreError, match="is not a file, as a store is"):
                use(path)


@pytest.mark.parametrize("number", [3, 5])
def test_another_format_is_refused(path, number):
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"PRAGMA user_version = {number}")
    wanted = f"study\\.db has format {number}; this version of backstay reads format 4\\."
    wanted += r" Update backstay\.$" if number > 4 else "$"
    for use in (lambda p: study(p).run(X, y), Results.load, check_store):
        with unchanged(path), pytest.raises(StoreError, match=wanted):
            use(path)


def test_what_is_computed_is_replaced_as_a_whole_and_forgotten_when_the_study_grows(tmp_path):
    facts = {"methods": {"m": {}}}
    with Store(tmp_path / "s.db") as store:
        store.add_dataset("d", facts, {"seeds": np.arange(2)})
        store.set_computed("d", {"one": np.arange(3), "two": np.ones(2)})
        store.set_computed("d", {"two": np.zeros(2)})
        assert store.problems() == []
        assert list(store.computed_arrays("d")) == ["two"]
        assert store.computed_arrays("d")["two"].tolist() == [0, 0]
        assert list(store.dataset_arrays("d")) == ["seeds"]
        for method in ("m", "added"):
            store.write("d", TaskRecord(method, 0, {"order": np.arange(2)}))
        store.grow_dataset("d", facts, {"seeds": np.arange(4)})
        assert store.computed_arrays("d") == {}
        assert store.dataset_arrays("d")["seeds"].tolist() == [0, 1, 2, 3]
        assert store.done("d") == {("m", 0)}  # of methods that it still names
        assert store.problems() == []


def test_a_finished_store_is_read_on_while_another_study_writes(tmp_path):
    with Store(tmp_path / "s.db") as store:
        store.add_dataset("d", {}, {})
        store.finish()
        with pytest.raises(StoreError, match=r"cannot be used|read-?only"):
            store.set_computed("d", {"one": np.arange(3)})
        with Store(tmp_path / "s.db") as other:
            other.set_computed("d", {"two": np.arange(2)})
        assert list(store.computed_arrays("d")) == ["two"]


def test_results_of_a_run_leave_the_store_to_the_next(path):
    results = study(path).run(X, y)
    more = study(path, resampling=Subsampling(5)).run(X, y)
    assert len(more.runs.orders("t")) == 5
    assert results.methods == more.methods == ["t"]  # both can still be asked


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        ("DELETE FROM arrays WHERE owner = 'task 2' AND name = 'weights'", "array 'weights' of"),
        ("UPDATE tasks SET seconds = x'ff' WHERE id = 2", "the record of task 2 does not check"),
        ("DELETE FROM tasks", "the record of task 1 is missing, and 2 more like this"),
        ("UPDATE arrays SET owner = 'task 7' WHERE owner = 'task 2'", "task 7 does not check, and"),
        ("UPDATE tasks SET dataset = 'other' WHERE id = 2", "the record of task 2 does not check"),
        ("DELETE FROM sums WHERE source = 'study'", "does not check, and"),
        ("UPDATE sums SET source = 'x' WHERE source = 'datasets'", "set 'data' does not check"),
        ("INSERT INTO sums VALUES ('x', 'facts', '', 0)", "the table 'x' is missing"),
    ],
)  # fmt: skip
def test_missing_and_renamed_rows_are_named_on_opening(path, edit, said, call):
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(edit)
    with unchanged(path):
        with pytest.raises(StoreError, match="is damaged") as error:
            Results.load(path)
        assert said in str(error.value)
        with pytest.raises(StoreError, match="is damaged"):
            study(path).run(X, y)
        assert not check_store(path).sound
        called = call("report", path)
    assert called.code == 2
    assert called.err.count("\n") == 1
    assert said in " ".join(called.err.split())
