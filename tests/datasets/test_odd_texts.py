"""Titles above a table, texts among its numbers, and names that differ in case only."""

import gzip
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from backstay.cli._predict import read_for
from backstay.cli._read import CohortOptions
from backstay.datasets import Reading, TableError, read_cohort, read_table
from refusals import complaint

N = 24
RNG = np.random.default_rng(0)
HEIGHT = RNG.normal(5, 1, N).round(3)
ODD = {3: "<LOD>", 5: "<0.05", 7: "n.d.", 9: "-999", 11: "1,234", 13: "5 %", 15: "\u22120.5"}


def frame(**changes):
    columns = {"id": [f"S{i}" for i in range(N)], "a": HEIGHT, "b": RNG.normal(size=N).round(3)}
    return pd.DataFrame({**columns, "kind": np.resize(["x", "y"], N), **changes})


def odd():
    """A column with a text of every kind, and one in which most values are below a limit."""
    a, b = frame()["a"].astype(object), RNG.normal(9, 1, 3 * N).round(3).astype(str)
    a[list(ODD)] = list(ODD.values())
    below = np.arange(3 * N) % 3 > 0
    table = pd.concat([frame(a=a)] * 3, ignore_index=True)
    return table.assign(id=np.arange(3 * N).astype(str), b=np.where(below, "<LOD>", b))


# Titles.


@pytest.mark.parametrize("sep", [",", "\t"])
@pytest.mark.parametrize(
    ("titles", "n"),
    [("A study, of 2024, again\n", 1), ("A study\nof two lines\n\n", 3), ("A study{}\n{}\n", 2)],
)
def test_lines_above_the_names_are_counted_and_skipped(tmp_path, sep, titles, n):
    path = tmp_path / "t.csv"
    path.write_text(titles.format(3 * sep, 3 * sep) + frame().to_csv(sep=sep, index=False))
    said = complaint(path)
    assert f"t.csv has {n} line{'s' * (n > 1)} above the names of its columns" in said
    assert said.endswith(f"leave them out with skip={n}.")
    table = read_table(path, "kind", skip=n)
    np.testing.assert_array_equal(table.X["a"], HEIGHT)
    if n == 3:
        assert f"skip={n}." in complaint(path, skip=1)


def test_titles_of_a_workbook_and_of_a_gzipped_file(tmp_path):
    with pd.ExcelWriter(tmp_path / "t.xlsx") as book:
        frame().to_excel(book, startrow=3, index=False)
        book.sheets["Sheet1"]["A1"] = "A study"
    assert "3 lines above the names" in complaint(tmp_path / "t.xlsx")
    lines = "title\n" + frame().to_csv(index=False)
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(lines.encode()))
    for path, skip in ((tmp_path / "t.xlsx", 3), (tmp_path / "t.csv.gz", 1)):
        np.testing.assert_array_equal(read_table(path, "kind", skip=skip).X["a"], HEIGHT)


def test_lines_are_counted_with_those_above(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("title\n" + frame().to_csv(index=False) + "1,2\n")
    assert f"2 fields in line {N + 3} and 4" in complaint(path, skip=1)


def test_skip_is_for_tables_that_have_lines(tmp_path):
    np.savez(tmp_path / "t.npz", X=np.eye(9), y=np.resize([0, 1], 9))
    assert "no lines to skip" in complaint(tmp_path / "t.npz", None, skip=1)
    with pytest.raises(TableError, match="skip=-1 must be 0 or more"):
        Reading(skip=-1)


@pytest.mark.parametrize(
    "text",
    [
        "a;b;kind\n" + "1,5;2,5;x\n2,5;0,5;y\n" * 4,  # decimal commas are no delimiters
        '"a\nb",kind\n' + "1,x\n2,y\n" * 4,  # a name of two lines
        ",,,,kind\n" + "1,2,3,4,x\n3,4,5,6,y\n" * 4,
        "a b kind\n" + "r1 1 2 x\nr2 2 3 y\n",  # as R writes it
    ],
)
def test_sound_files_have_no_titles(tmp_path, text):
    path = tmp_path / "t.txt"
    path.write_text(text)
    read_table(path, "kind", decimal="," if ";" in text else ".", keep=["a"] if "R" in text else [])


# Texts among numbers.


def test_all_texts_among_numbers_are_named_at_once(tmp_path):
    path = tmp_path / "t.csv"
    odd().to_csv(path, index=False)
    said = complaint(path)
    for text in ODD.values():
        assert f"{text!r} (" in said
    assert f"'<LOD>' ({2 * N + 3} times)" in said
    assert "first '<LOD>' in column 'a', row 4" in said
    assert "as missing ('<LOD>', 'n.d.', '-999')" in said
    assert "write '1,234', '5 %', '\u22120.5' as plain numbers" in said
    assert "take half of a limit such as '<0.05' with lod 'half'" in said


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_texts_are_treated_as_asked_also_in_a_cohort(tmp_path, ending):
    path = tmp_path / f"t.{ending}"
    table = odd()
    if ending == "csv":
        table.to_csv(path, index=False)
    else:
        table["a"] = [float(a) if isinstance(a, float) or a == "-999" else a for a in table["a"]]
        table.to_excel(path, index=False)
    missing = ["<LOD>", "n.d.", "-999", "1,234", "5 %", "\u22120.5"]
    reading = Reading(target="kind", missing=missing, lod="half", ids="id")
    read = read_table(path, reading=Reading.from_json(reading.to_json()))
    expected = HEIGHT.copy()
    expected[list(ODD)] = np.nan
    expected[5] = 0.025
    np.testing.assert_array_equal(read.X["a"], np.tile(expected, 3))
    assert read.details["odd_texts"] == {"missing": missing, "lod": "half"}
    cohort = read_cohort(path, ["a", "b"], missing=missing, lod="half")
    np.testing.assert_array_equal(cohort.X["a"], read.X["a"])
    with pytest.raises(TableError, match=r"'n.d.' \(3 times\); first"):
        read_cohort(path, ["a"], missing=[text for text in missing if text != "n.d."], lod="half")


def test_a_signature_remembers_what_its_texts_meant(tmp_path):
    path = tmp_path / "new.csv"
    path.write_text("a,b\n1.5,1\n<0.5,1\nn.d.,1\nlost,1\n")
    trained = {"log2": None, "odd_texts": {"missing": ["n.d."], "lod": "half"}}
    features = [{"name": "a", "stand_ins": []}]
    signature = SimpleNamespace(document={"features": features, "training": trained})
    found = read_for(signature, CohortOptions(data=path, missing=["lost"])).X["a"]
    np.testing.assert_array_equal(found, [1.5, 0.25, np.nan, np.nan])


def test_limits_with_decimal_commas_and_genes_in_rows(tmp_path):
    genes = frame().set_index("id")[["a", "b"]].T.astype(object)
    genes.iloc[0, 2], genes.iloc[1, 4] = "<0.5", "n.d."
    genes = genes.map(lambda v: str(v).replace(".", ",") if v != "n.d." else v)
    genes.to_csv(tmp_path / "g.csv", sep=";", index_label="gene")
    sheet = frame()[["id", "kind"]]
    options = {"samples": sheet, "decimal": ","}
    said = complaint(tmp_path / "g.csv", **options)
    assert "'<0,5' (1 time), 'n.d.' (1 time); first '<0,5' for feature 'a' in sample 'S2'" in said
    X = read_table(tmp_path / "g.csv", "kind", missing=["n.d."], lod="half", **options).X
    assert X.loc["S2", "a"] == 0.25
    assert np.isnan(X.loc["S4", "b"])


# Names that differ in case only.


def test_names_that_differ_in_case_only_are_said(tmp_path):
    path = tmp_path / "t.csv"
    ids = ["s1" if i == 5 else f"S{i}" for i in range(N)]
    patients = ["P1" if i == 3 else f"p{i // 2}" for i in range(N)]
    table = frame(id=ids, patient=patients, A=RNG.normal(size=N))
    table.to_csv(path, index=False)
    said = " ".join(read_table(path, "kind", ids="id", groups="patient").warnings)
    assert "Names of rows differ in upper and lower case only: 'S1', 's1'." in said
    assert "Names of features differ in upper and lower case only: 'a', 'A'." in said
    assert "Groups of 'patient' differ in upper and lower case only: 'p1', 'P1'." in said


def test_samples_that_differ_in_case_only_are_said(tmp_path):
    frame().set_index("id")[["a", "b"]].T.to_csv(tmp_path / "g.csv", index_label="gene")
    sheet = frame()[["id", "kind"]]
    sheet.loc[2, "id"] = "s2"
    said = complaint(tmp_path / "g.csv", samples=sheet)
    assert "'s2' differ from them in upper and lower case only" in said
    sheet["id"] = sheet["id"].str.lower()
    said = complaint(tmp_path / "g.csv", samples=sheet)
    assert "Some differ in upper and lower case only." in said
