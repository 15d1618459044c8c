"""Inputs that once hung, ran out of memory or were read as something else: a sentence, or right."""

import base64
import json
import os
import sys

import numpy as np
import pytest

from backstay import SVMRFE
from backstay.datasets import TableError, read_table
from backstay.feature_weighting import ElasticNetRanker, LassoPath, TTest
from backstay.signature import Signature, SignatureError
from backstay.signature._document import checksum
from backstay.study import Study, Subsampling

RNG = np.random.default_rng(0)


def lines(cell=None, label=None, n=30, head="g0,g1,g2,class"):
    """Return the text of a table, some cells or labels of which are as given."""
    rows = [head]
    for i in range(n):
        values = [f"{v:.3f}" for v in RNG.normal(size=3) + i % 2]
        values[0] = values[0] if cell is None else cell(i, values[0])
        rows.append(",".join([*values, "ab"[i % 2] if label is None else label(i)]))
    return "\n".join(rows) + "\n"


def written(tmp_path, text):
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (
            lambda i, v: '"1,234.5"' if i % 2 else '"12,345.5"',
            "'12,345.5' (15 times), '1,234.5' (15",
        ),
        (lambda i, v: '"1,234,567"', "write '1,234,567' as plain numbers"),
        (lambda i, v: "1 234 567", "write '1 234 567' as plain numbers"),
        (lambda i, v: f"{i}.5%", "first '0.5%' in column 'g0', row 1"),
        (lambda i, v: v.replace("-", "\u2212"), "among numbers: '\u2212"),
    ],
)
def test_numbers_that_no_parser_reads_are_named(tmp_path, cell, said):
    with pytest.raises(TableError) as error:
        read_table(written(tmp_path, lines(cell)), "class")
    assert said in str(error.value)


def test_texts_that_only_look_a_little_like_numbers_are_texts(tmp_path):
    path = written(tmp_path, lines(lambda i, v: ["5%", "low", "high"][i % 3]))
    assert read_table(path, "class").categorical == ["g0"]


@pytest.mark.parametrize("code", ["-999", "9999"])
def test_codes_for_missing_values_are_asked_about(tmp_path, code):
    path = written(tmp_path, lines(lambda i, v: code if i % 7 == 0 else v))
    (warning,) = read_table(path, "class").warnings
    assert warning.startswith(f"{code} appears 5 times, far from the other values")
    assert read_table(path, "class", missing=[code]).X["g0"].isna().sum() == 5
    # Among values as large it is a value.
    path = written(tmp_path, lines(lambda i, v: code if i % 7 == 0 else str(5000 + 13 * i)))
    assert read_table(path, "class").warnings == []


def test_accents_written_in_two_ways_are_one_class(tmp_path):
    composed, apart = "\u00e9", "e\u0301"
    table = read_table(
        written(tmp_path, lines(label=lambda i: [composed, "b", apart][i % 3])), "class"
    )
    assert table.classes == {"b": 10, composed: 20}
    assert table.warnings[0].startswith(f"'class' writes '{composed}' in two ways that look")
    table = read_table(written(tmp_path, lines(label=lambda i: ["b", apart][i % 2])), "class")
    assert (table.classes, table.warnings) == ({"b": 15, composed: 15}, [])


def test_a_line_of_delimiters_is_no_header(tmp_path):
    for text in (",,,\n", lines(head=",,,"), ",,,\n" + lines()):
        with pytest.raises(TableError, match="begins with a line without names"):
            read_table(written(tmp_path, text), "class")


def test_a_stray_cell_at_the_end_of_a_sheet_is_not_read(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in lines().splitlines():
        book.active.append(
            [*map(float, row.split(",")[:3]), row[-1]] if row[0] != "g" else row.split(",")
        )
    book.active.cell(40_000, 16_384, "note")
    book.save(tmp_path / "stray.xlsx")
    table = read_table(tmp_path / "stray.xlsx", "class")
    assert table.X.shape == (30, 3)
    assert (
        "1 cell of sheet 'Sheet' lies outside of the table and was not read: 'XFD40000'."
        in table.notes
    )


def test_a_sparse_matrix_that_claims_to_be_endless(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "wide.h5ad", "w") as file:
        X = file.create_group("X")
        X.attrs.update({"encoding-type": "csr_matrix", "shape": np.array([3, 10**12])})
        X["data"], X["indices"], X["indptr"] = np.ones(3), np.arange(3), np.arange(4)
        for name in ("obs", "var"):
            group = file.create_group(name)
            group.attrs.update({"_index": "i", "column-order": []})
            group["i"] = np.array([b"a", b"b", b"c"])
    with pytest.raises(TableError, match="X is 3 × 1000000000000; obs names 3 rows and var 3"):
        read_table(tmp_path / "wide.h5ad", "class")


@pytest.fixture(scope="module")
def document():
    y = np.arange(40) % 2
    X = np.random.default_rng(0).normal(size=(40, 5)) + 2 * y[:, None]
    study = Study({"t": TTest()}, Subsampling(4), sizes=[2], random_state=0)
    return study.run(X, y).freeze(X, y, ("t", 2, "svm")).document


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d["features"][0]["quantiles"].reverse(), r"features\[0\].quantiles are not in"),
        (lambda d: d["target"]["moments"]["sds"][0].__setitem__(0, -1.0), "must be at least 0"),
        (lambda d: d["features"][0].update(sd=-1.0), "sd must be at least 0"),
    ],
)
def test_a_signature_sealed_again_must_make_sense(tmp_path, document, change, said):
    changed = json.loads(json.dumps(document))
    change(changed)
    changed["checksum"] = checksum(changed)
    (tmp_path / "s.json").write_text(json.dumps(changed))
    with pytest.raises(SignatureError, match=said):
        Signature.load(tmp_path / "s.json")


def test_a_model_that_is_no_skops_file(tmp_path, document):
    pytest.importorskip("skops")
    data = base64.b64encode(b"no zip").decode()
    changed = {**document, "model": {"kind": "skops", "model": "Forest", "data": data}}
    changed |= {"threshold": None, "calibration": None}
    changed["checksum"] = checksum(changed)
    (tmp_path / "s.json").write_text(json.dumps(changed))
    with pytest.raises(
        SignatureError, match=r"s\.json cannot be used: model.data is not in the fo"
    ):
        Signature.load(tmp_path / "s.json").predict(np.zeros((1, 2)))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX")
def test_what_is_no_regular_file_is_not_read(tmp_path, call):
    fifo = tmp_path / "pipe.json"
    os.mkfifo(fifo)
    for path in (fifo, "/dev/zero", tmp_path):
        called = call("predict", path, written(tmp_path, lines()))
        assert called.code == 2
        assert called.err.count("\n") == 1
        assert str(path) in called.err


def test_a_signature_is_small_and_flat(tmp_path):
    (tmp_path / "deep.json").write_text("[" * 100_000)
    with pytest.raises(SignatureError, match="nested too deeply"):
        Signature.load(tmp_path / "deep.json")
    with (tmp_path / "big.json").open("wb") as file:
        file.truncate(240 * 2**20)  # takes no room on the disk
    with pytest.raises(SignatureError, match="has more than 64 MB; it is no signature"):
        Signature.load(tmp_path / "big.json")


def test_a_tolerance_that_no_solver_reaches():
    for method in (SVMRFE, LassoPath, ElasticNetRanker):
        with pytest.raises(ValueError, match=f"'tol' parameter of {method.__name__} must be"):
            method(tol=1e-16).fit(np.eye(4), [0, 1, 0, 1])


@pytest.mark.filterwarnings("error")
def test_the_largest_numbers_warn_of_no_overflow():
    y = np.arange(24) % 2
    X = (np.random.default_rng(0).normal(size=(24, 4)) + y[:, None]) * 1e307
    results = Study({"t": TTest()}, Subsampling(3), sizes=[2], random_state=0).run(X, y)
    assert len(results.features().frame()) == 4


def test_errors_are_worded_without_loading_what_may_not_load(monkeypatch):
    from backstay.cli._guard import exit_code, sentence

    monkeypatch.delitem(sys.modules, "backstay.study")
    assert sentence(OSError("no such library")) == "OSError: no such library"
    assert sentence(MemoryError()) == "there is too little memory for this (none is left)."
    assert (exit_code(OSError()), exit_code(TableError("?"))) == (1, 2)
    assert "backstay.study" not in sys.modules
