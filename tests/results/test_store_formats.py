"""Stores written by earlier versions open, resume and are upgraded when something is written.

tests/data/study_format_1.sqlite was made, before parameters were renamed, with

    Study(
        {
            "relieff": ReliefF(n_neighbors=2, n_samples=6),
            "bagged": BaggedRanker(TTest(), 3, scaling="member"),
            "repeated": RepeatedSelector(TTest(), n_repeats=3),
        },
        RepeatedKFold(3, 1),
        classifiers={"1nn": KNeighborsClassifier(1)},
        sizes=[1, 2],
        random_state=0,
    )

tests/data/study_format_2.sqlite was made, before descriptions had checksums, with

    Study(
        {"t": TTest(), "f": FStatistic()},
        Subsampling(3),
        classifiers={"1nn": KNeighborsClassifier(1)},
        sizes=[1, 2],
        metric="accuracy",
        null=2,
        random_state=0,
    )
"""

import contextlib
import json
import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from backstay import ReliefF
from backstay.ensemble import BaggedRanker, RepeatedSelector
from backstay.feature_weighting import TTest
from backstay.results import Results, Store, StoreError, _store_file, check_store
from backstay.study import RepeatedStratifiedKFold, Study
from reference.study import contents

FIXTURE = Path(__file__).parents[1] / "data" / "study_format_1.sqlite"
X, y = np.random.default_rng(0).integers(0, 100, (12, 4)) / 100, np.tile([0, 1], 6)


@pytest.fixture
def path(tmp_path):
    return Path(shutil.copy(FIXTURE, tmp_path / "study.db"))


def study(store, **changes):
    return Study(
        {
            "relieff": ReliefF(n_neighbors=2, n_draws=6),
            "bagged": BaggedRanker(TTest(), 3, scale_on="member"),
            "repeated": RepeatedSelector(TTest(), n_resamples=3),
        },
        RepeatedStratifiedKFold(3, 1),
        **{
            "classifiers": {"1nn": KNeighborsClassifier(1)},
            "sizes": [1, 2],
            "metric": "accuracy",
            "store": store,
            "random_state": 0,
            **changes,
        },
    )


def format_of(path):
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return connection.execute("PRAGMA user_version").fetchone()[0]


def test_it_is_read_without_being_changed(path):
    results = Results.load(path)
    assert results.methods == ["relieff", "bagged", "repeated"]
    accuracies = results.accuracy("accuracy").frame()["value"]
    assert (accuracies * 12).round(9).tolist() == [6, 8, 5, 7, 5, 7]
    stabilities = results.stability().frame()["value"]
    assert (stabilities * 9).round(9).tolist() == [1, -3, -3, 3, -3, 3]
    assert path.read_bytes() == FIXTURE.read_bytes()


def without_new_keys(path):
    """Make a store of format 2 as it was before a metric decided and labels were shuffled."""
    study(path).run(X, y)
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        for table, column, where in (
            ("study", "value", "WHERE key = 'facts'"),
            ("datasets", "facts", ""),
        ):
            (text,) = connection.execute(f"SELECT {column} FROM {table} {where}").fetchone()
            facts = {k: v for k, v in json.loads(text).items() if k not in ("metric", "null")}
            connection.execute(f"UPDATE {table} SET {column} = ? {where}", (json.dumps(facts),))
        connection.execute("DROP TABLE sums")
        connection.execute("PRAGMA user_version = 2")


def test_a_store_that_does_not_name_the_metric_is_resumed(tmp_path, monkeypatch):
    path = tmp_path / "two.db"
    without_new_keys(path)
    assert format_of(path) == 2
    results = Results.load(path)
    assert (results.metric, results.data.null) == ("accuracy", 0)
    assert len(results.null()) == 0

    def none_left(inputs, methods, splits, pending, n_jobs):
        assert pending == []
        yield from ()

    monkeypatch.setattr("backstay.study._study.finished_tasks", none_left)
    assert contents(study(path).run(X, y)) == contents(results)
    for changes, message in [
        ({"sizes": [1]}, "sizes is"),
        ({"metric": "balanced_accuracy"}, r"scoring\[0\] is 'accuracy' in the store"),
    ]:
        with pytest.raises(StoreError, match=message):
            study(path, **changes).run(X, y)


def test_a_store_of_the_old_defaults_says_so(path):
    default = {"classifiers": None, "metric": None}
    with pytest.raises(StoreError, match=r"defaults were metric='accuracy' and an SVC without"):
        study(path, **default).run(X, y)
    assert path.read_bytes() == FIXTURE.read_bytes()


def test_the_first_write_upgrades_it(path):
    before = contents(Results.load(path))
    with Store(path) as store:
        assert format_of(path) == 1
        store.describe_study({"note": "written"})
    assert format_of(path) == 3
    assert check_store(path).sound
    assert contents(Results.load(path)) == before
    with contextlib.closing(sqlite3.connect(path)) as connection:
        (facts,) = connection.execute("SELECT value FROM study WHERE key = 'facts'").fetchone()
    assert json.loads(facts) == before["study"]


def test_a_write_that_fails_leaves_it_as_it_was(path):
    with Store(path) as store:
        with pytest.raises(TypeError, match="not JSON serializable"):
            store.describe_study({"note": object()})
        assert format_of(path) == 1


def test_another_study_leaves_it_as_it_was(path):
    with pytest.raises(StoreError, match=r"methods\.relieff is in the store only"):
        Study({"t": TTest()}, RepeatedStratifiedKFold(3, 1), store=path).run(X, y)
    assert path.read_bytes() == FIXTURE.read_bytes()


def test_a_newer_format_is_refused(path):
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"PRAGMA user_version = {_store_file.FORMAT + 1}")
    before = path.read_bytes()
    for write in (True, False):
        with pytest.raises(StoreError, match=r"has format 4; .* formats 1 to 3\. Update backstay"):
            Store(path, write=write)
    assert path.read_bytes() == before


SECOND = FIXTURE.with_name("study_format_2.sqlite")


def test_format_2_is_read_and_upgraded(tmp_path):
    path = Path(shutil.copy(SECOND, tmp_path / "two.db"))
    before = contents(Results.load(path))
    assert before["datasets"]["data"]["feature_names"] == list("abcd")
    assert len(Results.load(path).null()) == 4
    found = check_store(path)
    assert (found.sound, found.format, found.missing) == (True, 2, {"data": 0})
    assert path.read_bytes() == SECOND.read_bytes()
    with Store(path) as store:
        store.describe_study({"note": "written"})
    assert format_of(path) == 3
    assert check_store(path).sound
    assert contents(Results.load(path)) == before


def test_a_number_of_another_format_is_damage(tmp_path):
    path = tmp_path / "study.db"
    study(path).run(X, y)
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA user_version = 2")
    with pytest.raises(StoreError, match="it says format 2, but has the tables of another"):
        Results.load(path)


def test_damaged_text_without_a_checksum_names_the_file(tmp_path):
    path = Path(shutil.copy(SECOND, tmp_path / "two.db"))
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE datasets SET facts = substr(facts, 3)")
    with pytest.raises(StoreError, match=r"two\.db is damaged: data set 'data' cannot be read"):
        Results.load(path)
