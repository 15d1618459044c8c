"""Tables as text: delimiter, names, and lines that are cut short."""

import csv
import io
import string
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

import numpy as np
import pandas as pd

from backstay._words import counted
from backstay.datasets._content import Content, check_annotation
from backstay.datasets._labelled import TableError
from backstay.datasets._oddities import numbers_in
from backstay.datasets._outcome import label_column, outcome_of
from backstay.datasets._reading import Reading
from backstay.datasets._text_file import TextFile

DELIMITERS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars", " ": "blanks"}
# Beside those that pandas knows: empty, NA, NaN, N/A, null, None and the like.
MISSING = ("?",)
# Lines in which titles above a table are looked for, and how long they may be.
FIRST_LINES, TITLE = 30, 1000
# Fields, with the number of lines above them.
Numbered = tuple[int, Sequence[Any]]
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
    """Return the delimiter that cuts the lines into equally many fields, as many as possible."""
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
    if any('"' in line for line in lines):
        try:
            return [len(row) for row in csv.reader(lines, delimiter=delimiter)]
        except csv.Error:  # a field is too large for csv, which is said later
            pass
    return [line.count(delimiter) + 1 for line in lines]


def check_titles(file: str, tables: Sequence[Sequence[Numbered]], reading: Reading) -> None:
    """Refuse lines above a table, however it is cut into fields, and say how many to skip."""
    above = [_lines_above(rows, reading) for rows in tables]
    if not above or not all(above):
        return
    rows, n = max(zip(tables, above, strict=True), key=lambda pair: usual_width(pair[0]))
    raise TableError(
        f"{file} has {counted(n, 'line')} above the names of its columns, such as "
        f"{str(rows[0][1][0])[:30]!r}; delete them, or leave them out with skip={n}.",
        parameter="skip",
    )


def _lines_above(rows: Sequence[Numbered], reading: Reading) -> int:
    """Return how many lines hold less than most do, before the one that holds the names."""
    width, outcome = usual_width(rows), {*reading.outcome}
    fields = [[str(field or "").strip() for field in row] for _, row in rows]
    if outcome & {*fields[0]}:
        return 0
    # R writes one name fewer than there are columns, unless the outcome is named further down.
    later = outcome and not reading.transpose and any(outcome <= {*row} for row in fields)
    for (n, _), row in zip(rows, fields, strict=True):
        if width - (not later) <= len(row) <= width and 2 * sum(map(bool, row)) >= width:
            return 0 if row is fields[0] else n
    return 0


def usual_width(rows: Sequence[Numbered]) -> int:
    """Return how many fields most rows of the second half have."""
    return Counter(len(row) for _, row in rows[len(rows) // 2 :]).most_common(1)[0][0]


def _check_titles(file: TextFile, reading: Reading) -> None:
    """Refuse a file with lines above its table, whatever the delimiter."""
    lines, tables = list(islice(file.text(), FIRST_LINES)), list[list[Numbered]]()
    for delimiter in reading.delimiter or "".join(DELIMITERS):
        rows, above = list[Numbered](), reading.skip
        reader = csv.reader(lines, delimiter=delimiter)
        try:
            for row in reader:
                if any(field.strip() for field in row):
                    rows.append((above, row))
                above = reading.skip + reader.line_num
        except csv.Error:  # a field is too large: not this delimiter
            continue
        if rows and usual_width(rows) > 1 and (delimiter != " " or not tables):
            tables.append(rows)
    check_titles(file.path.name, tables, reading)


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


def _widths(lines: Iterator[str], delimiter: str) -> Iterator[tuple[int, int]]:
    """Yield number and width of every line that holds anything."""
    # Before the first quotation mark, counting delimiters is enough, and many times as fast.
    blank = delimiter + string.whitespace
    for number, line in enumerate(lines, 1):
        if '"' in line:
            reader = csv.reader(chain([line], lines), delimiter=delimiter)
            for row in reader:
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


def _check_widths(file: TextFile, delimiter: str) -> int:
    """Refuse a line that is cut short, or count them; that of names may have one field fewer."""
    before = count = 0
    for count, (number, width) in enumerate(_widths(file.text(), delimiter)):
        if count > 1 and width != before:
            raise uneven(file.path.name, file.skip + number, width, before)
        before = width
    return count


def read_text(file: TextFile, reading: Reading, as_text: str = "labels") -> Content:
    """Read a table; "labels", also the "first" column, or "all" stay as text, such as 007."""
    path, annotation, n_rows = file.path, None, FEW_ROWS
    start = nonempty_lines(file.text(), path.name, 5)
    if len(start[0].strip(string.whitespace + "".join(DELIMITERS))) < TITLE:
        _check_titles(file, reading)
    delimiter = separator = reading.delimiter or choose_delimiter(start, path.name)
    check_delimiter(delimiter)
    if not start[0].strip(delimiter + string.whitespace + '"\ufeff'):
        raise TableError(
            f"{path.name} begins with a line without names ({start[0][:20]!r}); give every column "
            f"a name, delete the line, or leave it out with skip={reading.skip + 1}.",
            parameter="skip",
        )
    source: Any
    if reading.transpose:
        _check_widths(file, delimiter)
        table = list(_rows(file.text(), delimiter))
        header, source, annotation = _transposed(table, path.name, reading.annotation)
        named, separator = True, ","
    else:
        header, named = _header(_rows(file.text(), delimiter), path.name)
        n_rows = _check_widths(file, delimiter)
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
    frame = None
    if len(names) > WIDE and n_rows < FEW_ROWS and as_text != "all":
        frame = _row_by_row(file, reading, len(names), {**layout, "dtype": kinds})
    if frame is None:
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
    details = {"delimiter": delimiter, "encoding": reading.encoding}
    return Content(
        path.name, frame, named, annotation=annotation, oriented=reading.transpose,
        details=details, notes=notes,
    )  # fmt: skip


def _row_by_row(
    file: TextFile, reading: Reading, width: int, layout: dict[str, Any]
) -> pd.DataFrame | None:
    """Parse the numbers of a very wide table a row at a time, which is much faster."""
    kinds, separator = layout.pop("dtype"), layout["sep"]
    rows, block = islice(_rows(file.text(), separator), 1, None), list[Any]()
    texts = np.array([False])
    for row in rows:
        if not block:  # columns that are no numbers in the first row are parsed as usual
            texts = np.isnan(numbers_in(row, reading))
            texts[list(kinds)] = True
        if len(row) != width or texts.sum() > FEW_ROWS:
            return None
        fields = np.array(row, dtype=object)[~texts]
        source = io.StringIO("\n".join(fields))
        how: dict[str, Any] = {"header": None, "sep": separator, "skip_blank_lines": False}
        numbers = parsed(source, reading, 1, None, **how)[0]
        if len(numbers) != len(fields) or numbers.dtype.kind not in "iuf":
            return None
        block.append(numbers.to_numpy(np.float64))
    frame = pd.DataFrame(np.full((len(block), width), np.nan))
    frame.loc[:, ~texts] = np.array(block)
    others = np.flatnonzero(texts).tolist()
    beside = parsed(file.text(), reading, width, kinds, usecols=others, **layout)
    for j in others:
        frame[j] = beside[j]
    return frame


def _header(rows: Iterator[list[str]], name: str) -> tuple[list[str], bool]:
    """Return the names of the columns, and whether rows have names."""
    header, below = next(rows, None), next(rows, None)
    if header is None or below is None:
        raise TableError(f"{name} has a line of names and no rows below it.")
    more = len(below) - len(header)
    if more not in (0, 1):
        raise TableError(
            f"{name} has {len(header)} names in its first line and {len(header) + more} fields in "
            "the next; every column needs a name."
        )
    return ["", *header] if more else header, bool(more)


def _transposed(
    table: list[list[str]], name: str, annotation: Collection[str]
) -> tuple[list[str], io.StringIO, pd.DataFrame | None]:
    """Exchange rows and columns, as text, so that one parser decides on types."""
    header, _ = _header(iter(table), name)
    columns = list(zip(header, *table[1:], strict=True))
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
