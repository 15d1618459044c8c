"""``backstay run`` with times until an event, from the file to what is written."""

import json
import re

import numpy as np
import pandas as pd
import pytest

OPTIONS = ("--repeats", "6", "--sizes", "2,5", "--jobs", "1", "--null", "1", "-m", "cox-score")
NAMED = ("--time", "months", "--event", "status", "--event-is", "2")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 12))
    time, end = rng.exponential(20 * np.exp(-X[:, 0] + X[:, 1])), rng.exponential(60, 120)
    frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(12)])
    frame = frame.assign(months=np.minimum(time, end) + 0.1, status=1 + (time <= end))
    path = tmp_path_factory.mktemp("survival") / "patients.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def done(path, call):
    out = path.parent / "out"
    result = call("run", path, *NAMED, "--horizon", "12", *OPTIONS, "-o", out)
    assert result.code == 0, result.err
    return out, result.out


def test_a_run_says_how_long_rows_were_followed(done):
    _, said = done
    assert re.search(r"survival +months until status: times until an event, which \d+ of 120", said)
    assert re.search(r"follow-up +median [\d.]+ \(reverse Kaplan–Meier\), \d+ events in 120", said)
    assert re.search(r"horizon +12: survival is predicted", said)
    assert re.search(r"metric +.*Uno's C.* decides\n", said)
    assert re.search(r"models +Cox regression with a ridge", said)


def test_what_is_written(done):
    out, _ = done
    features = pd.read_csv(out / "features.csv")
    assert set(features["feature"][:2]) == {"g0", "g1"}
    way = features.set_index("feature")["risk_when_high"]
    assert (way["g0"], way["g1"]) == ("higher", "lower")
    ratio = features.set_index("feature")["hazard ratio"]
    assert ratio["g0"] > 1.5 > 0.7 > ratio["g1"]
    everything = json.loads((out / "results.json").read_text("utf-8"))
    assert everything["data"]["kind"] == "survival"
    assert everything["recommendation"]["metric"] == "uno_c"
    assert "Kaplan" in (out / "report.html").read_text("utf-8")


def test_the_other_commands_take_such_a_study(done, path, call, tmp_path):
    out, _ = done
    for command in (
        ("plan", out),
        ("check", out),
        ("report", out, "-o", tmp_path / "again.html"),
        ("strip", out, "-o", tmp_path / "less.db"),
        ("compare", out, "-o", tmp_path / "compared.html"),
    ):
        result = call(*command)
        assert result.code in (0, 2), (command, result.err)
        assert "Error:" not in result.err, (command, result.err)


def test_shards_of_such_a_study_are_put_together(path, call, tmp_path):
    for shard in ("1/2", "2/2"):
        result = call("run", path, *NAMED, *OPTIONS, "--shard", shard, "-o", tmp_path, "-q")
        assert result.code == 0, result.err
    result = call("merge", *sorted(tmp_path.glob("shard-*.db")), "-o", tmp_path / "study.db")
    assert result.code == 0, result.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--time", "months"), "name both. The options are --time and --event."),
        (("--time", "months", "--event", "status"), "The option is --event-is."),
        ((*NAMED, "-t", "g0"), "target is for another one. The option is --target."),
        ((*NAMED, "--horizon", "1e9"), "must lie between"),
        (
            (*NAMED, "--protocol", "10x10", "--repeats", "1"),
            "the event of 'months until status' has 89 rows; protocol 10x10 needs at least 100",
        ),
        (
            (*NAMED, "-m", "t"),
            "t takes classes, but the outcome is survival: use cox-score instead",
        ),
        ((*NAMED, "--metric", "r2"), "--metric r2 does not judge survival"),
    ],
)
def test_what_does_not_go_together_is_refused(path, call, tmp_path, options, message):
    result = call("run", path, *options, "-o", tmp_path / "out", "-q")
    assert result.code == 2
    assert message in " ".join(result.err.split())


def test_an_event_beside_a_time_is_warned_of(path, call, tmp_path):
    result = call("run", path, "-t", "status", "--dry-run", "-o", tmp_path / "out")
    assert result.code == 0
    assert "months may be the time until the outcome happened." in " ".join(result.err.split())
    assert "--time and --event" in " ".join(result.err.split())
