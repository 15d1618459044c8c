"""Ctrl-C and SIGTERM as exceptions that always arrive, from the first instruction of a command on.

Python would raise them wherever it happens to be. While it loads a module, that does harm: compiled
modules take the exception for a failed import, and Python ends by the signal although the exception
was caught. In a callback, such as of its garbage collector, Python prints the exception and goes
on. So a command that is stopped while it loads a module ends at once; if it has processes to end
first, or runs within another program, it ends once the module is loaded. A stop that Python dropped
is sent again.

This module loads only the standard library, because nothing of it works before it is loaded.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn

EXIT_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
LOADER = "<frozen importlib._bootstrap>"
SECONDS_UNTIL_AGAIN = 0.01
STOPPED = "Stopped."


class Terminated(KeyboardInterrupt):
    """SIGTERM came, as from a scheduler or at shutdown; it stops a command like Ctrl-C."""


class NotBegun(SystemExit):
    """A stop came before a command had begun, or after its end.

    Not a KeyboardInterrupt, which typer answers in its own way.
    """


def exit_code_of(stop: BaseException) -> int:
    """Return the exit code of a command that was stopped."""
    if isinstance(stop, NotBegun):
        return int(stop.code or 0)
    return EXIT_CODES[signal.SIGTERM if isinstance(stop, Terminated) else signal.SIGINT]


def raise_not_begun(number: int) -> NoReturn:
    """Stop what is not yet a command."""
    raise NotBegun(EXIT_CODES[signal.Signals(number)])


def raise_interrupt(number: int) -> NoReturn:
    """Stop a command."""
    raise Terminated if number == signal.SIGTERM else KeyboardInterrupt


@contextmanager
def stops_raised(by: Callable[[int], NoReturn], *, whole_process: bool = False) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM call a function that raises; SIGTERM does so once.

    Stopping takes a moment, and a scheduler that sends SIGTERM again must not disturb it. Only the
    outermost call needs to say that a command is the `whole_process`.
    """
    if threading.current_thread() is not threading.main_thread():  # others may not set handlers
        yield
        return
    outer = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)
    whole_process |= isinstance(outer, _Stops) and outer.whole_process
    stops = _Stops(by, _n_loading(sys._getframe()), whole_process)
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
    """The stops that have come, and those that are still to be raised."""

    def __init__(self, by: Callable[[int], NoReturn], n_loading: int, whole_process: bool) -> None:
        self.by = by
        self.n_loading = n_loading
        self.whole_process = whole_process
        self.raised: list[int] = []
        self.waiting: set[int] = set()
        self.show = sys.unraisablehook

    def came(self, number: int, frame: FrameType | None) -> None:
        """Raise what stops the command, unless a module is being loaded."""
        if number == signal.SIGTERM and number in self.raised:
            return
        if _n_loading(frame) > self.n_loading:
            # Processes that were started, as of a local cluster, need an end.
            started = any(name.startswith("multiprocessing.popen_") for name in sys.modules)
            if self.whole_process and not started:
                # Loading takes seconds, and what is on the disk is whole at any moment.
                os.write(sys.__stderr__.fileno() if sys.__stderr__ else 2, f"{STOPPED}\n".encode())
                os._exit(EXIT_CODES[signal.Signals(number)])
            self._again(number)
            return
        self.waiting.discard(number)
        self.raised.append(number)
        self.by(number)

    def lost(self, unraisable: Any) -> None:
        """Take an exception that Python could not raise; if it was a stop, send it again."""
        if self.raised and issubclass(unraisable.exc_type, KeyboardInterrupt | NotBegun):
            self._again(self.raised.pop())
        elif not self.raised and not self.waiting:  # else it may be what the stop has broken
            self.show(unraisable)

    def _again(self, number: int) -> None:
        if number not in self.waiting:
            self.waiting.add(number)
            # Without a lock, which the interrupted code might hold, as threading's own would be.
            _thread.start_new_thread(self._send, (number,))

    def _send(self, number: int) -> None:
        time.sleep(SECONDS_UNTIL_AGAIN)
        if number not in self.waiting:  # it has come once more and was raised
            return
        self.waiting.discard(number)
        if hasattr(signal, "pthread_kill"):  # this also wakes a main thread that waits
            signal.pthread_kill(threading.main_thread().ident, number)  # type: ignore[arg-type]
        else:
            signal.raise_signal(number)


def _n_loading(frame: FrameType | None) -> int:
    """Return how many modules are being loaded, as nested as they are."""
    n = 0
    while frame is not None:
        n += frame.f_code.co_filename == LOADER
        frame = frame.f_back
    return n


def leave(code: int) -> NoReturn:
    """Leave with an exit code; a stop on the way out only makes it shorter.

    All has been done and said. Python's way out would answer Ctrl-C with tracebacks.
    """
    in_main = threading.current_thread() is threading.main_thread()
    for number in EXIT_CODES:
        if in_main and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: os._exit(code))
    sys.exit(code)
