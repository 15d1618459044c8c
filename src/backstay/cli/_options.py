"""Options in groups, and which option stands for which parameter of the library."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import field, fields, is_dataclass
from functools import partial
from typing import Annotated, Any, get_type_hints

import typer

from backstay.cli._guard import WrongUse

# Parameters of the library whose option has another name.
ALIASES = {
    "ids": "id",
    "categories": "category",
    "exclude_classes": "exclude_class",
    "mapping": "map",
    "trusted": "trust",
}


def option(panel: str | None, text: str, *names: str, default: Any = None, **more: Any) -> Any:
    """Return a field of a dataclass that is an option of a command, see :func:`grouped`."""
    option = typer.Option(*names, help=text, rich_help_panel=panel, **more)
    return field(default=default, metadata={"typer": option})


of_table, of_study, of_output, of_signature = (
    partial(option, panel) for panel in ("The table", "The study", "Output", None)
)


def option_of(parameter: str) -> str:
    """Return the option that stands for a parameter.

    >>> option_of("ids"), option_of("max_size")
    ('--id', '--max-size')
    """
    return f"--{ALIASES.get(parameter, parameter)}".replace("_", "-")


@contextmanager
def options_named(known: Collection[str] | None = None) -> Iterator[None]:
    """Add to an error the options for the parameters that it is about, if they are known here."""
    try:
        yield
    except ValueError as error:
        text, options = str(error), []
        for name in getattr(error, "parameter", ()):
            option = option_of(name)
            if known is not None and option not in known:
                continue
            said = re.sub(rf"\b{name}=(?:True\b|(\w+))", rf"{option} \1", text)
            options += [option] if said == text else []
            text = " ".join(said.split())
        hint = f" The option is {options[0]}." if options else ""
        if len(options) > 1:
            hint = f" The options are {', '.join(options[:-1])} and {options[-1]}."
        raise WrongUse(f"{text}{hint}") from error


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take dataclasses, the fields of which are arguments and options."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    shown: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if name in groups:
            shown += _parameters(groups[name])
        else:
            shown.append(parameter.replace(annotation=hints[name]))

    @functools.wraps(command)
    def wrapper(**given: Any) -> None:
        made = {
            name: kind(**{one.name: given.pop(one.name) for one in fields(kind)})
            for name, kind in groups.items()
        }
        command(**given, **made)

    # Options may stand in any order; arguments come first.
    shown.sort(key=lambda parameter: parameter.default is not inspect.Parameter.empty)
    vars(wrapper)["__signature__"] = inspect.Signature(shown)
    wrapper.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    return wrapper


def _parameters(kind: Any) -> list[inspect.Parameter]:
    """Return the fields of a dataclass as typer wants parameters."""
    hints, known = get_type_hints(kind), inspect.signature(kind).parameters
    return [
        known[one.name].replace(annotation=Annotated[hints[one.name], one.metadata["typer"]])
        for one in fields(kind)
    ]
