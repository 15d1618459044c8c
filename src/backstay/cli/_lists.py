"""``backstay methods`` and ``backstay measures``: the methods and the measures there are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from backstay.cli._guard import Debug, guarded
from backstay.cli._show import say, table

if TYPE_CHECKING:
    import pandas as pd


AsJson = Annotated[bool, typer.Option("--json", help="Write JSON instead of a table.")]


def as_json(value: Any) -> str:
    """Write JSON that every program can read: NaN and infinity are refused."""
    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False)


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a frame, ready for JSON."""
    rows: list[dict[str, Any]] = json.loads(frame.to_json(orient="records"))
    return rows


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("methods")(methods)
    app.command("measures")(measures)


@guarded
def methods(json_: AsJson = False, debug: Debug = False) -> None:
    """List the methods that [bold]run[/bold] knows by name.

    For example:

    [bold]backstay methods[/bold]

    [bold]backstay methods --json[/bold]
    """
    from backstay.study import list_methods

    frame = list_methods()
    if json_:
        say(as_json(records(frame)))
        return
    names = ["name", "group", "default", "what", "most features", "source"]
    rows = [
        [r.name, r.group, bool(r.default), r.what, r.max_features, r.source]
        for r in frame.itertuples(index=False)
    ]
    table(names, rows)
    say("A study adds the control of every instance-weighted method by itself.")


@guarded
def measures(json_: AsJson = False, debug: Debug = False) -> None:
    """List the measures of stability.

    For example:

    [bold]backstay measures[/bold]

    [bold]backstay measures --json[/bold]
    """
    from backstay.stability import list_measures

    frame = list_measures()
    if json_:
        say(as_json(records(frame.replace({float("inf"): None, float("-inf"): None}))))
        return
    names = ["name", "of", "definition", "random is 0", "higher is stabler", "note", "source"]
    rows = [
        [
            r.name, r.input, r.definition, bool(r.chance_corrected), bool(r.higher_is_stabler),
            r.note, r.reference,
        ]
        for r in frame.itertuples(index=False)
    ]  # fmt: skip
    table(names, rows)
