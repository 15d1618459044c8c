"""Stops come through, and are not lost in callbacks.

What a command does while it loads a module is in test_process.py.
"""

import gc
import os
import signal
import sys
import threading
import time

import pytest

from backstay.cli._stops import Terminated, stops_raised

KINDS = [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, Terminated)]


def wait_to_be_stopped():
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        time.sleep(0.001)


@pytest.mark.parametrize(("number", "kind"), KINDS)
def test_a_stop_that_python_loses_in_a_callback_comes_again(number, kind, capfd):
    def collecting(phase, info):
        gc.callbacks.remove(collecting)
        os.kill(os.getpid(), number)

    def collect():
        gc.callbacks.append(collecting)
        gc.collect()
        wait_to_be_stopped()

    with stops_raised(), pytest.raises(kind):
        collect()
    assert capfd.readouterr().err == ""


def test_sigterm_stops_once_and_ctrl_c_again():
    def stop(number, to_see):
        with pytest.raises(to_see):
            os.kill(os.getpid(), number)

    with stops_raised():
        stop(signal.SIGTERM, Terminated)
        os.kill(os.getpid(), signal.SIGTERM)
        stop(signal.SIGINT, KeyboardInterrupt)
        stop(signal.SIGINT, KeyboardInterrupt)


def test_everything_is_put_back():
    def state():
        return [signal.getsignal(n) for n, _ in KINDS] + [sys.unraisablehook]

    before = state()
    with stops_raised():
        assert not any(now is then for now, then in zip(state(), before, strict=True))
    assert state() == before


def test_what_a_shell_has_the_command_ignore_stays_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with stops_raised():
            os.kill(os.getpid(), signal.SIGINT)
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_set_no_handlers():
    seen = []

    def work():
        with stops_raised():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGINT)]
