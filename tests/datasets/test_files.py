"""Reading tables: what is decided is said, and what cannot be used is refused in a sentence."""

import gzip

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from backstay.datasets import log2_floor, read_table
from refusals import complaint

ROWS = 24


def frame(n=ROWS):
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "height": rng.normal(170, 10, n).round(2),
            "weight": rng.normal(70, 8, n).round(2),
            "colour": np.resize(["red", "green", "blue"], n),
            "smoker": np.resize(["no", "yes"], n),
            "kind": np.repeat(["ill", "well"], n // 2),
        }
    )


def saved(tmp_path, table, name="table.csv", **options):
    path = tmp_path / name
    table.to_csv(path, index=False, **options)
    return path


def written(tmp_path, text, name="table.csv", encoding="utf-8"):
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    return path


# Formats.


@pytest.mark.parametrize(
    ("name", "sep", "word"),
    [
        ("t.csv", ",", "commas"),
        ("t.tsv", "\t", "tabs"),
        ("t.csv", ";", "semicolons"),
        ("t.txt", "|", "bars"),
        ("t.txt", " ", "blanks"),
        ("t.csv.gz", ",", "commas"),
    ],
)
def test_the_delimiter_is_found_and_said(tmp_path, name, sep, word):
    table = read_table(saved(tmp_path, frame(), name, sep=sep), "kind")
    assert table.X.columns.tolist() == ["height", "weight", "colour", "smoker"]
    assert table.categorical == ["colour", "smoker"]
    np.testing.assert_array_equal(table.X["height"], frame()["height"])
    assert f"Fields are separated by {word}." in table.notes
    assert table.details["delimiter"] == sep
    assert table.details["file"] == name
    assert len(table.details["sha256"]) == 64
    assert table.classes == {"ill": ROWS // 2, "well": ROWS // 2}
    assert table.warnings == []


def test_what_is_counted(tmp_path):
    table = frame()
    table.loc[[0, 3], "height"] = np.nan
    table.loc[3, "colour"] = None
    assert read_table(saved(tmp_path, table), "kind").summary() == {
        "rows": ROWS,
        "features": 4,
        "numeric": 2,
        "categorical": 2,
        "kind": "classes",
        "classes": {"ill": 12, "well": 12},
        "missing": 3,
        "missing_columns": 2,
        "missing_rows": 2,
        "groups": None,
        "sample_names": False,
    }


def test_every_format_gives_the_same_table(tmp_path):
    given = frame()[["height", "weight", "kind"]]
    X, y = given[["height", "weight"]].to_numpy(), np.repeat([0, 1], ROWS // 2)
    given.to_csv(tmp_path / "a.csv", index=False)
    given.to_parquet(tmp_path / "a.parquet")
    names = {"feature_names": ["height", "weight"], "class_names": ["ill", "well"]}
    np.savez(tmp_path / "a.npz", X=X, y=y, **names)
    sparse_X = sparse.csr_matrix(X)
    np.savez(
        tmp_path / "b.npz",
        data=sparse_X.data,
        indices=sparse_X.indices,
        indptr=sparse_X.indptr,
        shape=X.shape,
        y=y,
        **names,
    )
    expected = read_table(tmp_path / "a.csv", "kind")
    for name in ("a.parquet", "a.npz", "b.npz"):
        found = read_table(tmp_path / name, "kind" if name == "a.parquet" else None)
        pd.testing.assert_frame_equal(found.X, expected.X)
        assert found.y.tolist() == expected.y.tolist()


def test_a_table_with_a_feature_per_row(tmp_path):
    given = frame()[["height", "weight", "kind"]]
    given.index = [f"s{i}" for i in range(ROWS)]
    given.T.to_csv(tmp_path / "t.csv", index_label="gene")
    table = read_table(tmp_path / "t.csv", "kind", transpose=True)
    assert table.X.index.tolist() == given.index.tolist()
    np.testing.assert_array_equal(table.X.to_numpy(), given[["height", "weight"]].to_numpy())
    assert table.y.tolist() == given["kind"].tolist()
    assert "Rows and columns were exchanged: the file has a feature per row." in table.notes


def test_rows_as_r_and_pandas_name_them(tmp_path):
    r = "height weight kind\n" + "".join(
        f'"p{i}" {i}.5 {i * i % 7} {"ab"[i % 2]}\n' for i in range(9)
    )
    table = read_table(written(tmp_path, r, "r.txt"), "kind")
    assert table.X.index.tolist() == [f"p{i}" for i in range(9)]
    frame().to_csv(tmp_path / "p.csv")
    table = read_table(tmp_path / "p.csv", "kind")
    assert table.X.index.tolist() == [str(i) for i in range(ROWS)]
    assert "The first column names the rows." in table.notes
    assert not table.warnings


def test_nothing_is_unpickled(tmp_path):
    np.savez(tmp_path / "a.npz", X=np.array([[1, "a"], [2, "b"]], dtype=object), y=[0, 1])
    assert "Python objects" in complaint(tmp_path / "a.npz", None)
    np.save(tmp_path / "b.npy", np.eye(3))
    (tmp_path / "b.npy").rename(tmp_path / "b.npz")
    assert "one array without a name" in complaint(tmp_path / "b.npz", None)


def test_arrays_that_do_not_fit(tmp_path):
    np.savez(tmp_path / "a.npz", Z=np.eye(3)[0], y=[0, 1, 0])
    assert "has no array X" in complaint(tmp_path / "a.npz", None)
    np.savez(tmp_path / "a.npz", X=np.eye(3), y=[0, 1])
    assert "2 values of y for 3 rows" in complaint(tmp_path / "a.npz", None)
    np.savez(tmp_path / "a.npz", X=np.eye(3), y=[0, 1, 5], class_names=["a", "b"])
    assert "other than 0 to 1" in complaint(tmp_path / "a.npz", None)
    np.savez(tmp_path / "a.npz", X=np.eye(3), y=[0, 1, 0])
    assert "no array or feature 'z'" in complaint(tmp_path / "a.npz", "z")
    csr = {"data": [1.0], "indices": [9], "indptr": [0, 1, 1], "shape": [2, 3]}
    np.savez(tmp_path / "a.npz", y=[0, 1], **csr)
    assert "not a table in an NPZ file" in complaint(tmp_path / "a.npz", None)


def test_files_of_other_programs(tmp_path):
    assert "numpy.savez" in complaint(written(tmp_path, "x" * 300, "b.mat"), None)
    assert "save it as CSV in Weka" in complaint(written(tmp_path, "@relation r\n", "b.arff"))
    assert "not a Parquet file" in complaint(written(tmp_path, "x" * 300, "b.parquet"))
    assert "not an NPZ file" in complaint(written(tmp_path, "PK\x03\x04x", "b.npz"))
    assert "zip or Excel" in complaint(written(tmp_path, "PK\x03\x04xyz"))
    assert "not a whole Excel file" in complaint(written(tmp_path, "x", "a.xlsx"))
    assert "save it as .xlsx or CSV" in complaint(written(tmp_path, "x", "a.xls"))


# Files that cannot be used.


def test_files_that_are_not_there(tmp_path):
    assert complaint(tmp_path / "no.csv").startswith("there is no file")
    assert "is a folder" in complaint(tmp_path)
    assert "ends in '.doc'" in complaint(written(tmp_path, "a", "a.doc"))
    assert complaint(written(tmp_path, "")) == "table.csv is empty."
    assert complaint(written(tmp_path, "\n \n")) == "table.csv is empty."
    assert "no rows below" in complaint(written(tmp_path, "a,kind\n"))
    assert "one column only" in complaint(written(tmp_path, "kind\na\nb\n"))


def test_the_target(tmp_path):
    path = saved(tmp_path, frame())
    assert complaint(path, "Kinds") == "table.csv has no column 'Kinds'; did you mean 'kind'?"
    assert "its columns are 'height', 'weight'" in complaint(path, "qqq")
    assert "The last is 'kind'" in complaint(path, None)
    assert read_table(path, "height").kind == "numbers"
    assert "holds one class only, 'ill'" in complaint(saved(tmp_path, frame().head(5)))
    assert complaint(path, "height") == "'height' has 5 rows; numbers need 12 or more."
    assert "no row has a value" in complaint(saved(tmp_path, frame().assign(kind=None)))
    numbered = frame().assign(kind=[f"case {i}" for i in range(ROWS)])
    assert "a different value in every row" in complaint(saved(tmp_path, numbered))
    headless = written(tmp_path, "1,2,a\n3,4,b\n5,6,a\n")
    assert "has no column 'kind'" in complaint(headless)


def test_rows_without_a_class_are_dropped_and_counted(tmp_path):
    given = frame()
    given.loc[:3, "kind"] = None
    table = read_table(saved(tmp_path, given), "kind")
    assert len(table.X) == len(table.y) == ROWS - 4
    assert "4 rows without a value of 'kind' were dropped." in table.warnings
    np.testing.assert_array_equal(table.X["height"], given["height"][4:])


def test_junk_among_numbers_is_named(tmp_path):
    given = frame().astype({"height": object})
    given.loc[4, "height"] = "n.d."
    path = saved(tmp_path, given)
    text = complaint(path)
    assert text.startswith("table.csv has texts among numbers: 'n.d.' (1 time); first 'n.d.' in")
    assert "in column 'height', row 5." in text
    table = read_table(path, "kind", missing=["n.d."])
    assert np.isnan(table.X["height"].iloc[4])
    assert "height" not in read_table(path, "kind", drop=["height"]).X
    assert "height" in read_table(path, "kind", categories=["height"]).categorical
    given.loc[4, "height"] = "inf"
    assert "infinite value in row 5" in complaint(saved(tmp_path, given))


def test_decimal_commas(tmp_path):
    path = saved(tmp_path, frame(), sep=";", decimal=",")
    assert "decimal ','" in complaint(path)
    table = read_table(path, "kind", decimal=",")
    np.testing.assert_array_equal(table.X["height"], frame()["height"])


def test_names_and_lines_that_do_not_fit(tmp_path):
    text = complaint(written(tmp_path, "a,b,a,kind\n1,2,3,x\n2,3,4,y\n"))
    assert "'a', the first in columns 1 and 3" in text
    assert "give every column its own name" in text
    assert "3 fields in line 3 and 4" in complaint(
        written(tmp_path, "a,b,c,kind\n1,2,3,x\n2,3,4\n")
    )
    assert "every column needs a name" in complaint(
        written(tmp_path, "a,kind\n1,x,4,5\n2,y,4,5\n"), delimiter=","
    )


def test_encodings(tmp_path):
    text = frame().assign(kind=np.repeat(["é", "è"], ROWS // 2)).to_csv(index=False)
    path = written(tmp_path, text, encoding="latin-1")
    assert "not utf-8 text (byte 0xe9)" in complaint(path)
    assert list(read_table(path, "kind", encoding="latin-1").classes) == ["è", "é"]
    assert "UTF-16" in complaint(written(tmp_path, text, encoding="utf-16"))
    wide = read_table(written(tmp_path, text, encoding="utf-16"), "kind", encoding="utf-16")
    assert list(wide.classes) == ["è", "é"]
    assert (
        read_table(written(tmp_path, text, encoding="utf-8-sig"), "kind").X.columns[0] == "height"
    )
    assert "encoding='klingon' is unknown" in complaint(path, encoding="klingon")
    packed = tmp_path / "t.csv.gz"
    packed.write_bytes(gzip.compress(text.encode())[:-20])
    assert "not a whole gzip file" in complaint(packed)


# What is left out or suspected.


def test_columns_that_say_nothing_are_left_out_aloud(tmp_path):
    given = frame().assign(
        patient=[f"p{i}" for i in range(ROWS)],
        number=np.arange(1, ROWS + 1),
        same=5,
        nothing=np.nan,
        remark=[f"text {i // 2} …" if i else "first" for i in range(ROWS)],
    )
    given["remark"] = [f"remark {i % 22}" for i in range(ROWS)]
    table = read_table(saved(tmp_path, given), "kind")
    assert table.X.columns.tolist() == ["height", "weight", "colour", "smoker"]
    said = " ".join(table.warnings)
    for name in ("patient", "number", "same", "nothing", "remark"):
        assert f"'{name}'" in said
    assert table.X.index.tolist() == given["patient"].tolist()
    assert "Rows are named by column 'patient'." in table.notes
    kept = read_table(saved(tmp_path, given), "kind", keep=["number"], ids="patient")
    assert "number" in kept.X
    assert kept.X.index.tolist() == given["patient"].tolist()


def test_ranks_are_no_row_numbers(tmp_path):
    rng = np.random.default_rng(0)
    ranks = pd.DataFrame({f"r{j}": rng.permutation(ROWS) + 1 for j in range(5)})
    table = read_table(saved(tmp_path, ranks.assign(kind=frame()["kind"])), "kind")
    assert table.X.shape == (ROWS, 5)
    assert table.warnings == []


def test_names_that_repeat_are_suspected_unless_they_are_groups(tmp_path):
    given = frame().assign(patient=[f"p{i // 2}" for i in range(ROWS)])
    path = saved(tmp_path, given)
    (found,) = read_table(path, "kind", ids="patient").suspicions
    assert (found.kind, found.severity, found.figures["row_names"]) == ("repeats", 1, ["p0"])
    (found,) = read_table(path, "kind").suspicions
    assert found.figures["columns"] == [["patient", ROWS // 2, ROWS]]
    assert read_table(path, "kind", groups="patient").suspicions == []
    table = read_table(path, "kind", groups="patient")
    assert len(np.unique(table.groups)) == ROWS // 2
    assert table.warnings == []
    given.loc[3, "patient"] = None
    assert "row 4 has no value of 'patient'" in complaint(saved(tmp_path, given), groups="patient")


def test_classes_that_differ_in_case_only(tmp_path):
    given = frame()
    given.loc[0, "kind"] = " Ill "
    table = read_table(saved(tmp_path, given), "kind")
    assert "Classes differ in upper and lower case only: 'Ill', 'ill'." in table.warnings


def test_names_pass_through_untouched(tmp_path):
    name = "<script>alert('x')</script>"
    assert (
        read_table(saved(tmp_path, frame().rename(columns={"height": name})), "kind").X.columns[0]
        == name
    )


# Numbers.


def test_categories_become_numbers_or_are_left_out(tmp_path):
    given = frame()
    given.loc[1, "colour"] = None
    table = read_table(saved(tmp_path, given), "kind")
    X, notes, warnings = table.numbers()
    assert X["smoker"].tolist() == [float(v == "yes") for v in given["smoker"]]
    assert X["colour"].iloc[[0, 2]].tolist() == [2.0, 0.0]
    assert np.isnan(X["colour"].iloc[1])
    assert "smoker (1 is yes)" in notes[0]
    assert "'colour'" in warnings[0]
    X, _, warnings = table.numbers("drop")
    assert "colour" not in X
    assert "left out: 'colour'" in warnings[0]
    assert (X.dtypes == np.float64).all()
    with pytest.raises(ValueError, match="must be 'code' or 'drop'"):
        table.numbers("guess")


def test_log2_with_a_floor(tmp_path):
    given = pd.DataFrame({"a": [5.0, 40, 80, 100], "b": [1.0, 2, 3, 4], "kind": list("xyxy")})
    table = read_table(saved(tmp_path, given), "kind", log2=20)
    np.testing.assert_allclose(table.X["a"], np.log2([20, 40, 80, 100]))
    assert "'b'" in table.warnings[0]  # below the floor in every row
    with pytest.raises(ValueError, match="must be above 0"):
        log2_floor([1.0], 0)
