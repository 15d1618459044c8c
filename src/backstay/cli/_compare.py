"""``backstay compare`` and ``backstay report``: from stores of finished studies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backstay.cli._guard import Debug, WrongUse, guarded
from backstay.cli._outputs import show_methods
from backstay.cli._show import say, table

if TYPE_CHECKING:
    from backstay.results import Results


USUAL_SIZE = 50


def load(paths: list[Path]) -> Results:
    """Open stores, or folders that hold one."""
    files = [path / "study.db" if path.is_dir() else path for path in paths]
    for file in files:
        if not file.exists():  # answered before anything heavy is loaded
            raise WrongUse(f"there is no store {file}.")
    from backstay.results import Results

    results = Results.load(*files)
    if not results.datasets:
        raise WrongUse(f"{files[0]} holds no data set yet; run a study first.")
    return results


@guarded
def compare(
    stores: Annotated[
        list[Path], typer.Argument(metavar="STORE...", help="study.db files, or their folders.")
    ],
    size: Annotated[
        int | None, typer.Option(min=1, help="Number of features; averages over sizes if omitted.")
    ] = None,
    debug: Debug = False,
) -> None:
    """Compare methods over the data sets of one or several studies.

    For example:

    [bold]backstay compare colon-backstay/study.db leukemia-backstay/study.db[/bold]

    [bold]backstay compare colon-backstay prostate-backstay --size 20[/bold]
    """
    results = load(stores)
    parts = {name: results[name] for name in results.datasets}
    common = set.intersection(*(set(part.data.sizes) for part in parts.values()))
    if not common:
        raise WrongUse("the studies have no subset size in common.")
    if size is not None and size not in common:
        shown = ", ".join(map(str, sorted(common)))
        raise WrongUse(f"--size {size} is not in all studies; they share {shown}.")
    usual = max((s for s in common if s <= USUAL_SIZE), default=min(common))
    at = usual if size is None else size
    classifiers = all(part.data.classifiers for part in parts.values())
    for name, part in parts.items():
        say(name, "bold")
        show_methods(part, at, part.data.classifiers[0] if classifiers else None)
    _summary(results, size)
    _friedman(results, size, classifiers)


def _summary(results: Results, size: int | None) -> None:
    frame = results.summary(size=size).frame()
    if frame.empty:
        say("There is one method only, so nothing to compare.")
        return
    names = ["method", "against", "data sets"]
    kinds = [k for k in ("stability", "accuracy") if f"{k}_better" in frame]
    for kind in kinds:
        names += [kind, "difference"]
    rows = []
    for line in frame.to_dict("records"):
        row = [line["second"], line["first"], line["n_datasets"]]
        for kind in kinds:
            counts = (str(int(line[f"{kind}_{how}"])) for how in ("better", "equal", "worse"))
            row += [" / ".join(counts), f"{line[f'{kind}_difference']:+.3f}"]
        rows.append(row)
    where = "averages over sizes" if size is None else f"{size} features"
    table(names, rows, f"Better / equal / worse at 5 %, paired by split; {where}")


def _friedman(results: Results, size: int | None, classifiers: bool) -> None:
    if len(results.datasets) < 3:
        say("Friedman's test over data sets needs three of them or more.")
        return
    for quantity in ["stability"] + (["accuracy"] if classifiers else []):
        try:
            found = results.friedman(quantity, size=size)
        except ValueError as error:
            say(f"Friedman's test of {quantity} cannot be done: {error}")
            continue
        ranks = sorted(found.mean_ranks.items(), key=lambda pair: pair[1])
        table(
            ["method", "mean rank"],
            [[name, f"{rank:.2f}"] for name, rank in ranks],
            f"Friedman's test of {quantity}: p = {found.p_value:.3g}; mean ranks further apart "
            f"than {found.critical_difference:.2f} differ (Nemenyi, 5 %)",
        )


@guarded
def report(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="study.db file, or its folder.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="HTML file; report.html beside the store if omitted."),
    ] = None,
    debug: Debug = False,
) -> None:
    """Write the report of a finished, or still running, study again.

    For example:

    [bold]backstay report colon-backstay/study.db[/bold]

    [bold]backstay report colon-backstay -o colon.html[/bold]
    """
    folder = store if store.is_dir() else store.parent
    path = folder / "report.html" if out is None else out
    if path.is_dir():
        path = path / "report.html"
    if out is not None and not path.parent.is_dir():
        raise WrongUse(f"the folder {path.parent} does not exist.")
    results = load([store])
    from backstay.report import write_report

    say(f"Report: {write_report(results, path)}")
