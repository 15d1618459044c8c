"""The command line: thin, from arguments to a study to a report.

`main` is the command ``backstay``. Exit codes: 0; 1 for a failure; 2 for wrong use, a bad
file included; 130 when stopped by Ctrl-C, 143 by SIGTERM.
"""

from __future__ import annotations

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
    try:
        from backstay.cli._app import run
    except ModuleNotFoundError as error:
        if error.name not in EXTRA:
            raise
        print(  # noqa: T201 - rich is what is missing
            f"backstay: the command line needs {error.name}; install it with "
            'pip install "backstay[app]".',
            file=sys.stderr,
        )
        sys.exit(1)
    sys.exit(run(sys.argv[1:] if arguments is None else list(arguments)))
