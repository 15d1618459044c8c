"""Tasks done, rate and time left: a bar on a terminal, lines elsewhere, or nothing."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any, Self, TextIO

SECONDS_BETWEEN_LINES = 5.0


def duration(seconds: float) -> str:
    """Return a time in seconds, minutes or hours, whichever suits it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


class Progress:
    """Report progress to standard error.

    Parameters
    ----------
    total, done : int
        Number of tasks, and of those that an earlier run has finished.
    verbose : int or None
        0 is silent; None shows a bar on a terminal and nothing elsewhere; 1 or
        more writes lines where there is no terminal.
    title : str
        Name of the data set.
    """

    def __init__(
        self,
        total: int,
        done: int,
        verbose: int | None,
        title: str,
        stream: TextIO | None = None,
    ) -> None:
        self.total, self.done, self.title = total, done, title
        self.skipped, self.failed = done, 0
        self.stream = sys.stderr if stream is None else stream
        terminal = self.stream.isatty()
        shown = terminal if verbose is None else verbose > 0
        self._bar = _rich_bar(self.stream) if shown and terminal else None
        self._lines = shown and self._bar is None
        self._task: Any = None

    def __enter__(self) -> Self:
        self.start = self._last = time.monotonic()
        if self._bar is not None:
            self._bar.start()
            self._task = self._bar.add_task(
                self.title, total=self.total, completed=self.done, figures=""
            )
        elif self._lines and self.skipped:
            self._write(f"{self.title}: {self.skipped} of {self.total} tasks were done before")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        elif self._lines and self.done > self.skipped:
            self._write(self.line())

    def advance(self, failed: bool) -> None:
        """Count one more task."""
        self.done += 1
        self.failed += failed
        if self._bar is not None:
            self._bar.update(self._task, completed=self.done, figures=self._figures())
        elif self._lines and time.monotonic() - self._last >= SECONDS_BETWEEN_LINES:
            self._last = time.monotonic()
            self._write(self.line())

    def line(self) -> str:
        """Return the state in one line."""
        share = self.done / max(self.total, 1)
        return f"{self.title}: {self.done} of {self.total} tasks ({share:.0%}), {self._figures()}"

    def _figures(self) -> str:
        """Return the rate of this run, the time left at that rate and the failures."""
        spent = max(time.monotonic() - self.start, 1e-9)
        rate = (self.done - self.skipped) / spent
        pace = f"{rate:.1f} tasks/s" if rate >= 1 else f"{1 / max(rate, 1e-9):.1f} s/task"
        left = duration((self.total - self.done) / max(rate, 1e-9))
        failures = f", {self.failed} failed" if self.failed else ""
        return f"{pace}, {left} left{failures}"

    def _write(self, line: str) -> None:
        print(line, file=self.stream, flush=True)


def _rich_bar(stream: TextIO) -> Any:
    """Return rich's progress bar, or None where rich is not installed."""
    try:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
        from rich.progress import Progress as Bar
    except ImportError:
        return None
    return Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[figures]}"),
        console=Console(file=stream),
    )
