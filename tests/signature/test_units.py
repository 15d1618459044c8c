"""A table of tiny numbers, from its file to a validation: described and frozen as it is given."""

import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from backstay.cli import main
from backstay.signature import Signature
from signature.conftest import rows


def call(*arguments):
    with pytest.raises(SystemExit) as stop:
        main(list(map(str, arguments)))
    assert stop.value.code == 0


@pytest.fixture(scope="module", params=[3e-17])
def folder(request, tmp_path_factory):
    """Two cohorts of molar concentrations, and a study of the first."""
    folder = tmp_path_factory.mktemp("units")
    for name, seed in (("here", 0), ("there", 41)):
        X, y = rows(seed)
        ((2 + X) * request.param).assign(status=y).to_csv(folder / f"{name}.csv", index=False)
    quick = ["-m", "t", "--repeats", "4", "--sizes", "3,4", "--jobs", "1", "--null", "2", "-q"]
    call("run", folder / "here.csv", "-t", "status", *quick, "-o", folder / "run")
    return folder


def test_features_are_described_as_given(folder):
    given = pd.read_csv(folder / "here.csv").groupby("status").mean()
    shown = pd.read_csv(folder / "run" / "features.csv").set_index("feature")
    for name in given.columns:
        means = [shown.loc[name, f"mean in {label}"] for label in ("ill", "well")]
        assert_allclose(means, given[name], rtol=1e-5)


def test_the_signature_is_frozen_and_validated(folder):
    path = folder / "run" / "signature.json"
    signature = Signature.load(path)
    table = pd.read_csv(folder / "here.csv")
    for feature in signature.document["features"]:
        assert feature["mean"] == pytest.approx(table[feature["name"]].mean())
    call("freeze", folder / "run", "-d", folder / "here.csv", "-o", folder / "again.json")
    assert (folder / "again.json").read_bytes() == path.read_bytes()
    cohort = folder / "there.csv"
    call("validate", path, cohort, "-t", "status", "-o", folder / "validation")
    found = json.loads((folder / "validation" / "validation.json").read_text())
    assert found["scores"][0]["verdict"] != "worse"
    assert not any(shift["moved"] for shift in found["shifts"])
    predicted = pd.read_csv(folder / "validation" / "predictions.csv")["predicted"]
    assert predicted.tolist() == signature.predict(pd.read_csv(cohort)).tolist()
    assert np.mean(predicted == pd.read_csv(cohort)["status"]) > 0.7
