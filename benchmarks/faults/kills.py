"""A study with two workers is killed, resumed and killed again; its results must be the same."""

import contextlib
import hashlib
import os
import random
import signal
import sys
import tempfile
import time
import warnings
from pathlib import Path

from sklearn.neighbors import KNeighborsClassifier

from backstay import InstanceWeighted, MarginWeighting, ReliefF
from backstay.datasets import make_han_yu
from backstay.feature_weighting import TTest
from backstay.results import Results
from backstay.store import NUMBERS
from backstay.study import Study, Subsampling

FAULT = "study killed or stopped at a random moment"
TRIALS = 72
BROKEN = {"different", "orphans", "files", "lost"}
# To the process alone, to all processes at once, and as a scheduler does.
WAYS = ("SIGKILL", "SIGKILL to all", "SIGTERM")
SECONDS_TO_END = 10


def study(store, n_jobs):
    methods = {"t": TTest(), "weighted": InstanceWeighted(ReliefF(), MarginWeighting())}
    return Study(
        methods,
        Subsampling(60),
        models={"1nn": KNeighborsClassifier(1)},
        sizes=[2, 10],
        null=2,
        store=store,
        n_jobs=n_jobs,
        random_state=3,
    )


def rows():
    # Large enough to reach workers as a memory map.
    X, y, _ = make_han_yu(60, n_features=3000, n_relevant=10, random_state=1)
    return X, y


def digest(results):
    """Return a hash of every ranking, weight and prediction."""
    total = hashlib.sha256()
    for part in results._parts.values():
        for method in part.methods:
            for name in ("order", "weights", "outputs"):
                for of in NUMBERS:
                    pairs = part.store.task_arrays(part.dataset, method, name, of=of)
                    for resample, array in pairs:
                        total.update(f"{method} {name} {resample}".encode() + array.tobytes())
    return total.hexdigest()


def processes(session):
    """Return the processes of a session that have not ended."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = entry.read_text().rsplit(")", 1)[1].split()
            if int(fields[3]) == session and fields[0] != "Z":
                found.append(int(entry.parent.name))
    return found


def shared_files(pid):
    names = os.listdir("/dev/shm")
    return [n for n in names if n.startswith((f"backstay-{pid}-", f"sem.loky-{pid}-"))]


@contextlib.contextmanager
def laboratory():
    warnings.simplefilter("ignore")
    data = rows()
    with tempfile.TemporaryDirectory() as folder:
        expected = digest(study(None, 1).run(*data))
        finished, killed = 0, []

        def trial(seed):
            nonlocal finished
            draw = random.Random(seed)
            store = Path(folder) / f"study{finished}.db"
            before = n_done(store)
            child = born(store, data)
            time.sleep(draw.uniform(0.0, 8.0))
            ended, status = os.waitpid(child, os.WNOHANG)
            while ended:  # it was done before it could be killed
                if os.waitstatus_to_exitcode(status) or digest(Results.load(store)) != expected:
                    return f"different: {os.waitstatus_to_exitcode(status)}"
                finished += 1
                store = Path(folder) / f"study{finished}.db"
                before, child = 0, born(store, data)
                time.sleep(draw.uniform(0.0, 4.0))
                ended, status = os.waitpid(child, os.WNOHANG)
            way = WAYS[seed % len(WAYS)]
            number = signal.SIGTERM if way == "SIGTERM" else signal.SIGKILL
            (os.killpg if way.endswith("all") else os.kill)(child, number)
            os.waitpid(child, 0)
            killed.append(child)
            deadline = time.monotonic() + SECONDS_TO_END
            while processes(child) and time.monotonic() < deadline:
                time.sleep(0.05)
            if left := processes(child):
                return f"orphans: {len(left)} after {way}"
            # Killed with the tracker that would remove them, files wait for the next study.
            if not way.endswith("all") and (names := shared_files(child)):
                # Killed between making a semaphore and registering it with the tracker.
                if len(names) == 1 and names[0].startswith("sem."):
                    killed.remove(child)
                    return f"semaphore's name left: {way}"
                return f"files: {', '.join(names)} after {way}"
            if n_done(store) < before:
                return f"lost: {before} tasks, then {n_done(store)}"
            return f"nothing lost: {way}"

        yield trial
        # The study that is under way ends as if it had never been killed, and with the start of
        # one more nothing is left in shared memory of any that was.
        store = Path(folder) / f"study{finished}.db"
        code = os.waitstatus_to_exitcode(os.waitpid(born(store, data), 0)[1])
        if code or digest(Results.load(store)) != expected:
            raise SystemExit("kills: a killed study has other results than one that was not.")
        if names := [name for pid in killed for name in shared_files(pid)]:
            raise SystemExit(f"kills: left in shared memory: {', '.join(names)}.")
        print(f"kills: {finished + 1} studies finished as if never killed")


def born(store, data):
    """Start a study in a fork, in a session of its own; everything is imported already."""
    child = os.fork()
    if child:
        return child
    os.setsid()
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    try:
        study(store, 2).run(*data)
    except BaseException:
        os._exit(1)
    sys.stdout.flush()
    os._exit(0)


def n_done(store):
    try:
        results = Results.load(store)
    except Exception:  # not begun yet
        return 0
    return results.data.n_done if results.datasets else 0
