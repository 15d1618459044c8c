"""What the terminal shows of two studies of the same question on different samples."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from backstay._words import counted
from backstay.cli._guard import WrongUse
from backstay.cli._options import options_named
from backstay.cli._show import fixed, say, table

if TYPE_CHECKING:
    from backstay.results import Level, Results

SHOWN = 30


def show_replication(results: Results) -> None:
    """Write what the signatures of two studies have in common, and what is replicated."""
    if len(results.datasets) != 2:
        raise WrongUse(
            f"--signatures compares two data sets; got {len(results.datasets)} "
            f"({', '.join(results.datasets)})."
        )
    from backstay.results import replication

    with options_named():
        found = replication(*(results[name] for name in results.datasets))
    for name, choice, size in zip(results.datasets, found.choices, found.sizes, strict=True):
        say(name, "bold")
        say(
            f"{choice.method}, {counted(choice.size, 'feature')}, {size} of them in both tables"
            + ("" if choice.kind == "recommended" else "; nothing is recommended here")
        )
    say()
    rows = [
        ["features in both signatures", *_level(found.overlap, 0), fixed(found.by_lot, 1)],
        ["rank correlation of all features", *_level(found.rank_correlation, 2), "0.00"],
    ]
    table(
        ["in common", "found", "shuffled labels", "97.5 % of these", "p", "at random"],
        rows,
        f"{counted(found.n_shared, 'feature')} in both tables",
    )
    p = found.lot_p_value
    shown = "< 0.001" if p < 0.001 else f"= {p:.3f}"
    say(f"p of as many features in both if they were chosen at random: {shown}.")
    frame = found.features().frame()
    if frame[["first_effect", "second_effect"]].isna().all(axis=None):
        say("These stores do not hold effects; run the studies again to see them.")
        return
    lines = [
        [
            row["name"],
            row["signature"],
            fixed(row["first_effect"], 2, "+"),
            fixed(row["second_effect"], 2, "+"),
            bool(row["same_direction"]),
            bool(row["replicated"]),
        ]
        for row in frame.head(SHOWN).to_dict("records")
    ]
    more = f"; the first {SHOWN} of {len(frame)}" if len(frame) > SHOWN else ""
    table(
        ["feature", "signature", "first effect", "second effect", "same direction", "replicated"],
        lines,
        "Effects in standard deviations; replicated: same direction, and significant where it was "
        f"not selected (5 %, Holm){more}",
    )
    n = int(frame["replicated"].sum())
    say(f"{n} of {counted(len(frame), 'feature')} replicated in direction and significance.")


def _level(level: Level, digits: int) -> list[str]:
    if math.isnan(level.null):
        return [fixed(level.value, digits), "not run", "", ""]
    return [
        fixed(level.value, digits),
        fixed(level.null, max(digits, 1)),
        fixed(level.high, max(digits, 1)),
        f"{level.p_value:.3f}",
    ]
