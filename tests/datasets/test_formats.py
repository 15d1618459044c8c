"""One table in every format and both orientations is one table."""

import numpy as np
import pandas as pd
import pytest

from backstay import TTest
from backstay.datasets import TableError, read_table
from backstay.report import Report
from backstay.study import Study, Subsampling
from table_formats import TARGET, example, write_every_format

GROUPED = {"groups": "patient"}


@pytest.fixture(scope="module")
def formats(tmp_path_factory):
    return write_every_format(tmp_path_factory.mktemp("formats"), *example())


def tables(formats):
    for name, (path, more) in formats.items():
        arrays = name == "rows.npz"
        target, groups = (None, {}) if arrays else (TARGET, GROUPED)
        yield name, read_table(path, target, **groups, **more)


def same_table(X, numbers, name="table"):
    """The same columns, types and bits, whatever the rows are called."""
    assert X.columns.tolist() == numbers.columns.tolist(), name
    assert X.dtypes.tolist() == numbers.dtypes.tolist(), name
    for column in X:
        assert X[column].to_numpy().tobytes() == numbers[column].to_numpy().tobytes(), name


def test_every_format_has_the_same_fingerprint(formats):
    numbers, sheet, _ = example()
    kinds = set()
    for name, table in tables(formats):
        X, _, _ = table.numbers()
        same_table(X, numbers, name)
        assert table.y.tolist() == sheet[TARGET].tolist(), name
        assert len(np.unique(table.groups)) == len(sheet) // 2, name
        assert X.index.tolist() == sheet["sample"].tolist(), name
        kinds.add((table.details["format"], formats[name][0].suffixes[-1]))
        assert not [text for text in table.warnings if "'sample'" not in text], name
    assert len(kinds) >= 9
    assert len({kind for kind, _ in kinds}) == 7


def test_the_report_is_the_same(formats):
    chosen = ("rows.csv", "sparse.h5ad", "genes.xlsx")
    study = Study({"t": TTest()}, Subsampling(4), sizes=[2, 4], random_state=0)
    reports = []
    for _, table in tables({name: formats[name] for name in chosen}):
        results = study.run(table.numbers()[0], table.y, table.groups)
        (part,) = Report(results).to_dict()["datasets"]
        del part["times"]  # seconds
        reports.append(part)
    for name, report in zip(chosen, reports, strict=True):
        for key in report:
            assert report[key] == reports[0][key], (name, key)


def test_which_way_the_table_lies_is_said(formats):
    path, more = formats["genes.tsv"]
    assert (
        "Samples are the columns of genes.tsv, matched by column 'sample' of sheet.csv: 24 of 24."
        in read_table(path, TARGET, **more).notes
    )
    path, more = formats["numbers.csv"]
    said = " ".join(read_table(path, TARGET, **more).notes)
    assert "Samples are the rows (column 'sample') of numbers.csv, matched by" in said


@pytest.mark.parametrize("name", ["genes.csv.gz", "genes.gct", "dense.h5ad", "v13.gct.gz"])
def test_annotation_travels_with_the_features(formats, name):
    path, more = formats[name]
    table = read_table(path, TARGET, drop=["gene2"], **more)
    assert table.annotation.index.tolist() == table.X.columns.tolist()
    assert table.annotation["symbol"].tolist() == [f"SYM{j}" for j in range(8) if j != 2]


def test_annotation_is_recognised_or_named(formats, tmp_path):
    path, more = formats["genes.csv.gz"]
    assert "Columns taken for annotation: 'symbol'." in read_table(path, TARGET, **more).notes
    given = pd.read_csv(path)
    given.insert(2, "length", np.arange(8))
    given.to_csv(tmp_path / "g.csv", index=False)
    with pytest.raises(TableError, match=r"1 sample of g.csv is not in sheet.csv: 'length'"):
        read_table(tmp_path / "g.csv", TARGET, **more)
    table = read_table(tmp_path / "g.csv", TARGET, annotation=["symbol", "length"], **more)
    assert table.annotation["length"].tolist() == [str(j) for j in range(8)]
    numbers, sheet, _ = example()
    turned = numbers.assign(diagnosis=sheet[TARGET].to_numpy()).T
    turned.insert(0, "symbol", [*given["symbol"], ""])
    turned.to_csv(tmp_path / "t.csv", index_label="gene")
    table = read_table(tmp_path / "t.csv", TARGET, transpose=True, annotation=["symbol"])
    assert table.annotation["symbol"].tolist() == given["symbol"].tolist()


def test_a_sheet_in_memory_and_names_that_look_like_numbers(tmp_path):
    numbers, sheet, _ = example()
    names = [f"{i:03d}" for i in range(24)]
    sheet["sample"] = names
    for turned, name in ((False, "r.csv"), (True, "g.csv")):
        given = numbers.set_axis(names)
        (given.T if turned else given).to_csv(tmp_path / name, index_label="id")
        table = read_table(tmp_path / name, TARGET, samples=sheet, ids="sample")
        assert table.X.index.tolist() == names
        same_table(table.X, numbers)
    sheet.to_csv(tmp_path / "sheet.csv", index=False)
    table = read_table(tmp_path / "g.csv", TARGET, samples=tmp_path / "sheet.csv")
    assert table.X.index.tolist() == names


def test_what_is_unmatched_is_named_and_left_out_on_request(formats, tmp_path):
    path, _ = formats["genes.tsv"]
    _, sheet, _ = example()
    sheet = pd.concat([sheet.iloc[7:], sheet.head(1).assign(sample="extra")])
    with pytest.raises(TableError) as caught:
        read_table(path, TARGET, samples=sheet)
    assert "1 sample of the sheet is not in genes.tsv: 'extra'" in str(caught.value)
    shown = "'S00', 'S01', 'S02', 'S03', 'S04' and 2 more"
    assert f"7 samples of genes.tsv are not in the sheet: {shown}." in str(caught.value)
    table = read_table(path, TARGET, samples=sheet, allow_unmatched=True)
    assert table.X.index.tolist() == [f"S{i:02d}" for i in range(7, 24)]
    assert f"Left out: 7 samples of genes.tsv are not in the sheet: {shown}." in table.notes


def test_groups_times_and_more_features_come_from_the_sheet(formats):
    path, _ = formats["genes.tsv"]
    _, sheet, _ = example()
    ill = sheet[TARGET] == "tumour"
    sheet["age"] = np.arange(24) % 7
    sheet["sex"] = np.resize(["f", "m", "m"], 24)
    sheet["date"] = np.where(ill, "2024-05-01", "2019-02-03")
    sheet["batch"] = "x"
    table = read_table(
        path, TARGET, samples=sheet, groups="patient", measured="date", drop=["batch", "gene3"],
        also=["age", "sex"],
    )  # fmt: skip
    assert table.X.columns.tolist()[-2:] == ["age", "sex"]
    assert table.categorical == ["sex"]
    assert "gene3" not in table.X
    assert len(np.unique(table.groups)) == 12
    (found,) = table.suspicions
    assert found.kind == "confounded"
    assert found.figures["columns"][0][0] == "date"
    even = read_table(path, TARGET, samples=sheet.assign(date=np.arange(24)), measured="date")
    assert even.warnings == []
    assert any("not used: 'patient', 'age', 'sex', 'batch'" in text for text in even.notes)


def test_features_of_the_same_name(formats, tmp_path):
    path, more = formats["genes.tsv"]
    given = pd.read_csv(path, sep="\t")
    given["gene"] = ["a", "b", "a", "c", "b", "d", "e", "f"]
    given.to_csv(tmp_path / "g.csv", index=False)
    given.set_index("gene").T.to_csv(tmp_path / "r.csv", index_label="sample")
    numbers = given.set_index("gene").T
    for name in ("g.csv", "r.csv"):
        with pytest.raises(TableError, match="2 names more than once"):
            read_table(tmp_path / name, TARGET, **more)
        for how in ("first", "mean", "max-variance"):
            table = read_table(tmp_path / name, TARGET, dedupe=how, **more)
            assert table.X.columns.tolist() == list("abcdef")
            for feature in "ab":
                both = numbers[feature]
                expected = {
                    "first": both.iloc[:, 0],
                    "mean": both.mean(axis=1),
                    "max-variance": both.iloc[:, int(np.argmax(both.var()))],
                }[how]
                np.testing.assert_allclose(table.X[feature], expected, rtol=1e-15)
            np.testing.assert_array_equal(table.X["c"], numbers["c"])


def test_classes_are_left_out_by_name_or_size(formats):
    path, _ = formats["genes.tsv"]
    _, sheet, _ = example()
    sheet.loc[:1, TARGET] = "rare"
    sheet.loc[2:8, TARGET] = "other"
    table = read_table(path, TARGET, samples=sheet, min_class_size=3)
    assert "rare" not in table.classes
    assert "Left out: 1 class of fewer than 3 rows: 'rare (2)'." in table.notes
    table = read_table(
        path, TARGET, samples=sheet, exclude_classes=["rare", "other"], positive="normal"
    )
    assert list(table.classes) == ["normal", "tumour"]
    assert table.positive == "normal"
    assert len(table.X) == len(table.y) == 15
    with pytest.raises(TableError, match="has 4 classes; a positive one is for two"):
        read_table(path, TARGET, samples=sheet, positive="normal")


def test_raw_values_and_twins_are_said(tmp_path):
    rng = np.random.default_rng(0)
    raw = pd.DataFrame(2 ** rng.normal(8, 3, (20, 120))).add_prefix("g")
    raw["twin"] = raw["g5"]
    raw["same"] = 4.0
    raw["kind"] = np.resize(["a", "b"], 20)
    raw.to_csv(tmp_path / "raw.csv", index=False)
    said = " ".join(read_table(tmp_path / "raw.csv", "kind").warnings)
    assert "as raw intensities do; if they are, take logarithms: log2=20, or --log2 20" in said
    assert "1 feature holds exactly the values of another ('twin = g5')" in said
    assert "with the same value in every row was left out: 'same'" in said
    assert "log2" not in " ".join(read_table(tmp_path / "raw.csv", "kind", log2=20).warnings)
    counts = raw.round().assign(kind=raw["kind"])
    counts.to_csv(tmp_path / "counts.csv", index=False)
    said = " ".join(read_table(tmp_path / "counts.csv", "kind").warnings)
    assert "as raw counts do" in said
    holed = raw.mask(rng.random(raw.shape) < 0.1).assign(kind=raw["kind"])
    holed.to_csv(tmp_path / "holed.csv", index=False)
    said = " ".join(read_table(tmp_path / "holed.csv", "kind").warnings)
    assert "10% of the values are missing" in said


def test_sparse_matrices_and_layers(formats):
    table = read_table(formats["sparse.h5ad"][0], TARGET)
    assert "X is sparse and was written out" in " ".join(table.notes)
    assert table.summary()["missing"] == 0
    twice = read_table(formats["sparse.h5ad"][0], TARGET, layer="twice").X
    np.testing.assert_array_equal(twice, 2 * example()[0])
