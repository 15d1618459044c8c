"""``backstay check``: whether everything in a store is as it was written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backstay.cli._guard import Debug, WrongUse, guarded
from backstay.cli._show import complain, counted, listing, say

if TYPE_CHECKING:
    from backstay.store import StoreCheck

# How the rows of a store's tables are called.
HELD = {"datasets": "data set", "tasks": "task", "arrays": "array"}


@guarded
def check(
    stores: Annotated[
        list[Path], typer.Argument(metavar="STORE...", help="study.db files, or their folders.")
    ],
    debug: Debug = False,
) -> None:
    """Verify everything in a study's store: its tables, its descriptions and every array.

    Nothing is changed. The exit code is 0 if everything is sound and 2 if something is damaged.

    For example:

    [bold]backstay check colon-backstay/study.db[/bold]
    """
    files = [path / "study.db" if path.is_dir() else path for path in stores]
    for file in files:
        if not file.exists():  # answered before anything heavy is loaded
            raise WrongUse(f"there is no store {file}.")
    from backstay.store import StoreError, check_store

    damaged = False
    for file in files:
        try:
            found = check_store(file)
        except StoreError as error:
            complain(str(error))
            damaged = True
            continue
        _show(found)
        damaged |= not found.sound
    if damaged:
        raise typer.Exit(2)


def _show(found: StoreCheck) -> None:
    """Write what a store holds, then what is damaged."""
    say(found.name, "bold")
    counts = found.counts
    lines = [
        ("holds", ", ".join(counted(counts[table], noun) for table, noun in HELD.items())),
    ]
    for name, left in found.missing.items():
        some = f"{counted(left, 'task')} {'is' if left == 1 else 'are'} left to run"
        state = some if left else "all tasks are done"
        lines.append((name, state))
    listing(lines)
    if not found.sound:
        for damage in found.damages:
            complain(f"{found.name} is damaged: {damage}.")
    else:
        say("Everything in it is as it was written.")
