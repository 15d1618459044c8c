"""Errors as one sentence, and the exit codes."""

from __future__ import annotations

import functools
import shlex
import sys
import warnings
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Annotated, Any

import typer

from backstay.cli._show import complain, warn
from backstay.cli._stops import STOPPED, exit_code_of

given: ContextVar[Sequence[str] | None] = ContextVar("given", default=None)

Debug = Annotated[bool, typer.Option("--debug", help="Show where in the code an error comes from.")]


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
        with warnings.catch_warnings():
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


def sentence(error: BaseException) -> str:
    """Return the message of an error on one line."""
    text = " ".join(str(error).split())
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror}."
    if isinstance(error, WrongUse | ValueError | FileNotFoundError | PermissionError | ImportError):
        return text
    if _is_a(error, "StoreError", "StudyError"):
        return text
    if isinstance(error, MemoryError):
        return f"there is too little memory for this ({text or 'none is left'})."
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def exit_code(error: BaseException) -> int:
    """Return 2 for what the user can put right in the command or the file, else 1."""
    wrong_use = isinstance(error, WrongUse | FileNotFoundError | IsADirectoryError)
    return 2 if wrong_use or _is_a(error, "TableError", "StoreError", "TooFewRunsError") else 1


def _is_a(error: BaseException, *names: str) -> bool:
    """Return whether an error is of backstay's own; by name, because loading one may fail again."""
    return any(kind.__name__ in names for kind in type(error).__mro__)


def _show_warning(message: Any, category: Any, *where: Any, **more: Any) -> None:
    warn(" ".join(str(message).split()))
