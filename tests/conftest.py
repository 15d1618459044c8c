"""Hypothesis: the same examples on every run, and no deadlines (kernels compile on first call).

Ctrl-C reaches the processes that tests start, also where a shell lets background jobs ignore it.
The command line is called in this process by the fixture ``call``.
"""

import contextlib
import io
import signal
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "backstay",
    deadline=None,
    derandomize=True,
    max_examples=30,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("backstay")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


class Called(NamedTuple):
    """How a command ended: exit code, output and errors."""

    code: int
    out: str
    err: str


def run_command(*arguments):
    """Run the command as the shell would, in this process."""
    from backstay.cli import main

    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.raises(SystemExit) as stop,
    ):
        main([str(argument) for argument in arguments])
    return Called(stop.value.code, out.getvalue(), err.getvalue())


@pytest.fixture(scope="session")
def call():
    """Return the command line as a function of its arguments, to be called in this process."""
    return run_command
