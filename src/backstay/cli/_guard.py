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

from backstay.cli._show import complain, warn
from backstay.cli._stops import STOPPED, exit_code_of, raise_interrupt, stops_raised

given: ContextVar[Sequence[str] | None] = ContextVar("given", default=None)

Debug = Annotated[
    bool, typer.Option("--debug", help="Show where in the program an error comes from.")
]


class WrongUse(Exception):
    """The command cannot be carried out as typed; the message says what would work."""


def command_line() -> str:
    """Return the command as it was typed, so that it can be repeated."""
    arguments = given.get()
    return shlex.join(["backstay", *(sys.argv[1:] if arguments is None else arguments)])


def guarded(command: Callable[..., None]) -> Callable[..., None]:
    """Turn errors into a sentence and an exit code; with ``--debug``, let them through."""

    @functools.wraps(command)
    def wrapper(*args: Any, **kwargs: Any) -> None:
        debug = bool(kwargs.get("debug"))
        with stops_raised(raise_interrupt), warnings.catch_warnings():
            if not debug:
                warnings.showwarning = _show_warning
            try:
                command(*args, **kwargs)
            except KeyboardInterrupt as stop:
                if debug:
                    raise
                for note in getattr(stop, "__notes__", [STOPPED]):
                    complain(note, "")
                raise typer.Exit(exit_code_of(stop)) from stop
            except (typer.Exit, typer.Abort, BrokenPipeError):
                raise
            except Exception as error:
                if debug or hasattr(error, "format_message"):  # typer words its own errors
                    raise
                complain(sentence(error))
                raise typer.Exit(exit_code(error)) from error

    return wrapper


# Both functions below look at light classes first: wrong use is answered before pandas,
# scikit-learn or numba are loaded. Other errors arise when they are loaded already.


def sentence(error: BaseException) -> str:
    """Return the message of an error on one line."""
    text = " ".join(str(error).split())
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror}."
    if isinstance(error, WrongUse | ValueError | FileNotFoundError | PermissionError | ImportError):
        return text
    from backstay.store import StoreError
    from backstay.study import StudyError

    if isinstance(error, StoreError | StudyError):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def exit_code(error: BaseException) -> int:
    """Return 2 for what the user can put right in the command or the file, else 1."""
    if isinstance(error, WrongUse | FileNotFoundError | IsADirectoryError):
        return 2
    from backstay.datasets import TableError
    from backstay.results import TooFewRunsError
    from backstay.store import StoreError

    return 2 if isinstance(error, TableError | StoreError | TooFewRunsError) else 1


def _show_warning(message: Any, category: Any, *where: Any, **more: Any) -> None:
    warn(" ".join(str(message).split()))


def close_quietly() -> None:
    """After a reader such as head has gone, keep Python from complaining on its way out."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
