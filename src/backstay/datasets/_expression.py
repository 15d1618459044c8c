"""Text formats of gene expression: GEO's series matrix and GCT, a feature per row in both."""

import csv
import io
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

import pandas as pd

from backstay._words import counted, listed
from backstay.datasets._content import Content, check_names, features_by_name, repeated
from backstay.datasets._labelled import TableError
from backstay.datasets._reading import Reading
from backstay.datasets._samples import numbers_of_samples
from backstay.datasets._text import parsed, uneven
from backstay.datasets._text_file import TextFile

BEGIN, END = "!series_matrix_table_begin", "!series_matrix_table_end"
# What a sample sheet of GEO is made of, beside the characteristics.
SAMPLE_LINES = ("title", "geo_accession", "source_name_ch1", "description")


# GEO.


def read_series_matrix(file: TextFile, reading: Reading) -> Content:
    """Read a series matrix; the characteristics of its samples become their sheet."""
    path = file.path
    lines, frame, _ = _parse(file, reading, _sample_lines)
    if not len(frame) or str(frame.iloc[-1, 0]) != END:
        raise TableError(
            f"{path.name} is cut short: the last line is not {END}; download it again."
        )
    frame = frame.iloc[:-1]
    if not len(frame):
        raise TableError(
            f"{path.name} holds no values; for sequencing, GEO keeps them in supplementary files. "
            "Read that table and give its samples in a sheet.",
            parameter="samples",
        )
    samples = [str(name) for name in frame.columns[1:]]
    sheet = _geo_sheet(path, lines, samples)
    note = f"A series matrix of GEO; its sheet of samples has {listed(sheet.columns, 12)}."
    return _genes_in_rows(path, frame, sheet, None, note, reading)


def _sample_lines(path: Path, file: TextIO) -> tuple[list[tuple[str, list[str]]], int]:
    """Return what is said about the samples, line by line, up to the table without a sheet."""
    lines: list[tuple[str, list[str]]] = []
    for line in file:
        if line.strip().lower() == BEGIN:
            return lines, 0
        if line.startswith("!Sample_"):
            name, *values = next(csv.reader([line.rstrip("\r\n")], delimiter="\t"))
            lines.append((name.removeprefix("!Sample_"), values))
        elif line.strip() and not line.startswith("!"):
            raise TableError(f"{path.name} has a line before its table that begins with "
                             f"{line[:20].strip()!r}.")  # fmt: skip
    raise TableError(f"{path.name} is cut short: it has no line {BEGIN}; download it again.")


def _geo_sheet(path: Path, lines: list[tuple[str, list[str]]], samples: list[str]) -> pd.DataFrame:
    """Return the sheet of samples: title, source and characteristics such as "tissue: liver"."""
    columns: dict[str, list[str | None]] = {}
    for name, values in lines:
        kind = name.startswith("characteristics")
        if not kind and name not in SAMPLE_LINES:
            continue
        if len(values) != len(samples):
            raise TableError(
                f"{path.name} has {len(values)} values of !Sample_{name} for {len(samples)} "
                "samples."
            )
        for place, value in enumerate(values):
            key, colon, rest = value.partition(":")
            key, value = (key.strip(), rest.strip()) if kind and colon else (name, value.strip())
            column = columns.setdefault(key, [None] * len(samples))
            if column[place] is not None:  # said before: kept in a column of its own
                column = columns.setdefault(f"{key} (2)", [None] * len(samples))
            column[place] = value or None
    if not columns:
        raise TableError(
            f"{path.name} says nothing about its samples; give a sheet of them.",
            parameter="samples",
        )
    return pd.DataFrame(columns, index=pd.Index(samples, dtype=object), dtype=object)


# GCT.


def read_gct(file: TextFile, reading: Reading) -> Content:
    """Read a GCT file of version 1.2 or 1.3; what it says of samples becomes their sheet."""
    path = file.path
    (version, n_rows, n_columns, n_about), frame, said = _parse(file, reading, _gct_head)
    frame.columns = frame.columns.map(str)
    if frame.shape != (n_rows, 1 + n_about + n_columns):
        raise TableError(
            f"{path.name} says that it has {n_rows} features and {n_columns} samples; there are "
            f"{len(frame)} and {frame.shape[1] - 1 - n_about}."
        )
    about = frame.iloc[:, 1 : 1 + n_about].reset_index(drop=True)
    samples = list(frame.columns[1 + n_about :])
    sheet = None
    if len(said):
        names = said.iloc[:, 0].astype(str)
        values = said.iloc[:, 1 + n_about :].astype(object).T
        sheet = pd.DataFrame(values.to_numpy(), pd.Index(samples, dtype=object), list(names))
    values = frame.iloc[:, [0, *range(1 + n_about, frame.shape[1])]]
    held = "" if sheet is None else f"; its sheet of samples has {listed(sheet.columns, 12)}"
    note = f"GCT {version}{held}."
    return _genes_in_rows(path, values.reset_index(drop=True), sheet, about, note, reading)


def _gct_head(path: Path, file: Iterator[str]) -> tuple[tuple[str, int, int, int], int]:
    """Return the version, numbers of rows, columns and columns on rows; and of rows on columns."""
    version = next(file).strip().lstrip("\ufeff#")
    numbers = next(file, "").split()[: 4 if version == "1.3" else 2]
    if version not in ("1.2", "1.3") or len(numbers) < (4 if version == "1.3" else 2):
        raise TableError(f"{path.name} does not begin as GCT 1.2 or 1.3 does.")
    if not all(number.isdigit() for number in numbers):
        raise TableError(f"{path.name} has {' '.join(numbers)!r} where GCT has its sides.")
    n_rows, n_columns, n_about, n_sheet = [*map(int, numbers), 1, 0][:4]
    return (version, n_rows, n_columns, n_about), n_sheet


# Both.


def _parse(
    file: TextFile, reading: Reading, read_head: Callable[[Path, TextIO], tuple[Any, int]]
) -> tuple[Any, pd.DataFrame, pd.DataFrame]:
    """Read the head of a file, the table behind it, and the rows of the table that are a sheet."""
    text = file.text()
    head, n_sheet = read_head(file.path, text)
    rows = csv.reader(text, delimiter="\t")
    names = [name.strip() for name in next(rows, None) or [""]]
    # What a sheet says stays as it is written: parsed with numbers below, 01 would be 1.
    said = io.StringIO(newline="")
    csv.writer(said, delimiter="\t").writerows(islice(rows, n_sheet))
    said.seek(0)
    columns = pd.Index(names, dtype=object)
    frame, sheet = (
        parsed(part, reading, len(names), kind, sep="\t", header=None, absent=["na"])
        for part, kind in ((text, {0: str}), (said, str))
    )
    _check_rows(file, names, frame, sheet)
    return head, frame.set_axis(columns, axis=1), sheet.set_axis(columns, axis=1)


def _check_rows(file: TextFile, names: list[str], frame: pd.DataFrame, sheet: pd.DataFrame) -> None:
    """Refuse rows that are cut short, which pandas fills up with missing values."""
    gaps = sum(part.iloc[:, -1].isna().sum() for part in (sheet, frame))
    if not gaps or (gaps == 1 and len(frame) and str(frame.iloc[-1, 0]) == END):
        return
    reader, inside = csv.reader(file.text(), delimiter="\t"), False
    for row in reader:
        inside = inside or (len(row) == len(names) and row[0].strip() == names[0])
        if inside and row and row[0] != END and len(row) != len(names):
            raise uneven(file.path.name, reader.line_num, len(row), len(names))


def _genes_in_rows(
    path: Path, frame: pd.DataFrame, sheet: pd.DataFrame | None, about: pd.DataFrame | None,
    note: str, reading: Reading,
) -> Content:  # fmt: skip
    features, samples = frame.iloc[:, 0], list(frame.columns[1:])
    check_names(features, path.name, "row")
    if twice := repeated(samples):
        raise TableError(
            f"{path.name} has {counted(len(twice), 'sample')} more than once: {listed(twice)}."
        )
    values = numbers_of_samples(frame.iloc[:, 1:], features, path.name, reading)
    block = features_by_name(values.T, samples, features)
    if about is not None:
        about = about.set_axis(pd.Index(features, dtype=object), axis=0)
    return Content(path.name, block, sheet=sheet, annotation=about, oriented=True, notes=[note])
