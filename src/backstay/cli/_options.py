"""Options in groups, and which option stands for which parameter of the library."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any, get_type_hints

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


def _option(panel: str, text: str, *names: str, **more: Any) -> Any:
    return typer.Option(*names, help=text, rich_help_panel=panel, **more)


of_table, of_study, of_output = (
    partial(_option, panel) for panel in ("The table", "The study", "Output")
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
        options = [option_of(name) for name in getattr(error, "parameter", ())]
        options = [option for option in options if known is None or option in known]
        hint = f" The option is {options[0]}." if options else ""
        if len(options) > 1:
            hint = f" The options are {', '.join(options[:-1])} and {options[-1]}."
        raise WrongUse(f"{error}{hint}") from error


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take dataclasses, the fields of which are options with ``Annotated`` types."""
    parameters = _parameters(command)
    groups: dict[str, Any] = {
        one.name: one.annotation for one in parameters if is_dataclass(one.annotation)
    }
    shown = [
        option
        for one in parameters
        for option in (_parameters(one.annotation) if one.name in groups else [one])
    ]

    @functools.wraps(command)
    def wrapper(**given: Any) -> None:
        made = {
            name: kind(**{field.name: given.pop(field.name) for field in fields(kind)})
            for name, kind in groups.items()
        }
        command(**given, **made)

    # Options may stand in any order; arguments come first.
    shown.sort(key=lambda parameter: parameter.default is not inspect.Parameter.empty)
    vars(wrapper)["__signature__"] = inspect.Signature(shown)
    wrapper.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    return wrapper


def _parameters(owner: Callable[..., Any]) -> list[inspect.Parameter]:
    """Return what a command or a dataclass takes, with types in the place of their names."""
    hints = get_type_hints(owner, include_extras=True)
    given = inspect.signature(owner).parameters.values()
    return [parameter.replace(annotation=hints[parameter.name]) for parameter in given]
