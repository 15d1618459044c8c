"""The command in a process of its own: stopped and resumed, piped, and without its extras."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from backstay import __version__
from backstay.results import Results
from backstay.store import StoreError

BACKSTAY = [sys.executable, "-m", "backstay"]


def n_done(path):
    try:
        results = Results.load(path)
        return sum(len(part.store.done(name)) for name, part in results._parts.items())
    except (FileNotFoundError, StoreError):  # not begun yet
        return 0


def test_stopped_it_says_so_and_the_same_command_goes_on(tmp_path):
    rng = np.random.default_rng(0)
    y = np.resize(["a", "b"], 40)
    X = pd.DataFrame(rng.normal(size=(40, 60))).add_prefix("g")
    X["g0"] += 2 * (y == "b")
    X.assign(kind=y).to_csv(tmp_path / "t.csv", index=False)
    command = [*BACKSTAY, "run", "t.csv", "-t", "kind", "-m", "t,relieff", "-j", "1"]
    command += ["--repeats", "20", "--null", "5", "--planning", "0", "-o", "out"]
    process = subprocess.Popen(
        command, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    )
    store = tmp_path / "out" / "study.db"
    while n_done(store) < 3:
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    kept = n_done(store)
    assert 3 <= kept < 60  # 20 splits and 5 × 2 runs with shuffled outcomes, of two methods
    last = errors.strip().splitlines()[-1]
    assert last.startswith(f"The study stopped after {kept} of 60 tasks")
    assert last.endswith("Run it again to go on.")
    assert "Traceback" not in errors
    again = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert again.returncode == 0, again.stderr
    assert f"{kept} of 60 tasks were done before" in again.stderr
    assert n_done(store) == 60
    assert "Recommendation" in again.stdout
    assert "\x1b" not in again.stdout + again.stderr
    assert all(line == line.rstrip() for line in again.stdout.splitlines())


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(0)
    y = np.resize(["a", "b"], 40)
    path = tmp_path_factory.mktemp("table") / "t.csv"
    pd.DataFrame(rng.normal(size=(40, 400))).add_prefix("g").assign(kind=y).to_csv(path)
    return path


def running(session):
    """Return the processes of a session: the command, its workers and its trackers."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = entry.read_text().rsplit(")", 1)[1].split()
            if int(fields[3]) == session and fields[0] != "Z":
                found.append(int(entry.parent.name))
    return found


def in_shared_memory(pid):
    return [
        n for n in os.listdir("/dev/shm") if re.match(rf"(backstay|sem\.loky|.*_folder).{pid}", n)
    ]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="counts processes as Linux does")
@pytest.mark.parametrize(
    ("number", "to_all", "code", "begun"),
    [
        (signal.SIGKILL, False, -9, True),
        (signal.SIGTERM, False, 143, True),
        (signal.SIGINT, True, 130, True),  # as a terminal does
        (signal.SIGTERM, False, 143, False),
        (signal.SIGINT, True, 130, False),
    ],
)
def test_stopped_during_warm_up_it_leaves_nothing_behind(
    table, tmp_path, number, to_all, code, begun
):
    command = [*BACKSTAY, "run", str(table), "-t", "kind", "-m", "t", "-j", "2", "-o", "out"]
    command += ["--repeats", "2000"]
    process = subprocess.Popen(
        command, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
        start_new_session=True,
    )  # fmt: skip
    # Two workers and two trackers are there before the table is read, tasks after it.
    store = tmp_path / "out/study.db"
    while len(running(process.pid)) < 5 or (begun and n_done(store) == 0):
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.02)
    (os.killpg if to_all else os.kill)(process.pid, number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == code
    if number != signal.SIGKILL:
        said = r"The study stopped after \d+ of \d+ tasks on 't'; they are kept in .*\n"
        last = errors.splitlines(keepends=True)[-1]
        assert re.fullmatch(said if begun else r"Stopped\.\n", last)
        assert "Traceback" not in errors
        assert "loky" not in errors
    deadline = time.monotonic() + 10
    while running(process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert running(process.pid) == []
    assert in_shared_memory(process.pid) == []


COMMANDS = {
    "module": BACKSTAY,
    "script": [str(Path(sysconfig.get_path("scripts")) / "backstay")],
}


@pytest.mark.parametrize(
    ("module", "command", "number", "code"),
    [
        ("typer", "module", signal.SIGTERM, 143),  # of the command line
        ("pandas", "script", signal.SIGINT, 130),  # of a table
    ],
)
def test_stopped_while_modules_are_loaded_it_says_so(
    module, command, number, code, table, tmp_path
):
    # Stands before the module, says that it is being loaded, and takes its time. An exception it
    # takes for a failed import, as compiled modules do.
    loading = tmp_path / "loading"
    (tmp_path / f"{module}.py").write_text(
        "import pathlib, sys, time\n"
        f"pathlib.Path({str(loading)!r}).touch()\n"
        "try:\n"
        "    time.sleep(30)\n"
        "except KeyboardInterrupt:\n"
        "    raise ImportError('a module could not be loaded')\n"
        f"sys.path.remove({str(tmp_path)!r})\n"
        f"del sys.modules[{module!r}]\n"
        f"import {module}\n"
    )
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    process = subprocess.Popen(
        [*COMMANDS[command], "run", str(table), "-t", "kind", "-o", "out", "-q"],
        cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": path, "PYTHONSAFEPATH": "1"},
    )  # fmt: skip
    while not loading.exists():
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.01)
    process.send_signal(number)
    output, errors = process.communicate(timeout=20)  # it does not wait for the module
    assert (process.returncode, output, errors) == (code, "", "Stopped.\n")
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="counts processes as Linux does")
@pytest.mark.parametrize(
    ("number", "code", "to_all"), [(signal.SIGINT, 130, True), (signal.SIGTERM, 143, False)]
)
def test_stopped_while_a_local_cluster_starts_it_is_quiet(number, code, to_all, table, tmp_path):
    pytest.importorskip("distributed", reason="needs the extra backstay[dask]")
    command = [*BACKSTAY, "run", str(table), "-t", "kind", "-m", "t", "--cluster", "local:2"]
    process = subprocess.Popen(
        [*command, "-o", "out", "-q"],
        cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
        start_new_session=True,
    )  # fmt: skip
    while len(running(process.pid)) < 3:  # a tracker and a worker
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.01)
    time.sleep(0.3)  # the worker is loading its modules
    (os.killpg if to_all else os.kill)(process.pid, number)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == code
    assert re.fullmatch(r"(Stopped\.|The study stopped after .*)\n", errors)
    deadline = time.monotonic() + 10
    while running(process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert running(process.pid) == []


def test_exit_codes_and_pipes(tmp_path):
    shown = subprocess.run([*BACKSTAY, "--version"], capture_output=True, text=True)
    assert (shown.returncode, shown.stdout) == (0, f"backstay {__version__}\n")
    wrong = subprocess.run(
        [*BACKSTAY, "run", "none.csv"], capture_output=True, text=True, cwd=tmp_path
    )
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr == "backstay: there is no file none.csv.\n"


def test_without_the_extra_one_sentence_says_what_to_install():
    code = (
        "import sys; sys.modules['typer'] = None; from backstay.cli import main; main(['--help'])"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ)
    )
    assert found.returncode == 1
    assert found.stderr == (
        'backstay: the command line needs typer; install it with pip install "backstay[app]".\n'
    )


def test_a_study_after_the_warm_up_compiles_nothing():
    code = """
import contextlib, importlib, pkgutil
import numpy as np
from backstay import Study, _kernels
from backstay.cli import main
from backstay.targets import survival

def compiled():
    modules = (f"backstay._kernels.{one.name}" for one in pkgutil.iter_modules(_kernels.__path__))
    found = [(name, vars(importlib.import_module(name))) for name in modules]
    return {
        (module, name): one.signatures
        for module, held in found for name, one in held.items() if hasattr(one, "signatures")
    }

with contextlib.suppress(SystemExit):
    main(["warm-up"])
warm = compiled()
assert any(warm.values())
rng = np.random.default_rng(1)
X = rng.normal(size=(60, 30))
times = survival(rng.random(60), np.arange(60) % 3 > 0)
for y in (np.arange(60) % 2, X[:, 1] + rng.normal(size=60), times):
    Study("default", 2, sizes=[2, 5], null=1, random_state=0, verbose=0).run(X, y).recommend()
print({name: now for name, now in compiled().items() if now != warm[name]})
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    said, grown = done.stdout.splitlines()
    assert said.startswith("Compiled in ")
    assert grown == "{}"
