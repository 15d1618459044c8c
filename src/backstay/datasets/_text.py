"""Tables as text: delimiter, encoding, and lines that are cut short."""

from __future__ import annotations

import csv
import gzip
import io
import string
import warnings
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, TextIO

import pandas as pd

from backstay.datasets._content import Content, Limit, Reading, check_annotation
from backstay.datasets._exact import keep_exact
from backstay.datasets._labelled import TableError, check_spellings, has_leading_zeros

DELIMITERS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars", " ": "blanks"}
# Beside pandas' own: empty, NA, NaN, N/A, null, None and their kin.
MISSING = ("?",)
# Between quotation marks, a longer field is rather a mark that does not end.
LONG_FIELD = 131_072
MAGIC = {
    b"PK\x03\x04": "a zip or Excel file; give it a name that ends in .xlsx, or save it as CSV",
    b"\xd0\xcf\x11\xe0": "an old Excel file; save it as .xlsx or CSV",
    b"\x89HDF": "an HDF5 file; if AnnData wrote it, give it a name that ends in .h5ad",
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
    if not path.is_file():
        raise TableError(
            f"{path} is a pipe or a device, which can be read once only; save it to a file first."
        )


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
        if "field limit" in str(error):
            raise TableError(
                f"{path.name} has a field of more than {LONG_FIELD:,} characters; "
                "is there a quotation mark that does not end, or another delimiter?"
            ) from error
        raise TableError(f"{path.name} is not a table of text ({error}).") from error
    except pd.errors.ParserError as error:
        if "EOF inside string" in str(error):
            raise TableError(
                f"{path.name} has a quotation mark that does not end; close it or take it out."
            ) from error
        raise TableError(f"{path.name} is not a table of text ({str(error).strip()}).") from error
    except pd.errors.ParserWarning as error:
        raise TableError(
            f"{path.name} has a line with more fields than names; every line needs the same number."
        ) from error
    except LookupError as error:
        raise TableError(f"encoding={encoding!r} is unknown; try utf-8 or latin-1.") from error
    except TableError:
        raise
    except ValueError as error:  # of pandas, and of names of encodings with a NUL
        raise TableError(f"{path.name} is not a table of text ({str(error).strip()}).") from error


class _Unpacking(io.RawIOBase):
    """A gzip file as bytes, refused as soon as more of them come than the limit allows."""

    def __init__(self, path: Path, limit: Limit) -> None:
        self.path, self.limit, self.count = path, limit, 0
        self.file = gzip.GzipFile(path, "rb")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.file.read(len(buffer))
        buffer[: len(data)] = data
        self.count += len(data)
        self.limit.check(self.path, self.count)
        return len(data)

    def close(self) -> None:
        self.file.close()
        super().close()


def open_text(path: Path, encoding: str, limit: Limit | None = None) -> TextIO:
    """Open a text file, compressed or not."""
    # utf-8-sig also takes UTF-8 without the mark that Excel puts first.
    encoding = "utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding
    if path.suffix.lower() == ".gz":
        packed = io.BufferedReader(_Unpacking(path, limit or Limit()), 2**20)
        return io.TextIOWrapper(packed, encoding=encoding, newline="")
    return path.open(encoding=encoding, newline="")


PRINTABLE = frozenset(string.printable)
# Longer marks first: that of UTF-32 begins like that of UTF-16.
MARKS = {
    b"\xff\xfe\0\0": "UTF-32", b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16",
}  # fmt: skip


def check_bytes(path: Path, encoding: str) -> None:
    """Refuse what is not text, or text in an encoding of wider characters than was named."""
    opened = gzip.open if path.suffix.lower() == ".gz" else open
    with opened(path, "rb") as file:
        start = file.read(4096)
    for magic, what in MAGIC.items():
        if start.startswith(magic):
            raise TableError(f"{path.name} is {what}.")
    if encoding.lower().replace("_", "-").startswith(("utf-16", "utf-32", "utf16", "utf32")):
        return
    for mark, name in MARKS.items():
        if start.startswith(mark):
            raise TableError(f"{path.name} is {name} text; save it as UTF-8 or name the encoding.")
    if (wide := _wide_encoding(start)) is not None:
        raise TableError(
            f"{path.name} looks like {wide} text; save it as UTF-8 or name the encoding."
        )
    if b"\0" in start:
        raise TableError(f"{path.name} is not text; give a CSV or TSV file.")


def _wide_encoding(start: bytes) -> str | None:
    """Return the encoding of wider characters in which bytes make sense, if there is one."""
    if b"\0" not in start:
        return None
    for encoding in ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be"):
        text = start[: len(start) // 4 * 4].decode(encoding, "replace")
        if 2 * sum(character in PRINTABLE for character in text) > len(text):
            return encoding
    return None


def check_delimiter(delimiter: str) -> None:
    """Refuse a delimiter that no parser takes."""
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0':
        raise TableError(
            f"delimiter={delimiter!r} must be one character of ASCII, neither a quotation mark nor "
            "an end of line."
        )


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
    """Return the number of fields in every line."""
    try:
        return [len(row) for row in csv.reader(lines, delimiter=delimiter)]
    except csv.Error:  # a field is too large for csv; between quotes, that is said later
        return [line.count(delimiter) + 1 for line in lines]


def nonempty_lines(
    path: Path, encoding: str, n_lines: int | None = None, limit: Limit | None = None
) -> list[str]:
    """Return the first lines that hold anything, or all of them."""
    with open_text(path, encoding, limit) as file:
        lines = list(islice((line.rstrip("\r\n") for line in file if line.strip()), n_lines))
    if not lines:
        raise TableError(f"{path.name} is empty.")
    return lines


def _rows(file: TextIO, delimiter: str) -> Iterator[list[str]]:
    """Yield the fields of every line that holds anything."""
    reader = csv.reader(file, delimiter=delimiter)
    return (row for row in reader if any(field.strip() for field in row))


def _widths(file: TextIO, delimiter: str) -> Iterator[tuple[int, int]]:
    """Yield number and width of every line that holds anything.

    Before the first quotation mark, counting delimiters is enough, and many times as fast.
    """
    blank = delimiter + string.whitespace
    for number, line in enumerate(file, 1):
        if '"' in line:
            reader = csv.reader(chain([line], file), delimiter=delimiter)
            for row in reader:
                if any(len(field) > LONG_FIELD for field in row):
                    raise csv.Error("field limit")  # other programs may have raised csv's own
                if any(field.strip() for field in row):
                    yield number - 1 + reader.line_num, len(row)
            return
        if line.strip(blank):
            yield number, line.count(delimiter) + 1


def check_widths(path: Path, reading: Reading, delimiter: str) -> int:
    """Refuse lines that are cut short; return the number of lines below the first."""
    count, width = -1, 0
    with open_text(path, reading.encoding, reading.limit) as file:
        for count, (number, found) in enumerate(_widths(file, delimiter)):
            if count == 1:
                width = found
            if count > 1 and found != width:
                raise TableError(
                    f"{path.name} has {found} fields in line {number} and {width} in the lines "
                    "before; every line needs the same number."
                )
    return count


def read_text(path: Path, reading: Reading) -> Content:
    """Read a table of text; names of columns may repeat."""
    annotation = None
    with explained(path, reading.encoding):
        check_bytes(path, reading.encoding)
        start = nonempty_lines(path, reading.encoding, 5, reading.limit)
        given = reading.delimiter is not None
        delimiter = reading.delimiter or choose_delimiter(start, path.name)
        check_delimiter(delimiter)
        buffer, named = None, True
        count = check_widths(path, reading, delimiter)
        with open_text(path, reading.encoding, reading.limit) as file:
            rows = _rows(file, delimiter)
            if reading.transpose:
                header, buffer, count, annotation = _transposed(rows, path.name, reading.annotation)
            else:
                header, named = _header(rows, path.name)
        if not count:
            raise TableError(f"{path.name} has a line of names and no rows below it.")
        names = [field.strip().strip("\ufeff") for field in header]
        first = named or not names[0]
        names = [name or f"unnamed column {i + 1}" for i, name in enumerate(names)]
        source = _Source(path, "," if reading.transpose else delimiter, reading, len(names), buffer)
        frame = _parse(source, names, first)
    if first and not named:
        named = bool(frame[0].is_unique)
        if not (named or reading.named or reading.as_text):
            frame[0] = _typed(frame[0], reading)
    frame.columns = pd.Index(names, dtype=object)
    how = DELIMITERS.get(delimiter, repr(delimiter))
    notes = [f"Fields are separated by {how}{' as given' if given else ''}."]
    if reading.transpose:
        notes.append("Rows and columns were exchanged: the file has a feature per row.")
    if reading.decimal != ".":
        notes.append(f"Decimals are written with {reading.decimal!r}.")
    return Content(
        path.name,
        frame,
        named,
        annotation=annotation,
        oriented=reading.transpose,
        details={"delimiter": delimiter, "encoding": reading.encoding},
        notes=notes,
    )


def _header(rows: Iterator[list[str]], name: str) -> tuple[list[str], bool]:
    """Return the names of the columns, and whether rows have names."""
    header = next(rows)
    more = len(next(rows, header)) - len(header)
    if more not in (0, 1):
        raise TableError(
            f"{name} has {len(header)} names in its first line and {len(header) + more} fields in "
            "the next; every column needs a name."
        )
    return ["", *header] if more else header, bool(more)


def _transposed(
    rows: Iterator[list[str]], name: str, annotation: Sequence[str]
) -> tuple[list[str], io.StringIO, int, pd.DataFrame | None]:
    """Exchange rows and columns, as text, so that one parser decides on types.

    Columns that describe the features are taken out before.
    """
    table = list(rows)
    if len(table) > 1 and len(table[1]) == len(table[0]) + 1:
        table[0].insert(0, "")
    if len(table) > 1 and len(table[1]) != len(table[0]):
        raise TableError(
            f"{name} has {len(table[0])} fields in its first line and {len(table[1])} in the next; "
            "every column needs a name."
        )
    columns = list(zip(*table, strict=True))
    described = None
    if annotation:
        titles = [column[0].strip() for column in columns]
        check_annotation(annotation, titles, name)
        about = {title: columns[titles.index(title)][1:] for title in annotation}
        described = pd.DataFrame(about, index=list(columns[0][1:]), dtype=object)
        columns = [c for c, title in zip(columns, titles, strict=True) if title not in annotation]
    buffer = io.StringIO()
    csv.writer(buffer).writerows(columns)
    buffer.seek(0)
    return list(columns[0]), buffer, len(columns) - 1, described


@dataclass(frozen=True)
class _Source:
    """A table of text that can be parsed again: a file, or what was made of one."""

    path: Path
    delimiter: str
    reading: Reading
    width: int
    buffer: io.StringIO | None = None

    def parsed(self, kinds: Any, columns: list[int] | None = None) -> pd.DataFrame:
        if self.buffer is not None:
            self.buffer.seek(0)
            return _parsed(self.buffer, self.delimiter, self.reading, self.width, kinds, columns)
        with open_text(self.path, self.reading.encoding, self.reading.limit) as file:
            return _parsed(file, self.delimiter, self.reading, self.width, kinds, columns)


def _parse(source: _Source, names: list[str], first: bool) -> pd.DataFrame:
    """Parse the table; labels, and names in the first column, are taken as they are written."""
    reading = source.reading
    if reading.as_text:
        return source.parsed(str)
    targets = [j for j, name in enumerate(names) if name == reading.target]
    labels = [j for j, name in enumerate(names) if name in reading.labels]
    kinds = dict.fromkeys([*targets, *labels, *([0] if first or reading.named else [])], str)
    frame = source.parsed(kinds)
    keep_exact(frame, lambda columns: source.parsed(str, columns), reading.decimal)
    for j in targets:
        frame[j] = _label_column(frame[j], reading)
    return frame


def _label_column(texts: pd.Series, reading: Reading) -> pd.Series:
    """Return labels as numbers if they are, but as they are written if zeros come first."""
    known = texts.dropna().str.strip()
    check_spellings(str(reading.target), known.str.replace(reading.decimal, ".", regex=False))
    return texts if has_leading_zeros(known) else _typed(texts, reading)


def _typed(texts: pd.Series, reading: Reading) -> pd.Series:
    """Return a column that was read as text as the parser would have read it."""
    buffer = io.StringIO()
    csv.writer(buffer).writerows([["labels"], *([text] for text in texts.fillna("NA"))])
    buffer.seek(0)
    return _parsed(buffer, ",", reading, 1, None)[0]


def _parsed(
    source: TextIO,
    delimiter: str,
    reading: Reading,
    width: int,
    kinds: Any,
    columns: list[int] | None = None,
) -> pd.DataFrame:
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        frame = pd.read_csv(
            source,
            sep=delimiter,
            header=0,
            names=list(range(width)),
            index_col=False,
            usecols=columns,
            decimal=reading.decimal,
            na_values=[*MISSING, *reading.missing],
            dtype=kinds,
            low_memory=False,
            skipinitialspace=delimiter != " ",
        )
    # Parsed columns lie apart; copied, they lie together, which saves more time than it takes.
    return frame.copy()
