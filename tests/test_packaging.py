"""What is written down twice about the package, for several package managers, says the same."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import backstay

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
# Names that conda has for what the Python index calls otherwise.
OF_CONDA = {"matplotlib": "matplotlib-base"}


def test_recipe_has_the_projects_dependencies():
    recipe = (ROOT / "recipes/backstay/meta.yaml").read_text()
    assert f'version = "{backstay.__version__}"' in recipe
    run = recipe.split("  run:\n")[1].split("\ntest:")[0]
    listed = set(re.findall(r"^    - (\S+) (>=\S+)$", run, flags=re.MULTILINE))
    extras = PROJECT["optional-dependencies"]
    wanted = [*PROJECT["dependencies"], *extras["app"], *extras["anndata"]]
    named = {re.match(r"([\w-]+)(>=.+)", one).groups() for one in wanted}
    named = {(OF_CONDA.get(name, name), bound) for name, bound in named}
    assert listed == named | {("python", PROJECT["requires-python"])}
    script, function = next(iter(PROJECT["scripts"].items()))
    assert f"- {script} = {function}" in recipe


@pytest.mark.parametrize(
    "file",
    [
        "CITATION.cff",
        "galaxy/backstay.xml",
        "nextflow/backstay/run/main.nf",
        "nextflow/backstay/run/environment.yml",
    ],
)
def test_files_for_others_name_the_version(file):
    assert backstay.__version__ in (ROOT / file).read_text()


@pytest.mark.parametrize(
    "file",
    ["CITATION.cff", "galaxy/backstay.xml", "nextflow/backstay/run/meta.yml", "docs/from-r.md"],
)
def test_files_for_others_name_the_source(file):
    assert PROJECT["urls"]["Source"] in (ROOT / file).read_text()


def test_galaxy_tool_uses_options_that_there_are():
    tool = ElementTree.parse(ROOT / "galaxy/backstay.xml").getroot()
    said = subprocess.run(
        [sys.executable, "-m", "backstay", "run", "--help"],
        env={**os.environ, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    options = set(re.findall(r"--[a-z][a-z0-9-]+", said))
    used = set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]+", tool.find("command").text))
    used |= {one.get("argument") for one in tool.iter("param") if one.get("argument")}
    assert used <= options
    files = {one.get("value") for one in tool.iter("param") if one.get("ftype")}
    assert all((ROOT / "galaxy/test-data" / name).exists() for name in files)


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_r_script_runs_a_study_and_plots_it(tmp_path):
    command = tmp_path / "backstay"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m backstay "$@"\n')
    command.chmod(0o755)
    table = ROOT / "galaxy/test-data/cells.csv"
    options = ["--methods", "t", "--repeats", "5", "--null", "0", "--planning", "0"]
    script = ["Rscript", str(ROOT / "examples/backstay.R"), str(table)]

    def run(target):
        return subprocess.run(
            [*script, target, "plot.png", *options],
            cwd=tmp_path,
            env={**os.environ, "BACKSTAY": str(command)},
            capture_output=True,
            text=True,
            check=False,
        )

    found = run("diagnosis")
    assert found.returncode == 0, found.stderr
    assert "worst_perimeter" in found.stdout
    assert (tmp_path / "plot.png").stat().st_size > 1000
    wrong = run("no_such_column")
    assert wrong.returncode != 0
    assert "has no column 'no_such_column'" in wrong.stderr
