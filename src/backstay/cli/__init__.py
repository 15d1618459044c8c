"""The command line: thin, from arguments to a study to a report.

`main` is the command ``backstay``. Exit codes: 0; 1 for a failure; 2 for wrong use, a bad
file included; 130 when stopped by Ctrl-C, 143 by SIGTERM.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence

__all__ = ["main"]

EXTRA = ("typer", "rich", "jinja2", "matplotlib")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and leave with its exit code.

    Parameters
    ----------
    arguments : sequence of str, default=None
        What follows ``backstay``; None takes the process's own.
    """
    from backstay.cli import _stops

    # While modules are loaded and kernels compiled there are many objects and hardly any garbage.
    if arguments is None:
        gc.set_threshold(50_000)
    try:
        with _stops.stops_raised(whole_process=arguments is None):
            code = _carry_out(sys.argv[1:] if arguments is None else list(arguments))
    except KeyboardInterrupt as stop:
        _complain(_stops.STOPPED)
        code = _stops.exit_code_of(stop)
    if arguments is None:
        _stops.leave(code)
    sys.exit(code)  # within another program, which handles signals as it likes


def _carry_out(arguments: list[str]) -> int:
    try:
        from backstay.cli._app import run
    except ModuleNotFoundError as error:
        if error.name not in EXTRA:
            raise
        _complain(
            f"backstay: the command line needs {error.name}; install it with "
            'pip install "backstay[app]".'
        )
        return 1
    return run(arguments)


def _complain(text: str) -> None:
    print(text, file=sys.stderr)  # noqa: T201 - rich is missing, or not loaded yet
