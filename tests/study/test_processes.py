"""Real processes: killed, interrupted, in parallel, on a cluster. The results stay the same."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import joblib
import numpy as np
import pytest

from backstay import FeatureRanker
from backstay.feature_weighting import TTest
from backstay.store import Store, StoreError
from backstay.study import Study, StudyError, Subsampling
from reference.study import contents
from reference.study_worker import data, probe, study

TESTS = Path(__file__).parents[1]
MODULES = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
TASKS = 4 * (12 + 2 * Study.NULL_RUNS)  # methods × resamples, those with shuffled outcomes included


@pytest.fixture(scope="module")
def expected():
    return contents(study(None).run(*data()))


def started(path, n_jobs, pause):
    """Run the study in another process, with a process group of its own."""
    code = (
        "from reference.study_worker import data, study\n"
        f"study({str(path)!r}, {n_jobs}, {pause}).run(*data())"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": MODULES},
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def n_done(path):
    try:
        with Store(path, write=False) as store:
            return len(store.done("data"))
    except (FileNotFoundError, StoreError):  # not begun yet
        return 0


def wait_for(path, n_tasks, process):
    while n_done(path) < n_tasks:
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.01)


def test_interrupted_killed_and_resumed_it_is_as_if_never_stopped(tmp_path, expected):
    path = tmp_path / "study.db"
    process = started(path, 2, 0.2)
    wait_for(path, 4, process)
    os.killpg(process.pid, signal.SIGINT)  # a terminal interrupts the whole group
    _, errors = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "KeyboardInterrupt" in errors
    assert f"tasks on 'data'; they are kept in {path}. Run it again to go on." in errors
    kept = n_done(path)
    assert 4 <= kept < TASKS
    assert os.listdir(tmp_path) == ["study.db"]

    process = started(path, 2, 0.2)
    wait_for(path, kept + 6, process)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert kept + 6 <= n_done(path) < TASKS

    assert contents(study(path).run(*data())) == expected
    assert os.listdir(tmp_path) == ["study.db"]


def test_killed_at_many_moments(tmp_path, expected):
    """One process that is killed, resumed by a copy of itself, killed again, …"""
    path = tmp_path / "study.db"
    code = (
        "import os, random, signal, sys, threading, time\n"
        "from reference.study_worker import data, study\n"
        "rows = data()\n"
        "study(None).run(*rows)\n"  # whatever is loaded on first use is loaded now
        "for trial in range(8):\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        f"        study({str(path)!r}, 1, 0.005).run(*rows)\n"
        "        os._exit(0)\n"
        "    time.sleep(random.Random(trial).uniform(0.01, 0.15))\n"
        "    os.kill(child, signal.SIGKILL)\n"
        "    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env={**os.environ, "PYTHONPATH": MODULES},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert run.stdout.split().count("-9") >= 3
    assert contents(study(path).run(*data())) == expected


@pytest.mark.parametrize(("backend", "n_jobs"), [("loky", 2), ("threading", 3)])
def test_neither_n_jobs_nor_backend_changes_a_result(backend, n_jobs, expected):
    with joblib.parallel_config(backend=backend):
        found = study(None, n_jobs).run(*data())
    assert contents(found) == expected


def test_worker_processes_get_the_data_as_a_memory_map(monkeypatch, tmp_path):
    monkeypatch.setattr("backstay.study._parallel.run_task", probe)
    path, many = tmp_path / "s.db", Subsampling(4)
    asked = Study({"t": TTest()}, many, models={}, sizes=[2], store=path, n_jobs=2, verbose=0)
    with pytest.raises(StudyError, match="all 4 tasks on 'data' failed"):
        asked.run(np.ones((200, 100)), np.tile([0, 1], 100))
    with Store(path, write=False) as store:
        tasks = store.tasks("data")
    assert [task["resample"] for task in tasks] == [0, 1, 2, 3]
    assert {task["error"] for task in tasks} == {"a probe: memory map True"}


class Deadly(FeatureRanker):
    """Kills its process on some rows, once for every file it finds, or always."""

    def __init__(self, omen=None, n_features_to_select=None):
        self.omen = omen
        self.n_features_to_select = n_features_to_select

    def _score(self, X, y, sample_weight):
        if self.omen is not None:
            with contextlib.suppress(FileNotFoundError):  # or the other worker took it
                Path(self.omen).unlink()
                os.kill(os.getpid(), signal.SIGKILL)
        return np.abs(X.mean(axis=0))


def test_a_worker_that_dies_costs_only_time(tmp_path):
    omen = tmp_path / "omen"

    def run(n_jobs):
        deadly = Study(
            {"d": Deadly(str(omen)), "t": TTest()},
            Subsampling(4),
            models={},
            sizes=[2],
            random_state=0,
            n_jobs=n_jobs,
        )
        return contents(deadly.run(*data()))

    expected = run(1)
    omen.touch()
    with pytest.warns(Warning, match="workers failed|A worker stopped") as seen:
        assert run(2) == expected
    assert any(re.search("left (is|are) started again", str(w.message)) for w in seen)


def test_workers_that_always_die_are_an_error(monkeypatch):
    def broken(*arguments):
        raise OSError("no workers")
        yield

    monkeypatch.setattr("backstay.study._parallel._attempt", broken)
    with (
        pytest.warns(RuntimeWarning, match="tasks left are started again"),
        pytest.raises(
            StudyError, match=f"3 times in a row without finishing a task; {TASKS} tasks"
        ),
    ):
        study(None).run(*data())


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
@pytest.mark.slow
def test_on_a_cluster_with_a_worker_killed_midway(expected, monkeypatch):
    distributed = pytest.importorskip("distributed", reason="needs the extra backstay[dask]")
    written = Store.write
    killed = []

    def write(self, dataset, outcome):
        written(self, dataset, outcome)
        if len(self.done(dataset)) == 6 and not killed:
            killed.append(workers[0])
            os.kill(workers[0], signal.SIGKILL)

    monkeypatch.setattr(Store, "write", write)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        workers = list(client.run(os.getpid).values())
        assert len(set(workers)) == 2
        assert os.getpid() not in workers
        with joblib.parallel_config(backend="dask"):
            found = study(None, pause=0.02).run(*data())
    assert killed
    assert contents(found) == expected
