"""What a task is doing, for the message if it fails, and how long that takes."""

from __future__ import annotations

import time

from backstay.results import TaskRecord


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
