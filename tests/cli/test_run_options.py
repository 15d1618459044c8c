"""Options of ``backstay run`` on a sheet of samples, classes, gaps, and a quick look."""

import re

import numpy as np
import pandas as pd
import pytest

from backstay.cli import main
from backstay.report import Report
from backstay.results import Results
from table_formats import TARGET, example, write_series_matrix

QUICK = ("-m", "t", "--repeats", "3", "--sizes", "2", "--jobs", "1", "--null", "0")
QUICK += ("--planning", "0")


@pytest.fixture
def call(capsys):
    def run(*arguments):
        with pytest.raises(SystemExit) as stop:
            main([str(a) for a in arguments])
        captured = capsys.readouterr()
        assert stop.value.code == 0, captured.err
        return captured.out, captured.err

    return run


@pytest.fixture
def files(tmp_path):
    numbers, sheet, genes = example()
    turned = numbers.T
    turned.insert(0, "symbol", genes["symbol"])
    turned.to_csv(tmp_path / "genes.tsv", sep="\t", index_label="gene")
    sheet.to_csv(tmp_path / "sheet.csv", index=False)
    return tmp_path


def test_a_table_with_a_sheet_from_the_command_line_to_the_store(files, call):
    out, _ = call(
        "run", files / "genes.tsv", "--samples", files / "sheet.csv", "-t", TARGET, "--id",
        "sample", "--groups", "patient", "--positive", "normal", *QUICK, "-o", files / "out",
    )  # fmt: skip
    assert "Samples are the columns of genes.tsv, matched by column 'sample' of sheet.csv" in out
    assert "Columns taken for annotation: 'symbol'." in out
    assert re.search(r"positive +normal\n", out)
    data = Results.load(files / "out" / "study.db").data
    assert data.annotation == {"symbol": [f"SYM{j}" for j in range(8)]}
    assert data.sample_names[:2] == ["S00", "S01"]
    assert data.target.names == ["tumour", "normal"]  # the positive class is the second
    assert data.n_groups == 12


def test_a_quick_look_is_marked_as_one(files, call):
    write_series_matrix(
        files / "GSE1_series_matrix.txt", example()[0], example()[1].set_index("sample")
    )
    command = ("run", files / "GSE1_series_matrix.txt", "-t", TARGET, "--quick", "--jobs", "1")
    out, _ = call(*command, "--dry-run")
    assert re.search(r"preliminary +a quick look \(--quick\); run the study without", out)
    assert re.search(r"methods +t, f, info-gain, relieff\n", out)
    assert "10 random splits" in out
    assert re.search(r"null +none", out)
    assert re.search(r"results in +GSE1_series_matrix-backstay-quick\n", out)
    out, _ = call(*command, *QUICK[:6], "-o", files / "out")
    assert re.search(r"methods +t\n", out)
    page = (files / "out" / "report.html").read_text()
    assert "<b>Preliminary:</b> a quick look" in page


@pytest.mark.parametrize("how", ["median", "knn"])
def test_gaps_are_filled_on_training_rows(how, call, tmp_path):
    rng = np.random.default_rng(0)
    given = pd.DataFrame(rng.normal(size=(30, 6))).add_prefix("x").mask(rng.random((30, 6)) < 0.1)
    given["kind"] = np.resize(["a", "b"], 30)
    given.to_csv(tmp_path / "t.csv", index=False)
    out, err = call(
        "run", tmp_path / "t.csv", "-t", "kind", "--impute", how, "-m", "t,relieff", "--dry-run"
    )
    words = {"median": "median of the training rows", "knn": "5 most similar training rows"}
    assert words[how] in out
    assert "of the values are missing" in err
    out, _ = call(
        "run", tmp_path / "t.csv", "-t", "kind", "--impute", how, *QUICK, "-q", "-o",
        tmp_path / how,
    )  # fmt: skip
    preprocess = str(Results.load(tmp_path / how / "study.db").facts.preprocess)
    assert ("KNNImputer" in preprocess) == (how == "knn")


def test_classes_too_small_need_not_stop_a_run(call, tmp_path):
    rng = np.random.default_rng(0)
    given = pd.DataFrame(rng.normal(size=(30, 4))).add_prefix("x")
    given["kind"] = ["a"] * 14 + ["b"] * 14 + ["rare"] * 2
    given.to_csv(tmp_path / "t.csv", index=False)
    command = ("run", tmp_path / "t.csv", "-t", "kind", "--dry-run")
    for option in (("--min-class-size", "5"), ("--exclude-class", "rare")):
        out, _ = call(*command, *option)
        assert "kind: a (14), b (14)" in out
        assert "rare" in out


def test_a_table_of_logs_is_said_to_be_one(files, call, capsys, monkeypatch):
    monkeypatch.setattr(Report, "write", lambda self, path: path)
    command = ("run", files / "genes.tsv", "--samples", files / "sheet.csv", "-t", TARGET, *QUICK)
    call(*command, "--logged", "-o", files / "out")
    assert Results.load(files / "out" / "study.db").data.logged
    with pytest.raises(SystemExit) as stop:
        main([str(a) for a in (*command, "--logged", "--log2", 20)])
    assert stop.value.code == 2
    assert "leave out log2=20. The option is --logged." in capsys.readouterr().err


def test_decoys_are_in_the_plan_and_not_for_groups(files, call, capsys):
    table = ("run", files / "genes.tsv", "--samples", files / "sheet.csv", "-t", TARGET)
    out, _ = call(*table, "--id", "sample", *QUICK, "--decoys", "25", "--dry-run")
    assert re.search(r"decoys +25 draws, for the method that the report is about", out)
    with pytest.raises(SystemExit) as stop:
        main([str(a) for a in (*table, "--groups", "patient", "--decoys", "25", "--dry-run")])
    assert stop.value.code == 2
    assert "--decoys 25 permutes rows, but --groups keeps rows together" in capsys.readouterr().err


def test_pairs_from_the_command_line_to_the_files(tmp_path, call, capsys):
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(9), 2)[:-1]  # the last one lacks a class
    table = pd.DataFrame(
        3 * rng.normal(size=(9, 5))[patient] + rng.normal(size=(17, 5)), columns=list("abcde")
    )
    table["a"] += 4.0 * (np.arange(17) % 2)
    table.insert(0, "tissue", np.tile(["healthy", "tumour"], 9)[:-1])
    table.insert(0, "patient", [f"p{p}" for p in patient])
    table.to_csv(tmp_path / "t.csv", index=False)
    start = ("run", tmp_path / "t.csv", "-t", "tissue")
    out, _ = call(*start, "--pairs", "patient", *QUICK, "-o", tmp_path / "out")
    assert "whole pairs together" in out
    assert re.search(r"pairs +8 with both classes, 1 without, which are left out\n", out)
    frame = pd.read_csv(tmp_path / "out" / "features.csv")
    said = "the differences within 8 pairs (1 pair without one of the classes left out)"
    assert set(frame["effects_over"]) == {said}
    assert "with Hedges&#39; correction" in (tmp_path / "out" / "report.html").read_text(
        encoding="utf-8"
    )
    out, _ = call(*start, "--pairs", "patient", "--decoys", "25", *QUICK, "--dry-run")
    assert "25 draws that change places within pairs" in out
    for wrong, message in [
        (("--pairs", "patient", "--groups", "patient"), "--pairs keeps rows together as --groups"),
        (("--pairs", "b"), "name what keeps rows together as groups. "),
    ]:
        with pytest.raises(SystemExit):
            main([str(a) for a in (*start, *wrong, *QUICK, "--dry-run")])
        assert message in " ".join(capsys.readouterr().err.split())
