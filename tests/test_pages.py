"""Every command and code block of the first pages runs, in the order in which a reader meets it.

These are README, the home page, install, tutorial, the gallery and the notebook. Studies are made
with fewer runs and methods than a reader gets; installing is left out.
"""

import contextlib
import io
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from tools.gallery import SCRIPTS, SHOWN, page
from tools.notebook import NOTEBOOK, cells, run_cell

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    *(DOCS / f"{name}.md" for name in ("index", "install", "tutorial")),
    *sorted((DOCS / "gallery").glob("*.md")),
]
FENCE = re.compile(r"^```(python|sh|bash|console)\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)
INSTALLING = ("pip ", "python3 -m pip", "python3 -m venv", ". venv/")
FEWER_RUNS = ["--repeats", "5", "--null", "0", "--planning", "0", "--sizes", "2,5", "--jobs", "1"]
FEWER = [(r"(Subsampling\(|null=)\d+", r"\g<1>5")]
METHODS = {"survival": "cox-score", "covariates": "slope", "tutorial": "t,svm-rfe-c1"}


def fewer(code):
    for pattern, instead in FEWER:
        code = re.sub(pattern, instead, code)
    return code


def carry_out(line, name, call):
    """Run a line of a shell, or see that there is such a thing."""
    if line.startswith(INSTALLING):
        return
    command, *words = shlex.split(line, comments=True)
    if command == "make":
        assert re.search(rf"^{words[0]}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
        return
    assert command == "backstay"
    if words[0] == "run" and "--dry-run" not in words:
        words += [*FEWER_RUNS, "--methods", METHODS.get(name, "t")]
    if words[0] == "demo":  # takes longest of all: see below
        words.append("--help")
    done = call(*words)
    assert done.code == 0, done.err


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_commands_and_code_of_the_page_run_in_order(path, tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    mpl.use("Agg")
    shutil.copy(ROOT / "galaxy/test-data/cells.csv", "table.csv")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 30))
    X[:, :5] += np.arange(60)[:, None] % 3
    given = {"X": X, "y": np.arange(60) % 2, "__name__": "__main__"}
    # The gallery names a file of real data that is no part of backstay.
    real = pd.DataFrame(X, columns=[f"G{j}" for j in range(30)])
    real.assign(subtype=np.array(["a", "b", "c"])[np.arange(60) % 3]).to_csv("breast.csv")
    for kind, code in FENCE.findall(path.read_text("utf-8")):
        if kind == "python":
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(fewer(code), path.name, "exec"), given)
            continue
        for line in filter(None, map(str.strip, code.splitlines())):
            carry_out(line, path.stem, call)


def test_tutorial_prints_what_a_dry_run_says(tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    text = (DOCS / "tutorial.md").read_text("utf-8")
    exec(FENCE.search(text)[2], {})
    shell = re.search(r"```sh\n(backstay .*--dry-run)\n```\n+```text\n(.*?)```", text, re.DOTALL)
    said = call(*shlex.split(shell[1])[1:]).out
    for line in filter(None, map(str.strip, shell[2].splitlines())):
        if not line.startswith("tasks"):  # depends on the cores
            assert " ".join(line.split()) in " ".join(said.split())


def test_errors_on_the_page_of_the_command_line_are_those_that_come(tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "galaxy/test-data/cells.csv", "breast.csv")
    shown = re.search(r"```console\n(.*?)```", (DOCS / "cli.md").read_text("utf-8"), re.DOTALL)[1]
    for part in shown.split("$ backstay ")[1:]:
        command, _, said = part.partition("\n")
        done = call(*shlex.split(command))
        assert done.code == 2
        assert " ".join(said.split()) in " ".join(done.err.split())


@pytest.mark.parametrize("name", SHOWN)
def test_page_of_the_gallery_is_that_of_its_script(name):
    script = SCRIPTS / f"{name}.py"
    assert (DOCS / "gallery" / f"{name}.md").read_text("utf-8") == page(script)
    picture = DOCS / "gallery" / f"{name}.png"
    assert 0 < picture.stat().st_size < 150_000


def test_gallery_shows_every_script():
    assert {path.stem for path in SCRIPTS.glob("*.py")} == set(SHOWN)


@pytest.mark.slow
def test_demo_runs(tmp_path, call):
    assert call("demo", "--out", tmp_path, "--repeats", "2").code == 0
    assert len(list(tmp_path.rglob("report.html"))) == 2


@pytest.mark.slow
@pytest.mark.parametrize("name", SHOWN)
def test_script_of_the_gallery_runs_as_it_is(name, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
    script = [sys.executable, str(SCRIPTS / f"{name}.py")]
    subprocess.run(script, cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / SHOWN[name][0]).exists()


def test_notebook_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mpl.use("Agg")
    names = {}
    for cell in cells():
        if cell["cell_type"] == "code":
            run_cell(fewer("".join(cell["source"])), names)
    assert (tmp_path / "report.html").exists()


def test_notebook_is_one():
    found = json.loads(NOTEBOOK.read_text("utf-8"))
    assert (found["nbformat"], found["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in found["cells"]}) == len(found["cells"])
    for cell in found["cells"]:
        assert cell["cell_type"] in ("markdown", "code")
        assert isinstance(cell["source"], list)
        if cell["cell_type"] == "code":
            assert {"outputs", "execution_count"} <= set(cell)
    assert NOTEBOOK.stat().st_size < 100_000
