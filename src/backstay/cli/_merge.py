"""``backstay merge``: the parts of a run, put together."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from backstay.cli._guard import Debug, WrongUse, guarded
from backstay.cli._show import counted, say


@guarded
def merge(
    stores: Annotated[
        list[Path],
        typer.Argument(metavar="STORE...", help="Stores that backstay run --shard wrote."),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The store to write; it must not exist yet.")
    ],
    incomplete: Annotated[
        bool, typer.Option("--incomplete", help="Go on although tasks are missing.")
    ] = False,
    debug: Debug = False,
) -> None:
    """Put the parts of a run together: the result is that of one run, to the last bit.

    Stores of different studies are refused, and so are stores that lack tasks; the message names
    them. The command of the run without --shard then writes the report.

    For example:

    [bold]backstay merge genes-backstay/shard-*.db -o genes-backstay/study.db[/bold]
    """
    for file in stores:
        if not file.exists():  # answered before anything heavy is loaded
            raise WrongUse(f"there is no store {file}.")
    if out.exists():
        raise WrongUse(f"--out {out} exists already; it was left as it is.")
    from backstay.results import Results
    from backstay.study import merge_stores

    path = merge_stores(stores, out, incomplete=incomplete)
    for part in Results.load(path).facts.datasets.values():
        say(f"{path}: {part.n_done} of {counted(part.n_tasks, 'task')} on {part.name!r}.")
    say("The command of the run, without --shard and with this file as study.db in its folder,")
    say(f"writes all results; backstay report {path} writes the report alone.")
