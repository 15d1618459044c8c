"""Part of the build of the pages: tables that the code itself fills."""

import importlib
import pkgutil
import re
from pathlib import Path
from typing import Any

OPTIONS = re.compile(r"^<!-- options: (\w+) -->$", flags=re.MULTILINE)
NAMES = "<!-- names -->"
PACKAGES = "<!-- packages -->"
# Pages written by a run. The site does without them where nobody has run it.
WRITTEN = {
    "Reproduction": (
        "reproduction.md",
        "reproduction/han.md",
        "reproduction/prat-relief.md",
        "reproduction/prat-wrappers.md",
        "reproduction/prat-weights.md",
    ),
    "Performance": ("performance.md",),
}


def on_config(config: Any) -> Any:
    """Put the pages that are there into the navigation, before the API."""
    found = {
        title: [name for name in names if Path(config.docs_dir, name).is_file()]
        for title, names in WRITTEN.items()
    }
    there = [
        {title: names if len(names) > 1 else names[0]} for title, names in found.items() if names
    ]
    place = next(i for i, entry in enumerate(config.nav) if "API" in entry)
    config.nav[place:place] = there
    return config


def on_page_markdown(markdown: str, **kwargs: Any) -> str:
    """Replace ``<!-- options: run -->``, ``<!-- names -->`` and ``<!-- packages -->`` by tables."""
    if NAMES in markdown:
        markdown = markdown.replace(NAMES, names())
    if PACKAGES in markdown:
        markdown = markdown.replace(PACKAGES, packages())
    return OPTIONS.sub(lambda found: options(found[1]), markdown)


def names() -> str:
    """Return all names of the package itself, each with its first sentence, as a table."""
    import backstay

    rows = ["| name | |", "|---|---|"]
    for name in backstay.__all__:
        found = getattr(backstay, name)
        if name.startswith("_"):
            continue
        home = ".".join(found.__module__.split(".")[:2])
        first = found.__doc__.splitlines()[0]
        home = "backstay" if home == "backstay.base" else home
        rows.append(f"| [`{name}`][{home}.{name}] | {first.replace('|', chr(92) + '|')} |")
    return "\n".join(rows)


def packages() -> str:
    """Return every package with what it exports, as a table."""
    import backstay

    rows = ["| package | public names |", "|---|---|"]
    for _, name, _ in pkgutil.iter_modules(backstay.__path__):
        page = Path(__file__).parent / "api" / f"{name}.md"
        if page.is_file():
            exported = importlib.import_module(f"backstay.{name}").__all__
            listed = ", ".join(f"`{public}`" for public in exported)
            rows.append(f"| [`backstay.{name}`]({page.name}) | {listed} |")
    return "\n".join(rows)


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
