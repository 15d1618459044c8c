"""Something in the data that could make a score look better than it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

# Every kind, the most serious first.
KINDS = (
    "copies", "near_copies", "gives_away", "follow_up", "confounded", "shifted", "filtered",
    "repeats",
)  # fmt: skip
# Those that the effects of all features tell.
OF_EFFECTS = ("shifted", "filtered")


@dataclass(frozen=True)
class Suspicion:
    """Something in the data that could make a score look better than it is.

    Attributes
    ----------
    kind : str
        "copies" and "near_copies" of rows; a feature that "gives_away" the outcome; a column that
        may be the time of "follow_up" until it; columns beside the features that are "confounded"
        with it; features that are nearly all "shifted", or were "filtered" by the outcome; a
        column that "repeats" and may name what rows have in common.
    severity : int
        2 if the score may be worth nothing, 1 if it may be too good.
    figures : dict
        The numbers and names behind it, ready for JSON.
    """

    kind: str
    severity: int
    figures: dict[str, Any]


def by_severity(found: Iterable[Suspicion]) -> list[Suspicion]:
    """Return the most serious first."""
    return sorted(found, key=lambda one: (-one.severity, KINDS.index(one.kind)))
