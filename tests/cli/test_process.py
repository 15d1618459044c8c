"""The command in a process of its own: stopped and resumed, piped, and without its extras."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd

from backstay import __version__
from backstay.results import Results, StoreError

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
    command += ["--repeats", "40", "--null", "5", "-o", "out"]
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
    assert 3 <= kept < 100  # 40 splits and 5 × 2 runs with shuffled labels, of two methods
    last = errors.strip().splitlines()[-1]
    assert last.startswith(f"The study stopped after {kept} of 100 tasks")
    assert last.endswith("Run it again to go on.")
    assert "Traceback" not in errors
    again = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert again.returncode == 0, again.stderr
    assert f"{kept} of 100 tasks were done before" in again.stderr
    assert n_done(store) == 100
    assert "Recommendation" in again.stdout
    assert "\x1b" not in again.stdout + again.stderr
    assert all(line == line.rstrip() for line in again.stdout.splitlines())


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
