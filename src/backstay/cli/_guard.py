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


# Neither function below loads anything: wrong use is answered before pandas, scikit-learn or numba
# are loaded.


def sentence(error: BaseException) -> str:
    """Return the message of an error on one line."""
    text = " ".join(str(error).split())
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror}."
    if isinstance(error, WrongUse | ValueError | FileNotFoundError | PermissionError | ImportError):
        return text
    if isinstance(error, _loaded("store.StoreError", "study.StudyError")):
        return text
    if isinstance(error, MemoryError):
        return f"there is too little memory for this ({text or 'none is left'})."
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def exit_code(error: BaseException) -> int:
    """Return 2 for what the user can put right in the command or the file, else 1."""
    if isinstance(error, WrongUse | FileNotFoundError | IsADirectoryError):
        return 2
    right = _loaded("datasets.TableError", "store.StoreError", "results.TooFewRunsError")
    return 2 if isinstance(error, right) else 1


def _loaded(*names: str) -> tuple[type[BaseException], ...]:
    """Return the classes of errors that can have been raised: those of modules that are loaded.

    Loading a module here would fail again, with a traceback, if that is what went wrong.
    """
    pairs = (name.split(".") for name in names)
    held = ((sys.modules.get(f"backstay.{module}"), kind) for module, kind in pairs)
    return tuple(getattr(module, kind) for module, kind in held if hasattr(module, kind))


def _show_warning(message: Any, category: Any, *where: Any, **more: Any) -> None:
    warn(" ".join(str(message).split()))


def close_quietly() -> None:
    """After a reader such as head has gone, keep Python from complaining on its way out."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
