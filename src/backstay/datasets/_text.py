"""Tables as text: delimiter, names, and lines that are cut short."""

import csv
import io
import string
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

import pandas as pd

from backstay.datasets._classes import label_column, outcome_of
from backstay.datasets._content import Content, check_annotation
from backstay.datasets._labelled import TableError
from backstay.datasets._reading import Reading
from backstay.datasets._text_file import TextFile

DELIMITERS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars", " ": "blanks"}
# Beside those that pandas knows: empty, NA, NaN, N/A, null, None and the like.
MISSING = ("?",)
# Between quotation marks, a longer field is rather a mark that does not end.
LONG_FIELD = 131_072
# So many columns take a minute to parse; with so few rows, the target is looked at before.
WIDE, FEW_ROWS = 100_000, 50


def check_delimiter(delimiter: str) -> None:
    """Refuse a delimiter that no parser takes."""
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0':
        raise TableError(
            f"delimiter={delimiter!r} must be one character of ASCII, neither a quotation mark nor "
            "an end of line.",
            parameter="delimiter",
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
            "that it is a table.",
            parameter="delimiter",
        )
    return likely


def _field_counts(lines: Sequence[str], delimiter: str) -> list[int]:
    """Return the number of fields in every line."""
    try:
        return [len(row) for row in csv.reader(lines, delimiter=delimiter)]
    except csv.Error:  # a field is too large for csv; between quotes, that is said later
        return [line.count(delimiter) + 1 for line in lines]


def nonempty_lines(lines: Iterable[str], name: str, n_lines: int | None = None) -> list[str]:
    """Return the first lines that hold anything, or all of them, without their ends."""
    kept = list(islice((line.rstrip("\r\n") for line in lines if line.strip()), n_lines))
    if not kept:
        raise TableError(f"{name} is empty.")
    return kept


def _rows(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    """Yield the fields of every line that holds anything."""
    reader = csv.reader(lines, delimiter=delimiter)
    return (row for row in reader if any(field.strip() for field in row))


def _check_fields(row: list[str]) -> None:
    """Refuse fields beyond csv's own limit, which other programs may have raised."""
    if any(len(field) > LONG_FIELD for field in row):
        raise csv.Error(f"field larger than field limit ({LONG_FIELD})")


def _widths(lines: Iterator[str], delimiter: str) -> Iterator[tuple[int, int]]:
    """Yield number and width of every line that holds anything.

    Before the first quotation mark, counting delimiters is enough, and many times as fast.
    """
    blank = delimiter + string.whitespace
    for number, line in enumerate(lines, 1):
        if '"' in line:
            reader = csv.reader(chain([line], lines), delimiter=delimiter)
            for row in reader:
                _check_fields(row)
                if any(field.strip() for field in row):
                    yield number - 1 + reader.line_num, len(row)
            return
        if line.strip(blank):
            yield number, line.count(delimiter) + 1


def uneven(name: str, line: int, width: int, before: int) -> TableError:
    """Return the error of a line with more or fewer fields than the others."""
    return TableError(
        f"{name} has {width} fields in line {line} and {before} in the lines before; every line "
        "needs the same number."
    )


def _check_widths(lines: Iterator[str], delimiter: str, name: str) -> int:
    """Refuse a line that is cut short, or count them; that of names may have one field fewer."""
    before = count = 0
    for count, (number, width) in enumerate(_widths(lines, delimiter)):
        if count > 1 and width != before:
            raise uneven(name, number, width, before)
        before = width
    return count


def read_text(file: TextFile, reading: Reading, as_text: str = "labels") -> Content:
    """Read a table of text; names of columns may repeat.

    ``as_text`` says which columns stay as they are written, such as the name 007: those of
    "labels", also the "first" one, or "all".
    """
    path, annotation, n_rows = file.path, None, FEW_ROWS
    start = nonempty_lines(file.text(), path.name, 5)
    delimiter = separator = reading.delimiter or choose_delimiter(start, path.name)
    check_delimiter(delimiter)
    if not start[0].strip(delimiter + string.whitespace + '"\ufeff'):
        raise TableError(
            f"{path.name} begins with a line without names ({start[0][:20]!r}); delete it, or give "
            "every column a name."
        )
    source: Any
    if reading.transpose:
        _check_widths(file.text(), delimiter, path.name)
        table = list(_rows(file.text(), delimiter))
        header, source, annotation = _transposed(table, path.name, reading.annotation)
        named, separator = True, ","
    else:
        header, named = _header(_rows(file.text(), delimiter), path.name)
        n_rows = _check_widths(file.text(), delimiter, path.name)
        source = file.text()
    names = [field.strip().strip("\ufeff") for field in header]
    first = named or not names[0]
    names = [name or f"unnamed column {i + 1}" for i, name in enumerate(names)]
    layout: dict[str, Any] = {"sep": separator, "header": 0, "skipinitialspace": separator != " "}
    labels = {reading.target, *reading.labels}
    written = {j: str for j, name in enumerate(names) if name in labels}
    if first or as_text == "first":
        written[0] = str
    kinds: Any = str if as_text == "all" else written
    if len(names) > WIDE and n_rows < FEW_ROWS and names.count(str(reading.target)) == 1:
        j = names.index(str(reading.target))
        texts = parsed(source, reading, len(names), kinds, usecols=[j], **layout)[j]
        given = label_column(texts, reading, _typed)
        outcome_of(given, names[j], Content(path.name, given.to_frame()), reading)
        source = file.text()
    frame = parsed(source, reading, len(names), kinds, **layout)
    if as_text != "all":
        for j in (j for j, name in enumerate(names) if name == reading.target):
            frame[j] = label_column(frame[j], reading, _typed)
    if first and not named:
        named = bool(frame[0].is_unique)
        if not named and as_text == "labels":
            frame[0] = _typed(frame[0], reading)
    frame.columns = pd.Index(names, dtype=object)
    how = DELIMITERS.get(delimiter, repr(delimiter))
    asked = "" if reading.delimiter is None else " as given"
    notes = [f"Fields are separated by {how}{asked}."]
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
    header, below = next(rows, None), next(rows, None)
    if header is None or below is None:
        raise _no_rows(name)
    more = len(below) - len(header)
    if more not in (0, 1):
        _check_fields(below)  # a quotation mark that does not end would explain it
        raise TableError(
            f"{name} has {len(header)} names in its first line and {len(header) + more} fields in "
            "the next; every column needs a name."
        )
    return ["", *header] if more else header, bool(more)


def _no_rows(name: str) -> TableError:
    return TableError(f"{name} has a line of names and no rows below it.")


def _transposed(
    table: list[list[str]], name: str, annotation: Collection[str]
) -> tuple[list[str], io.StringIO, pd.DataFrame | None]:
    """Exchange rows and columns, as text, so that one parser decides on types.

    Columns that describe the features are taken out before.
    """
    if not table:
        raise _no_rows(name)
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
    if len(columns) < 2:
        raise _no_rows(name)
    buffer = io.StringIO()
    csv.writer(buffer).writerows(columns)
    buffer.seek(0)
    return list(columns[0]), buffer, described


def _typed(texts: pd.Series, reading: Reading) -> pd.Series:
    """Return a column that was read as text as the parser would have read it."""
    buffer = io.StringIO()
    csv.writer(buffer).writerows([["labels"], *([text] for text in texts.fillna("NA"))])
    buffer.seek(0)
    return parsed(buffer, reading, 1, None, header=0, skipinitialspace=True)[0]


def parsed(
    source: Any, reading: Reading, width: int, kinds: Any, *, absent: Collection[str] = (),
    **layout: Any,
) -> pd.DataFrame:  # fmt: skip
    """Parse a table of text, whose columns are named 0, 1, 2, …."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)  # fields would be left out
        frame = pd.read_csv(
            source,
            names=list(range(width)),
            index_col=False,
            decimal=reading.decimal,
            na_values=[*MISSING, *reading.missing, *absent],
            dtype=kinds,
            low_memory=False,
            **layout,
        )
    # Parsed columns lie apart; copied, they lie together, which saves more time than it takes.
    return frame.copy()
