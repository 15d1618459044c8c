"""Writing to the terminal, or to whatever stands in its place."""

from __future__ import annotations

import math
import re
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any
from unicodedata import category

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

# Where there is no terminal nothing wraps: a line may be cut by what reads it.
PIPED_WIDTH = 1000
UNDEFINED = "undefined"
# A cell of a table that takes more lines than this is read more easily as a paragraph.
MOST_BREAKS = 4


def printable(text: Any) -> str:
    """Replace what would move the cursor or colour the screen, as a file's names might."""
    return "".join(c if category(c)[0] != "C" or c == "\n" else "\ufffd" for c in str(text))


def _console(stream: Any) -> Console:
    terminal = stream.isatty()
    return Console(
        file=stream,
        width=None if terminal else PIPED_WIDTH,
        markup=False,
        highlight=False,
        emoji=False,
        soft_wrap=not terminal,
    )


def _write(thing: Any, stream: Any) -> None:
    """Write something without the blanks that fill up its lines."""
    console = _console(stream)
    with console.capture() as written:
        console.print(thing)
    lines = written.get().split("\n")
    stream.write("\n".join(line.rstrip() for line in lines))
    stream.flush()


def say(text: Any = "", style: str = "") -> None:
    """Write lines to standard output; in a terminal, no interval and no number with % is broken."""
    shown = printable(text)
    if sys.stdout.isatty():
        width = _console(sys.stdout).width
        shown = "\n".join(_wrap(line, width) for line in shown.split("\n"))
    _write(Text(shown, style=style), sys.stdout)


def warn(text: str) -> None:
    """Write a warning to standard error."""
    line = Text("Warning: ", style="yellow")
    _write(line.append(printable(text), style="default"), sys.stderr)


def complain(text: str, prefix: str = "backstay: ") -> None:
    """Write what went wrong to standard error."""
    line = Text(prefix, style="red").append(printable(text), style="default")
    _console(sys.stderr).print(line)


def listing(pairs: Iterable[tuple[str, Any]]) -> None:
    """Write names and values below each other."""
    grid = Table.grid(padding=(0, 2))
    for name, value in pairs:
        grid.add_row(Text(printable(name), style="bold"), Text(printable(value)))
    _write(grid, sys.stdout)


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]], title: str = "") -> None:
    """Write a table; columns of numbers are set to the right, and no word is broken.

    Where columns would be too narrow, the rows follow each other as paragraphs.
    """
    cells = [[printable(_cell(value)) for value in row] for row in rows]
    lines = [[printable(name) for name in columns], *cells]
    width = _console(sys.stdout).width
    room = width - 2 - 3 * (len(columns) - 1)
    widths = _widths(lines, room)
    wrapped = [[_wrap(text, w) for text, w in zip(line, widths, strict=True)] for line in lines]
    breaks = max(text.count("\n") for line in wrapped for text in line)
    if breaks > MOST_BREAKS or sum(widths) > room:
        say(title)
        for name, *rest in cells:
            say(name, "bold")
            said = (f"{head}: {t}" for head, t in zip(lines[0][1:], rest, strict=True) if t)
            say(textwrap.indent(_wrap("; ".join(said), width - 2), "  "))
        return
    shown = Table(
        box=box.SIMPLE_HEAD, title=printable(title) or None, title_justify="left", pad_edge=False
    )
    for head, column in zip(wrapped[0], zip(*cells, strict=True) if cells else lines, strict=False):
        shown.add_column(head, justify="right" if all(map(_numeric, column)) else "left")
    for line in wrapped[1:]:
        shown.add_row(*map(Text, line))
    _write(shown, sys.stdout)


def _widths(lines: Sequence[Sequence[str]], room: int) -> list[int]:
    """Return the width of every column; the widest give way until all fit, down to a word."""
    columns = [[_held(text) for text in column] for column in zip(*lines, strict=True)]
    least = [max(len(word) for text in column for word in text.split(" ")) for column in columns]
    widths = [max(map(len, column)) for column in columns]
    while sum(widths) > room:
        _, wide = max((width * (width > least[j]), j) for j, width in enumerate(widths))
        if widths[wide] == least[wide]:
            break
        widths[wide] -= 1
    return widths


def _wrap(text: str, width: int) -> str:
    return "\n".join(textwrap.wrap(_held(text), width, break_on_hyphens=False)).replace("\xa0", " ")


def _held(text: str) -> str:
    """Return a text in which an interval, or a number and its %, holds together."""
    return re.sub(r"\[[^\]]{0,20}\]|\d %", lambda found: found[0].replace(" ", "\xa0"), text)


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value + 0.0:.3g}"  # never "-0"
    return "" if value is None else str(value)


def _numeric(text: str) -> bool:
    return text == "" or text.lstrip("+-−").replace(".", "", 1).isdigit()


def fixed(value: float | None, digits: int = 2, sign: str = "") -> str:
    """Write a number with some decimals; never "-0.00". A difference may have a sign.

    >>> fixed(-0.001), fixed(0.256), fixed(0.256, sign="+"), fixed(float("nan"))
    ('0.00', '0.26', '+0.26', 'undefined')
    """
    if value is None or math.isnan(value):
        return UNDEFINED
    return f"{round(value, digits) + 0.0:{sign}.{digits}f}"


def figure(
    value: float | None, low: float | None, high: float | None, digits: int = 2, sign: str = ""
) -> str:
    """Write a number with its interval.

    >>> figure(0.756, 0.7, 0.81)
    '0.76 [0.70, 0.81]'
    >>> figure(float("nan"), 0, 1), figure(0.5, None, None)
    ('undefined', '0.50 [no interval]')
    """
    shown, ends = fixed(value, digits, sign), [fixed(low, digits), fixed(high, digits)]
    if shown == UNDEFINED:
        return shown
    return f"{shown} [{'no interval' if UNDEFINED in ends else ', '.join(ends)}]"
