"""Progress: a bar on a terminal, lines elsewhere, nothing when asked for nothing."""

import io
import sys
from types import SimpleNamespace

import pytest

from backstay.store import TaskRecord
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


def test_progress_is_a_bar_in_a_notebook(monkeypatch):
    pages = []

    class Page(str):
        def update(self, page):
            pages.append(page)

    def display(page, display_id):
        pages.append(page)
        return page

    kernel = SimpleNamespace(kernel="a notebook's")
    shown = SimpleNamespace(HTML=Page, display=display)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: kernel))
    monkeypatch.setitem(sys.modules, "IPython.display", shown)
    stream = io.StringIO()
    for verbose in (None, 0):
        with Progress(2, 0, verbose, "<colon>", stream) as progress:
            progress.advance(failed=False)
            progress.advance(failed=False)
    first, last = pages
    assert first.startswith('&lt;colon&gt; <progress value="0" max="2"></progress> 0 of 2 tasks')
    assert '<progress value="2" max="2">' in last
    assert last.endswith(" 0 s left")
    assert stream.getvalue() == ""


def test_the_time_left_is_that_of_tasks_that_compile_nothing(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("backstay.study._progress.time.monotonic", lambda: clock[0])
    pending = [(name, i) for i in (*range(20), *range(-1, -41, -1)) for name in ("t", "svm")]

    def run(task, total, bare):
        clock[0] += total
        record = TaskRecord(*task)
        record.seconds = {"total": total, "method": bare}
        progress.advance(False, record)

    with Progress(120, 0, 0, "colon", io.StringIO(), pending=pending) as progress:
        for task in pending[:2]:
            assert progress.line().endswith("the first tasks compile the methods")
            run(task, 60.0, 60.0)
        assert progress.line().endswith("the first tasks compile the methods")
        for task in pending[2:20]:
            run(task, *((2.0, 0.0) if task[0] == "t" else (6.0, 1.0)))
        # 10 runs of each on splits, then 40 of each without models
        assert progress.line() == "colon: 20 of 120 tasks (17%), 4.0 s/task, 2 min left"
        assert progress._seconds_left(1.0) == 10 * 2 + 10 * 6 + 40 * 0 + 40 * 1
        for task in pending[20:50]:
            seconds = {"t": (2.0, 0.0), "svm": (6.0, 1.0)}[task[0]] if task[1] >= 0 else (3.0, 3.0)
            run(task, *seconds)
        assert progress._seconds_left(1.0) == 35 * 3 + 35 * 3  # by their own pace
