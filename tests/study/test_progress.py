"""Progress: a bar on a terminal, lines elsewhere, nothing when asked for nothing."""

import io

import pytest

from backstay.study import Study
from backstay.study._progress import Progress
from reference.study_worker import data, study

TASKS = 4 * (12 + 2 * Study.NULL_RUNS)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_is_silent_when_asked_to_be(capfd):
    study(None, verbose=0).run(*data())
    study(None).run(*data())  # standard error is no terminal here
    assert capfd.readouterr() == ("", "")


def test_progress_in_lines(capfd, monkeypatch):
    monkeypatch.setattr("backstay.study._progress.SECONDS_BETWEEN_LINES", 0.0)
    study(None, verbose=1).run(*data())
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) == TASKS + 1
    assert lines[0].startswith(f"data: 1 of {TASKS} tasks (2%), ")
    assert lines[-1].startswith(f"data: {TASKS} of {TASKS} tasks (100%), ")
    assert lines[-1].endswith("0 s left")


def test_progress_names_failures_and_earlier_work():
    stream = io.StringIO()
    with Progress(10, 4, 1, "colon", stream) as progress:
        progress.advance(failed=True)
    first, last = stream.getvalue().splitlines()
    assert first == "colon: 4 of 10 tasks were done before"
    assert last.startswith("colon: 5 of 10 tasks (50%)")
    assert last.endswith("1 failed")


def test_progress_is_a_bar_on_a_terminal():
    pytest.importorskip("rich")
    stream = Terminal()
    with Progress(2, 0, None, "colon", stream) as progress:
        progress.advance(failed=False)
        progress.advance(failed=False)
    assert "colon" in stream.getvalue()
    assert "2/2" in stream.getvalue()


def test_the_time_left_is_that_of_tasks_that_compile_nothing(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("backstay.study._progress.time.monotonic", lambda: clock[0])
    with Progress(103, 0, 0, "colon", io.StringIO(), first=3) as progress:
        for _ in range(3):
            clock[0] += 60.0  # compiling
            progress.advance(failed=False)
            assert progress.line().endswith("the first tasks compile the methods")
        for _ in range(10):
            clock[0] += 2.0
            progress.advance(failed=False)
        assert progress.line() == "colon: 13 of 103 tasks (13%), 2.0 s/task, 3 min left"
