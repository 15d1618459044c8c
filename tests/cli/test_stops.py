"""Stops come through: not lost in callbacks, not raised in the middle of loading a module.

What a command that is the whole process does while it loads one is in test_process.py.
"""

import gc
import os
import signal
import sys
import threading
import time

import pytest

from backstay.cli._stops import Terminated, raise_interrupt, stops_raised

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

    with stops_raised(raise_interrupt), pytest.raises(kind):
        collect()
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(("number", "kind"), KINDS)
def test_a_stop_waits_until_a_module_is_loaded(number, kind, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "loaded_slowly.py").write_text(
        "import os, time\n"
        f"os.kill(os.getpid(), {int(number)})\n"
        f"os.kill(os.getpid(), {int(number)})\n"  # impatience does not help
        "time.sleep(0.05)\n"
        "done = True\n"
    )

    def load():
        import loaded_slowly  # noqa: F401

        wait_to_be_stopped()

    with stops_raised(raise_interrupt), pytest.raises(kind):
        load()
    assert sys.modules.pop("loaded_slowly").done
    time.sleep(0.05)  # and it was one stop only


def test_sigterm_stops_once_and_ctrl_c_again():
    def stop(number, to_see):
        with pytest.raises(to_see):
            os.kill(os.getpid(), number)

    with stops_raised(raise_interrupt):
        stop(signal.SIGTERM, Terminated)
        os.kill(os.getpid(), signal.SIGTERM)
        stop(signal.SIGINT, KeyboardInterrupt)
        stop(signal.SIGINT, KeyboardInterrupt)


def test_everything_is_put_back():
    def state():
        return [signal.getsignal(n) for n, _ in KINDS] + [sys.unraisablehook]

    before = state()
    with stops_raised(raise_interrupt):
        assert not any(now is then for now, then in zip(state(), before, strict=True))
    assert state() == before


def test_what_a_shell_has_the_command_ignore_stays_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with stops_raised(raise_interrupt):
            os.kill(os.getpid(), signal.SIGINT)
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_set_no_handlers():
    seen = []

    def work():
        with stops_raised(raise_interrupt):
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGINT)]
