"""Files that are too large, too long or too odd for the usual way, and files of other programs."""

import gzip
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.io import arff

from backstay.datasets import TableError, _content, read_selections, read_table

DATA = Path(__file__).parents[1] / "data"


def test_a_small_file_that_unpacks_to_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(_content, "BOMB_BYTES", 10**6)
    zeros = np.zeros((30_000, 100))
    lines = "a,b,kind\n" + "0,0,x\n" * 500_000
    (tmp_path / "bomb.csv.gz").write_bytes(gzip.compress(lines.encode()))
    np.savez_compressed(tmp_path / "bomb.npz", X=zeros, y=np.resize([0, 1], 30_000))
    pd.DataFrame(zeros).add_prefix("x").to_parquet(tmp_path / "bomb.parquet")
    for name in ("bomb.csv.gz", "bomb.npz", "bomb.parquet"):
        with pytest.raises(TableError, match=r"unpacks to more than 100 times .* max_size"):
            read_table(tmp_path / name, "kind" if "npz" not in name else None)
    with pytest.raises(TableError, match="no column left"):  # read after all
        read_table(tmp_path / "bomb.npz", max_size=1)


def test_texts_that_unpack_to_much_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(_content, "BOMB_BYTES", 10**6)
    n = 3000
    frame = pd.DataFrame(
        {"a": np.arange(n) * 1.5 % 7, "text": "x" * 5000, "kind": ["u", "v"] * 1500}
    )
    frame.to_parquet(tmp_path / "bomb.parquet", row_group_size=500)
    with pytest.raises(TableError, match=r"unpacks to more than 100 times .* max_size"):
        read_table(tmp_path / "bomb.parquet", "kind")
    assert read_table(tmp_path / "bomb.parquet", "kind", max_size=1).X.shape[1] == 1
    frame.assign(text="short").to_parquet(tmp_path / "small.parquet")
    assert len(read_table(tmp_path / "small.parquet", "kind").X) == n


def test_a_line_without_an_end_is_held_to_the_given_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(_content, "BOMB_BYTES", 10**6)
    (tmp_path / "line.csv.gz").write_bytes(gzip.compress(b"0" * 3_000_000))
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


def test_commands_that_name_max_size_take_it(tmp_path, monkeypatch, call):
    monkeypatch.setattr(_content, "BOMB_BYTES", 10**6)
    runs = "run,gene\n" + "".join(f"{i // 5},g{i % 7}\n" for i in range(20))
    path = tmp_path / "runs.csv.gz"
    path.write_bytes(gzip.compress(runs.encode() + b"\n" * 2_000_000))
    with pytest.raises(TableError, match="max_size"):
        read_selections(path)
    assert len(read_selections(path, max_size=1).runs) == 4
    said = call("stability", path)
    assert said.code == 2
    assert "The option is --max-size." in " ".join(said.err.split())
    monkeypatch.setenv("COLUMNS", "200")
    for command in ("run", "predict", "validate", "stability"):
        assert "--max-size" in call(command, "--help").out


def test_a_quotation_mark_that_does_not_end_is_said(tmp_path):
    rows = "".join(f"{i * i % 7},{'xy'[i % 2]}\n" for i in range(8))
    (tmp_path / "open.csv").write_text(f'size,kind\n{rows}3,"x\n')
    with pytest.raises(TableError, match=r"\(.*EOF inside string.*\); close a quotation mark that"):
        read_table(tmp_path / "open.csv", "kind")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_text_without_a_mark_is_recognised(tmp_path, encoding):
    text = "size,kind\n" + "".join(f"{i * i % 5}.5,{'éè'[i % 2]}\n" for i in range(8))
    (tmp_path / "wide.csv").write_bytes(text.encode(encoding))
    with pytest.raises(TableError, match=f"looks like {encoding} text; .* name the encoding"):
        read_table(tmp_path / "wide.csv", "kind")
    assert list(read_table(tmp_path / "wide.csv", "kind", encoding=encoding).classes) == ["è", "é"]


def test_long_fields_are_read_unless_a_quote_stays_open(tmp_path):
    rows = "".join(f"{i},{'x' * 140_000 if i == 3 else 'short'},{'ab'[i % 2]}\n" for i in range(8))
    (tmp_path / "long.csv").write_text(f"size,text,kind\n{rows}")
    table = read_table(tmp_path / "long.csv", "kind", keep=["size"])
    assert table.X["text"].str.len().max() == 140_000


def test_utf_32_is_read_when_it_is_named(tmp_path):
    text = "size,kind\n" + "".join(f"{i * i % 5}.5,{'éè'[i % 2]}\n" for i in range(8))
    (tmp_path / "wide.csv").write_bytes(text.encode("utf-32"))
    assert list(read_table(tmp_path / "wide.csv", "kind", encoding="utf-32").classes) == ["è", "é"]


NOMINAL = """% comment
@RELATION 'a relation'
@attribute 'the size' REAL
@attribute colour {red, 'light blue', "dark \\" green"}
@ATTRIBUTE n integer
@attribute kind {a,b}

@DATA
1.5, red, 3, a
% another
?,'light blue',4,b
-2e3,"dark \\" green",?,a
0.1,?,1,b
"""


def test_arff_as_other_readers_understand_it(tmp_path):
    path = tmp_path / "t.arff"
    path.write_text(NOMINAL)
    table = read_table(path, "kind", keep=["n"])
    assert table.X.columns.tolist() == ["the size", "colour", "n"]
    np.testing.assert_array_equal(table.X["the size"], [1.5, np.nan, -2000, 0.1])
    assert table.X["colour"].cat.categories.tolist() == ["red", "light blue", 'dark " green']
    assert table.X["colour"].tolist()[:3] == ["red", "light blue", 'dark " green']
    assert table.y.tolist() == ["a", "b", "a", "b"]
    path.write_text(NOMINAL.replace('"dark \\" green"', "green").replace("'light blue'", "blue"))
    table, (data, _) = read_table(path, "kind", keep=["n"]), arff.loadarff(path)
    np.testing.assert_array_equal(table.X["the size"], data["the size"])
    np.testing.assert_array_equal(table.X["n"], data["n"])


def test_arff_takes_time_that_grows_with_its_length(tmp_path):
    def seconds(n):
        values = ",".join(f"'value {i}'" for i in range(n))
        rows = "".join(f"{i % 7},'value {i}'\n" for i in range(60))
        head = f"@relation r\n@attribute a numeric\n@attribute kind {{{values}}}\n@data\n"
        path = tmp_path / "t.arff"
        path.write_text(head + rows.replace("'value 1'", "'value 0'"))
        start = time.process_time()
        with pytest.raises(TableError):
            read_table(path, "zzz")
        return time.process_time() - start

    seconds(100)
    assert seconds(40_000) < 30 * seconds(4000)  # a quadratic reader takes a hundred times as long


@pytest.mark.parametrize("before", ["", "v1", "v1, "])
def test_arff_takes_no_longer_where_a_quote_stays_open(tmp_path, before):
    values = before + " " * 50_000 + "'x"
    head = f"@relation r\n@attribute a numeric\n@attribute kind {{{values}}}\n@data\n1,x\n"
    (tmp_path / "t.arff").write_text(head)
    start = time.process_time()
    with pytest.raises(TableError, match="not a list in braces"):
        read_table(tmp_path / "t.arff", "kind")
    assert time.process_time() - start < 1  # even a quadratic reader takes longer


def test_many_declared_values_are_sorted_in_time(tmp_path):
    values = ",".join(f"v{i}" for i in range(20_000))
    rows = "".join(f"{i % 7},v{i % 3},{'xy'[i % 2]}\n" for i in range(3000))
    head = f"@relation r\n@attribute a numeric\n@attribute b {{{values}}}\n"
    (tmp_path / "t.arff").write_text(f"{head}@attribute kind {{x,y}}\n@data\n{rows}")
    start = time.process_time()
    table = read_table(tmp_path / "t.arff", "kind")
    assert table.X["b"].cat.categories.tolist() == ["v0", "v1", "v2"]
    assert time.process_time() - start < 1.5  # a look at every row for every value takes longer


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
