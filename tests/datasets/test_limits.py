"""Files that are too large, too long or too odd for the usual way, and files of other programs."""

import gzip
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from backstay.datasets import TableError, _content, read_selections, read_table

DATA = Path(__file__).parents[1] / "data"


def test_a_small_file_that_unpacks_to_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(_content, "BOMB_BYTES", 10**6)
    zeros = np.zeros((30_000, 50))
    lines = "a,b,kind\n" + "0,0,x\n" * 200_000
    (tmp_path / "bomb.csv.gz").write_bytes(gzip.compress(lines.encode()))
    np.savez_compressed(tmp_path / "bomb.npz", X=zeros, y=np.resize([0, 1], 30_000))
    pd.DataFrame(zeros).add_prefix("x").to_parquet(tmp_path / "bomb.parquet")
    for name in ("bomb.csv.gz", "bomb.npz", "bomb.parquet"):
        with pytest.raises(TableError, match=r"unpacks to more than 100 times .* max_size"):
            read_table(tmp_path / name, "kind" if "npz" not in name else None)
    with pytest.raises(TableError, match="no column left"):  # read after all
        read_table(tmp_path / "bomb.npz", max_size=1)


def test_a_line_without_an_end_is_held_to_the_given_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(_content, "BOMB_BYTES", 10**6)
    (tmp_path / "line.csv.gz").write_bytes(gzip.compress(b"0" * 1_500_000))
    with pytest.raises(TableError, match="100 times its size"):
        read_table(tmp_path / "line.csv.gz", "kind")
    with pytest.raises(TableError, match="one column only"):
        read_table(tmp_path / "line.csv.gz", "kind", max_size=1)
    (tmp_path / "blank.csv.gz").write_bytes(gzip.compress(b"\n" * 1_200_000 + b"a,kind\n"))
    with pytest.raises(TableError, match="no rows below it"):
        read_table(tmp_path / "blank.csv.gz", "kind", max_size=1)


@pytest.mark.parametrize("size", [-1, 0, float("nan")])
def test_a_limit_is_a_number_above_zero(tmp_path, size):
    (tmp_path / "t.csv").write_text("a,kind\n1,x\n2,y\n")
    with pytest.raises(TableError, match="must be a number of gigabytes above 0"):
        read_table(tmp_path / "t.csv", "kind", max_size=size)


def test_selections_that_unpack_to_too_much_are_refused(tmp_path, monkeypatch, call):
    monkeypatch.setattr(_content, "BOMB_BYTES", 10**6)
    runs = "run,gene\n" + "".join(f"{i // 5},g{i % 7}\n" for i in range(20))
    path = tmp_path / "runs.csv.gz"
    path.write_bytes(gzip.compress(runs.encode() + b"\n" * 2_000_000))
    with pytest.raises(TableError, match="max_size"):
        read_selections(path)
    assert len(read_selections(path, max_size=1).runs) == 4
    said = call("stability", path)
    assert said.code == 2
    assert "unpacks to more than" in " ".join(said.err.split())


def test_a_quotation_mark_that_does_not_end_is_said(tmp_path):
    rows = "".join(f"{i * i % 7},{'xy'[i % 2]}\n" for i in range(8))
    (tmp_path / "open.csv").write_text(f'size,kind\n{rows}3,"x\n')
    with pytest.raises(TableError, match=r"\(.*EOF inside string.*\); close a quotation mark that"):
        read_table(tmp_path / "open.csv", "kind")


def test_long_fields_are_read_unless_a_quote_stays_open(tmp_path):
    rows = "".join(f"{i},{'x' * 140_000 if i == 3 else 'short'},{'ab'[i % 2]}\n" for i in range(8))
    (tmp_path / "long.csv").write_text(f"size,text,kind\n{rows}")
    table = read_table(tmp_path / "long.csv", "kind", keep=["size"])
    assert table.X["text"].str.len().max() == 140_000


def test_utf_32_is_read_when_it_is_named(tmp_path):
    text = "size,kind\n" + "".join(f"{i * i % 5}.5,{'éè'[i % 2]}\n" for i in range(8))
    (tmp_path / "wide.csv").write_bytes(text.encode("utf-32"))
    assert list(read_table(tmp_path / "wide.csv", "kind", encoding="utf-32").classes) == ["è", "é"]


def test_a_file_that_anndata_wrote():
    path = DATA / "anndata_0_12.h5ad"
    table = read_table(path, "diagnosis", groups="patient", also=["age", "nullable", "flag"])
    assert table.X.shape == (24, 9)
    assert table.X.columns.tolist()[:2] == ["ENSG0", "ENSG1"]
    assert np.isnan(table.X["nullable"].iloc[0])
    assert table.X["nullable"].tolist()[1:4] == [0, 1, 2]
    assert table.annotation.columns.tolist() == ["symbol", "kind"]
    assert table.annotation.loc["ENSG3"].tolist() == ["G3", "b"]
    logs = read_table(path, "diagnosis", layer="log").X
    plain = read_table(path, "diagnosis").X
    np.testing.assert_allclose(logs, np.log2(plain.to_numpy() + 1))


@pytest.mark.parametrize(
    ("name", "module", "extra"),
    [
        ("t.xlsx", "openpyxl", "backstay[app]"),
        ("t.parquet", "pyarrow", "backstay[app]"),
        ("t.h5ad", "h5py", "backstay[anndata]"),
    ],
)
def test_a_missing_reader_names_its_extra(tmp_path, monkeypatch, name, module, extra):
    (tmp_path / name).write_text("x")
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(TableError) as caught:
        read_table(tmp_path / name, "kind")
    assert f"{name} needs {module} to be read" in str(caught.value)
    assert f'pip install "{extra}"' in str(caught.value)
