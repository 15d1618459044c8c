"""Outcomes that are numbers: the same from every format, and told from classes."""

import numpy as np
import pandas as pd
import pytest

from backstay.datasets import TableError, read_table
from table_formats import TARGET, example, write_h5ad

N = 24
rng = np.random.default_rng(3)
Y = rng.normal(5, 2, N).round(3)


def saved(folder, y, name="t.csv", **options):
    frame = example()[0].reset_index(drop=True).assign(y=y)
    frame.to_csv(folder / name, index=False, **options)
    return folder / name


def complaint(path, **options):
    with pytest.raises(TableError) as caught:
        read_table(path, "y", **options)
    return str(caught.value), caught.value.parameter


def test_every_format_gives_the_same_numbers(tmp_path):
    numbers, sheet, genes = example()
    sheet[TARGET] = Y
    together = numbers.assign(**{TARGET: Y})
    together.to_csv(tmp_path / "rows.csv", index_label="sample")
    together.to_csv(tmp_path / "rows.tsv", sep="\t", index_label="sample")
    together.T.to_csv(tmp_path / "turned.csv", index_label="gene")
    together.to_excel(tmp_path / "rows.xlsx", index_label="sample")
    together.to_parquet(tmp_path / "rows.parquet")
    np.savez(tmp_path / "rows.npz", X=numbers.to_numpy(), y=Y)
    write_h5ad(tmp_path / "rows.h5ad", numbers, sheet.set_index("sample"), genes)
    numbers.to_csv(tmp_path / "numbers.csv", index_label="sample")
    sheet.to_csv(tmp_path / "sheet.csv", index=False)
    more = {"turned.csv": {"transpose": True}, "numbers.csv": {"samples": tmp_path / "sheet.csv"}}
    for path in sorted(tmp_path.iterdir()):
        if path.name == "sheet.csv":
            continue
        target = None if path.suffix == ".npz" else TARGET
        table = read_table(path, target, **more.get(path.name, {}))
        assert table.kind == "numbers", path.name
        assert table.y.dtype == np.float64
        np.testing.assert_array_equal(table.y, Y, err_msg=path.name)
        assert table.summary()["classes"] == {}
        assert any("is read as numbers" in note for note in table.notes)


@pytest.mark.parametrize(
    ("y", "kind"),
    [
        (np.arange(N) % 3, "classes"),
        ((np.arange(N) % 3).astype(float), "classes"),
        (np.resize(["0.5", "1.5"], N), "classes"),  # two values, however they are written
        (np.resize([True, False], N), "classes"),
        (Y, "numbers"),
        (np.r_[Y[:-2], 3, 4], "numbers"),
    ],
)
def test_what_a_column_holds(tmp_path, y, kind):
    path = saved(tmp_path, y)
    assert read_table(path, "y").kind == kind
    if kind == "numbers" or np.asarray(y).dtype.kind in "if":
        table = read_table(path, "y", kind="numbers")
        np.testing.assert_array_equal(table.y, np.asarray(y, dtype=float))
    if kind == "classes":
        assert read_table(path, "y", kind="classes").kind == "classes"


def test_whole_numbers_of_many_values_need_a_kind(tmp_path):
    path = saved(tmp_path, np.arange(N) // 2 * 3)
    words, parameter = complaint(path)
    assert words.startswith(f"'y' holds {N // 2} different whole numbers in {N} rows")
    assert parameter == ("kind",)
    assert read_table(path, "y", kind="numbers").y[-1] == 33
    assert len(read_table(path, "y", kind="classes").classes) == N // 2


def test_spellings_of_a_number_are_one_number(tmp_path):
    texts = [f"{y}" for y in Y]
    texts[:4] = ["1.50", "1.5", "15e-1", "+1.5"]
    table = read_table(saved(tmp_path, texts), "y")
    assert table.y[:4].tolist() == [1.5] * 4


def test_rows_without_a_number_are_dropped_and_counted(tmp_path):
    y = pd.Series(Y).astype(object)
    y[[2, 5]] = ["", "n.d."]
    table = read_table(saved(tmp_path, y), "y", missing=["n.d."])
    np.testing.assert_array_equal(table.y, np.delete(Y, [2, 5]))
    assert len(table.X) == N - 2
    assert "2 rows without a value of 'y' were dropped." in table.warnings


def test_decimal_commas(tmp_path):
    texts = [str(y).replace(".", ",") for y in Y]
    path = saved(tmp_path, texts, sep=";")
    words, parameter = complaint(path)
    assert words == (
        f"'y' holds {texts[0]!r} in row 1, a number with a decimal comma: read it with decimal=','."
    )
    assert parameter == ("decimal",)
    frame = example()[0].reset_index(drop=True).assign(y=Y)
    frame.to_csv(path, sep=";", decimal=",", index=False)
    np.testing.assert_array_equal(read_table(path, "y", decimal=",").y, Y)
    thousands = ["1.500,5", *texts[1:]]
    assert (
        "holds '1.500,5' in row 1, which is no number"
        in complaint(saved(tmp_path, thousands, sep=";"), decimal=",")[0]
    )


@pytest.mark.parametrize("name", ["positive", "exclude_classes", "min_class_size"])
def test_options_of_classes_are_refused(tmp_path, name):
    given = {"positive": "1", "exclude_classes": ["1"], "min_class_size": 2}
    words, parameter = complaint(saved(tmp_path, Y), **{name: given[name]})
    assert words == f"'y' holds numbers; {name} is for classes."
    assert parameter == (name,)


def test_dates_are_refused_also_as_dates(tmp_path):
    frame = example()[0].reset_index(drop=True)
    frame.assign(y=pd.date_range("2024-05-01", periods=N)).to_parquet(tmp_path / "t.parquet")
    words, _ = complaint(tmp_path / "t.parquet")
    assert "'2024-05-01 00:00:00' in row 1, a date; count the days" in words
