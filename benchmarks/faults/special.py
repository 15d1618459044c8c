"""What is no regular file, or claims to be endless, is given for a table, a signature or a store.

It must be read, or refused in one sentence, and soon.
"""

import contextlib
import io
import itertools
import os
import signal
import socket
import tempfile
import warnings
from pathlib import Path

from backstay.cli._app import run

FAULT = "special file: pipe, device, socket, folder, empty, endless, nested"
BROKEN = {"error", "hangs"}
SECONDS = 120
ENDINGS = (".csv", ".xlsx", ".h5ad", ".npz", ".gct", ".parquet", ".json", ".db")
KINDS = (
    "pipe",
    "zero",
    "full",
    "socket",
    "folder",
    "empty",
    "dangling",
    "loop",
    "commas",
    "nested",
)
USES = ("table", "samples", "signature", "store", "selections")
TRIALS = 120


class Hangs(BaseException):
    """Not an error that a command would answer with a sentence."""


def make(kind, path):
    """Put something special at a path."""
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        with contextlib.closing(socket.socket(socket.AF_UNIX)) as listener:
            listener.bind(str(path))
    elif kind == "folder":
        path.mkdir()
    elif kind in ("empty", "commas", "nested"):
        text = {"empty": "", "commas": ",,,,,\n1,2,3,4,5,6\n", "nested": "[" * 10**6}
        path.write_text(text[kind])
    else:
        targets = {"zero": "/dev/zero", "full": "/dev/full", "dangling": "nowhere", "loop": path}
        path.symlink_to(targets[kind])


def command(use, path, table):
    """Return a command that is to read it."""
    if use == "table":
        return ["run", path, "-t", "class", "--dry-run"]
    if use == "samples":
        return ["run", table, "-t", "class", "--samples", path, "--dry-run"]
    return {
        "signature": ["predict", path, table],
        "store": ["report", path],
        "selections": ["stability", path],
    }[use]


@contextlib.contextmanager
def laboratory():
    cases = itertools.cycle(itertools.product(KINDS, USES, ENDINGS))
    chosen = list(itertools.islice(cases, 0, TRIALS * 7, 7))  # 7 shares no factor with them

    def hangs(*_):
        raise Hangs

    before = signal.signal(signal.SIGALRM, hangs)
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.csv"
        table.write_text(
            "g0,class\n" + "".join(f"{i * i % 7}.5,{'ab'[i % 2]}\n" for i in range(30))
        )

        def trial(seed):
            kind, use, ending = chosen[seed]
            path = Path(folder) / f"{seed}{ending}"
            make(kind, path)
            said, wrong = io.StringIO(), io.StringIO()
            signal.alarm(SECONDS)
            try:
                with (
                    warnings.catch_warnings(),
                    contextlib.redirect_stdout(said),
                    contextlib.redirect_stderr(wrong),
                ):
                    code = run([str(part) for part in command(use, path, table)])
            except Hangs:
                return f"hangs: {kind} as {use} {ending}"
            except Exception as error:
                return f"error: {kind} as {use} {ending}: {type(error).__name__}: {error}"
            finally:
                signal.alarm(0)
            lines = [line for line in wrong.getvalue().splitlines() if not line.startswith("Warn")]
            if code == 0:
                return "read"
            if code == 2 and len(lines) == 1:
                return "refused"
            return f"error: {kind} as {use} {ending}: exit code {code}: {' '.join(lines)[:200]}"

        yield trial
    signal.signal(signal.SIGALRM, before)
