"""``backstay plan``: whether more rows would help."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from backstay._words import counted
from backstay.cli._guard import Debug, guarded
from backstay.cli._options import grouped, options_named
from backstay.cli._outputs import metric_title
from backstay.cli._plan_ahead import KnownTruth, PlanSource
from backstay.cli._read import split_at_commas
from backstay.cli._show import fixed, say, table
from backstay.cli._stores import load

if TYPE_CHECKING:
    from backstay.results import Plan


@guarded
@grouped
def plan(
    source: PlanSource,
    known: KnownTruth,
    method: Annotated[
        str | None,
        typer.Option(
            help="A method of the study, the recommended if omitted; without a study, methods "
            "separated by commas."
        ),
    ] = None,
    size: Annotated[int | None, typer.Option(min=1, help="Its number of features.")] = None,
    model: Annotated[str | None, typer.Option(help="A model of the study.")] = None,
    debug: Debug = False,
) -> None:
    """Tell whether more rows would help: the score, and what a second study would share.

    Both are measured on parts of the rows and followed to four times as many, with 95 % bands.
    The study must have been run with --planning, which backstay run does unless told otherwise.

    Without a study, --features simulates rows of a population that you assume. With a table,
    --planted makes outcomes from its own features, to see which method finds them.

    For example:

    [bold]backstay plan colon-backstay/study.db[/bold]

    [bold]backstay plan colon-backstay --method relieff --size 20[/bold]

    [bold]backstay plan --features 10000 --true 50 --effect 0.8 --correlation 0.5[/bold]

    [bold]backstay plan table.csv -t class --planted --true 20[/bold]
    """
    if known.wanted(source, model):
        known.show(source, split_at_commas([method] if method else None), size)
        return
    results = load([source.data])
    for name in results.datasets:
        with options_named():
            found = results[name].plan(method, size, model)
        show_plan(name, found)


def show_plan(name: str, found: Plan) -> None:
    """Write a plan: score and replication by number of rows, and how many rows are needed."""
    from backstay.report import needed_words

    score = "score" if found.metric is None else metric_title(found.metric)
    named = {"score": score, "replication": "overlap of two studies"}
    frame = found.frame()
    shown = {key: text for key, text in named.items() if frame[key].notna().any()}
    noun = "groups" if found.grouped else "rows"
    columns = [noun, *(c for text in shown.values() for c in (text, "95 % band")), "measured"]
    lines = []
    for row in frame.to_dict("records"):
        line = [str(round(row["rows"]))]
        for key in shown:
            ends = (fixed(row[f"{key}_low"]), fixed(row[f"{key}_high"]))
            line += [fixed(row[key]), " to ".join(ends)]
        lines.append([*line, "yes" if row["measured"] else "no"])
    of = [found.method, counted(found.size, "feature"), *([found.model] if found.model else [])]
    table(columns, lines, f"{name}: what {noun} to train on give ({', '.join(of)})")
    for sentence in needed_words(found):
        say(sentence)
