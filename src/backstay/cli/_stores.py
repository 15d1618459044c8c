"""``backstay report``, ``check``, ``strip`` and ``merge``: what stores are asked for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backstay._words import counted
from backstay.cli._guard import Debug, WrongUse, guarded
from backstay.cli._outputs import make_folder
from backstay.cli._show import complain, listing, say

if TYPE_CHECKING:
    from backstay.results import Results
    from backstay.store import StoreCheck

Store = Annotated[Path, typer.Argument(metavar="STORE", help="study.db file, or its folder.")]
Stores = Annotated[list[Path], typer.Argument(metavar="STORE", help="study.db files, or folders.")]
# How the rows of a store's tables are called.
HELD = {"datasets": "data set", "tasks": "task", "arrays": "array"}

NO_SAMPLES = "neither values nor names are kept (predictions are)"


def store_files(paths: list[Path]) -> list[Path]:
    """Return the files of stores that are named by file or by folder."""
    files = [path / "study.db" if path.is_dir() else path for path in paths]
    for file in files:
        if not file.exists():  # answered before anything heavy is loaded
            raise WrongUse(f"there is no store {file}.")
    return files


def load(paths: list[Path]) -> Results:
    """Open stores, or folders that hold one."""
    files = store_files(paths)
    from backstay.results import Results

    results = Results.load(*files)
    if not results.datasets:
        raise WrongUse(f"{files[0]} holds no data set yet; run a study first.")
    for name in results.datasets:
        results[name].runs.judged()  # refuses a data set that nothing can be said about yet
    return results


def beside(store: Path, name: str) -> Path:
    """Return the place of a file in the folder of a store."""
    return (store if store.is_dir() else store.parent) / name


@guarded
def report(
    store: Store,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="HTML file or folder; that of the store if omitted."),
    ] = None,
    max_features: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="The most features that you can afford.")
    ] = None,
    debug: Debug = False,
) -> None:
    """Write the report of a finished, or still running, study again.

    For example:

    [bold]backstay report colon-backstay/study.db[/bold]
    """
    path = beside(store, "report.html") if out is None else out
    if path.is_dir() or not (path.suffix or path.exists()):
        make_folder(path)
        path = path / "report.html"
    if out is not None and not path.parent.is_dir():
        raise WrongUse(f"the folder {path.parent} does not exist.")
    results = load([store])
    if max_features is not None:
        results = results.at_most(max_features)
    from backstay.report import Report

    say(f"Report: {Report(results).write(path)}")


@guarded
def check(stores: Stores, debug: Debug = False) -> None:
    """Verify everything in a study's store: its tables, its descriptions and every array.

    Nothing is changed. The exit code is 0 if everything is sound and 2 if something is damaged.

    For example:

    [bold]backstay check colon-backstay/study.db[/bold]
    """
    files = store_files(stores)
    from backstay.store import StoreError, check_store

    damaged = False
    for file in files:
        try:
            checked = check_store(file)
        except StoreError as error:
            complain(str(error))
            damaged = True
            continue
        _show(checked)
        damaged |= not checked.sound
    if damaged:
        raise typer.Exit(2)


def _show(checked: StoreCheck) -> None:
    """Write what a store holds, then what is damaged."""
    say(checked.name, "bold")
    held = ", ".join(counted(checked.counts[table], noun) for table, noun in HELD.items())
    lines = [("holds", held)]
    for name, left in checked.missing.items():
        lines.append((name, f"{counted(left, 'task')} left" if left else "all tasks are done"))
        kept = checked.samples[name]
        lines.append(("samples", f"{' and '.join(kept)} are kept" if kept else NO_SAMPLES))
    listing(lines)
    for damage in checked.damages:
        complain(f"{checked.name} is damaged: {damage}.")
    if checked.sound:
        say("Everything in it is as it was written.")


@guarded
def strip(
    store: Store,
    out: Annotated[Path, typer.Option("--out", "-o", help="The store to write; a new file.")],
    debug: Debug = False,
) -> None:
    """Write a copy of a study's store without values of features and names of samples.

    Reports and comparisons work on the copy. Outcomes and predictions of rows stay in it.

    For example:

    [bold]backstay strip colon-backstay/study.db -o shareable.db[/bold]
    """
    (file,) = store_files([store])
    if out.exists():
        raise WrongUse(f"--out {out} exists already; it was left as it is.")
    from backstay.results import Results

    Results.load(file).save(out, keep_samples=False)
    say(f"Without values and names of samples: {out}")
    say("It holds outcomes and predictions of every row, without names.")


@guarded
def merge(
    stores: Annotated[
        list[Path], typer.Argument(metavar="STORE", help="Stores that backstay run --shard wrote.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The store to write; a new file.")],
    debug: Debug = False,
) -> None:
    """Put the parts of a run together: the result is that of one run, to the last bit.

    Stores of different studies are refused, and so are stores that lack tasks. The command of the
    run without --shard then writes the report.

    For example:

    [bold]backstay merge genes-backstay/shard-*.db -o genes-backstay/study.db[/bold]
    """
    files = store_files(stores)
    if out.exists():
        raise WrongUse(f"--out {out} exists already; it was left as it is.")
    from backstay.results import Results
    from backstay.study import merge_stores

    path = merge_stores(files, out)
    for part in Results.load(path).facts.datasets.values():
        say(f"{path}: {part.n_done} of {counted(part.n_tasks, 'task')} on {part.name!r}.")
    say("Run the same command without --shard, with this file as study.db in its folder, to write")
    say(f"all results; backstay report {path} writes the report alone.")
