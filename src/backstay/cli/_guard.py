"""Errors as one sentence, and the exit codes."""

from __future__ import annotations

import functools
import os
import shlex
import sys
import warnings
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Annotated, Any

import typer

from backstay.cli._show import complain, say, warn
from backstay.datasets import TableError
from backstay.results import StoreError
from backstay.study import StudyError

__all__ = ["Debug", "WrongUse", "command_line", "given", "guarded"]

given: ContextVar[Sequence[str] | None] = ContextVar("given", default=None)

Debug = Annotated[
    bool, typer.Option("--debug", help="Show where in the program an error comes from.")
]


class WrongUse(Exception):
    """What was asked for cannot be done; the message says what can."""


def command_line() -> str:
    """Return the command as it was typed, to be repeated."""
    arguments = given.get()
    return shlex.join(["backstay", *(sys.argv[1:] if arguments is None else arguments)])


def guarded(command: Callable[..., None]) -> Callable[..., None]:
    """Turn what goes wrong into a sentence and an exit code; ``--debug`` shows everything."""

    @functools.wraps(command)
    def wrapper(*args: Any, **kwargs: Any) -> None:
        debug = bool(kwargs.get("debug"))
        with warnings.catch_warnings():
            if not debug:
                warnings.showwarning = _as_sentence
            try:
                command(*args, **kwargs)
            except KeyboardInterrupt as stop:
                if debug:
                    raise
                for note in getattr(stop, "__notes__", ["Stopped."]):
                    complain(note, "")
                raise typer.Exit(130) from stop
            except (typer.Exit, typer.Abort, BrokenPipeError):
                raise
            except Exception as error:
                if debug or hasattr(error, "format_message"):  # typer's own have their own
                    raise
                complain(sentence(error))
                raise typer.Exit(exit_code(error)) from error

    return wrapper


def sentence(error: BaseException) -> str:
    """Return what an error says, on one line."""
    text = " ".join(str(error).split())
    if isinstance(error, WrongUse | TableError | StoreError | StudyError | ValueError):
        return text
    if isinstance(error, FileNotFoundError | PermissionError | ImportError):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def exit_code(error: BaseException) -> int:
    """Return 2 for what the user can put right in the command or the file, else 1."""
    if isinstance(error, WrongUse | TableError | StoreError):
        return 2
    return 2 if isinstance(error, FileNotFoundError | IsADirectoryError) else 1


def _as_sentence(message: Any, category: Any, *where: Any, **more: Any) -> None:
    warn(" ".join(str(message).split()))


def close_quietly() -> None:
    """After a reader such as head has gone, keep Python from complaining on its way out."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


__all__ += ["close_quietly", "exit_code", "say", "sentence"]
