"""Part of the build of the pages: tables that the code itself fills."""

import importlib
import json
import pkgutil
import re
from pathlib import Path
from typing import Any

OPTIONS = re.compile(r"^<!-- options: (\w+) -->$", flags=re.MULTILINE)
NAMES = "<!-- names -->"
PACKAGES = "<!-- packages -->"
NOTEBOOK = "<!-- notebook -->"
PACKAGE = re.compile(r"^::: backstay\.(\w+)\n(    options:\n)?", flags=re.MULTILINE)
# What people look for on the page of a package: it comes first.
FIRST = {
    "comparison": "compare_scores",
    "datasets": "read_table",
    "ensemble": "BaggedRanker",
    "feature_weighting": "ReliefF",
    "instance_weighting": "MarginWeighting",
    "redundancy": "ModuleRanker",
    "report": "Report",
    "results": "Results",
    "signature": "Signature",
    "stability": "stability_score",
    "study": "Study",
    "targets": "as_target",
    "wrappers": "SequentialSelector",
}
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
    """Fill in tables of options, names and packages, and the cells of the notebook."""
    if NOTEBOOK in markdown:
        markdown = markdown.replace(NOTEBOOK, notebook())
    markdown = PACKAGE.sub(in_order, markdown)
    if NAMES in markdown:
        markdown = markdown.replace(NAMES, names())
    if PACKAGES in markdown:
        markdown = markdown.replace(PACKAGES, packages())
    return OPTIONS.sub(lambda found: options(found[1]), markdown)


def in_order(found: re.Match[str]) -> str:
    """Name the members of a package for its page, first the one that people look for."""
    package = importlib.import_module(f"backstay.{found[1]}")
    exported = [name for name in package.__all__ if callable(getattr(package, name))]
    exported.sort(key=lambda name: (name != FIRST.get(found[1]), name.lower()))
    listed = ", ".join(exported)
    return f"::: backstay.{found[1]}\n    options:\n      members: [{listed}]\n"


def notebook() -> str:
    """Return the cells of the notebook, with what they show."""
    parts = []
    for cell in json.loads(Path(__file__).with_name("notebook.ipynb").read_text("utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(re.sub("^# .*\n+", "", source))  # the page has its own title
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            data = output.get("data", {"text/plain": output.get("text", "")})
            if "image/png" in data:
                parts.append(f"![What the cell draws](data:image/png;base64,{data['image/png']})")
            elif "text/html" in data:
                shown = "".join(data["text/html"]).replace("\n", " ")
                parts.append(f'<div class="shown">{shown}</div>')
            else:
                parts.append(f"```text\n{''.join(data['text/plain']).rstrip()}\n```")
    return "\n\n".join(parts)


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
