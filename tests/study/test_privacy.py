"""What files hold of single samples: all of it, or nothing but outcomes and predictions."""

import json
import os
import sqlite3
import stat

import numpy as np
import pandas as pd
import pytest

from backstay import InstanceWeighted, MarginWeighting, ReliefF
from backstay.datasets import make_han_yu
from backstay.feature_weighting import TTest
from backstay.results import Results
from backstay.store import Store, StoreError, check_store
from backstay.study import Study, Subsampling, merge_stores

N = 41  # no other axis has this length
VALUES, y, _ = make_han_yu(N, n_features=60, n_relevant=20, block_size=5, random_state=0)
X = pd.DataFrame(VALUES, index=[f"WHO{i:02}" for i in range(N)])
X.columns = [f"gene{j}" for j in range(60)]
METHODS = {"t": TTest(), "w": InstanceWeighted(ReliefF(n_neighbors=3), MarginWeighting())}
ABOUT = {"provenance": {"done": ["Left out: 1 sample of a.csv is not in b.csv: WHO77.", "Kept."]}}


def strip_store(path, out):
    Results.load(path).save(out, keep_samples=False)
    return out


def study(store=None, **changes):
    options = {"resampling": Subsampling(4), "sizes": [5, 10], "null": 1, "random_state": 0}
    return Study(METHODS, **{**options, "store": store, **changes})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("privacy")
    study(folder / "kept.db").run(X, y, **ABOUT)
    study(folder / "none.db", keep_samples=False).run(X, y, **ABOUT)
    strip_store(folder / "kept.db", folder / "stripped.db")
    return folder


def arrays(path):
    """Return every array of a store, by owner and name."""
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT owner, name, dtype, shape, data FROM arrays").fetchall()
    connection.close()
    return {row[:2]: np.frombuffer(row[4], row[2]).reshape(json.loads(row[3])) for row in rows}


def tells_a_feature(array, rows):
    """Whether some line of an array along an axis of rows is a feature's values, scaled."""
    for axis, length in enumerate(array.shape):
        if length == len(rows) and array.dtype.kind == "f":
            lines = np.moveaxis(array, axis, -1).reshape(-1, length)
            lines = lines[lines.std(axis=1) > 0]
            pairs = np.corrcoef(np.concatenate([lines, VALUES[rows].T]))[: len(lines), len(lines) :]
            if (np.abs(pairs) > 0.9999).any():
                return True
    return False


def told(path):
    """Return the arrays of a store in which a feature's values can be seen."""
    held = arrays(path)
    splits = [array for (_, name), array in held.items() if name.startswith(("train ", "test "))]
    every = [np.arange(N), *splits]
    return {key[1] for key, array in held.items() if any(tells_a_feature(array, r) for r in every)}


def test_values_can_be_turned_back_to_raw_ones(folder):
    held = arrays(folder / "kept.db")
    n, mean, deviation = (
        held["dataset data", f"class {what}"] for what in ("count", "mean", "deviation")
    )
    total = n.sum(axis=0)
    overall = (n * mean).sum(axis=0) / total
    squares = ((n - 1) * deviation**2 + n * (mean - overall) ** 2).sum(axis=0)
    spread = np.sqrt(squares / (total - 1))
    features = held["computed data", "candidate"]
    values = held["computed data", "candidate values"]
    raw = overall[features] + spread[features] * values.T
    np.testing.assert_allclose(raw, VALUES[:, features], atol=1e-12)


def numbers_by_row(path):
    """Return the names of arrays of fractions that have an axis as long as all or some rows."""
    held = arrays(path)
    splits = [len(array) for (_, name), array in held.items() if name.startswith(("train", "test"))]
    lengths = {N, *splits}
    assert not lengths & {len(METHODS), 2, 5, 10, 60}  # so that only rows are so many
    fractions = {key: array for key, array in held.items() if array.dtype.kind == "f"}
    return {name for (_, name), array in fractions.items() if lengths & {*array.shape}}


@pytest.mark.parametrize("kind", ["none", "stripped"])
def test_by_row_there_are_outputs_of_models_and_instance_weights_only(folder, kind):
    beside = {"outputs", "sample_weight"}
    assert numbers_by_row(folder / "kept.db") == {"candidate values", *beside}
    assert numbers_by_row(folder / f"{kind}.db") == beside


@pytest.mark.parametrize("kind", ["none", "stripped"])
def test_no_array_has_values_of_features_and_no_text_a_name(folder, kind):
    assert told(folder / "kept.db") == {"candidate values"}
    assert told(folder / f"{kind}.db") == set()
    assert b"WHO" in (folder / "kept.db").read_bytes()
    assert b"WHO" not in (folder / f"{kind}.db").read_bytes()
    with Store(folder / f"{kind}.db", write=False) as store:
        assert store.study()["provenance of data"] == {"done": ["Kept."]}


def test_a_check_says_which_kind_it_is(folder):
    kinds = {name: check_store(folder / f"{name}.db") for name in ("kept", "none", "stripped")}
    assert all(check.sound for check in kinds.values())
    assert kinds["kept"].samples == {"data": ["values", "names"]}
    assert kinds["none"].samples == kinds["stripped"].samples == {"data": []}


def test_what_was_found_is_the_same(folder):
    kept, *others = (Results.load(folder / f"{one}.db") for one in ("kept", "none", "stripped"))
    for other in others:
        pd.testing.assert_frame_equal(other.frame(), kept.frame())
        pd.testing.assert_frame_equal(other.features().frame(), kept.features().frame())
        groups = other.selections.groups().frame()
        pd.testing.assert_frame_equal(groups, kept.selections.groups().frame())
        assert kept.samples.kept()
        assert not other.samples.kept()
        assert other.samples.values().frame().empty
        with pytest.raises(ValueError, match="without samples"):
            other.selections.equivalents(5, method="t")


@pytest.mark.parametrize("kind", ["none", "stripped"])
def test_a_study_goes_on_as_the_kind_it_is(folder, tmp_path, kind):
    path = strip_store(folder / f"{kind}.db", tmp_path / "s.db")
    with pytest.raises(StoreError, match="keeps no values and no names of samples"):
        study(path).run(X, y)
    longer = study(path, keep_samples=False, resampling=Subsampling(5)).run(X, y)
    assert longer.data.n_resamples == 5
    assert told(path) == set()
    with pytest.raises(StoreError, match="keeps values or names of samples"):
        study(folder / "kept.db", keep_samples=False).run(X, y)


def test_shards_without_samples_are_merged(tmp_path, folder):
    paths = [tmp_path / "1.db", tmp_path / "2.db"]
    for number, path in enumerate(paths, start=1):
        study(path, keep_samples=False).run(X, y, shard=(number, 2))
        assert told(path) == set()
    whole = merge_stores(paths, tmp_path / "study.db")
    assert told(whole) == set()
    results = study(whole, keep_samples=False).run(X, y)  # adds the correlations
    at_once = Results.load(folder / "none.db")
    pd.testing.assert_frame_equal(results.frame(), at_once.frame())
    groups = results.selections.groups().frame()
    pd.testing.assert_frame_equal(groups, at_once.selections.groups().frame())


@pytest.mark.skipif(os.name != "posix", reason="modes of files are POSIX's")
def test_only_the_owner_reads_files_with_samples(folder, tmp_path):
    before = os.umask(0o022)
    try:
        Results.load(folder / "kept.db").save(tmp_path / "copy.db")
        study(tmp_path / "new.db").run(X, y)
        study(tmp_path / "none.db", keep_samples=False).run(X, y)
        strip_store(folder / "kept.db", tmp_path / "stripped.db")
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    private, open_to_all = 0o600, 0o644
    assert modes == {
        "copy.db": private, "new.db": private, "none.db": open_to_all, "stripped.db": open_to_all,
    }  # fmt: skip


def test_a_stripped_copy_replaces_nothing(folder):
    with pytest.raises(StoreError, match="exists already; it was left as it is"):
        strip_store(folder / "kept.db", folder / "none.db")


def test_the_command_line_keeps_no_samples(tmp_path, call):
    table = X.rename_axis("id").reset_index().assign(kind=np.where(y == y[0], "a", "b"))
    table.to_csv(tmp_path / "cells.csv", index=False)
    run = ["run", tmp_path / "cells.csv", "-t", "kind", "--id", "id", "-m", "t", "-q", "-j", "1"]
    run += ["--repeats", "3", "--sizes", "5", "--null", "0", "-o"]
    assert call(*run, tmp_path / "none", "--no-samples").code == 0
    page = (tmp_path / "none" / "report.html").read_text()
    assert "There is no heat map and no map of the samples: the study was run with" in page
    for file in (tmp_path / "none").iterdir():
        assert b"WHO" not in file.read_bytes(), file
    assert not (tmp_path / "none" / "equivalents.csv").exists()
    assert "neither values nor names are kept" in call("check", tmp_path / "none").out
    (tmp_path / "none" / "report.html").unlink()
    assert call("report", tmp_path / "none").code == 0
    assert "There is no heat map" in (tmp_path / "none" / "report.html").read_text()
    frozen = call("freeze", tmp_path / "none", "-d", tmp_path / "cells.csv", "--choice", "t,5,svm")
    assert frozen.code == 0, frozen.err
    study(tmp_path / "kept.db").run(X, y)
    copy = tmp_path / "copy.db"
    assert "predictions of every row" in call("strip", tmp_path / "kept.db", "-o", copy).out
    assert call("check", copy).code == 0
    assert call("compare", copy, tmp_path / "kept.db", "--size", "5").code == 0
    again = call("strip", tmp_path / "kept.db", "-o", copy)
    assert (again.code, "exists already" in again.err) == (2, True)
