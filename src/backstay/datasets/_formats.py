"""Which reader reads a file, by its name and its first line, and how its sheet is joined to it."""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pandas as pd

from backstay._words import listed
from backstay.datasets._anndata import read_anndata
from backstay.datasets._arrays import read_npz
from backstay.datasets._content import Content, exchanged, repeated
from backstay.datasets._excel import read_excel
from backstay.datasets._expression import read_gct, read_series_matrix
from backstay.datasets._labelled import TableError
from backstay.datasets._named import check_column
from backstay.datasets._parquet import read_parquet
from backstay.datasets._reading import Reading
from backstay.datasets._samples import SampleSheet, join_samples
from backstay.datasets._text import read_text
from backstay.datasets._text_file import TextFile, check_file, explained

READERS: dict[str, Callable[[Path, Reading], Content]] = {
    "excel": read_excel,
    "anndata": read_anndata,
    "parquet": read_parquet,
    "npz": read_npz,
}
TEXT = (".csv", ".tsv", ".tab", ".txt")
KINDS = dict.fromkeys(TEXT, "text") | {
    ".gct": "gct", ".xlsx": "excel", ".xlsm": "excel", ".h5ad": "anndata",
    ".parquet": "parquet", ".pq": "parquet", ".npz": "npz",
}  # fmt: skip
# What other files are, and how they become one that is read.
OTHERS = dict.fromkeys((".xls", ".ods"), "another kind of spreadsheet; save it as .xlsx or CSV") | {
    ".arff": "ARFF, which is not read; save it as CSV in Weka, or with write.csv("
    "foreign::read.arff(…)) in R",
    ".mat": "a MATLAB file, which is not read; save it as CSV with writetable in MATLAB, or with "
    "numpy.savez('table.npz', X=…, y=…) after scipy.io.loadmat in Python",
}
# How text files begin that are more than a table.
BEGINNINGS = {
    "!Series_": "series matrix", "!Sample_": "series matrix", "#1.2": "gct", "#1.3": "gct",
}  # fmt: skip
# Formats that always have samples, or always features, in rows.
ONE_WAY = {"series matrix": "a feature per row", "gct": "a feature per row",
           "anndata": "a sample per row"}  # fmt: skip


def content_of(path: Path, reading: Reading) -> Content:
    """Read whatever is in a file, joined with the sheet of its samples if there is one."""
    if reading.samples is not None:
        return _with_sheet(path, reading)
    content = read_content(path, reading)
    if reading.annotation and content.annotation is None:
        raise TableError(
            "annotation is for files with a feature per row; give the sheet of samples, or say "
            "transpose.",
            parameter=("samples", "transpose"),
        )
    return content


def _with_sheet(path: Path, reading: Reading) -> Content:
    """Read a file and the sheet of its samples, and join them."""
    about = Reading(
        decimal=reading.decimal, encoding=reading.encoding, missing=reading.missing,
        max_size=reading.max_size,
    )  # fmt: skip
    if isinstance(reading.samples, pd.DataFrame):
        name, frame = "the sheet", reading.samples.copy()
        frame.columns = frame.columns.map(str)
    else:
        known = read_content(Path(str(reading.samples)), about, as_text="all")
        name, frame = known.file, known.frame
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.rename_axis("row name").reset_index()
    if twice := repeated(frame.columns):
        raise TableError(f"{name} has columns of one name: {listed(twice)}.", parameter="samples")
    if reading.ids is not None:
        check_column("ids", reading.ids, frame.columns, name)
    # Columns are parsed as they lie: as text they would take many times the memory.
    plain = replace(reading, transpose=False, annotation=(), target=None)
    content = read_content(path, plain, as_text="first")
    _check_options(path.name, content.details["format"], reading)
    joined = join_samples(content, SampleSheet(name, frame, reading))
    return replace(joined, details={**joined.details, "samples": name})


def read_content(path: Path, reading: Reading, as_text: str = "labels") -> Content:
    """Read whatever is in a file; ``as_text`` as in :func:`read_text`."""
    kind = _kind_by_name(path)
    if kind in ("text", "gct"):
        with (
            explained(path, reading.encoding),
            TextFile(path, reading.encoding, reading.max_size, reading.skip) as file,
        ):
            line = file.first_line() if kind == "text" else ""
            kind = next((BEGINNINGS[start] for start in BEGINNINGS if line.startswith(start)), kind)
            _check_options(path.name, kind, reading)
            readers = {"gct": read_gct, "series matrix": read_series_matrix}
            content = readers.get(kind, partial(read_text, as_text=as_text))(file, reading)
            sha256 = file.sha256()
    else:
        _check_options(path.name, kind, reading)
        content = READERS[kind](path, reading)
        if reading.missing:
            numbers = pd.to_numeric(pd.Series(reading.missing), errors="coerce").dropna()
            absent = content.frame.isin([*reading.missing, *numbers])
            content = replace(content, frame=content.frame.mask(absent))
        if reading.transpose:  # text is exchanged before it is parsed
            content = exchanged(content, reading.annotation)
        with path.open("rb") as stored:
            sha256 = hashlib.file_digest(stored, "sha256").hexdigest()
    if len(content.frame) == 0:
        raise TableError(f"{path.name} has no rows.")
    details = {"file": path.name, "sha256": sha256, "format": kind, **content.details}
    return replace(content, details=details)


def _kind_by_name(path: Path) -> str:
    """Return the format of a file as its name says; refuse other files."""
    check_file(path)
    suffix = path.suffix.lower()
    if suffix == ".gz":
        suffix = Path(path.stem).suffix.lower()
        if suffix not in (*TEXT, ".gct"):
            raise TableError(f"{path.name}: only text files may be gzipped; unpack it first.")
    if path.stat().st_size == 0:
        raise TableError(f"{path.name} is empty.")
    if suffix in OTHERS:
        raise TableError(f"{path.name} is {OTHERS[suffix]}.")
    if suffix not in KINDS:
        raise TableError(
            f"{path.name} ends in {suffix or 'nothing'!r}; files are known by {', '.join(TEXT)}, "
            ".gct, .xlsx, .h5ad, .parquet and .npz."
        )
    return KINDS[suffix]


def _check_options(name: str, kind: str, reading: Reading) -> None:
    """Refuse options that are for other formats."""
    if reading.transpose and kind in ONE_WAY:
        raise TableError(f"{name} has {ONE_WAY[kind]}; leave transpose out.", parameter="transpose")
    if reading.skip and kind not in ("text", "excel"):
        raise TableError(f"{name} has no lines to skip; leave skip out.", parameter="skip")
    if reading.layer is not None and kind != "anndata":
        raise TableError(f"{name} has no layers; only AnnData files have.", parameter="layer")
    if reading.sheet is not None and kind != "excel":
        raise TableError(f"{name} has no sheets; only Excel files have.", parameter="sheet")
