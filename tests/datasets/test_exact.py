"""Labels and names keep their value in every format."""

import numpy as np
import pandas as pd
import pytest

from backstay.datasets import read_cohort, read_table
from backstay.datasets._columns import distinct_texts
from backstay.datasets._exact import plain_text
from table_formats import write_h5ad

N = 24
HUGE = 10**19  # beyond int64
LARGE = 2**60  # beyond the whole numbers of floating point, inside int64
NUMBERS = pd.DataFrame(
    np.random.default_rng(0).normal(size=(N, 3)).round(3), [f"s{i}" for i in range(N)], list("abc")
)
KIND = np.resize(["x", "y"], N)


def with_column(values):
    return NUMBERS.reset_index(drop=True).assign(e=values, kind=KIND)


def text_file(path, values, sep=","):
    with_column([str(value) for value in values]).to_csv(path, index=False, sep=sep)


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
    h5ad_file(folder / "t.h5ad", values)
    return [path for path in folder.iterdir() if path.stem in ("t", "turned")]


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        (np.resize(["01", "1", "2"], N).tolist(), True),
        ([HUGE + i // 2 for i in range(N)], False),
    ],
    ids=["leading zeros", "huge"],
)
def test_groups_keep_their_value(tmp_path, values, texts):
    paths = written(tmp_path, values, texts)
    assert len(paths) == 7
    for path in paths:
        arrays = path.suffix == ".npz"
        table = read_table(
            path,
            None if arrays else "kind",
            groups=None if arrays else "e",
            transpose=path.stem == "turned",
        )
        assert table.groups.tolist() == [str(value) for value in values], path.name
        said = any("'01' and '1', two spellings of one number" in w for w in table.warnings)
        assert said == ("01" in values), path.name


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


# Columns of texts.


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([" a", "b", None, "a ", "", " "]),
        pd.Series([" a", "b", None, "a "], dtype=object),
        pd.Series([1, True, 1.0, "1", None], dtype=object),
        pd.Series([None, None], dtype=object),
        pd.Series(pd.Categorical([LARGE, LARGE + 1, None])),
    ],
)
def test_distinct_texts_are_the_texts_of_the_rows(column):
    found = distinct_texts(column)
    assert len(set(found.values)) == len(found.values)
    expected = [text if isinstance(text, str) else None for text in plain_text(column)]
    assert found.by_row().tolist() == expected
    assert len(found.known) == sum(text is not None for text in expected)
