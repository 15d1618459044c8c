"""Options of reading: declared once, stored as JSON, named by errors; a file is opened once."""

import json
import re
import sys
from dataclasses import fields

import numpy as np
import pandas as pd
import pytest

from backstay.datasets import Reading, TableError, read_cohort, read_table

# What only a table to train on has.
OF_TRAINING = (
    "groups", "measured", "drop", "keep", "categories", "kind", "exclude_classes",
    "min_class_size", "positive", "logged",
)  # fmt: skip

opened = []
watching = []
sys.addaudithook(
    lambda event, args: opened.append(str(args[0])) if watching and event == "open" else None
)


@pytest.fixture
def path(tmp_path):
    frame = pd.DataFrame({"a": np.arange(12) % 5 + 0.5, "b": np.arange(12) % 7})
    frame.assign(patient=np.arange(12) // 2, kind=np.resize(["x", "y"], 12)).to_csv(
        tmp_path / "t.csv", index=False
    )
    return tmp_path / "t.csv"


def table_options(call, command):
    """The names of the options that the help of a command lists under "The table"."""
    _, _, listed = call(command, "--help").out.partition("─ The table ─")
    options = re.findall(r"^│ +--([a-z][a-z0-9-]*)", listed.partition("╰")[0], re.MULTILINE)
    renamed = {"id": "ids", "category": "categories", "exclude-class": "exclude_classes"}
    return {renamed.get(name, name.replace("-", "_")) for name in options}


def test_every_option_of_reading_is_an_option_of_the_commands(call):
    names = {field.name for field in fields(Reading)}
    assert table_options(call, "run") == names | {"pairs"}  # groups, and what is compared
    assert table_options(call, "validate") == names - {*OF_TRAINING, "adjust", "batch", "horizon"}


def test_a_reading_survives_json_and_gives_the_same_table(path):
    reading = Reading(target="kind", groups="patient", drop=["b"], missing=("0.5",), max_size=1.5)
    stored = json.loads(json.dumps(reading.to_json()))
    again = Reading.from_json(stored)
    assert again == reading
    by_name = read_table(path, "kind", groups="patient", drop=["b"], missing=["0.5"])
    for table in (read_table(path, reading=again), read_table(path, "kind", reading=reading)):
        pd.testing.assert_frame_equal(table.X, by_name.X)
        assert table.groups.tolist() == by_name.groups.tolist()
    assert list(read_table(path, reading=again, drop=["a"]).X) == ["b"]
    assert Reading(samples=path).to_json() == {"samples": str(path)}
    with pytest.raises(TableError, match="write it to a file"):
        Reading(samples=pd.DataFrame()).to_json()


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"target": "kin"}, ("target",)),
        ({"target": "kind", "drop": ["c"]}, ("samples",)),
        ({"target": "kind", "drop": ["aa"]}, ("drop",)),
        ({"target": "kind", "groups": "patients"}, ("groups",)),
        ({"target": "kind", "encoding": "klingon"}, ("encoding",)),
        ({"target": "kind", "exclude_classes": ["z"]}, ("exclude_classes",)),
        ({"target": "kind", "log2": 0}, ("log2",)),
        ({"target": "kind", "log2": 1, "logged": True}, ("logged",)),
        ({"target": "kind", "also": ["a"]}, ("also",)),
        ({"target": "kind", "layer": "raw"}, ("layer",)),
    ],
)
def test_an_error_knows_its_parameter(path, options, parameter):
    with pytest.raises(TableError) as caught:
        read_table(path, **options)
    assert caught.value.parameter == parameter


def test_unknown_options_are_no_options(path):
    with pytest.raises(TypeError, match="covariates"):
        read_table(path, "kind", covariates=["a"])


@pytest.mark.parametrize("name", OF_TRAINING)
def test_a_cohort_has_no_options_of_training(path, name):
    usual = {"min_class_size": 2, "logged": True, "groups": "a", "measured": "a", "positive": "x"}
    usual["kind"] = "numbers"
    with pytest.raises(TableError, match=f"{name} is for a table to train on"):
        read_cohort(path, ["a"], **{name: usual.get(name, ["a"])})


def test_a_cohort_takes_features_from_its_sheet_and_joins_features_of_one_name(tmp_path):
    genes = pd.DataFrame({"s1": [1.0, 2, 4], "s2": [3.0, 4, 8]}, index=["g", "h", "h"])
    genes.to_csv(tmp_path / "genes.csv", index_label="gene")
    sheet = pd.DataFrame({"sample": ["s1", "s2", "s3"], "age": [61, 44, 50]})
    options = {"samples": sheet, "also": ["age"], "dedupe": "mean", "allow_unmatched": True}
    found = read_cohort(tmp_path / "genes.csv", ["g", "h", "age"], **options).X
    expected = pd.DataFrame({"g": [1.0, 3], "h": [3.0, 6], "age": [61.0, 44]}, index=["s1", "s2"])
    pd.testing.assert_frame_equal(found, expected)
    with pytest.raises(TableError, match="more than one column 'h'") as caught:
        read_cohort(tmp_path / "genes.csv", ["h"], **{**options, "dedupe": None})
    assert caught.value.parameter == ("dedupe",)


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_a_text_file_is_opened_once(path, ending):
    frame = pd.read_csv(path).assign(large=[None, *(2**60 + i * 2**13 for i in range(11))])
    given = path.with_name(f"large.csv{ending}")
    frame.to_csv(given, index=False)
    opened.clear()
    watching.append(True)
    try:
        read_table(given, "kind")  # large whole numbers are read a second time, as text
    finally:
        watching.clear()
    assert opened.count(str(given)) == 1
