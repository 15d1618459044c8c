"""Odd files of every format: read as they are, or refused in one sentence."""

import datetime
import decimal

import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from backstay.datasets import TableError, read_cohort, read_selections, read_table
from refusals import complaint
from table_formats import write_h5ad

N = 12
A = np.random.default_rng(0).normal(size=N).round(3)
KIND = np.resize(["x", "y"], N)
X = np.column_stack([A, A[::-1] ** 2])
Y = np.resize([0, 1], N)


# Parquet.


def parquet(tmp_path, column, name="e", metadata=None):
    columns = {"a": A, "kind": KIND, name: column}
    table = pa.table(columns).replace_schema_metadata(metadata)
    pq.write_table(table, tmp_path / "t.parquet")
    return tmp_path / "t.parquet"


def times(*values):
    return [values[i % len(values)] for i in range(N)]


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (pa.array([decimal.Decimal(i * i) / 4 for i in range(N)]), [i * i / 4 for i in range(N)]),
        (pa.array(times(None, True, False)), times(np.nan, 1, 0)),
        (pa.array(A.astype(np.float16)), A.astype(np.float16)),
        (pa.array(times("u", "v", "w"), pa.large_string()), times("u", "v", "w")),
        (pa.array(times("u", "v", "w"), pa.string_view()), times("u", "v", "w")),
        (pa.array(times(datetime.time(1), datetime.time(2))), times("01:00:00", "02:00:00")),
    ],
)
def test_types_of_parquet(tmp_path, column, expected):
    table = read_table(parquet(tmp_path, column), "kind")
    np.testing.assert_array_equal(table.X["e"].to_numpy(), np.array(expected))


@pytest.mark.parametrize(
    "column",
    [
        pa.array([[i, i] for i in range(N)]),
        pa.array([{"u": i} for i in range(N)]),
        pa.array([[("u", i)] for i in range(N)], pa.map_(pa.string(), pa.int64())),
        pa.array(times(b"\xe9", b"\xe8")),
    ],
    ids=["lists", "records", "maps", "bytes"],
)
def test_columns_of_parquet_without_single_values(tmp_path, column):
    path = parquet(tmp_path, column)
    table = read_table(path, "kind")
    assert list(table.X) == ["a"]
    assert "Columns of lists, records or bytes, which are not read: 'e'." in table.notes
    assert "has no column 'e'" in complaint(path, "e")


def test_columns_of_parquet_without_use_are_left_out(tmp_path):
    for column in (
        pa.nulls(N),
        pa.array([datetime.timedelta(seconds=i * i) for i in range(N)]),
        pa.array([datetime.datetime(9999, 1, 1)] * N),
    ):
        assert list(read_table(parquet(tmp_path, column), "kind").X) == ["a"]


@pytest.mark.parametrize("metadata", ["{bad", "[]", '{"index_columns": ["z"], "columns": []}'])
def test_a_description_of_pandas_that_is_none(tmp_path, metadata):
    path = parquet(tmp_path, A, metadata={"pandas": metadata})
    assert "t.parquet is not a Parquet file that can be read" in complaint(path)


def test_texts_of_parquet_that_are_no_utf_8(tmp_path):
    path = parquet(tmp_path, pa.array(times(b"\xe9", b"\xe8")).cast(pa.string(), safe=False))
    assert "t.parquet is not a Parquet file that can be read" in complaint(path)


def test_categories_that_are_not_used(tmp_path):
    codes = pa.array(np.resize([0, 2], N).astype(np.int8))
    path = parquet(tmp_path, pa.DictionaryArray.from_arrays(codes, ["u", "v", "w"]))
    assert list(read_table(path, "e", drop=["kind"]).classes) == ["u", "w"]


# NPZ.


def npz(tmp_path, **arrays):
    np.savez(tmp_path / "t.npz", **{"X": X, "y": Y, **arrays})
    return tmp_path / "t.npz"


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        (Y[:, None].astype(">f8"), Y.tolist()),
        (np.array(times(b"u", b"v")), times("u", "v")),
        (np.array(times(" u", "v ")), times("u", "v")),
        (Y.astype(bool), times("False", "True")),
    ],
)
def test_labels_of_npz(tmp_path, y, expected):
    big_endian = np.asfortranarray(X.astype(">f4"))
    names = {"feature_names": np.array([b"u", b"v"]), "sample_names": np.arange(N) + 2**60}
    table = read_table(npz(tmp_path, X=big_endian, y=y, **names))
    assert table.y.tolist() == expected
    np.testing.assert_array_equal(table.X, X.astype(np.float32))
    assert list(table.X) == ["u", "v"]
    assert table.X.index.tolist() == [str(2**60 + i) for i in range(N)]


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"X": np.array(3.0)}, "X holds float64 values of shape ()"),
        ({"X": np.zeros((N, 2, 2))}, f"X holds float64 values of shape ({N}, 2, 2)"),
        ({"X": X + 1j}, "X holds complex128 values of shape"),
        ({"X": X.astype(np.longdouble)}, "numbers of up to 64 bits"),
        ({"y": np.array(1)}, "1 values of y for 12 rows"),
        ({"y": np.stack([Y, Y], 1)}, "24 values of y for 12 rows"),
        ({"y": Y + 1j}, "y holds complex128 values; it must hold a text or a number per entry"),
        ({"y": np.zeros(N, [("u", "f8")])}, "it must hold a text or a number per entry"),
        ({"y": np.array(times(b"\xe9", b"\xe8"))}, "not a table in an NPZ file ('utf-8' codec"),
        ({"class_names": ["u", "u"]}, "several class_names 'u'"),
        ({"groups": np.zeros(N, "V2")}, "groups holds |V2 values"),
    ],
)
def test_arrays_of_npz_that_are_refused(tmp_path, arrays, words):
    text = complaint(npz(tmp_path, **arrays), None)
    assert text.startswith("t.npz")
    assert words in text


@pytest.mark.parametrize("change", [{"data": np.array(["a"])}, {"shape": np.array(["a", "b"])}])
def test_sparse_parts_of_npz_that_are_no_matrix(tmp_path, change):
    parts = {"data": [1.0], "indices": [0], "indptr": [0, *[1] * N], "shape": [N, 2], **change}
    np.savez(tmp_path / "t.npz", y=Y, **parts)
    assert "t.npz" in complaint(tmp_path / "t.npz", None)


@pytest.mark.parametrize(("place", "value"), [(4, 255), (6, 1), (8, 77)])
def test_archives_of_another_kind(tmp_path, place, value):
    data = bytearray(npz(tmp_path).read_bytes())
    directory = data.rfind(b"PK\1\2")
    data[directory + 2 + place] = data[data.find(b"PK\3\4") + place] = value
    for name in ("t.npz", "t.xlsx"):
        (tmp_path / name).write_bytes(bytes(data))
        assert f"{name} is not a" in complaint(tmp_path / name, None)


def test_arrays_have_the_role_that_they_are_named_for(tmp_path):
    path = npz(tmp_path, groups=np.arange(N) // 2)
    for options in ({"groups": "y"}, {"ids": "groups"}, {"measured": "y"}, {"drop": ["y"]}):
        assert "t.npz has no column" in complaint(path, None, **options)
    assert len(set(read_table(path, groups="groups").groups)) == N // 2


@pytest.mark.parametrize("y", [Y - 1, Y + 0.5, Y + 1])
def test_a_cohort_has_only_classes_that_have_a_name(tmp_path, y):
    with pytest.raises(TableError, match="other than 0 to 1, the class_names"):
        read_cohort(npz(tmp_path, y=y, class_names=["u", "v"]), ["x0"], "y")
    found = read_cohort(npz(tmp_path, class_names=["u", "v"]), ["x0"], "y")
    assert found.y.tolist() == times("u", "v")


# AnnData.


@pytest.fixture
def h5ad(tmp_path):
    """Write a file whose column of ``obs`` is as given, a dictionary being a group."""
    path = tmp_path / "t.h5ad"

    def write(value, place="obs/kind"):
        numbers = pd.DataFrame(X, [f"s{i}" for i in range(N)], ["g0", "g1"])
        write_h5ad(path, numbers, pd.DataFrame({"kind": KIND}), pd.DataFrame())
        with h5py.File(path, "a") as file:
            del file[place]
            if not isinstance(value, dict):
                file[place] = value
                return path
            for name, part in value.items():
                file[f"{place}/{name}"] = part
        return path

    return write


def categorical(codes, categories):
    return {"codes": np.resize(codes, N).astype(np.int8), "categories": categories}


@pytest.mark.parametrize(
    ("value", "classes"),
    [
        (times("u", "v"), ["u", "v"]),
        (categorical([0, 2], [b"u", b"v", b"w"]), ["u", "w"]),
        (categorical([0, 1], np.array([10, 20], np.uint64)), [10, 20]),
        (
            {
                "codes": Y.astype(np.int8),
                "categories/values": [b"u", b"v"],
                "categories/mask": [False, False],
            },
            ["u", "v"],
        ),
        ({"values": 7 + Y, "mask": np.arange(N) == 0}, [7, 8]),
    ],
    ids=["texts", "categories", "numbers", "nullable categories", "nullable"],
)
def test_labels_of_anndata(h5ad, value, classes):
    assert np.unique(read_table(h5ad(value), "kind").y).tolist() == classes


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (categorical([0, 1], [b"u", b"u"]), "categories must be unique"),
        (categorical([0, 5], [b"u", b"v"]), "not a whole AnnData file (codes need to be between"),
        (np.zeros((N, 2)), "t.h5ad has no column 'kind'"),
        (np.arange(3), "not a whole AnnData file"),
        (np.array(times(b"\xe9", b"\xe8")), "not a whole AnnData file ('utf-8' codec"),
        ({"values": Y, "mask": np.zeros(3, bool)}, "not a whole AnnData file"),
    ],
)
def test_columns_of_anndata_that_are_refused(h5ad, value, words):
    text = complaint(h5ad(value))
    assert text.startswith("t.h5ad")
    assert words in text


@pytest.mark.parametrize("place", ["obs/kind/categories", "obs/kind/codes", "layers", "obs"])
def test_no_link_of_anndata_is_followed(h5ad, tmp_path, place):
    other = tmp_path / "other.h5ad"
    path = h5ad(times("u", "v"))
    path.rename(other)
    path = h5ad(h5py.ExternalLink(str(other), f"/{place}"), place)
    layer = {"layer": "twice"} if place == "layers" else {}
    assert "is a link, which is not followed" in complaint(path, **layer)
    other.write_text("not HDF5, which shows if it is opened")
    assert "is a link, which is not followed" in complaint(path, **layer)


@pytest.mark.parametrize("value", [np.zeros((N, 2)), {"u": 1}])
def test_rows_of_anndata_need_names(h5ad, value):
    assert "/obs does not name its rows" in complaint(h5ad(value, "obs/_index"))


@pytest.mark.parametrize("value", [np.zeros(N), 5.0, h5py.Empty("f8"), X.astype(np.longdouble)])
def test_matrices_of_anndata_that_are_refused(h5ad, value):
    assert "t.h5ad: X holds float" in complaint(h5ad(value, "X"))


# Text.


def text(tmp_path, change=lambda text: text, name="t.csv"):
    rows = [f"{A[i]},{i * i % 7},{KIND[i]}" for i in range(N)]
    data = change("\n".join(["a,b,kind", *rows]) + "\n")
    (tmp_path / name).write_bytes(data.encode() if isinstance(data, str) else data)
    return tmp_path / name


@pytest.mark.parametrize(
    "change",
    [
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: b"\xef\xbb\xbf\xef\xbb\xbf" + text.encode(),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: text.replace("\n", "\r\n", 3).replace("x\n", "x\r"),
        lambda text: text.replace("x", '"x"').replace("y", " y "),
        lambda text: text.replace("a,b", " a ,\tb"),
    ],
    ids=["mark", "two marks", "crlf", "cr", "mixed", "quotes", "blanks"],
)
def test_text_that_differs_in_dress_only(tmp_path, change):
    table = read_table(text(tmp_path, change), "kind")
    assert list(table.X) == ["a", "b"]
    np.testing.assert_array_equal(table.X["a"], A)
    assert table.y.tolist() == KIND.tolist()


def test_nul_characters_in_text(tmp_path):
    assert "t.csv is not text" in complaint(text(tmp_path, lambda t: t.replace("x", "x\0")))


def test_a_cell_of_many_characters(tmp_path):
    long = "z" * 200_000
    table = read_table(text(tmp_path, lambda t: t.replace("y", long).replace(long, "y", 1)), "kind")
    assert long in table.classes
    quoted = text(tmp_path, lambda t: t.replace("x", f'"{long}"', 1))
    assert "field larger than field limit (131072)); close a quotation mark" in complaint(quoted)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"delimiter": "\n"}, "must be one character of ASCII"),
        ({"delimiter": '"'}, "must be one character of ASCII"),
        ({"delimiter": "§"}, "must be one character of ASCII"),
        ({"decimal": ".."}, "must be a sign such as '.' or ','"),
        ({"decimal": ""}, "must be a sign such as '.' or ','"),
        ({"decimal": "1"}, "must be a sign such as '.' or ','"),
        ({"encoding": "ut\0f"}, "encoding='ut\\x00f' is unknown"),
        ({"encoding": "base64"}, "encoding='base64' is unknown"),
    ],
)
def test_options_that_no_parser_takes(tmp_path, options, words):
    assert words in complaint(text(tmp_path), **options)


def test_a_line_of_gct_with_more_fields_than_names(tmp_path):
    samples = [f"s{i}" for i in range(N)]
    rows = [["id", *samples], ["kind", *KIND], ["g0", *A], ["g1", *A[::-1]]]
    lines = ["\t".join(map(str, row)) for row in rows]
    for place in (1, 2):  # of the sheet, and of the numbers
        longer = [line + "\t5" * (j >= place) for j, line in enumerate(lines)]
        head = f"#1.3\n2\t{N}\t0\t1\n"
        (tmp_path / "t.gct").write_text(head + "\n".join(longer) + "\n")
        assert "t.gct has a line with more fields than names" in complaint(tmp_path / "t.gct")


@pytest.mark.parametrize("delimiter", ["ab", "", "\n"])
def test_delimiters_of_selections(tmp_path, delimiter):
    (tmp_path / "runs.csv").write_text("run,gene\n1,a\n1,b\n2,a\n")
    with pytest.raises(TableError, match="must be one character of ASCII"):
        read_selections(tmp_path / "runs.csv", delimiter=delimiter)
