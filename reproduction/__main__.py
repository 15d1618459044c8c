"""Run published experiments again: published and measured figures side by side.

python -m reproduction                                what there is
python -m reproduction NAME … [--quick]               run some
python -m reproduction --all --data FOLDER --jobs 2   run all
python -m reproduction --out FOLDER --page FILE       write the page of what was run
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from backstay.datasets import TableError
from reproduction import MissingDataError, list_experiments, reproduce, write_page

__all__ = ["main"]

# Not "reproduction": in a clone that is the package.
OUT = Path("reproduced")


class WrongUse(Exception):
    """The command line cannot be followed; the message says what would be right."""


class _Parser(argparse.ArgumentParser):
    """One sentence for every error, without the usage in front of it."""

    def error(self, message: str) -> NoReturn:
        raise WrongUse(f"{message}; --help shows the options.")


def _at_least(least: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(
                f"must be a whole number of at least {least}; got {text!r}"
            )
        return int(text)

    return number


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m reproduction",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("names", nargs="*", metavar="NAME", help="experiments; without any, all are listed")
    add("--all", action="store_true", help="run all experiments")
    add("--data", type=Path, metavar="FOLDER", help="NPZ files, for experiments on real data")
    add(
        "--repeats",
        type=_at_least(2),
        metavar="N",
        help="repetitions; each experiment has its own default",
    )
    add("--jobs", type=_at_least(1), default=1, metavar="N", help="tasks at the same time")
    add(
        "--out",
        type=Path,
        default=OUT,
        metavar="FOLDER",
        help=f"where tables and figures go; {OUT} unless given",
    )
    add("--quick", action="store_true", help="few repetitions, only to see that it runs")
    add("--page", type=Path, metavar="FILE", help="Markdown page of everything in the folder --out")
    add("--seed", type=_at_least(0), default=0, metavar="N", help="seed of everything; 0")
    return parser


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _list() -> None:
    for one in list_experiments().to_dict("records"):
        _say(f"{one['name']:14s}{one['title']}; {one['source']}")
        if one["needs"]:
            _say(f"{'':14s}--data: {one['needs']}")
    _say("Run some by their names, or --all.")


def _run(options: argparse.Namespace) -> None:
    known = list_experiments()["name"].tolist()
    unknown = [name for name in options.names if name not in known]
    if unknown:
        raise WrongUse(
            f"{unknown[0]!r} must be the name of an experiment; python -m reproduction lists them."
        )
    if options.data is not None and not options.data.is_dir():
        raise WrongUse(f"--data must be a folder; got {str(options.data)!r}.")
    for name in known if options.all else options.names:
        try:
            result = reproduce(
                name,
                out=options.out,
                data=options.data,
                repeats=options.repeats,
                n_jobs=options.jobs,
                quick=options.quick,
                seed=options.seed,
            )
        except MissingDataError as error:
            if not options.all:
                raise
            _say(f"{name} was left out: {error}")
            continue
        _say(f"{name}: {result.finding}")
        _say(f"  {options.out / name}.csv, .svg and .json")


def _write_page(options: argparse.Namespace) -> None:
    try:
        _say(f"Page: {write_page(options.out, options.page)}")
    except ValueError as error:
        raise WrongUse(str(error)) from error


def main(arguments: Sequence[str] | None = None) -> int:
    """Follow the command line; return 0, 2 for wrong use, or 130 when stopped by Ctrl-C."""
    try:
        options = _parser().parse_args(arguments)
        if options.names == ["list"] or not (options.names or options.all or options.page):
            _list()
            return 0
        _run(options)
        if options.page is not None:
            _write_page(options)
    except (WrongUse, MissingDataError, TableError, OSError) as error:
        sys.stderr.write(f"reproduction: {error}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("Stopped; the same command goes on from here.\n")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
