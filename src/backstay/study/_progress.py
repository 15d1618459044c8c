"""What a task is doing and for how long; how many are done: a bar, lines, or nothing."""

from __future__ import annotations

import math
import sys
import time
from typing import Any, Self, TextIO

from backstay.store import TaskRecord
from backstay.study._cluster import active_client

SECONDS_BETWEEN_LINES = 5.0
SECONDS_BETWEEN_COUNTS = 1.0


def duration(seconds: float) -> str:
    """Return a time in seconds, minutes or hours, whichever suits it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


class Stage:
    """Note in a task's record what is being done, and add up the seconds by its first word.

    A class, because a generator would take longer than some stages do.
    """

    def __init__(self, record: TaskRecord, name: str) -> None:
        self.record, self.name = record, name

    def __enter__(self) -> None:
        self.record.stage = self.name
        self.start = time.perf_counter()

    def __exit__(self, *error: object) -> None:
        kind = self.name.split(maxsplit=1)[0]
        spent = time.perf_counter() - self.start
        self.record.seconds[kind] = self.record.seconds.get(kind, 0.0) + spent


class Progress:
    """Report tasks done, rate and time left to standard error; `Study` documents ``verbose``.

    The ``first`` tasks have no part in the rate.
    """

    def __init__(
        self,
        total: int,
        done: int,
        verbose: int | None,
        title: str,
        stream: TextIO | None = None,
        *,
        first: int = 0,
    ) -> None:
        self.first, self._warm = first, 0
        self.total, self.done, self.title = total, done, title
        self.skipped, self.failed = done, 0
        self.stream = sys.stderr if stream is None else stream
        terminal = self.stream.isatty()
        shown = terminal if verbose is None else verbose > 0
        self._bar = _rich_bar(self.stream) if shown and terminal else None
        self._lines = shown and self._bar is None
        self._task: Any = None
        self._client = active_client() if shown else None
        self._workers, self._counted = 0, -math.inf

    def __enter__(self) -> Self:
        self.start = self._last = self._warm_since = time.monotonic()
        if self._bar is not None:
            self._bar.start()
            self._task = self._bar.add_task(
                self.title, total=self.total, completed=self.done, figures=""
            )
        elif self._lines and self.skipped:
            self._write(f"{self.title}: {self.skipped} of {self.total} tasks were done before")
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()
        elif self._lines and self.done > self.skipped:
            self._write(self.line())

    def advance(self, failed: bool) -> None:
        """Count one more task."""
        self.done += 1
        self.failed += failed
        if self.done - self.skipped == self.first:
            self._warm, self._warm_since = self.first, time.monotonic()
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
        fresh = self.done - self.skipped
        failures = f", {self.failed} failed" if self.failed else ""
        # The first tasks of every method also compile it, which says nothing of the others.
        if fresh <= self.first and self.done < self.total:
            return f"the first tasks compile the methods{failures}"
        rate = (fresh - self._warm) / max(time.monotonic() - self._warm_since, 1e-9)
        pace = f"{rate:.1f} tasks/s" if rate >= 1 else f"{1 / max(rate, 1e-9):.1f} s/task"
        left = duration((self.total - self.done) / max(rate, 1e-9))
        return f"{pace}, {left} left{failures}{self._cluster()}"

    def _cluster(self) -> str:
        """Return how many workers a cluster has, asked for now and then."""
        if self._client is None:
            return ""
        if time.monotonic() - self._counted > SECONDS_BETWEEN_COUNTS:
            self._workers, self._counted = len(self._client.ncores()), time.monotonic()
        return f", {self._workers} worker{'' if self._workers == 1 else 's'}"

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
