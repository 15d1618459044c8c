"""Rows of a cohort: the columns that are asked for, whatever the file, and nothing left out."""

import numpy as np
import pandas as pd
import pytest

from backstay.datasets import TableError, read_cohort

FRAME = pd.DataFrame(
    {
        "sample": ["a", "b", "c"],
        "constant": [1.0, 1.0, 1.0],
        "counting": [1, 2, 3],
        "text": ["x", "y", "z"],
        "class": ["ill", None, "well"],
    }
)
WANTED = ("constant", "counting", "absent")


def check(table, rows=("a", "b", "c")):
    assert table.X.columns.tolist() == ["constant", "counting"]
    assert table.X.index.tolist() == list(rows)
    assert table.X.loc["c"].tolist() == [1, 3]


def test_text_and_parquet(tmp_path):
    FRAME.to_csv(tmp_path / "t.csv", index=False)
    FRAME.to_csv(tmp_path / "t.tsv.gz", index=False, sep="\t")
    FRAME.to_parquet(tmp_path / "t.parquet")
    for path in sorted(tmp_path.iterdir()):
        check(read_cohort(path, WANTED, ids="sample"))
        with_classes = read_cohort(path, WANTED, "class", ids="sample")
        check(with_classes, ("a", "c"))
        assert with_classes.y.tolist() == ["ill", "well"]
        assert with_classes.n_dropped == 1


def test_a_feature_per_row(tmp_path):
    table = FRAME.set_index("sample")[["constant", "counting"]].T
    table.to_csv(tmp_path / "t.csv")
    check(read_cohort(tmp_path / "t.csv", WANTED, transpose=True))
    FRAME[["sample", "class"]].to_csv(tmp_path / "sheet.csv", index=False)
    found = read_cohort(tmp_path / "t.csv", WANTED, "class", samples=tmp_path / "sheet.csv")
    check(found, ("a", "c"))


def test_arrays_with_labels_beside_them(tmp_path):
    X, names = FRAME[["constant", "counting"]].to_numpy(), ["constant", "counting"]
    np.savez(tmp_path / "t.npz", X=X, y=[0, 1, 1], class_names=["p", "q"], feature_names=names)
    found = read_cohort(tmp_path / "t.npz", WANTED, "y")
    assert found.y.tolist() == ["p", "q", "q"]
    assert found.X.to_numpy().tolist() == X.tolist()
    assert read_cohort(tmp_path / "t.npz", WANTED).y is None


def test_log2_and_gaps(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("g,h\n64,\n3,5\n")
    found = read_cohort(path, ["g", "h"], log2=16).X
    assert found["g"].tolist() == [6, 4]
    assert np.isnan(found["h"][0])


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("g,c\nhigh,a\n1,b\n", {}, "'high' .1 time.; first 'high' in column 'g', row 1"),
        ("g,c\n1,a\n", {"target": "d"}, "has no column 'd'"),
        ("g,c\n1,\n2,\n", {"target": "c"}, "no row has a value of 'c'"),
    ],
)
def test_what_cannot_be_read_is_said(text, options, message, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(TableError, match=message):
        read_cohort(path, ["g"], **options)
