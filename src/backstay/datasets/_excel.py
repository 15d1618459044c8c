"""Sheets of Excel workbooks: the values that are stored, never formulas or macros."""

import zipfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from backstay._words import counted, listed
from backstay.datasets._content import Content, check_unpacked, package, read_as
from backstay.datasets._labelled import TableError
from backstay.datasets._reading import Reading
from backstay.datasets._text import FIRST_LINES, MISSING, check_titles

# What Excel shows for a value that is not there; its other errors are said.
NOT_AVAILABLE = ("#N/A", "NA", "N/A", "NaN", "nan", "null", "")


def read_excel(path: Path, reading: Reading) -> Content:
    """Read one sheet of a workbook, the first if none is named."""
    rows, sheet, notes = _cells(path, reading)
    header, *body = rows
    held = [any(row[j] is not None for row in body) for j in range(len(header))]
    # The first column may name the rows.
    if gaps := [j for j, name in enumerate(header) if j and held[j] and name is None]:
        from openpyxl.utils import get_column_letter

        places = (f"column {get_column_letter(j + 1)}" for j in gaps)
        raise TableError(
            f"{path.name} has no name in the first row of {listed(places)} of sheet {sheet!r}; "
            "unmerge merged cells, and give every column its own name."
        )
    whole = (int(v) if isinstance(v, float) and v == int(v) else v for v in header)
    names = [f"unnamed column {j}" if v is None else str(v) for j, v in enumerate(whole, 1)]
    absent = {*NOT_AVAILABLE, *MISSING}
    columns = [_column([row[j] for row in body], absent) for j in range(len(names))]
    frame = pd.DataFrame(dict(enumerate(columns)), index=pd.RangeIndex(len(body)))
    frame.columns = pd.Index(names, dtype=object)
    named = header[0] is None and bool(frame.iloc[:, 0].is_unique)
    return Content(path.name, frame, named, details={"sheet": sheet}, notes=notes)


def _cells(path: Path, reading: Reading) -> tuple[list[list[Any]], str, list[str]]:
    """Return the rows of a sheet that hold anything, the sheet's name, and notes."""
    openpyxl = package("openpyxl", path, "app")
    with path.open("rb") as file:
        if file.read(4) == b"\xd0\xcf\x11\xe0":
            raise TableError(f"{path.name} is an old or encrypted Excel file; save it as .xlsx.")
    # openpyxl and the XML parser raise whatever they stumble on.
    with read_as("a whole Excel file", path, Exception):
        with zipfile.ZipFile(path) as archive:
            check_unpacked(
                path, sum(member.file_size for member in archive.infolist()), reading.max_size
            )
        # Read-only is a stream: neither charts nor macros nor links to other files are opened.
        how = {"read_only": True, "keep_links": False}
        with closing(openpyxl.load_workbook(path, data_only=True, **how)) as book:
            sheets = list(book.sheetnames)
            sheet = _chosen(path, sheets, reading.sheet)
            grid, stray = _inside(path, _grid(book[sheet], reading.skip), reading)
        if any(value is None for row in grid.values() for value in row):
            with closing(openpyxl.load_workbook(path, data_only=False, **how)) as book:
                _check_formulas(path, sheet, grid, book[sheet].iter_rows())
    rows = [row for row in grid.values() if _width(row)]
    if len(rows) < 2:
        raise TableError(f"sheet {sheet!r} of {path.name} holds no table.")
    width = max(map(_width, rows))
    notes = []
    if len(sheets) > 1:
        others = [name for name in sheets if name != sheet]
        notes.append(f"Sheet {sheet!r} was read; the others are {listed(others)}.")
    if stray:
        lie = "lies" if len(stray) == 1 else "lie"
        notes.append(
            f"{counted(len(stray), 'cell')} of sheet {sheet!r} {lie} outside of the table and "
            f"{'was' if len(stray) == 1 else 'were'} not read: {listed(stray)}."
        )
    return [[*row[:width], *[None] * (width - len(row))] for row in rows], sheet, notes


def _chosen(path: Path, sheets: list[str], wanted: str | int | None) -> str:
    if wanted is None:
        return sheets[0]
    if str(wanted) in sheets:
        return str(wanted)
    if str(wanted).isdigit() and 1 <= int(wanted) <= len(sheets):
        return sheets[int(wanted) - 1]
    raise TableError(
        f"{path.name} has no sheet {wanted!r}; its sheets are {listed(sheets, 8)}.",
        parameter="sheet",
    )


def _grid(sheet: Any, skip: int) -> dict[int, list[Any]]:
    """Return the rows that hold anything, by number; texts without blanks around them."""
    if not hasattr(sheet, "iter_rows"):
        raise TableError(f"{sheet.title!r} has charts only; name a table.", parameter="sheet")
    sheet.reset_dimensions()  # the size that a file claims may be wrong
    # A single cell at the end of a sheet comes with a million empty rows before it.
    return {
        number: [(value.strip() or None) if isinstance(value, str) else value for value in row]
        for number, row in enumerate(sheet.iter_rows(values_only=True), 1)
        if number > skip and _width(row)
    }


def _width(row: Sequence[Any]) -> int:
    """Return the place of the last cell that holds anything."""
    return max((j for j, value in enumerate(row, 1) if value is not None), default=0)


def _inside(
    path: Path, grid: dict[int, list[Any]], reading: Reading
) -> tuple[dict[int, list[Any]], list[str]]:
    """Return the rows that hold anything below the names of the first, and cells of the others."""
    first = islice(grid.items(), FIRST_LINES)
    rows = [(number - 1, row[: _width(row)]) for number, row in first if _width(row)]
    check_titles(path.name, [rows] if rows else [], reading)
    width = _width(next(iter(grid.values()), []))
    inside = {number: row for number, row in grid.items() if _width(row[:width])}
    from openpyxl.utils import get_column_letter

    stray = [
        f"{get_column_letter(j)}{number}"
        for number, row in grid.items()
        if number not in inside
        for j, value in enumerate(row, 1)
        if value is not None
    ]
    return inside, stray


def _check_formulas(
    path: Path, sheet: str, grid: dict[int, list[Any]], rows: Iterator[Any]
) -> None:
    """Refuse formulas whose value is not stored: they would look like missing values."""
    empty = {(i, j) for i, row in grid.items() for j, v in enumerate(row, 1) if v is None}
    formulas = [
        cell.coordinate
        for number, row in enumerate(islice(rows, max(grid)), 1)
        if number in grid
        for cell in row
        if cell.data_type == "f" and (cell.row, cell.column) in empty
    ]
    if formulas:
        raise TableError(
            f"{path.name} has {counted(len(formulas), 'formula')} without a stored value, first in "
            f"cell {formulas[0]} of sheet {sheet!r}; open it in Excel and save it, or save values "
            "only."
        )


def _column(values: list[Any], absent: set[str]) -> pd.Series:
    """Return a column of numbers if it holds nothing else, otherwise of what it holds."""
    known = [None if isinstance(value, str) and value in absent else value for value in values]
    column = pd.Series(known, dtype=object).infer_objects()
    return column if column.notna().any() else column.astype(np.float64)
