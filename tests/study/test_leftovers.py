"""Workers end with their parent, and the files of studies that were killed are removed."""

import os
import signal
import subprocess
import sys

import pytest

from backstay._leftovers import remove_leftovers
from backstay._orphans import STOPS, stops_held_back

fcntl = pytest.importorskip("fcntl", reason="folders are locked as Unix does")


def test_only_folders_of_the_dead_are_removed(tmp_path):
    dead, alive, foreign = (tmp_path / f"backstay-{pid}-x" for pid in (2**22 + 1, 17, "a"))
    for folder in (dead, alive, foreign):
        folder.mkdir()
        (folder / "lock").touch()
        (folder / "map").write_text("data")
    lock = os.open(alive / "lock", os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)
    remove_leftovers(tmp_path)
    os.close(lock)
    assert sorted(path.name for path in tmp_path.iterdir()) == [alive.name, foreign.name]


def test_a_folder_is_in_use_as_long_as_its_process_lives(tmp_path):
    code = (
        "import os\n"
        "from backstay._leftovers import memory_maps_in_own_folder\n"
        "with memory_maps_in_own_folder():\n"
        "    print(os.environ['JOBLIB_TEMP_FOLDER'], flush=True)\n"
        "    input()\n"
        "print(os.environ['JOBLIB_TEMP_FOLDER'])\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, "JOBLIB_TEMP_FOLDER": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    folder = process.stdout.readline().strip()
    assert os.path.dirname(folder) == str(tmp_path)
    remove_leftovers(tmp_path)
    assert os.path.exists(folder)
    output, errors = process.communicate("\n", timeout=60)
    assert (output, errors) == (f"{tmp_path}\n", "")
    assert os.listdir(tmp_path) == []


def test_ctrl_c_waits_while_workers_start():
    seen = []

    def interrupted():
        with stops_held_back():
            os.kill(os.getpid(), signal.SIGINT)
            seen.append("still here")
        seen.append("not reached")

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert seen == ["still here"]
    assert not signal.pthread_sigmask(signal.SIG_BLOCK, []) & set(STOPS)


@pytest.mark.parametrize("by_signal", [True, False])
def test_a_worker_ends_with_its_parent(by_signal):
    worker = (
        "import time\nfrom backstay._orphans import end_with_parent\n"
        f"import os, sys\nend_with_parent(os.getppid(), {by_signal})\n"
        "print('ready', flush=True)\ntime.sleep(60)"
    )
    parent = (
        "import subprocess, sys, time\n"
        f"subprocess.Popen([sys.executable, '-c', {worker!r}])\n"
        "time.sleep(60)"
    )
    process = subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    process.kill()
    # The worker holds the other end of the pipe: it closes when the worker has gone.
    output, _ = process.communicate(timeout=10)
    assert output == ""


def test_a_worker_whose_parent_has_gone_ends_at_once():
    code = "from backstay._orphans import end_with_parent\nend_with_parent(1, False)\nprint('no')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (1, "")
