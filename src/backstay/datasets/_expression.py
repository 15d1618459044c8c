"""Text formats of gene expression: GEO's series matrix and GCT, a feature per row in both."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TextIO, TypeVar

import pandas as pd

from backstay._words import counted, listed
from backstay.datasets._content import Content, check_names, features_by_name, repeated
from backstay.datasets._exact import keep_exact
from backstay.datasets._labelled import TableError
from backstay.datasets._reading import Reading
from backstay.datasets._samples import numbers_of_samples
from backstay.datasets._text import MISSING
from backstay.datasets._text_file import TextFile

BEGIN, END = "!series_matrix_table_begin", "!series_matrix_table_end"
# What a sample sheet of GEO is made of, beside the characteristics.
SAMPLE_LINES = ("title", "geo_accession", "source_name_ch1", "description")


# GEO.


def read_series_matrix(file: TextFile, reading: Reading) -> Content:
    """Read a series matrix; the characteristics of its samples become their sheet."""
    path = file.path
    lines, frame, _ = _parse(file, reading, _sample_lines)
    _check_rows(file, frame)
    if not len(frame) or str(frame.iloc[-1, 0]) != END:
        raise TableError(
            f"{path.name} is cut short: its last line is not {END}; download it again."
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
    return _genes_in_rows(path, frame, sheet, None, note)


def _sample_lines(path: Path, file: TextIO) -> list[tuple[str, list[str]]]:
    """Return what is said about the samples, line by line, up to the table."""
    lines: list[tuple[str, list[str]]] = []
    for line in file:
        if line.strip().lower() == BEGIN:
            return lines
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
    head, frame, said = _parse(file, reading, _gct_head)
    _check_rows(file, frame, said)
    n_rows, n_columns, n_about, n_sheet = head.sides
    frame.columns = frame.columns.map(str)
    if (*frame.shape, len(said)) != (n_rows, 1 + n_about + n_columns, n_sheet):
        raise TableError(
            f"{path.name} says that it has {n_rows} features and {n_columns} samples; there are "
            f"{max(0, len(frame) + len(said) - n_sheet)} and {frame.shape[1] - 1 - n_about}."
        )
    about = frame.iloc[:, 1 : 1 + n_about].reset_index(drop=True)
    samples = list(frame.columns[1 + n_about :])
    sheet = None
    if n_sheet:
        names = said.iloc[:, 0].astype(str)
        values = said.iloc[:, 1 + n_about :].astype(object).T
        sheet = pd.DataFrame(values.to_numpy(), pd.Index(samples, dtype=object), list(names))
    values = frame.iloc[:, [0, *range(1 + n_about, frame.shape[1])]]
    held = "" if sheet is None else f"; its sheet of samples has {listed(sheet.columns, 12)}"
    note = f"GCT {head.version}{held}."
    return _genes_in_rows(path, values.reset_index(drop=True), sheet, about, note)


@dataclass(frozen=True)
class _GctHead:
    """The version and the sides: rows, columns, columns on rows, rows on columns."""

    version: str
    sides: tuple[int, int, int, int]


def _gct_head(path: Path, file: Iterator[str]) -> _GctHead:
    version = next(file).strip().lstrip("\ufeff#")
    numbers = next(file, "").split()
    sides = 4 if version == "1.3" else 2
    if version not in ("1.2", "1.3") or len(numbers) < sides:
        raise TableError(f"{path.name} does not begin as GCT 1.2 or 1.3 does.")
    if not all(number.isdigit() for number in numbers[:sides]):
        raise TableError(f"{path.name} has {' '.join(numbers[:4])!r} where GCT has its sides.")
    counts = [int(number) for number in numbers[:sides]]
    if version == "1.2":
        counts += [1, 0]
    return _GctHead(version, (counts[0], counts[1], counts[2], counts[3]))


# Both.

Head = TypeVar("Head")


def _parse(
    file: TextFile, reading: Reading, read_head: Callable[[Path, TextIO], Head]
) -> tuple[Head, pd.DataFrame, pd.DataFrame]:
    """Read the head of a file, the table behind it, and the rows of the table that are a sheet."""

    def parsed(text: TextIO, kinds: Any, columns: list[int] | None = None) -> Any:
        head = read_head(file.path, text)
        n_sheet = head.sides[3] if isinstance(head, _GctHead) else 0
        rows = csv.reader(text, delimiter="\t")
        header = next(rows, None) or [""]
        # What a sheet says stays as it is written: parsed with numbers below, 01 would be 1.
        sheet = io.StringIO(newline="")
        csv.writer(sheet, delimiter="\t").writerows(islice(rows, n_sheet))
        sheet.seek(0)
        width = len(header)
        table = _rows(text, reading, width, kinds, columns)
        return head, header, table, _rows(sheet, reading, width, str, columns)

    def parsed_again(columns: list[int]) -> pd.DataFrame:
        texts: pd.DataFrame = parsed(file.text(), str, columns)[2]
        return texts

    head, header, frame, sheet = parsed(file.text(), {0: str})
    keep_exact(frame, parsed_again, reading.decimal)
    names = pd.Index([name.strip() for name in header], dtype=object)
    return head, frame.set_axis(names, axis=1), sheet.set_axis(names, axis=1)


def _rows(
    source: TextIO, reading: Reading, width: int, kinds: Any, columns: list[int] | None
) -> pd.DataFrame:
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)  # fields would be left out
        return pd.read_csv(
            source, sep="\t", header=None, names=list(range(width)), index_col=False,
            usecols=columns, dtype=kinds, decimal=reading.decimal,
            na_values=[*MISSING, *reading.missing, "na"], low_memory=False,
        )  # fmt: skip


def _check_rows(file: TextFile, frame: pd.DataFrame, sheet: pd.DataFrame | None = None) -> None:
    """Refuse rows that are cut short, which pandas fills up with missing values."""
    parts = [frame] if sheet is None else [sheet, frame]
    ends = pd.concat([part.iloc[:, -1] for part in parts]).isna()
    if not ends.any() or (ends.sum() == 1 and str(frame.iloc[-1, 0]) == END):
        return
    title, width = str(frame.columns[0]), frame.shape[1]
    reader, inside = csv.reader(file.text(), delimiter="\t"), False
    for row in reader:
        inside = inside or (len(row) == width and row[0].strip() == title)
        if inside and row and row[0] != END and len(row) != width:
            raise TableError(
                f"{file.path.name} has {len(row)} fields in line {reader.line_num} and {width} in "
                "the lines before; every line needs the same number."
            )


def _genes_in_rows(
    path: Path, frame: pd.DataFrame, sheet: pd.DataFrame | None, about: pd.DataFrame | None,
    note: str,
) -> Content:  # fmt: skip
    features, samples = frame.iloc[:, 0], list(frame.columns[1:])
    check_names(features, path.name, "row")
    if twice := repeated(samples):
        raise TableError(
            f"{path.name} has {counted(len(twice), 'sample')} more than once: {listed(twice)}."
        )
    values = numbers_of_samples(frame.iloc[:, 1:], features, path.name)
    block = features_by_name(values.T, samples, features)
    if about is not None:
        about = about.set_axis(pd.Index(features, dtype=object), axis=0)
    return Content(path.name, block, sheet=sheet, annotation=about, oriented=True, notes=[note])
