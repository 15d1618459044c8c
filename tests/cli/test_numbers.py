"""``backstay run`` with an outcome of numbers, from the file to what is written."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from backstay.datasets import read_table
from backstay.results import Results
from backstay.study import list_methods

OPTIONS = ("--repeats", "6", "--sizes", "2,5", "--jobs", "1", "--null", "1")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 12))
    y = 3 * X[:, 0] - 2 * X[:, 1] + rng.normal(size=40)
    frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(12)])
    folder = tmp_path_factory.mktemp("numbers")
    frame.assign(dose=y, grade=np.arange(40) % 3).to_csv(folder / "plants.csv", index=False)
    return folder / "plants.csv"


@pytest.fixture(scope="module")
def done(path, call):
    out = path.parent / "out"
    result = call(
        "run", path, "-t", "dose", "--drop", "grade", "-m", "slope,rrelieff", *OPTIONS, "-o", out
    )
    assert result.code == 0, result.err
    return out, result.out


def test_a_run_says_that_it_read_numbers(path, done):
    _, said = done
    y = read_table(path, "dose").y
    ends = " to ".join(f"{end:.4g}".replace("-", "−") for end in (y.min(), y.max()))
    assert re.search(rf"numbers +dose: numbers from {ends}\n", said)
    assert "'dose' is read as numbers, not as classes." in said
    assert re.search(r"metric +R² decides\n", said)
    assert re.search(r"models +ridge regression", said)
    assert re.search(r"null +1 permutation of the outcomes × 2 runs", said)
    assert re.search(r"expect an R² of .*guessing: 0.00\), Spearman correlation", said)


def test_what_is_written(done):
    out, _ = done
    features = pd.read_csv(out / "features.csv")
    assert set(features["feature"][:2]) == {"g0", "g1"}
    way = features.set_index("feature")["with_the_outcome"]
    assert (way["g0"], way["g1"]) == ("rises", "falls")
    everything = json.loads((out / "results.json").read_text("utf-8"))
    assert everything["data"]["kind"] == "numbers"
    assert everything["recommendation"]["metric"] == "r2"
    assert (out / "signature.json").exists()
    assert "Predicted against observed" in (out / "report.html").read_text("utf-8")
    assert "Regression of a number" in (out / "dome.md").read_text("utf-8")
    assert Results.load(out / "study.db").data.target.kind == "numbers"


def dry(call, *arguments):
    result = call("run", *arguments, "--dry-run")
    assert result.code == 0, result.err
    return result.out


def test_the_kind_decides(path, call, tmp_path):
    here = ("-o", tmp_path / "o")
    assert re.search(
        r"classes +grade: 0 \(14\), 1 \(13\), 2 \(13\)", dry(call, path, "-t", "grade", *here)
    )
    said = dry(call, path, "-t", "grade", "--kind", "numbers", *here)
    assert re.search(r"numbers +grade: numbers from 0 to 2\n", said)
    assert "'grade' is read as numbers as asked" in said


def test_methods_by_name_and_a_first_look(path, call, tmp_path):
    here = ("-t", "dose", "-o", tmp_path / "o")
    panel = list_methods("numbers").query("default")["name"]
    assert re.search(rf"methods +{', '.join(panel)}\n", dry(call, path, *here))
    quick = dry(call, path, *here, "--quick")
    assert re.search(r"methods +slope, spearman, mrmr-f, rrelieff\n", quick)
    assert "10 random splits" in quick
    for given, instead in (("t", "slope"), ("wilcoxon", "spearman"), ("svm-rfe", "ridge-rfe")):
        code, _, err = call("run", path, *here, "-m", given)
        assert code == 2
        assert err == (
            f"backstay: {given} takes classes, but the outcome is numbers: use {instead} instead.\n"
        )
    code, _, err = call("run", path, *here, "--metric", "roc_auc")
    assert code == 2
    assert "--metric roc_auc does not judge numbers; there are r2, spearman, mae, rmse." in err
