"""Every example runs as its reader would run it, and says something."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
# Fewer repetitions than a reader gets.
ARGUMENTS = {
    "control_finding": ["4"],
    "displays": ["4"],
    "replication": ["--repeats", "1", "--runs", "6"],
    "shuffled_labels": ["--splits", "3", "--permutations", "2"],
    "trusted_answer": ["--outer", "2", "--inner", "5", "--null", "2"],
    "which_method": ["2"],
}


# Studies of studies: even cut short they take longest of all.
# The gallery runs what study_to_report and displays show, too.
LONG = (
    "displays", "replication", "shuffled_labels", "study_to_report", "trusted_answer",
    "which_method",
)  # fmt: skip


def test_there_are_examples():
    assert len(EXAMPLES) >= 5


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[pytest.mark.slow] if path.stem in LONG else [], id=path.stem)
        for path in EXAMPLES
    ],
)
def test_the_example_runs(path, tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", str(path), *ARGUMENTS.get(path.stem, [])],
        cwd=tmp_path,
        env=os.environ | {"MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert not done.stderr.strip()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_says_what_it_is_for(path):
    assert path.read_text(encoding="utf-8").startswith('"""')
