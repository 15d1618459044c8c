"""``python -m reproduction``: it lists, runs, writes the page, and refuses in one sentence."""

import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from reproduction import MissingDataError, list_experiments
from reproduction import __main__ as command


@pytest.fixture
def calls(monkeypatch):
    """What would be run; experiments that need data have none."""
    made = []
    needs = list_experiments().set_index("name")["needs"]

    def reproduce(name, **options):
        if needs[name] and options["data"] is None:
            raise MissingDataError(f"{name} needs data.")
        made.append((name, options))
        return SimpleNamespace(finding=f"found {name}")

    monkeypatch.setattr(command, "reproduce", reproduce)
    return made


@pytest.mark.parametrize("arguments", [[], ["list"]])
def test_without_a_name_it_lists_all(arguments, calls, capsys):
    assert command.main(arguments) == 0
    said = capsys.readouterr().out
    assert all(name in said for name in list_experiments()["name"])
    assert not calls


def test_options_reach_the_experiment(calls, capsys, tmp_path):
    options = f"--data {tmp_path} --repeats 3 --jobs 2 --out {tmp_path / 'out'} --quick --seed 7"
    assert command.main(["han-fig6.1", "prat-tabC", *options.split()]) == 0
    expected = {"data": tmp_path, "repeats": 3, "n_jobs": 2, "quick": True, "seed": 7}
    expected["out"] = tmp_path / "out"
    assert calls == [("han-fig6.1", expected), ("prat-tabC", expected)]
    assert "han-fig6.1: found han-fig6.1" in capsys.readouterr().out


def test_all_leaves_out_what_has_no_data(calls, capsys):
    assert command.main(["--all"]) == 0
    ran = {name for name, _ in calls}
    table = list_experiments()
    assert ran == set(table["name"][table["needs"] == ""])
    assert "prat-tabC was left out: prat-tabC needs data." in capsys.readouterr().out


def test_a_page_of_what_was_run(tmp_path, capsys):
    out, page = tmp_path / "out", tmp_path / "page.md"
    assert command.main(["prat-fig2.3", "--out", str(out), "--page", str(page)]) == 0
    assert "(page/prat-relief.md#prat-fig2-3)" in page.read_text("utf-8")
    assert "## prat-fig2.3" in (tmp_path / "page" / "prat-relief.md").read_text("utf-8")
    assert f"Page: {page}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("nothing", "'nothing' must be the name of an experiment"),
        ("prat-tabC", "prat-tabC needs data."),
        ("han-fig6.1 --data no", "--data must be a folder; got 'no'."),
        ("han-fig6.1 --jobs 0", "--jobs: must be a whole number of at least 1; got '0'"),
        ("han-fig6.1 --repeats 1", "--repeats: must be a whole number of at least 2"),
        ("han-fig6.1 --seed -1", "--seed"),
        ("--every", "unrecognized arguments: --every"),
        ("--page page.md --out no", "folder='no' holds no experiment's files"),
    ],
)
def test_wrong_use_is_one_sentence(arguments, message, calls, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert command.main(arguments.split()) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert message in said.err
    assert said.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_command_lines_of_the_page_are_right():
    page = (Path(__file__).parents[2] / "docs" / "reproduction.md").read_text("utf-8")
    lines = re.findall(r"^python -m reproduction(.*)$", page, re.MULTILINE)
    assert len(lines) == 4
    for line in lines:
        command._parser().parse_args(shlex.split(line, comments=True))


def test_it_can_be_stopped(monkeypatch, capsys):
    def stop(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "reproduce", stop)
    assert command.main(["han-fig6.1"]) == 130
    assert "Stopped" in capsys.readouterr().err


def test_the_package_is_a_command():
    run = subprocess.run(
        [sys.executable, "-m", "reproduction", "nothing"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2
    assert run.stderr.startswith("reproduction: 'nothing' must be the name")
