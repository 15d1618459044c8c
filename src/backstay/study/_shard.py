"""Which tasks belong to a part of a study that runs on its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Self

Task = tuple[str, int]


@dataclass(frozen=True)
class Shard:
    """Part `number` of `total`, counted from 1."""

    number: int
    total: int

    @classmethod
    def of(cls, given: Any) -> Self:
        """Return the part that a pair of numbers stands for."""
        pair = isinstance(given, Sequence) and len(given) == 2
        whole = pair and all(isinstance(n, Integral) and not isinstance(n, bool) for n in given)
        if not whole or not 1 <= given[0] <= given[1]:
            raise ValueError(
                f"shard={given!r} must be two integers, a part and the number of parts, such as "
                "(3, 10)."
            )
        return cls(int(given[0]), int(given[1]))

    def part(self, tasks: list[Task], methods: list[str]) -> list[Task]:
        """Return the tasks of this part.

        Diagonals of methods × runs: slow methods and fast ones are spread over all parts. A
        study that has grown by runs leaves every task in its part.
        """
        place = {method: j for j, method in enumerate(methods)}
        return [
            (method, run)
            for method, run in tasks
            if (place[method] + (run if run >= 0 else -1 - run)) % self.total == self.number - 1
        ]
