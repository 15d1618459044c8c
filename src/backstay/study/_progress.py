"""What a task is doing and for how long; how many are done: a bar, lines, or nothing."""

from __future__ import annotations

import math
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from html import escape
from statistics import median
from typing import Any, Self, TextIO

from backstay.store import NUMBERS, TaskRecord

SECONDS_BETWEEN_LINES = 5.0
SECONDS_BETWEEN_UPDATES = 0.2


def duration(seconds: float) -> str:
    """Return a time in seconds, minutes or hours, whichever suits it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


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

    The time left of ``pending`` tasks is known once every method has run. Its first run, which also
    compiles it, does not count; others do by method and kind of run.
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
        terminal, notebook = self.stream.isatty(), in_notebook()
        shown = (terminal or notebook) if verbose is None else verbose > 0
        self._bar: Any = None
        if shown and (terminal or notebook):
            self._bar = _NotebookBar() if notebook else _rich_bar(self.stream)
        self._lines = shown and self._bar is None
        self._task: Any = None

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
        return f"{pace}, {left} left{failures}"

    def _write(self, line: str) -> None:
        print(line, file=self.stream, flush=True)


def in_notebook() -> bool:
    """Return whether this runs in a cell of a notebook, as of Jupyter."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


class _NotebookBar:
    """A bar below a cell of a notebook; it needs no widgets. Used as rich's bar is."""

    def start(self) -> None:
        self._shown, self._last = None, -math.inf

    def add_task(self, title: str, total: int, completed: int, figures: str) -> tuple[str, int]:
        self.update((title, total), completed, figures)
        return title, total

    def update(self, task: tuple[str, int], completed: int, figures: str) -> None:
        title, total = task
        if completed < total and time.monotonic() - self._last < SECONDS_BETWEEN_UPDATES:
            return
        self._last = time.monotonic()
        from IPython.display import HTML, display

        bar = f'<progress value="{completed}" max="{total}"></progress>'
        page = HTML(f"{escape(title)} {bar} {completed} of {total} tasks {escape(figures)}")
        if self._shown is None:
            self._shown = display(page, display_id=True)
        else:
            self._shown.update(page)

    def stop(self) -> None:
        """Leave the bar as it is."""


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
