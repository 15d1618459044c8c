"""Labels keep their value in every format, and whole numbers are never merged silently."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import sparse
from scipy.io import savemat

from backstay.datasets import TableError, read_cohort, read_table
from backstay.datasets._columns import distinct_texts
from backstay.datasets._exact import inferred, plain_text
from table_formats import write_h5ad

N = 24
HUGE = 10**19  # beyond int64, inside uint64
LARGE = 2**60  # beyond the whole numbers of floating point, inside int64
NUMBERS = pd.DataFrame(
    np.random.default_rng(0).normal(size=(N, 3)).round(3), [f"s{i}" for i in range(N)], list("abc")
)
KIND = np.resize(["x", "y"], N)
MERGED = r"column '.' holds whole numbers that floating point does not tell apart"
INEXACT = r"was read as floating point, which does not tell whole numbers as large as"


def with_column(values):
    return NUMBERS.reset_index(drop=True).assign(e=values, kind=KIND)


def text_file(path, values, sep=","):
    with_column([str(value) for value in values]).to_csv(path, index=False, sep=sep)


def arff_file(path, values, declared):
    frame = with_column(values)
    kinds = {"e": declared, "kind": "{x,y}"}
    lines = [f"@attribute {name} {kinds.get(name, 'numeric')}" for name in frame.columns]
    rows = [",".join(map(str, row)) for row in frame.to_numpy(object)]
    path.write_text("\n".join(["@relation r", *lines, "@data", *rows]) + "\n")


def gct_file(path, values):
    rows = [["id", *NUMBERS.index], ["e", *values], ["kind", *np.resize(["0", "0", "1"], N)]]
    rows += [[name, *NUMBERS[name]] for name in NUMBERS.columns]
    head = f"#1.3\n{NUMBERS.shape[1]}\t{N}\t0\t2\n"
    path.write_text(head + "\n".join("\t".join(map(str, row)) for row in rows) + "\n")


def h5ad_file(path, values, matrix=None, kind="array"):
    obs = pd.DataFrame({"e": [str(value) for value in values], "kind": KIND})
    write_h5ad(path, NUMBERS if matrix is None else matrix, obs, pd.DataFrame(), kind)


def written(folder, values, texts):
    """Write the labels in every format that holds them, as texts or as numbers."""
    text_file(folder / "t.csv", values)
    text_file(folder / "t.tsv", values, "\t")
    with_column([str(v) for v in values]).T.to_csv(folder / "turned.csv", header=NUMBERS.index)
    gct_file(folder / "t.gct", values)
    kept = np.array(values, dtype=str if texts else np.uint64)
    with_column(kept).to_parquet(folder / "t.parquet")
    arrays = {"X": NUMBERS.to_numpy(), "y": np.resize([0, 1], N), "groups": kept}
    np.savez(folder / "t.npz", **arrays)
    savemat(folder / "t.mat", arrays)
    declared = "{" + ",".join(sorted(set(map(str, values)))) + "}" if texts else "numeric"
    arff_file(folder / "t.arff", values, declared)
    h5ad_file(folder / "t.h5ad", values)
    return [path for path in folder.iterdir() if path.stem in ("t", "turned")]


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        (np.resize(["01", "1", "2"], N).tolist(), True),
        ([HUGE + i // 2 for i in range(N)], False),
        ([str(10**30 + i // 2) for i in range(N)], True),
    ],
    ids=["leading zeros", "huge", "beyond 64 bits"],
)
def test_groups_keep_their_value(tmp_path, values, texts):
    paths = written(tmp_path, values, texts)
    assert len(paths) == 9
    for path in paths:
        arrays = path.suffix in (".npz", ".mat")
        table = read_table(
            path,
            None if arrays else "kind",
            groups=None if arrays else "e",
            transpose=path.stem == "turned",
        )
        assert table.groups.tolist() == [str(value) for value in values], path.name
        said = any("'01' and '1', two spellings of one number" in w for w in table.warnings)
        assert said == ("01" in values), path.name


def test_groups_in_floating_point_that_may_be_merged_are_refused(tmp_path):
    groups = LARGE + np.arange(N) // 2.0
    arrays = {"X": NUMBERS.to_numpy(), "y": np.resize([0, 1], N), "groups": groups}
    np.savez(tmp_path / "t.npz", **arrays)
    savemat(tmp_path / "t.mat", arrays)
    for name in ("t.npz", "t.mat"):
        with pytest.raises(TableError, match=f"'groups' {INEXACT}"):
            read_table(tmp_path / name)
    with_column(groups).to_parquet(tmp_path / "t.parquet")
    with_column(groups).to_excel(tmp_path / "t.xlsx", index=False)
    for name in ("t.parquet", "t.xlsx"):
        with pytest.raises(TableError, match=f"'e' {INEXACT}"):
            read_table(tmp_path / name, "kind", groups="e")


def test_the_first_number_that_floating_point_merges_is_refused_as_a_label(tmp_path):
    np.savez(tmp_path / "t.npz", X=NUMBERS.to_numpy(), y=np.resize([2.0**53, 1], N))
    with pytest.raises(TableError, match=f"'y' {INEXACT} 9007199254740992"):
        read_table(tmp_path / "t.npz")


@pytest.mark.parametrize("names", [[f"{i:03d}" for i in range(N)], [HUGE + i for i in range(N)]])
def test_names_of_samples_stay_as_they_are_written(tmp_path, names):
    text_file(tmp_path / "t.csv", names)
    expected = [str(name) for name in names]
    assert read_table(tmp_path / "t.csv", "kind", ids="e").X.index.tolist() == expected
    assert read_cohort(tmp_path / "t.csv", ["a"], ids="e").X.index.tolist() == expected
    frame = NUMBERS.assign(kind=KIND).set_axis(expected)
    for label in ("", None):  # as pandas and as R name rows
        frame.to_csv(tmp_path / "n.csv", index_label=False if label is None else label)
        assert read_table(tmp_path / "n.csv", "kind").X.index.tolist() == expected
    frame.T.to_csv(tmp_path / "turned.csv")
    turned = read_table(tmp_path / "turned.csv", "kind", transpose=True)
    assert turned.X.index.tolist() == expected


def test_a_first_column_that_names_nothing_is_a_feature_with_its_decimals(tmp_path):
    frame = NUMBERS.assign(kind=KIND).set_axis(np.resize([0.5, 1.5, 2.5, 3.5, 4.5], N))
    frame.to_csv(tmp_path / "t.csv", sep=";", decimal=",")
    table = read_table(tmp_path / "t.csv", "kind", decimal=",")
    assert table.X["unnamed column 1"].tolist() == frame.index.tolist()


def test_categories_stay_as_they_are_written(tmp_path):
    text_file(tmp_path / "t.csv", np.resize(["01", "1", "2"], N))
    found = read_table(tmp_path / "t.csv", "kind", categories=["e"]).X["e"]
    assert found.cat.categories.tolist() == ["01", "1", "2"]


# Features.


def large_with(first):
    return [first, *(LARGE + i for i in range(1, N))]


@pytest.mark.parametrize("first", ["", "0.5", f"{LARGE}.0"], ids=["gap", "fraction", "point"])
def test_text_files_do_not_merge_what_pandas_makes_floating_point(tmp_path, first):
    text_file(tmp_path / "t.csv", large_with(first))
    with pytest.raises(TableError, match=MERGED):
        read_table(tmp_path / "t.csv", "kind")
    assert list(read_table(tmp_path / "t.csv", "kind", drop=["e"]).X) == list("abc")
    with pytest.raises(TableError, match=MERGED):
        read_cohort(tmp_path / "t.csv", ["a", "e"])


def test_features_in_rows_are_not_merged_beside_fractions(tmp_path):
    turned = NUMBERS.T.astype(object)
    turned.loc["e"] = [LARGE + i for i in range(N)]
    sheet = pd.DataFrame({"sample": NUMBERS.index, "kind": KIND})
    turned.to_csv(tmp_path / "genes.csv", index_label="gene")
    rows = [["id", *NUMBERS.index], *([name, *turned.loc[name]] for name in turned.index)]
    head = f"#1.3\n4\t{N}\t0\t0\n"
    text = head + "\n".join("\t".join(map(str, row)) for row in rows) + "\n"
    (tmp_path / "genes.gct").write_text(text)
    for name in ("genes.csv", "genes.gct"):
        with pytest.raises(TableError, match=MERGED):
            read_table(tmp_path / name, "kind", samples=sheet)


def test_large_numbers_that_stay_apart_are_read(tmp_path):
    values = ["", *(str(LARGE + i * 2**13 + 1) for i in range(1, N))]
    text_file(tmp_path / "t.csv", values)
    found = read_table(tmp_path / "t.csv", "kind").X["e"]
    assert np.isnan(found.iloc[0])
    assert found.tolist()[1:] == [float(value) for value in values[1:]]
    text_file(tmp_path / "t.csv", [f"{i + 1}e300" for i in range(N)])
    table = read_table(tmp_path / "t.csv", "kind")
    assert table.X["e"].tolist() == [float(f"{i + 1}e300") for i in range(N)]


def test_parquet_keeps_whole_numbers_beside_gaps(tmp_path):
    values = [None, *(LARGE + i % 2 for i in range(1, N))]
    table = {"a": NUMBERS["a"].to_numpy(), "e": values, "kind": [None, *KIND[1:]]}
    pq.write_table(pa.table(table), tmp_path / "t.parquet")
    with pytest.raises(TableError, match=MERGED):
        read_table(tmp_path / "t.parquet", "kind")
    expected = {str(LARGE): N // 2 - 1, str(LARGE + 1): N // 2}
    assert read_table(tmp_path / "t.parquet", "e", drop=["kind"]).classes == expected
    grouped = read_table(tmp_path / "t.parquet", "kind", groups="e")
    assert set(grouped.groups) == set(expected)


def test_exchanging_rows_and_columns_does_not_merge(tmp_path):
    turned = pd.DataFrame({"feature": ["a", "e"]})
    for i in range(N):
        turned[f"s{i}"] = [i * i % 7 + (0.5 if i == 0 else 0), LARGE + i if i else 1]
    turned.to_parquet(tmp_path / "t.parquet")
    sheet = pd.DataFrame({"sample": [f"s{i}" for i in range(N)], "kind": KIND})
    with pytest.raises(TableError, match=MERGED):
        read_table(tmp_path / "t.parquet", "kind", samples=sheet)
    with pytest.raises(TableError, match="classes or measured"):  # and not one class
        read_table(tmp_path / "t.parquet", "e", transpose=True)


def test_arff_does_not_merge(tmp_path):
    arff_file(tmp_path / "t.arff", large_with("?"), "numeric")
    with pytest.raises(TableError, match=MERGED):
        read_table(tmp_path / "t.arff", "kind")
    labels = [HUGE + i % 2 for i in range(N)]
    arff_file(tmp_path / "t.arff", labels, "numeric")
    assert read_table(tmp_path / "t.arff", "e", drop=["kind"]).y.tolist() == labels


@pytest.mark.parametrize("kind", ["array", "csr", "csc"])
@pytest.mark.parametrize("layer", [None, "counts"])
def test_anndata_does_not_merge(tmp_path, kind, layer):
    large = pd.DataFrame(np.arange(3 * N).reshape(N, 3) ** 2 % 7, NUMBERS.index, list("abc"))
    large["b"] = [LARGE + i for i in range(N)]
    apart = large.assign(b=[LARGE + i * 2**13 for i in range(N)])
    for matrix in (large, apart):
        h5ad_file(tmp_path / "t.h5ad", range(N))
        put_matrix(tmp_path / "t.h5ad", layer, matrix.to_numpy(), kind)
        if matrix is large:
            with pytest.raises(TableError, match=MERGED):
                read_table(tmp_path / "t.h5ad", "kind", layer=layer)
        else:
            found = read_table(tmp_path / "t.h5ad", "kind", layer=layer).X
            np.testing.assert_array_equal(found, apart.astype(float))


def put_matrix(path, layer, values, kind):
    import h5py

    where = "X" if layer is None else f"layers/{layer}"
    with h5py.File(path, "a") as file:
        if layer is None:
            del file["X"]
        if kind == "array":
            file[where] = values
            return
        matrix = (sparse.csr_matrix if kind == "csr" else sparse.csc_matrix)(values)
        group = file.create_group(where)
        group.attrs.update({"encoding-type": f"{kind}_matrix", "shape": matrix.shape})
        for name in ("data", "indices", "indptr"):
            group[name] = getattr(matrix, name)


# Columns of texts.


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([" a", "b", None, "a ", "", " "]),
        pd.Series([" a", "b", None, "a "], dtype=object),
        pd.Series([1, True, 1.0, "1", None], dtype=object),
        pd.Series([None, None], dtype=object),
        pd.Series(pd.Categorical([LARGE, LARGE + 1, None])),
        pd.Series(["a\0", "a", "A"]),
    ],
)
def test_distinct_texts_are_the_texts_of_the_rows(column):
    found = distinct_texts(column)
    assert len(set(found.values)) == len(found.values)
    expected = [text if isinstance(text, str) else None for text in plain_text(column)]
    assert found.by_row().tolist() == expected
    assert len(found.known) == sum(text is not None for text in expected)


def test_types_are_inferred_unless_that_merges():
    assert inferred(pd.Series([1, 0.5, None], dtype=object)).dtype == np.float64
    assert inferred(pd.Series([LARGE, 0.5], dtype=object)).tolist() == [LARGE, 0.5]
    assert inferred(pd.Series([1e300, None], dtype=object)).dtype == np.float64
