"""The walks of docs/architecture.md: each step is one file, and there is no step back.

The page has a table for every walk, with the columns step, file and function. Here each walk is
taken on a small table, and every call of a step's function is written down. The steps must come in
the order of the table, each once, and none after a later one has begun. Consecutive steps that say
"for every task" are a loop: they alternate, and count as one step.
"""

import importlib
import inspect
import re
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from backstay.feature_weighting import TTest
from backstay.study import Study, Subsampling

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"
SOURCE = ROOT / "src" / "backstay"
LOOP = "for every task"


@dataclass(frozen=True)
class Step:
    """A line of a walk's table."""

    name: str
    file: str
    function: str

    @property
    def code(self):
        """The code of the function, which stays the same wherever it was imported to."""
        parts = self.file.removesuffix(".py").removesuffix("/__init__").split("/")
        found = importlib.import_module(".".join(["backstay", *parts]))
        for name in self.function.split("."):
            found = inspect.getattr_static(found, name)
        for wrapped in ("__func__", "fget", "func"):  # of a class method, a property, a cached one
            found = getattr(found, wrapped, found)
        return inspect.unwrap(found).__code__


def steps_under(heading, page):
    """Return the steps in the first table below a heading of a page."""
    below = re.search(rf"^{re.escape(heading)}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    assert below, f"the page has no heading {heading!r}"
    table = re.search(r"(?:^\|.*\|\n)+", below[1] + "\n", re.MULTILINE)
    assert table, f"there is no table below {heading!r}"
    header, _, *lines = table[0].strip().splitlines()
    columns = _cells(header)
    for name in ("step", "file", "function"):
        assert name in columns, f"the table below {heading!r} has no column {name!r}"
    rows = [dict(zip(columns, _cells(line), strict=True)) for line in lines]
    return [Step(row["step"], _code_in(row["file"]), _code_in(row["function"])) for row in rows]


def _cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _code_in(cell):
    """Return the one name that a cell has between backticks, without brackets of a call."""
    (name,) = re.findall(r"`([^`]+)`", cell)
    return name.removesuffix("()")


def walked(steps, walk):
    """Take a walk and return the place of the step of every call, in order."""
    places, entered = {}, []
    for place, step in enumerate(steps):
        assert step.code not in places, f"{step.function} is the function of two steps"
        places[step.code] = place

    def notice(frame, event, argument):
        if event == "call" and frame.f_code in places:
            entered.append(places[frame.f_code])

    before = sys.getprofile()
    sys.setprofile(notice)
    try:
        walk()
    finally:
        sys.setprofile(before)
    return entered


def stages_of(steps):
    """Return the number of the stage of every step; steps of one loop share a stage."""
    stages = []
    for place, step in enumerate(steps):
        looped = place > 0 and LOOP in step.name and LOOP in steps[place - 1].name
        stages.append(stages[-1] if looped else place)
    return stages


def complaint_about(steps, entered):
    """Say which step is missing, comes too early, or is taken twice; None if all is well."""
    names = [f"{step.name} ({step.file}, {step.function})" for step in steps]
    first = list(dict.fromkeys(entered))
    missing = [names[place] for place in range(len(steps)) if place not in first]
    if missing:
        return f"never entered: {', '.join(missing)}"
    if first != sorted(first):
        return f"first entered in this order: {', '.join(names[place] for place in first)}"
    stages = stages_of(steps)
    for place, following in pairwise(entered):
        if stages[following] < stages[place]:
            return f"a step back: after {names[place]} comes {names[following]} again"
    for place, step in enumerate(steps):
        if LOOP not in step.name and entered.count(place) > 1:
            return f"entered {entered.count(place)} times: {names[place]}"
    return None


def check_walk(heading, walk, page=None):
    steps = steps_under(heading, PAGE.read_text("utf-8") if page is None else page)
    files = [step.file for step in steps]
    assert all((SOURCE / file).is_file() for file in files), files
    assert len(set(files)) == len(files), f"a file is in two steps: {files}"
    complaint = complaint_about(steps, walked(steps, walk))
    assert complaint is None, complaint


# The walks.


def rows(seed):
    rng = np.random.default_rng(seed)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 8)).round(3)
    X[:, :3] += 2 * y[:, None]
    return pd.DataFrame(X, columns=[f"gene{j}" for j in range(8)]), np.where(y, "ill", "well")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("walks")
    for seed, name in enumerate(("here", "cohort")):
        X, y = rows(seed)
        X.assign(kind=y).to_csv(folder / f"{name}.csv", index=False)
    return folder


RUN = ("-t", "kind", "-m", "t", "--repeats", "3", "--sizes", "2", "--jobs", "1", "--null", "2")


@pytest.fixture(scope="module")
def signature(folder, call):
    """The signature of a run of its own, so that every walk can be taken alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("backstay.report.Report.write", lambda self, path: path)
        assert call("run", folder / "here.csv", *RUN, "-o", folder / "before", "-q").code == 0
    return folder / "before" / "signature.json"


def test_from_a_csv_file_to_a_report(folder, call):
    def walk():
        code, _, err = call("run", folder / "here.csv", *RUN, "-o", folder / "out")
        assert code == 0, err

    check_walk("## From a CSV file to a report", walk)
    assert {"report.html", "signature.json", "study.db"} <= {
        path.name for path in (folder / "out").iterdir()
    }


def test_from_arrays_to_a_recommendation():
    X, y = rows(0)
    study = Study({"t": TTest()}, Subsampling(3), sizes=[2], null=2, random_state=0, verbose=0)
    check_walk(
        "## From arrays to a recommendation",
        lambda: study.run(X.to_numpy(), y).recommend(n_bootstrap=20),
    )


def test_from_a_signature_to_a_cohort(folder, signature, call):
    def walk():
        command = ("validate", signature, folder / "cohort.csv", "-t", "kind")
        code, _, err = call(*command, "-o", folder / "validation")
        assert code == 0, err

    check_walk("## From a signature to a cohort", walk)
    assert (folder / "validation" / "validation.html").is_file()


# What is checked can fail.

DRAFT = """
# A page

## From nowhere

Text before.

| step | file | function | takes → gives |
|---|---|---|---|
| 1. set up | `study/_study.py` | `Study.run` | `X`, `y` → tasks |
| 2. run, for every task | `study/_task.py` | `run_task()` | a split → a record |
| 3. keep, for every task | `store/_store.py` | `Store.write` | a record → `study.db` |
| 4. answer | `results/_results.py` | `Results.recommend` | `study.db` → an answer |

## Another heading

| step | file |
|---|---|
| 1. one | `study/_study.py` |
"""


def test_tables_are_read_from_the_page():
    steps = steps_under("## From nowhere", DRAFT)
    assert [step.function for step in steps] == [
        "Study.run", "run_task", "Store.write", "Results.recommend",
    ]  # fmt: skip
    assert steps[1].name == "2. run, for every task"
    assert steps[2].file == "store/_store.py"
    assert stages_of(steps) == [0, 1, 1, 3]
    with pytest.raises(AssertionError, match="no heading '## From elsewhere'"):
        steps_under("## From elsewhere", DRAFT)
    with pytest.raises(AssertionError, match="has no column 'function'"):
        steps_under("## Another heading", DRAFT)


def test_a_draft_is_walked():
    X, y = rows(0)
    study = Study({"t": TTest()}, Subsampling(3), sizes=[2], random_state=0, verbose=0)
    check_walk("## From nowhere", lambda: study.run(X, y).recommend(n_bootstrap=20), DRAFT)
    with pytest.raises(AssertionError, match=r"never entered: 4\. answer"):
        check_walk("## From nowhere", lambda: study.run(X, y), DRAFT)
    results = study.run(X, y)
    with pytest.raises(AssertionError, match=r"first entered in this order: 4\. answer"):
        check_walk(
            "## From nowhere",
            lambda: (results.recommend(n_bootstrap=20), study.run(X, y)),
            DRAFT,
        )
    with pytest.raises(AssertionError, match=r"a step back: after 4\. answer .* 1\. set up"):
        check_walk(
            "## From nowhere",
            lambda: (study.run(X, y).recommend(n_bootstrap=20), study.run(X, y)),
            DRAFT,
        )


@pytest.mark.parametrize(
    ("entered", "words"),
    [
        ([0, 1, 2, 1, 2, 3], None),
        ([0, 1, 1, 2, 2, 3], None),
        ([0, 1, 2, 3, 3], r"entered 2 times: 4\. answer"),
        ([0, 1, 2, 3, 2], "a step back: after 4. answer .* comes 3. keep"),
        ([0, 1, 0, 2, 3], "a step back: after 2. run.* comes 1. set up"),
        ([0, 2, 1, 2, 3], "first entered in this order"),
        ([0, 1, 3], "never entered: 3. keep"),
    ],
)
def test_a_step_back_is_noticed(entered, words):
    complaint = complaint_about(steps_under("## From nowhere", DRAFT), entered)
    assert complaint is None if words is None else re.search(words, complaint)
