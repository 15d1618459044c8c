"""Tables as text: delimiter, encoding, and lines that are cut short."""

from __future__ import annotations

import csv
import gzip
import io
import warnings
import zlib
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

import pandas as pd

from backstay.datasets._labelled import TableError, listed

DELIMITERS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars", " ": "blanks"}
# Beside pandas' own: empty, NA, NaN, N/A, null, None and their kin.
MISSING = ("?",)
MAGIC = {
    b"PK\x03\x04": "a zip or Excel file; save the sheet as CSV",
    b"\xd0\xcf\x11\xe0": "an old Excel file; save the sheet as CSV",
    b"\x1f\x8b": "compressed; give it a name that ends in .gz",
    b"SQLite format 3": "a database; a study's store is read by the command report",
    b"PAR1": "a Parquet file; give it a name that ends in .parquet",
}


def check_file(path: Path) -> None:
    """Refuse what is not a file."""
    if path.is_dir():
        raise TableError(f"{path} is a folder; name a file in it.")
    if not path.exists():
        raise TableError(f"there is no file {path}.")


@contextmanager
def explained(path: Path, encoding: str) -> Iterator[None]:
    """Turn errors of decoding and decompressing into a sentence."""
    try:
        yield
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise TableError(
            f"{path.name} is not {encoding} text (byte 0x{byte:02x}); save it as UTF-8 or name its "
            "encoding, for example latin-1 for files of older Windows programs."
        ) from error
    except UnicodeError as error:
        raise TableError(f"{path.name} is not {encoding} text ({error}).") from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise TableError(f"{path.name} is not a whole gzip file ({error}).") from error
    except csv.Error as error:
        raise TableError(f"{path.name} is not a table of text ({error}).") from error
    except LookupError as error:
        raise TableError(f"encoding={encoding!r} is unknown; try utf-8 or latin-1.") from error


def open_text(path: Path, encoding: str) -> TextIO:
    """Open a text file, compressed or not."""
    # utf-8-sig also takes UTF-8 without the mark that Excel puts first.
    encoding = "utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding
    if path.suffix.lower() == ".gz":
        return gzip.open(path, "rt", encoding=encoding, newline="")
    return path.open(encoding=encoding, newline="")


def _check_bytes(path: Path, encoding: str) -> None:
    opened = gzip.open if path.suffix.lower() == ".gz" else open
    with opened(path, "rb") as file:
        start = file.read(4096)
    for magic, what in MAGIC.items():
        if start.startswith(magic):
            raise TableError(f"{path.name} is {what}.")
    wide = encoding.lower().replace("_", "-").startswith(("utf-16", "utf-32"))
    if start[:2] in (b"\xff\xfe", b"\xfe\xff") and not wide:
        raise TableError(f"{path.name} is UTF-16 text; save it as UTF-8 or name the encoding.")
    if b"\0" in start and not wide:
        raise TableError(f"{path.name} is not text; give a CSV or TSV file.")


def choose_delimiter(lines: Sequence[str], name: str) -> str:
    """Return the delimiter that cuts the lines into equally many fields, as many as possible.

    >>> choose_delimiter(["a;b;c", "1,5;2,5;x"], "table.csv")
    ';'
    """
    best, fields = "", 1
    for delimiter in DELIMITERS:
        counts = _field_counts(lines, delimiter)
        if not counts or (delimiter == " " and best):  # names may hold blanks
            continue
        # R writes one name fewer than there are columns when rows have names.
        same = len(set(counts[1:])) <= 1 and (len(counts) < 2 or counts[1] - counts[0] in (0, 1))
        if same and max(counts) > fields:
            best, fields = delimiter, max(counts)
    if best:
        return best
    # No delimiter fits; with the likeliest one the error says most about the lines.
    likely = max(",\t;|", key=lambda d: max(_field_counts(lines, d), default=0))
    if max(_field_counts(lines, likely), default=1) == 1:
        raise TableError(
            f"{name} has one column only, whatever the delimiter; name the delimiter, or check "
            "that it is a table."
        )
    return likely


def _field_counts(lines: Sequence[str], delimiter: str) -> list[int]:
    """Return the number of fields in every line; none if a field is too large for csv."""
    try:
        return [len(row) for row in csv.reader(lines, delimiter=delimiter)]
    except csv.Error:
        return []


def nonempty_lines(path: Path, encoding: str, n_lines: int | None = None) -> list[str]:
    """Return the first lines that hold anything, or all of them."""
    with open_text(path, encoding) as file:
        lines = list(islice((line.rstrip("\r\n") for line in file if line.strip()), n_lines))
    if not lines:
        raise TableError(f"{path.name} is empty.")
    return lines


def _rows(path: Path, encoding: str, delimiter: str) -> Generator[list[str], None, None]:
    """Yield the fields of every line that holds anything, refusing lines cut short."""
    width = 0
    with open_text(path, encoding) as file:
        reader = csv.reader(file, delimiter=delimiter)
        for number, row in enumerate(row for row in reader if any(field.strip() for field in row)):
            if number == 1:
                width = len(row)
            if number > 1 and len(row) != width:
                raise TableError(
                    f"{path.name} has {len(row)} fields in line {reader.line_num} and {width} in "
                    "the lines before; every line needs the same number."
                )
            yield row


def read_text(
    path: Path,
    *,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    decimal: str = ".",
    missing: Sequence[str] = (),
    transpose: bool = False,
) -> tuple[pd.DataFrame, bool, dict[str, Any], list[str]]:
    """Return the table, whether its first column names the rows, details and notes on the file."""
    with explained(path, encoding):
        _check_bytes(path, encoding)
        start = nonempty_lines(path, encoding, 5)
        given = delimiter is not None
        delimiter = delimiter if delimiter is not None else choose_delimiter(start, path.name)
        if len(delimiter) != 1:
            raise TableError(f"delimiter={delimiter!r} must be one character.")
        buffer, named = None, True
        with closing(_rows(path, encoding, delimiter)) as rows:
            if transpose:
                header, buffer, count = _transposed(rows, path.name)
            else:
                header, named, count = _header(rows, path.name)
        names = _names(header, path.name)
        if not count:
            raise TableError(f"{path.name} has a line of names and no rows below it.")
        with open_text(path, encoding) if buffer is None else buffer as source:
            frame = _parse(source, "," if transpose else delimiter, decimal, missing, len(names))
    frame.columns = pd.Index(names)
    how = DELIMITERS.get(delimiter, repr(delimiter))
    notes = [f"Fields are separated by {how}{' as given' if given else ''}."]
    if transpose:
        notes.append("Rows and columns were exchanged: the file has a feature per row.")
    if decimal != ".":
        notes.append(f"Decimals are written with {decimal!r}.")
    named = named or (header[0] == "" and frame.iloc[:, 0].is_unique)
    return frame, named, {"delimiter": delimiter, "encoding": encoding}, notes


def _header(rows: Iterator[list[str]], name: str) -> tuple[list[str], bool, int]:
    """Return the names of the columns, whether rows have names, and the number of rows."""
    header = next(rows)
    first = next(rows, None)
    if first is None:
        return header, False, 0
    more = len(first) - len(header)
    if more not in (0, 1):
        raise TableError(
            f"{name} has {len(header)} names in its first line and {len(first)} fields in the "
            "next; every column needs a name."
        )
    return ["", *header] if more else header, bool(more), 1 + sum(1 for _ in rows)


def _transposed(rows: Iterator[list[str]], name: str) -> tuple[list[str], io.StringIO, int]:
    """Exchange rows and columns, as text, so that one parser decides on types."""
    table = list(rows)
    if len(table) > 1 and len(table[1]) == len(table[0]) + 1:
        table[0].insert(0, "")
    if len(table) > 1 and len(table[1]) != len(table[0]):
        raise TableError(
            f"{name} has {len(table[0])} fields in its first line and {len(table[1])} in the next; "
            "every column needs a name."
        )
    columns = list(zip(*table, strict=True))
    buffer = io.StringIO()
    csv.writer(buffer).writerows(columns)
    buffer.seek(0)
    return list(columns[0]), buffer, len(columns) - 1


def _names(header: list[str], name: str) -> list[str]:
    names = [field.strip() for field in header]
    twice = [key for key, count in Counter(n for n in names if n).items() if count > 1]
    if twice:
        places = [i + 1 for i, key in enumerate(names) if key == twice[0]]
        where = " and ".join(str(place) for place in places[:2])
        raise TableError(
            f"{name} has {len(twice)} names more than once ({listed(twice)}, the first in columns "
            f"{where}); give every column its own name."
        )
    return [key or f"unnamed column {i + 1}" for i, key in enumerate(names)]


def _parse(
    source: TextIO, delimiter: str, decimal: str, missing: Sequence[str], width: int
) -> pd.DataFrame:
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        return pd.read_csv(
            source,
            sep=delimiter,
            header=0,
            names=list(range(width)),
            index_col=False,
            decimal=decimal,
            na_values=[*MISSING, *missing],
            low_memory=False,
            skipinitialspace=delimiter != " ",
        )
