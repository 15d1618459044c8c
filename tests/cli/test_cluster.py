"""--cluster: real schedulers and workers, started on their own, killed and joining late."""

import os
import signal
import subprocess
import sys
import time
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import numpy as np
import pandas as pd
import pytest

from backstay.results import Results
from backstay.store import StoreError
from reference.study import contents

distributed = pytest.importorskip("distributed", reason="needs the extra backstay[dask]")

PYTHON = [sys.executable, "-m"]
RUN = ["-t", "kind", "-m", "t,relieff", "--repeats", "30", "--null", "0", "--sizes", "2,5"]
RUN += ["--planning", "0"]


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    y = np.resize(["a", "b"], 40)
    X = pd.DataFrame(rng.normal(size=(40, 60))).add_prefix("g")
    X["g0"] += 2 * (y == "b")
    X.assign(kind=y).to_csv(tmp_path / "t.csv", index=False)
    return tmp_path


@pytest.fixture
def start(tmp_path):
    """Start commands that are killed at the end, whatever they do."""
    started = []

    def run(*command, name):
        with (tmp_path / f"{name}.log").open("w") as log:
            process = subprocess.Popen(
                [*PYTHON, *map(str, command)], cwd=tmp_path, stdout=log, stderr=log
            )
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()
        process.wait()


def wait_until(condition, process, what):
    deadline = time.monotonic() + 240
    while not condition():
        assert process.poll() is None, f"{what}: {process.args} has ended"
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def n_done(path):
    try:
        return Results.load(path).data.n_done
    except (FileNotFoundError, StoreError, ValueError):  # not begun yet
        return 0


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_workers_started_separately_one_killed_one_late(table, start, tmp_path, call):
    where = tmp_path / "scheduler.json"
    scheduler = start(
        "dask", "scheduler", "--port", 0, "--no-dashboard", "--scheduler-file", where,
        name="scheduler",
    )  # fmt: skip

    def worker(name):
        command = ("dask", "worker", "--scheduler-file", where, "--nthreads", 1)
        return start(*command, "--no-nanny", "--no-dashboard", "--name", name, name=name)

    wait_until(where.exists, scheduler, "a scheduler")
    early = {name: worker(name) for name in ("doomed", "steady")}
    store = tmp_path / "far" / "study.db"
    with distributed.Client(scheduler_file=str(where)) as client:
        address = client.scheduler.address

        def working():
            """Return the names of the workers that there are, and of those that have the data."""
            every = client.scheduler_info(n_workers=-1)["workers"]
            held = client.has_what()
            return {w["name"] for w in every.values()}, {
                every[at]["name"] for at, keys in held.items() if keys and at in every
            }

        wait_until(lambda: len(working()[0]) == 2, scheduler, "two workers")
        study = start("backstay", "run", "t.csv", *RUN, "--cluster", address, "-o", "far", name="b")
        wait_until(lambda: n_done(store) >= 3, study, "three tasks")
        early["steady"].send_signal(signal.SIGSTOP)  # so that enough is left to do
        early["doomed"].kill()
        late = worker("late")
        wait_until(lambda: "late" in working()[0], late, "a late worker")
        kept = n_done(store)
        early["steady"].send_signal(signal.SIGCONT)
        wait_until(lambda: "late" in working()[1] or n_done(store) == 60, study, "its data")
        assert kept < 60
        assert study.wait(timeout=240) == 0, (tmp_path / "b.log").read_text()
    said = (tmp_path / "b.log").read_text()
    assert f"60, on {address}, seed 0" in said
    assert "60 of 60 tasks (100%)" in said
    assert "Recommendation" in said
    assert call("run", table / "t.csv", *RUN, "-j", "1", "-o", tmp_path / "near", "-q").code == 0
    near = Results.load(tmp_path / "near" / "study.db")
    assert contents(Results.load(store)) == contents(near)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_addresses_that_are_none(table, call):
    def fails(*options):
        ended = call("run", table / "t.csv", *RUN, "-o", table / "out", "-q", *options)
        assert ended.code == 2
        return ended.err

    assert "must be the address of a dask scheduler" in fails("--cluster", "nonsense")
    assert "must be the address of a dask scheduler" in fails("--cluster", "local:0")
    assert "there is no such scheduler file" in fails("--cluster", "none.json")
    assert "give one only." in fails("--cluster", "local", "--jobs", "2")


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_scheduler_that_does_not_answer(table, call, monkeypatch):
    monkeypatch.setattr("backstay.cli._cluster.SECONDS_TO_ANSWER", 0.5)
    nobody = ("--cluster", "tcp://127.0.0.1:9")
    code, _, text = call("run", table / "t.csv", *RUN, "-q", "-o", table / "out", *nobody)
    assert code == 2
    assert text.startswith("backstay: no dask scheduler answers at tcp://127.0.0.1:9: ")
    assert text.count("\n") == 1


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_port_that_speaks_something_else(table, call):
    with ThreadingHTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        where = f"tcp://127.0.0.1:{server.server_port}"
        code, _, text = call(
            "run", table / "t.csv", *RUN, "-q", "-o", table / "out", "--cluster", where
        )
        server.shutdown()
    assert code == 2
    assert text == f"backstay: no dask scheduler answers at {where}: another program does.\n"


@pytest.mark.slow
def test_local_workers_in_a_process_of_its_own(table):
    command = [*PYTHON, "backstay", "run", "t.csv", *RUN[:5], "6", *RUN[6:], "--cluster", "local:1"]
    done = subprocess.run(command, cwd=table, capture_output=True, text=True, env=dict(os.environ))
    assert done.returncode == 0, done.stderr
    assert "on local:1" in done.stdout
    assert "12 of 12 tasks (100%)" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_scheduler_that_dies_ends_the_run_in_a_sentence(table, start, tmp_path):
    where, store = tmp_path / "scheduler.json", tmp_path / "out" / "study.db"
    scheduler = start(
        "dask", "scheduler", "--port", 0, "--no-dashboard", "--scheduler-file", where,
        name="scheduler",
    )  # fmt: skip
    wait_until(where.exists, scheduler, "a scheduler")
    worker = ("dask", "worker", "--scheduler-file", where, "--nthreads", 1, "--no-dashboard")
    start(*worker, "--no-nanny", name="worker")
    command = ["-t", "kind", "-m", "t,relieff", "--repeats", "5000", "--null", "0", "--sizes", "2"]
    run = start(
        "backstay", "run", "t.csv", *command, "-q", "-o", "out", "--cluster", where, name="run"
    )
    wait_until(lambda: n_done(store) >= 5, run, "tasks")
    scheduler.kill()
    assert run.wait(60) == 2
    said = (tmp_path / "run.log").read_text()
    assert "no longer answers. What was done is kept: start a scheduler" in said
    assert "Traceback" not in said
    assert n_done(store) >= 5
