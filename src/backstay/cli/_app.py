"""The application: its commands, in the order of the help."""

from __future__ import annotations

import contextlib
import inspect
import os
import re
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from backstay import __version__
from backstay.cli._compare import compare
from backstay.cli._demo import demo
from backstay.cli._freeze import freeze
from backstay.cli._guard import given
from backstay.cli._lists import measures, methods
from backstay.cli._plan import plan
from backstay.cli._predict import predict
from backstay.cli._run import run as run_study
from backstay.cli._show import complain, say
from backstay.cli._stability import stability
from backstay.cli._stores import check, merge, report, strip
from backstay.cli._validate import validate
from backstay.cli._warm_up import warm_up

# Words for the values of options in --help, by what the names of their types hold in all versions
# of typer.
WORDS = {"int": "N", "float": "NUMBER", "path": "PATH", "file": "PATH"}


def _in_words(parameters: list[Any]) -> list[Any]:
    """Describe values in words, not by Python's types; a switch has none."""
    for one in parameters:
        if one.param_type_name == "argument":
            # Its name is its word already. Older versions of typer do not ask for this.
            one.display_type_rich = lambda ctx: None
        elif getattr(one, "is_flag", False) or "--help" in one.opts:
            one.metavar = one.metavar or ""
        elif one.metavar is None:
            kind = one.bare_type() if hasattr(one, "bare_type") else one.type.name
            words = (word for part, word in WORDS.items() if part in kind.lower())
            one.metavar = next(words, "TEXT")
    return parameters


class _PlainCommand(TyperCommand):
    def get_params(self, ctx: Any) -> Any:
        return _in_words(super().get_params(ctx))


class _PlainGroup(TyperGroup):
    def get_params(self, ctx: Any) -> Any:
        return _in_words(super().get_params(ctx))


app = typer.Typer(
    cls=_PlainGroup,
    name="backstay",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    help=(
        "Which features can I trust, how sure are we, and what does it cost in accuracy?\n\n"
        "Begin with [bold]backstay demo[/bold], or with your own table:\n\n"
        "[bold]backstay run table.csv --target class[/bold]"
    ),
)


def _version(wanted: bool) -> None:
    if wanted:
        say(f"backstay {__version__}")
        raise typer.Exit


@app.callback()
def _everywhere(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


_of_studies = (run_study, demo, compare, plan, report, check, strip, merge)
_taken_home = (freeze, predict, validate)
for _command in (*_of_studies, *_taken_home, stability, methods, measures, warm_up):
    # A paragraph flows, whatever the width; typer would keep the ends of the source's lines.
    _told = re.sub(r"(?<!\n)\n(?!\n)", " ", inspect.cleandoc(_command.__doc__ or ""))
    app.command(cls=_PlainCommand, help=_told)(_command)


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError):  # a stream of a test
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    token = given.set(list(arguments))
    try:
        code = app(list(arguments), prog_name="backstay", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        # A reader such as head has gone; Python would complain on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except typer.Abort:
        return 130
    except Exception as error:
        # Wrong arguments: typer's own errors, by what all its versions share.
        if not hasattr(error, "format_message"):
            raise
        text = " ".join(error.format_message().split())
        path = getattr(getattr(error, "ctx", None), "command_path", "backstay")
        if text:
            complain(f"{text.rstrip('.')}. {path} --help shows how to use it.")
        return int(getattr(error, "exit_code", 2))
    finally:
        given.reset(token)
    return int(code or 0)
