"""Ctrl-C and SIGTERM as exceptions, from the first instruction of a command on.

Python would raise them wherever it happens to be. While it loads a module, that does harm: compiled
modules take the exception for a failed import. In a callback, such as of its garbage collector,
Python prints the exception and goes on. So a command that is stopped while it loads a module ends
at once, and a stop that Python dropped is sent again.

This module loads only the standard library, because nothing of it works before it is loaded.
"""

from __future__ import annotations

import _thread
import atexit
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn

EXIT_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
LOADER = "<frozen importlib._bootstrap>"
SECONDS_UNTIL_AGAIN = 0.01
STOPPED = "Stopped."


class Terminated(KeyboardInterrupt):
    """SIGTERM came, as from a scheduler or at shutdown; it stops a command like Ctrl-C."""


def exit_code_of(stop: KeyboardInterrupt) -> int:
    """Return the exit code of a command that was stopped."""
    return EXIT_CODES[signal.SIGTERM if isinstance(stop, Terminated) else signal.SIGINT]


@contextmanager
def stops_raised(*, whole_process: bool = False) -> Iterator[None]:
    """Have Ctrl-C and SIGTERM raise an exception; SIGTERM does so once.

    Stopping takes a moment, and a scheduler that sends SIGTERM again must not disturb it.
    """
    if threading.current_thread() is not threading.main_thread():  # others may not set handlers
        yield
        return
    if whole_process:
        atexit.register(_ignore)  # as the first, so that it is called last
    stops = _Stops(whole_process)
    # What a shell has this process ignore, as Ctrl-C in the background, stays ignored.
    before = {
        number: handler
        for number in EXIT_CODES
        if (handler := signal.getsignal(number)) is not signal.SIG_IGN
    }
    hook_before, sys.unraisablehook = sys.unraisablehook, stops.lost
    try:
        for number in before:
            signal.signal(number, stops.came)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        sys.unraisablehook = hook_before


class _Stops:
    """The stops that have come."""

    def __init__(self, whole_process: bool) -> None:
        self.whole_process = whole_process
        self.raised: list[int] = []
        self.show = sys.unraisablehook

    def came(self, number: int, frame: FrameType | None) -> None:
        """Raise what stops the command; end at once while a module is being loaded."""
        if number == signal.SIGTERM and number in self.raised:
            return
        if self.whole_process and _loading(frame):
            # Loading takes seconds. What is on the disk is whole, and workers end with this one.
            os.write(sys.__stderr__.fileno() if sys.__stderr__ else 2, f"{STOPPED}\n".encode())
            os._exit(EXIT_CODES[signal.Signals(number)])
        self.raised.append(number)
        raise Terminated if number == signal.SIGTERM else KeyboardInterrupt

    def lost(self, unraisable: Any) -> None:
        """Take an exception that Python could not raise; if it was a stop, send it again."""
        if self.raised and issubclass(unraisable.exc_type, KeyboardInterrupt):
            # Without a lock, which the interrupted code might hold, as threading's own would be.
            _thread.start_new_thread(_send_again, (self.raised.pop(),))
        elif not self.raised:  # else it may be what the stop has broken
            self.show(unraisable)


def _send_again(number: int) -> None:
    time.sleep(SECONDS_UNTIL_AGAIN)
    os.kill(os.getpid(), number)


def _ignore() -> None:
    """Ignore what comes while Python takes itself apart: nothing is left that could be stopped."""
    for number in EXIT_CODES:
        signal.signal(number, signal.SIG_IGN)


def _loading(frame: FrameType | None) -> bool:
    while frame is not None and frame.f_code.co_filename != LOADER:
        frame = frame.f_back
    return frame is not None


def leave(code: int) -> NoReturn:
    """Leave with an exit code; Ctrl-C on the way out makes it shorter, without tracebacks."""
    in_main = threading.current_thread() is threading.main_thread()
    for number in EXIT_CODES:
        if in_main and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: os._exit(code))
    # Idle workers would end by themselves, but on a busy machine not for seconds.
    executor = getattr(
        sys.modules.get("joblib.externals.loky.reusable_executor"), "_executor", None
    )
    if executor is not None:
        executor.shutdown(kill_workers=True)
    sys.exit(code)
