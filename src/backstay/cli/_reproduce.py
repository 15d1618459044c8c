"""``backstay reproduce``: the papers' experiments, published and measured side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from backstay.cli._guard import Debug, WrongUse, guarded
from backstay.cli._show import say, table

__all__ = ["add_to"]


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("reproduce")(reproduce)


@guarded
def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Experiments; none lists what there is."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Run all experiments.")] = False,
    data: Annotated[
        Path | None, typer.Option(help="Folder of .npz files, for experiments on real data.")
    ] = None,
    repeats: Annotated[
        int | None, typer.Option(min=1, help="Repetitions; each experiment has its own default.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Tasks at the same time.")] = 1,
    out: Annotated[Path, typer.Option(help="Folder for tables and figures.")] = Path(
        "reproduction"
    ),
    quick: Annotated[
        bool, typer.Option("--quick", help="Few repetitions: to see that it runs, no more.")
    ] = False,
    page: Annotated[
        Path | None,
        typer.Option(help="Markdown page to write of everything that lies in the folder --out."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of everything.")] = 0,
    debug: Debug = False,
) -> None:
    """Run published experiments again: published and measured figures side by side.

    For example:

    [bold]backstay reproduce[/bold]

    [bold]backstay reproduce han-fig6.1 --quick[/bold]

    [bold]backstay reproduce --all --data folder --jobs 2[/bold]

    [bold]backstay reproduce --out reproduction --page reproduction.md[/bold]
    """
    from backstay.reproduction import MissingDataError, list_experiments, write_page
    from backstay.reproduction import reproduce as run_one

    known = list_experiments()
    if not names and not every and page is None:
        table(known.columns.tolist(), known.to_numpy().tolist())
        say("Run one by its name, or --all.")
        return
    wanted = known["name"].tolist() if every else list(names or ())
    unknown = [name for name in wanted if name not in known["name"].tolist()]
    if unknown:
        raise WrongUse(
            f"no experiment is called {unknown[0]!r}; backstay reproduce lists what there is."
        )
    for name in wanted:
        try:
            outcome = run_one(
                name, out=out, data=data, repeats=repeats, n_jobs=jobs, quick=quick, seed=seed
            )
        except MissingDataError as error:
            if not every:
                raise WrongUse(str(error)) from error
            say(f"{name} was left out: {error}")
            continue
        say(f"{name}: {outcome.finding}")
        say(f"  {out / name}.csv, .svg and .json")
    if page is not None:
        say(f"Page: {write_page(out, page)}")
