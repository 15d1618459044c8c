"""What a task is doing and for how long; how many are done: a bar, lines, or nothing."""

from __future__ import annotations

import math
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from statistics import median
from typing import Any, Self, TextIO

from backstay.store import NUMBERS, TaskRecord
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


def kind_of_run(resample: int) -> str:
    """Return what kind of run a number stands for, as in ``NUMBERS``."""
    return next(kind for kind, (low, high) in NUMBERS.items() if low <= resample <= high)


class Progress:
    """Report tasks done, rate and time left to standard error; `Study` documents ``verbose``.

    ``pending`` are the tasks to come. Then the time left is known once every method has run; the
    first run of a method, which also compiles it, has no part in it, and each method counts by its
    own seconds on splits, with shuffled outcomes, and on parts of the rows.
    """

    def __init__(
        self,
        total: int,
        done: int,
        verbose: int | None,
        title: str,
        stream: TextIO | None = None,
        *,
        pending: Iterable[tuple[str, int]] = (),
    ) -> None:
        self._left = Counter((method, kind_of_run(resample)) for method, resample in pending)
        self._unseen = {method for method, _ in self._left}
        self._taken: dict[tuple[str, str], list[float]] = defaultdict(list)
        self._busy, self._warm = 0.0, 0
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

    def advance(self, failed: bool, record: TaskRecord | None = None) -> None:
        """Count one more task."""
        self.done += 1
        self.failed += failed
        if record is not None:
            self._count(record)
        if self._bar is not None:
            self._bar.update(self._task, completed=self.done, figures=self._figures())
        elif self._lines and time.monotonic() - self._last >= SECONDS_BETWEEN_LINES:
            self._last = time.monotonic()
            self._write(self.line())

    def _count(self, record: TaskRecord) -> None:
        """Note the seconds of a task, unless it is the first of its method."""
        kind = record.method, kind_of_run(record.resample)
        self._left[kind] -= 1
        if record.method in self._unseen:
            self._unseen.remove(record.method)
            if not self._unseen:
                self._warm, self._warm_since = self.done - self.skipped, time.monotonic()
            return
        self._taken[kind].append(record.seconds.get("total", 0.0))
        if kind[1] == "splits":  # without models it is a run with shuffled outcomes
            bare = record.seconds.get("preprocess", 0.0) + record.seconds.get("method", 0.0)
            self._taken[record.method, "bare"].append(bare)
        if not self._unseen:
            self._busy += record.seconds.get("total", 0.0)

    def _seconds_left(self, rate: float) -> float:
        """Return the seconds of all tasks to come, at the pace so far."""
        if not self._busy:
            return (self.total - self.done) / rate

        def typical(method: str, kind: str) -> float:
            known = (kind, "bare", "splits") if kind == "shuffled" else (kind, "splits", "parts")
            taken = next((self._taken[method, k] for k in known if self._taken[method, k]), None)
            return median(taken) if taken else self._busy / (self.done - self.skipped - self._warm)

        work = sum(n * typical(*kind) for kind, n in self._left.items())
        return work * (time.monotonic() - self._warm_since) / self._busy

    def line(self) -> str:
        """Return the state in one line."""
        share = self.done / max(self.total, 1)
        return f"{self.title}: {self.done} of {self.total} tasks ({share:.0%}), {self._figures()}"

    def _figures(self) -> str:
        """Return the rate of this run, the time left at that rate and the failures."""
        fresh = self.done - self.skipped
        failures = f", {self.failed} failed" if self.failed else ""
        # The first tasks of every method also compile it, which says nothing of the others.
        if (self._unseen or fresh <= self._warm) and self.done < self.total:
            return f"the first tasks compile the methods{failures}"
        rate = max((fresh - self._warm) / max(time.monotonic() - self._warm_since, 1e-9), 1e-9)
        pace = f"{rate:.1f} tasks/s" if rate >= 1 else f"{1 / rate:.1f} s/task"
        left = duration(self._seconds_left(rate))
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
