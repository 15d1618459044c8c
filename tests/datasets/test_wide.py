"""Very wide tables stay in single precision and are never copied as a whole."""

import hashlib

import numpy as np
import pandas as pd
import pytest

from backstay._identity import digest, fingerprint
from backstay.datasets import TableError, _labelled, _text, read_cohort, read_table
from backstay.datasets._labelled import column_blocks, count_missing
from table_formats import write_h5ad

N, D = 12, 40


@pytest.fixture
def narrow(monkeypatch):
    """Call tables wide that are not, and look at a few columns at a time."""
    monkeypatch.setattr(_labelled, "MAX_DOUBLE_CELLS", 100)
    monkeypatch.setattr(_labelled, "BLOCK_CELLS", 7 * N)


def table(**changes):
    rng = np.random.default_rng(0)
    arrays = {"X": rng.random((N, D), dtype=np.float32), "y": np.repeat(["a", "b"], N // 2)}
    return {**arrays, **changes}


def save(path, arrays):
    if path.suffix == ".npz":
        np.savez(path, **arrays)
    else:
        frame = pd.DataFrame(arrays["X"], columns=[f"x{j}" for j in range(D)])
        frame.assign(y=arrays["y"]).to_parquet(path, index=False)
    return path


@pytest.mark.parametrize("suffix", [".npz", ".parquet"])
def test_a_wide_table_of_single_precision_stays_so(tmp_path, narrow, suffix):
    arrays = table()
    found = read_table(save(tmp_path / f"t{suffix}", arrays), "y")
    assert set(found.X.dtypes) == {np.dtype(np.float32)}
    assert np.array_equal(found.X.to_numpy(), arrays["X"])
    assert found.X.to_numpy().flags.c_contiguous
    assert found.numbers()[0] is found.X


def as_parquet(path, *, index=None, names=None, beside=True, gap=False):
    """Write a table of single precision with everything that pandas or others may put into it."""
    X = table()["X"]
    if gap:
        X[3, 5] = np.nan
    frame = pd.DataFrame(X, index, [f"x{j}" for j in range(D)] if names is None else names)
    if beside:
        frame.insert(4, "kind", np.repeat(["a", "b"], N // 2))
    frame.to_parquet(path)
    return path


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"gap": True},
        {"index": [f"s{i}" for i in range(N)]},
        {"names": ["x", *(f"x.{j}" for j in range(1, D))]},
        {"beside": False},
    ],
    ids=["plain", "gap", "named rows", "dots", "nothing beside"],
)
def test_parquet_by_blocks_is_parquet_at_once(tmp_path, monkeypatch, how):
    path = as_parquet(tmp_path / "t.parquet", **how)

    def read():
        if how.get("beside", True):
            found = read_table(path, "kind")
            return found.X, (found.y.tolist(), found.notes, found.warnings)
        found = read_cohort(path, [f"x{j}" for j in range(D)])
        return found.X, (found.n_dropped,)

    once, said = read()
    monkeypatch.setattr(_labelled, "MAX_DOUBLE_CELLS", 100)
    monkeypatch.setattr(_labelled, "BLOCK_CELLS", 7 * N)
    blocks, said_of_blocks = read()
    # A cohort becomes double precision whatever its size.
    kind = np.float32 if how.get("beside", True) else np.float64
    assert set(blocks.dtypes) == {np.dtype(kind)}
    pd.testing.assert_frame_equal(
        blocks.astype(np.float64), once.astype(np.float64), check_exact=True
    )
    assert said_of_blocks == said


def test_anndata_of_single_precision_stays_so(tmp_path, narrow):
    arrays = table()
    numbers = pd.DataFrame(arrays["X"]).add_prefix("x").rename("s{}".format)
    obs = pd.DataFrame({"y": arrays["y"]})
    write_h5ad(tmp_path / "t.h5ad", numbers, obs, pd.DataFrame())
    found = read_table(tmp_path / "t.h5ad", "y")
    assert set(found.X.dtypes) == {np.dtype(np.float32)}
    assert np.array_equal(found.X.to_numpy(), arrays["X"])


def test_a_smaller_one_becomes_double_as_from_a_text_file(tmp_path):
    found = read_table(save(tmp_path / "t.npz", table()), "y")
    assert set(found.X.dtypes) == {np.dtype(np.float64)}


def test_what_is_said_does_not_depend_on_the_blocks(tmp_path, monkeypatch):
    X = table()["X"]
    X[3, 5] = X[7, 30] = X[7, 31] = np.nan
    X[:, 9] = 2  # constant
    X[:, 17] = np.nan  # empty
    X[:, 21] = np.arange(N)  # counts the rows
    X[:, 33] = np.repeat([1, 2], N // 2)  # the classes in other words
    X[11] = X[2]  # a copy but for the last two
    X[11, [21, 33]] = [11, 2]
    path = save(tmp_path / "t.npz", table(X=X))
    whole = read_table(path, "y")
    monkeypatch.setattr(_labelled, "BLOCK_CELLS", 7 * N)
    blocks = read_table(path, "y")
    pd.testing.assert_frame_equal(blocks.X, whole.X)
    assert (blocks.notes, blocks.warnings) == (whole.notes, whole.warnings)
    assert "x21" in " ".join(whole.warnings)
    assert blocks.summary() == whole.summary()
    assert whole.summary()["missing"] == 3


def test_infinite_values_are_found_in_any_block(tmp_path, narrow):
    X = table()["X"]
    X[4, 38] = np.inf
    with pytest.raises(TableError, match="column 'x38' holds an infinite value in row 5"):
        read_table(save(tmp_path / "t.npz", table(X=X)), "y")


def test_blocks_cover_every_column_once():
    for n, d in ((3, 10), (10**9, 4), (0, 5)):
        blocks = list(column_blocks(n, d))
        assert [j for block in blocks for j in range(d)[block]] == list(range(d))
    frame = pd.DataFrame([[np.nan, 1.0, None], [2.0, 3.0, "a"]])
    assert count_missing(frame) == (2, 2, 1)


@pytest.mark.parametrize("kind", [np.float32, np.int64])
def test_the_fingerprint_of_a_frame_is_that_of_its_columns(kind):
    values = np.random.default_rng(0).integers(0, 9, (5, 300)).astype(kind)
    frame = pd.DataFrame(values, columns=[f"x{j}" for j in range(300)])
    mixed = frame.astype({"x7": object})
    assert fingerprint(frame) == by_column(frame)
    assert fingerprint(mixed) == by_column(mixed) != fingerprint(frame)


def by_column(frame):
    lines = [f"{name!r} {digest(np.asarray(frame[name]))}" for name in frame.columns]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def test_the_target_of_a_very_wide_text_file_is_looked_at_first(tmp_path, monkeypatch):
    path = tmp_path / "wide.csv"
    frame = pd.DataFrame(table()["X"]).add_prefix("g").assign(kind=table()["y"])
    frame.to_csv(path, index=False)
    usual = read_table(path, "kind")
    monkeypatch.setattr(_text, "WIDE", 5)
    widths, parsed = [], _text.parsed

    def noted(*given, **layout):
        widths.append(len(layout["usecols"]) if "usecols" in layout else given[2])
        return parsed(*given, **layout)

    monkeypatch.setattr(_text, "parsed", noted)
    first = read_table(path, "kind")
    pd.testing.assert_frame_equal(first.X, usual.X)
    assert (first.y == usual.y).all()
    widths.clear()
    frame.assign(kind=[f"n{i}" for i in range(len(frame))]).to_csv(path, index=False)
    with pytest.raises(TableError, match="names, not classes"):
        read_table(path, "kind")
    assert set(widths) == {1}
