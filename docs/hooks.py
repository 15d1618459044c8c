"""Part of the build of the pages: tables of options, from the commands themselves."""

import re
from pathlib import Path
from typing import Any

MARK = re.compile(r"^<!-- options: (\w+) -->$", flags=re.MULTILINE)


def on_page_markdown(markdown: str, **kwargs: Any) -> str:
    """Replace ``<!-- options: run -->`` by the options of ``backstay run``."""
    return MARK.sub(lambda found: options(found[1]), markdown)


def options(command: str) -> str:
    """Return the options of a command as a table."""
    from typer.main import get_command

    from backstay.cli._app import app

    rows = ["| option | what it does |", "|---|---|"]
    for parameter in get_command(app).commands[command].params:  # type: ignore[attr-defined]
        text = getattr(parameter, "help", None)
        if parameter.param_type_name != "option" or not text or parameter.name == "help":
            continue
        names = ", ".join(f"`{name}`" for name in parameter.opts)
        default = parameter.default
        if isinstance(default, str | int | float | Path) and not isinstance(default, bool):
            text = f"{text} Default: `{default}`."
        rows.append(f"| {names} | {text} |".replace("\n", " "))
    return "\n".join(rows)
