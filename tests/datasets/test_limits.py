"""Files that are too large, too long or too odd for the usual way, and files of other programs."""

import gzip
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.io import arff

from backstay.datasets import TableError, _content, read_table

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


def test_long_fields_are_read_unless_a_quote_stays_open(tmp_path):
    rows = "".join(f"{i},{'x' * 140_000 if i == 3 else 'short'},{'ab'[i % 2]}\n" for i in range(8))
    (tmp_path / "long.csv").write_text(f"size,text,kind\n{rows}")
    table = read_table(tmp_path / "long.csv", "kind", keep=["size"])
    assert table.X["text"].str.len().max() == 140_000


def test_utf_32_is_read_when_it_is_named(tmp_path):
    text = "size,kind\n" + "".join(f"{i * i % 5}.5,{'éè'[i % 2]}\n" for i in range(8))
    (tmp_path / "wide.csv").write_bytes(text.encode("utf-32"))
    assert list(read_table(tmp_path / "wide.csv", "kind", encoding="utf-32").classes) == ["è", "é"]


def test_labels_keep_their_value(tmp_path):
    large = [10_000_000_000_000_000_000, 10_000_000_000_000_000_001]
    for labels in (large, [9_007_199_254_740_992, 9_007_199_254_740_993]):
        frame = pd.DataFrame({"size": np.arange(8) ** 2 % 5 + 0.5, "kind": np.resize(labels, 8)})
        frame.to_csv(tmp_path / "t.csv", index=False)
        assert list(read_table(tmp_path / "t.csv", "kind").classes) == [str(v) for v in labels]


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


def test_a_file_that_anndata_wrote():
    path = DATA / "anndata_0_12.h5ad"
    table = read_table(path, "diagnosis", groups="patient", covariates=["age", "nullable", "flag"])
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
    assert f"need{'s' if name != 't.parquet' else ''} {module}" in str(caught.value)
    assert f'pip install "{extra}"' in str(caught.value)
