"""Covariates and batches from a sample sheet, through run, predict, validate and freeze."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from backstay.cli._app import app

SHORT = ["-m", "t", "--repeats", "6", "--sizes", "3", "--null", "0", "--planning", "0", "-j", "1"]


def call(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("designs")
    rng, n = np.random.default_rng(0), 72
    age, site = rng.normal(50, 9, n).round(1), np.repeat(["bonn", "lyon", "york"], n // 3)
    y = np.where((age - 50) / 9 + rng.normal(size=n) > 0, "ill", "well")
    X = rng.normal(size=(n, 12)).round(4)
    X[:, 3:6] += 1.5 * (y == "ill")[:, None]
    names = pd.Index([f"s{i}" for i in range(n)], name="id")
    pd.DataFrame(X, names, [f"g{j}" for j in range(12)]).to_csv(folder / "x.csv")
    sheet = pd.DataFrame(
        {"y": y, "age": age, "sex": rng.choice(["f", "m"], n), "site": site}, names
    )
    sheet["plate"] = np.where(y == "ill", "p1", "p2")
    sheet.to_csv(folder / "s.csv")
    return folder


def test_from_a_sheet_to_predictions(files):
    x, sheet, out = files / "x.csv", files / "s.csv", files / "out"
    done = call("run", x, "--samples", sheet, "-t", "y", "--adjust", "age,sex", "--batch", "site",
                "-o", out, *SHORT)  # fmt: skip
    assert done.exit_code == 0, done.output
    said = " ".join(done.output.split())
    assert "age: a number; with the outcome AUC" in said
    assert "3 batches; with the outcome Cramér's V" in said
    assert "'age' goes with the outcome" in said
    assert "against 'y': 'plate' Cramér's V 1.00" in said
    assert "age, sex and the batch alone: AUC" in said
    features = pd.read_csv(out / "features.csv")
    assert "age" not in set(features["feature"])
    assert set(features["effects_over"]) == {"all rows, adjusted for age, sex and batches"}
    document = json.loads((out / "signature.json").read_text())
    assert list(document["covariates"]) == ["age", "sex"]
    signature, target = out / "signature.json", files / "p.csv"
    done = call("predict", signature, x, "--samples", sheet, "-o", target)
    assert done.exit_code == 0, done.output
    assert len(pd.read_csv(target)) == 72
    done = call("predict", signature, x, "-o", target)
    assert "adjusted for 'age', 'sex'" in done.output
    done = call("validate", signature, x, "--samples", sheet, "-t", "y", "-o", files / "v")
    assert done.exit_code == 0, done.output
    done = call("freeze", out, "-d", x, "-o", files / "again.json")
    assert done.exit_code == 0, done.output
    assert (files / "again.json").read_text() == signature.read_text()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--batch", "plate"], "every batch holds rows of one outcome only"),
        (["--center-batches"], "need --batch"),
        (["--adjust", "agee"], "did you mean 'age'"),
        (["--adjust", "id"], "id"),
        (["--batch", "y"], "must be different columns"),
    ],
)
def test_what_cannot_be_used_is_refused(files, options, words):
    done = call("run", files / "x.csv", "--samples", files / "s.csv", "-t", "y", *options, *SHORT,
                "-o", files / "no")  # fmt: skip
    assert done.exit_code == 2
    assert words in " ".join(done.output.split())
