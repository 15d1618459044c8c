"""A search in several processes that is killed leaves none of them behind, nor files."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

CODE = """
import numpy as np
from sklearn.naive_bayes import GaussianNB
from backstay import SequentialSelector

X, y = np.random.default_rng(0).normal(size=(400, 400)), np.tile([0, 1], 200)
SequentialSelector(GaussianNB(), cv=2, n_jobs=2, verbose=1).fit(X, y)
"""


def living(mark):
    """Processes that inherited an environment with the mark."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            state = (process / "stat").read_text().rpartition(")")[2].split()[0]
            if state != "Z" and mark.encode() in (process / "environ").read_bytes():
                found.append(int(process.name))
        except OSError:  # gone, or another user's
            continue
    return found


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at /proc")
def test_nothing_is_left_of_a_killed_search(tmp_path):
    mark = f"JOBLIB_TEMP_FOLDER={tmp_path}"

    def left(pid):
        semaphores = [str(path) for path in Path("/dev/shm").glob(f"sem.loky-{pid}-*")]
        return living(mark), os.listdir(tmp_path), semaphores

    process = subprocess.Popen(
        [sys.executable, "-c", CODE],
        env={**os.environ, "JOBLIB_TEMP_FOLDER": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    lines = []
    for line in process.stdout:
        lines.append(line)
        if "step 1:" in line:
            break
    assert len(living(mark)) >= 3, lines  # two workers at least
    process.send_signal(signal.SIGKILL)
    process.wait()
    end = time.monotonic() + 20
    while any(left(process.pid)) and time.monotonic() < end:
        time.sleep(0.1)
    remaining = left(process.pid)
    for number in remaining[0]:
        os.kill(number, signal.SIGKILL)
    process.stdout.close()
    assert remaining == ([], [], [])
