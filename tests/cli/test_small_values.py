"""A table of tiny values, such as molar concentrations, from the file to a validated signature."""

import json

import numpy as np
import pandas as pd
import pytest

from backstay.report import Report
from backstay.results import Results

UNIT = 1e-5
# The same bits with another exponent: nothing that methods compute may differ.
POWER = 2.0**40
RUN = ("-t", "kind", "-m", "t,relieff,svm-rfe", "--repeats", "4", "--sizes", "2,4", "--jobs", "1")
RUN += ("--null", "2", "--planning", "0", "--seed", "3", "-q")


def table(seed):
    rng = np.random.default_rng(seed)
    y = np.arange(40) % 2
    X = UNIT * rng.normal(size=(40, 10))
    X[:, :3] += 2 * UNIT * y[:, None]
    assert np.abs(X).max() < 2.0**-10
    return X, np.where(y, "ill", "well")


def write(path, X, y):
    names = [f"molar{j}" for j in range(X.shape[1])]
    pd.DataFrame(X, columns=names).assign(kind=y).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory, call):
    """Runs of the table as it is and of the same table times a power of two."""
    folder = tmp_path_factory.mktemp("small")
    X, y = table(0)
    for name, factor in (("small", 1.0), ("large", POWER)):
        path = write(folder / f"{name}.csv", factor * X, y)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Report, "write", lambda self, path: path)
            code, _, err = call("run", path, *RUN, "-o", folder / name)
        assert code == 0, err
        assert "signature" not in err
    return folder


def test_features_are_described_as_given(folder):
    X, y = table(0)
    frame = pd.read_csv(folder / "small" / "features.csv").set_index("feature")
    for kind in ("ill", "well"):
        means = X[y == kind].mean(axis=0)
        assert 0 < np.abs(means).max() < 1e-4
        np.testing.assert_allclose(frame[f"mean in {kind}"].sort_index(), means, rtol=1e-4)
    difference = X[y == "well"].mean(axis=0) - X[y == "ill"].mean(axis=0)
    np.testing.assert_allclose(frame["difference"].sort_index(), difference, rtol=1e-3)


def test_rankings_are_those_of_the_table_times_a_power_of_two(folder):
    small, large = (Results.load(folder / name / "study.db") for name in ("small", "large"))
    assert small.methods == large.methods
    for method in small.methods:
        np.testing.assert_array_equal(small.runs.orders(method), large.runs.orders(method))
    for table in (lambda r: r.runs.scores(), lambda r: r.stability()):
        one, other = (table(results).frame().drop(columns="dataset") for results in (small, large))
        pd.testing.assert_frame_equal(one, other, check_exact=True)
    assert small.recommend().signature == large.recommend().signature


def test_the_signature_is_frozen_and_validated(folder, call):
    held = folder / "small" / "signature.json"
    by_run = json.loads(held.read_text())
    code, _, err = call("freeze", folder / "small", "-d", folder / "small.csv", "-o",
                        folder / "again.json")  # fmt: skip
    assert code == 0, err
    assert (folder / "again.json").read_bytes() == held.read_bytes()
    assert {feature["name"] for feature in by_run["features"]} <= {f"molar{j}" for j in range(10)}
    cohort = write(folder / "cohort.csv", *table(1))
    code, out, err = call("validate", held, cohort, "-t", "kind", "-o", folder / "validation")
    assert code == 0, err
    assert "AUC" in out
    code, _, err = call("freeze", folder / "small", "-d", folder / "large.csv")
    assert (code, "not what the study was run on" in err) == (2, True)
