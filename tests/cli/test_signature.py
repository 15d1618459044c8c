"""freeze, predict, validate and compare --signatures, from files to files."""

import inspect
import json

import numpy as np
import pandas as pd
import pytest

from backstay.cli import main
from backstay.results import Results
from backstay.signature import Signature


def table(seed, n=40, d=10, classes=("normal", "tumour")):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = 2 ** rng.normal(8, 1, size=(n, d)).round(3)
    X[:, :3] *= 4.0 ** y[:, None]
    frame = pd.DataFrame(X.round(3), columns=[f"gene{j}" for j in range(d)])
    frame.insert(0, "patient", [f"p{seed}.{i}" for i in range(n)])
    return frame.assign(diagnosis=np.array(classes)[y])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two finished runs, and a cohort whose classes have other names."""
    folder = tmp_path_factory.mktemp("signatures")
    quick = ["-m", "t", "--repeats", "4", "--sizes", "2,3", "--jobs", "1", "--null", "2"]
    quick += ["--planning", "0"]
    for seed, name in enumerate(("here", "there")):
        table(seed).to_csv(folder / f"{name}.csv", index=False)
        options = ["-t", "diagnosis", "--drop", "gene9", "--log2", "20", "-q"]
        with pytest.raises(SystemExit) as stop:
            main(["run", str(folder / f"{name}.csv"), *options, *quick, "-o", str(folder / name)])
        assert stop.value.code == 0
    table(5, classes=("N", "T")).to_csv(folder / "cohort.csv", index=False)
    return folder


@pytest.fixture
def call(capsys):
    def run(*arguments):
        with pytest.raises(SystemExit) as stop:
            main([str(a) for a in arguments])
        captured = capsys.readouterr()
        return stop.value.code, captured.out, captured.err

    return run


def test_freeze_reads_the_table_as_run_did(folder, call):
    code, out, err = call(
        "freeze", folder / "here", "-d", folder / "here.csv", "-o", folder / "again.json"
    )
    assert code == 0, err
    assert "Expected AUC" in out
    by_run = (folder / "here" / "signature.json").read_bytes()
    assert (folder / "again.json").read_bytes() == by_run
    assert json.loads(by_run)["training"]["log2"] == 20
    stored = Results.load(folder / "here" / "study.db").data.provenance["reading"]
    assert stored["options"] == {"target": "diagnosis", "drop": ["gene9"], "log2": 20}
    code, _, err = call("freeze", folder / "here", "-d", folder / "there.csv")
    assert (code, "X is not what the study was run on" in err) == (2, True)
    code, _, err = call("freeze", folder / "here", "-d", folder / "here.csv", "--choice", "t,9,svm")
    assert (code, "the size 9" in err) == (2, True)


def test_a_neighbour_needs_leave_to_keep_rows(folder, call):
    arguments = ["freeze", folder / "here", "-d", folder / "here.csv", "--choice", "t,3,1nn"]
    code, _, err = call(*arguments, "-o", folder / "rows.json")
    assert (code, "The option is --include-rows." in err) == (2, True)
    code, *_ = call(*arguments, "-o", folder / "rows.json", "--include-rows")
    assert code == 0
    assert Signature.load(folder / "rows.json").document["model"]["kind"] == "neighbors"


def test_predict_writes_a_row_per_sample(folder, call):
    signature, path = folder / "here" / "signature.json", folder / "predictions.csv"
    code, out, err = call(
        "predict", signature, folder / "cohort.csv", "-o", path, "--id", "patient"
    )
    assert code == 0, err
    assert "As in training" in out
    found = pd.read_csv(path)
    assert found["row"].tolist() == [f"p5.{i}" for i in range(40)]
    frozen = Signature.load(signature)
    logged = np.log2(np.maximum(table(5)[frozen.feature_names_in_.tolist()], 20))
    assert found["predicted"].tolist() == frozen.predict(logged).tolist()
    assert np.allclose(found["score tumour"], frozen.decision_function(logged))
    one = folder / "one.csv"
    table(5).iloc[:1].drop(columns="diagnosis").to_csv(one, index=False)
    code, _, err = call("predict", signature, one, "-o", path)
    assert (code, len(pd.read_csv(path))) == (0, 1), err


def test_log2_is_not_taken_twice(folder, call):
    signature, path = folder / "here" / "signature.json", folder / "logged.csv"
    assert json.loads(signature.read_bytes())["training"]["values"] == (
        "log2 of values, those below 20 raised to it first"
    )
    logged = table(5)
    genes = [name for name in logged if name.startswith("gene")]
    logged[genes] = np.log2(np.maximum(logged[genes], 20))
    logged.to_csv(path, index=False)
    for command in ("predict", "validate"):
        more = ["-t", "diagnosis"] if command == "validate" else []
        code, _, err = call(command, signature, path, *more, "-o", folder / f"twice {command}")
        assert code == 2
        assert "as if log2 had been taken of them before" in err
        assert "The option is --log2." in err
    out = folder / "once"
    code, *_ = call("validate", signature, path, "-t", "diagnosis", "--log2", 0, "-o", out)
    assert code == 0
    assert "as in the file; the signature expects: log2" in (out / "validation.html").read_text()
    code, _, err = call("predict", signature, folder / "cohort.csv", "--log2", 0)
    assert (code, "Raise values to 20 and take log2" in err) == (2, True)


def test_predict_and_validate_read_tables_as_run_does(folder, call):
    signature, book = folder / "here" / "signature.json", folder / "book.xlsx"
    with pd.ExcelWriter(book) as writer:
        pd.DataFrame({"nothing": [1, 2]}).to_excel(writer, sheet_name="notes", index=False)
        table(5).to_excel(writer, sheet_name="values", index=False)
    options = ("--sheet", "values", "--id", "patient")
    code, _, err = call("predict", signature, book, *options, "-o", folder / "book.csv")
    assert code == 0, err
    call("predict", signature, folder / "cohort.csv", "--id", "patient", "-o", folder / "same.csv")
    assert (folder / "book.csv").read_bytes() == (folder / "same.csv").read_bytes()
    code, _, err = call(
        "validate", signature, book, "-t", "diagnosis", *options, "-o", folder / "of book"
    )
    assert code == 0, err
    code, _, err = call("predict", signature, book, "--sheet", "none")
    assert (code, "The option is --sheet." in err) == (2, True)


def test_validate_reads_the_cohort_once(folder, call, monkeypatch):
    read, reads = Signature.read, []
    monkeypatch.setattr(
        Signature, "read", lambda *given, **more: reads.append(1) or read(*given, **more)
    )
    code, *_ = call(
        "validate", folder / "here" / "signature.json", folder / "there.csv", "-t", "diagnosis",
        "-o", folder / "once",
    )  # fmt: skip
    assert (code, len(reads)) == (0, 1)


def test_validate_writes_page_json_and_predictions(folder, call):
    signature, out = folder / "here" / "signature.json", folder / "validated"
    arguments = ["validate", signature, folder / "cohort.csv", "-t", "diagnosis", "-o", out]
    code, _, err = call(*arguments)
    assert (code, "The option is --map." in err) == (2, True)
    code, shown, err = call(*arguments, "--map", "N=normal", "--map", "T=tumour")
    assert code == 0, err
    headline = "It cannot be told apart from what was expected"
    assert headline in shown
    found = json.loads((out / "validation.json").read_text(), parse_constant=pytest.fail)
    assert found["scores"][0]["verdict"] == "cannot be told apart"
    assert (found["headline"], found["sentence"] in shown) == (headline, True)
    assert len(pd.read_csv(out / "predictions.csv")) == 40
    page = (out / "validation.html").read_text()
    assert f">{headline}</h2>" in page
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org", "")


def test_the_margin_is_an_option(folder, call):
    out = folder / "margin"
    arguments = ["validate", folder / "here" / "signature.json", folder / "there.csv"]
    arguments += ["-t", "diagnosis", "-o", out, "--margin"]
    code, _, err = call(*arguments, "5")
    assert (code, "--margin 5.0 must be between 0 and 1" in err) == (2, True)
    code, shown, err = call(*arguments, "0.9")
    assert code == 0, err
    assert "within ±0.45 of the AUC" in shown
    found = json.loads((out / "validation.json").read_text())
    assert {one["margin"] for one in found["scores"]} == {0.9}
    default = inspect.signature(Signature.validate).parameters["margin"].default
    words = call("validate", "--help")[1].replace("│", " ").split()
    assert f"best score; {default} if omitted." in " ".join(words)


def test_missing_features_stop_unless_allowed(folder, call):
    signature = folder / "here" / "signature.json"
    lacking = folder / "lacking.csv"
    table(5).drop(columns="gene0").to_csv(lacking, index=False)
    arguments = ["validate", signature, lacking, "-t", "diagnosis", "-o", folder / "lacking"]
    code, _, err = call(*arguments)
    assert (code, "'gene0'" in err, "--allow-missing" in err) == (2, True, True)
    code, out, err = call(*arguments, "--allow-missing")
    assert code == 0, err
    assert "gene0 is not in the table" in err
    assert "1 feature is not in the cohort" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["predict", "no.json", "no.csv"], "there is no file no.json"),
        (["validate", "no.json", "no.csv", "-t", "y", "--map", "a"], "--map a must be"),
        (["freeze", "no.db", "-d", "no.csv"], "there is no store no.db"),
    ],
)
def test_wrong_use_is_said_in_a_sentence(arguments, message, call):
    code, _, err = call(*arguments)
    assert (code, message in err, err.count("\n")) == (2, True, 1)


def test_a_changed_signature_is_refused(folder, call):
    text = (folder / "here" / "signature.json").read_text()
    (folder / "changed.json").write_text(text.replace('"slope": ', '"slope": 1', 1))
    code, _, err = call("predict", folder / "changed.json", folder / "cohort.csv")
    assert (code, "was changed after it was frozen" in err) == (2, True)


def test_signatures_of_two_studies_are_compared(folder, call):
    code, out, err = call("compare", folder / "here", folder / "there", "--signatures")
    assert code == 0, err
    assert "features in both signatures" in out
    assert "replicated in direction and significance" in out
    code, _, err = call("compare", folder / "here", "--signatures")
    assert (code, "compares two data sets" in err) == (2, True)
