"""What --help shows of an option: a word for its value, and nothing for a switch."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

# Words for values, by what the names of their types hold in all versions of typer.
WORDS = {"int": "N", "float": "NUMBER", "path": "PATH", "file": "PATH"}


class PlainCommand(TyperCommand):
    """A command whose help has no names of Python's types."""

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters, described in words."""
        return _in_words(super().get_params(ctx))


class PlainGroup(TyperGroup):
    """The same of the commands together."""

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters, described in words."""
        return _in_words(super().get_params(ctx))


def _in_words(parameters: list[Any]) -> list[Any]:
    for one in parameters:
        if one.param_type_name == "argument":
            # Its name is its word already. Older versions of typer do not ask for this.
            one.display_type_rich = lambda ctx: None
        elif one.metavar is None:
            switch = getattr(one, "is_flag", False) or "--help" in one.opts
            one.metavar = "" if switch else _word(one)
    return parameters


def _word(option: Any) -> str:
    kind = option.bare_type() if hasattr(option, "bare_type") else option.type.name
    found = (word for part, word in WORDS.items() if part in kind.lower())
    return next(found, "TEXT")
