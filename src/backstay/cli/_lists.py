"""``backstay methods`` and ``backstay measures``: lists of the methods and of the measures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from backstay._files import as_json
from backstay.cli._guard import Debug, guarded
from backstay.cli._show import say, table

if TYPE_CHECKING:
    import pandas as pd


# Headings of columns in a terminal, where they differ from the names.
HEADINGS = {
    "max_features": "most features",
    "outcomes": "takes",
    "input": "of",
    "chance_corrected": "random is 0",
    "higher_is_stabler": "higher is stabler",
    "reference": "source",
}
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON instead of a table.")]


def _list(frame: pd.DataFrame, columns: list[str], json_: bool) -> None:
    """Write some columns of a frame, named by their headings, or all of them as JSON."""
    if json_:
        say(as_json(frame.to_dict("records")))
    else:
        shown = frame.rename(columns=HEADINGS)[columns].astype(object)
        table(columns, shown.to_numpy().tolist())


@guarded
def methods(json_: AsJson = False, debug: Debug = False) -> None:
    """List the methods that [bold]run[/bold] knows by name.

    For example:

    [bold]backstay methods[/bold]
    """
    from backstay.study import list_methods

    columns = ["name", "group", "default", "what", "most features", "takes", "source"]
    _list(list_methods(), columns, json_)
    if not json_:
        say("A study adds the control of every instance-weighted method automatically.")


@guarded
def measures(json_: AsJson = False, debug: Debug = False) -> None:
    """List the measures of stability.

    For example:

    [bold]backstay measures[/bold]
    """
    from backstay.stability import list_measures

    columns = ["name", "of", "definition", "random is 0", "higher is stabler", "note", "source"]
    _list(list_measures(), columns, json_)
