"""Which reader a file needs: by its name, and for text by how it begins."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from backstay.datasets._anndata import read_anndata
from backstay.datasets._arff import read_arff
from backstay.datasets._arrays import read_mat, read_npz
from backstay.datasets._content import Content, Limit, Reading, exchanged
from backstay.datasets._excel import read_excel
from backstay.datasets._expression import (
    looks_like_gct,
    looks_like_series_matrix,
    read_gct,
    read_series_matrix,
)
from backstay.datasets._labelled import TableError
from backstay.datasets._parquet import read_parquet
from backstay.datasets._text import check_file, read_text

READERS: dict[str, Callable[[Path, Reading], Content]] = {
    "text": read_text,
    "series matrix": read_series_matrix,
    "gct": read_gct,
    "excel": read_excel,
    "anndata": read_anndata,
    "parquet": read_parquet,
    "arff": read_arff,
    "npz": read_npz,
    "mat": read_mat,
}
TEXT = (".csv", ".tsv", ".tab", ".txt")
KINDS = dict.fromkeys(TEXT, "text") | {
    ".gct": "gct", ".xlsx": "excel", ".xlsm": "excel", ".h5ad": "anndata",
    ".parquet": "parquet", ".pq": "parquet", ".arff": "arff", ".npz": "npz", ".mat": "mat",
}  # fmt: skip
# Formats that lie one way only.
ONE_WAY = {"series matrix": "a feature per row", "gct": "a feature per row",
           "anndata": "a sample per row"}  # fmt: skip


def kind_of(path: Path, limit: Limit | None = None) -> str:
    """Return the format of a file, a key of ``READERS``; refuse what is none."""
    check_file(path)
    suffix = path.suffix.lower()
    if suffix == ".gz":
        suffix = Path(path.stem).suffix.lower()
        if suffix not in (*TEXT, ".gct"):
            raise TableError(f"{path.name}: only text files may be gzipped; unpack it first.")
    if path.stat().st_size == 0:
        raise TableError(f"{path.name} is empty.")
    if suffix in (".xls", ".ods"):
        raise TableError(f"{path.name} is another kind of spreadsheet; save it as .xlsx or CSV.")
    if suffix not in KINDS:
        raise TableError(
            f"{path.name} ends in {suffix or 'nothing'!r}; files are known by {', '.join(TEXT)}, "
            ".gct, .xlsx, .h5ad, .parquet, .arff, .npz and .mat."
        )
    kind = KINDS[suffix]
    if kind == "text" and looks_like_series_matrix(path, limit):
        return "series matrix"
    if kind == "text" and looks_like_gct(path, limit):
        return "gct"
    return kind


def read_content(path: Path, reading: Reading) -> Content:
    """Read whatever is in a file."""
    kind = kind_of(path, reading.limit)
    if reading.transpose and kind in ONE_WAY:
        raise TableError(f"{path.name} always has {ONE_WAY[kind]}; leave transpose out.")
    if reading.layer is not None and kind != "anndata":
        raise TableError(f"{path.name} has no layers; only AnnData files have.")
    if reading.sheet is not None and kind != "excel":
        raise TableError(f"{path.name} has no sheets to choose from; only Excel files have.")
    content = READERS[kind](path, reading)
    if reading.transpose and kind != "text":  # text is exchanged before it is parsed
        content = exchanged(content, reading.annotation)
    if len(content.frame) == 0:
        raise TableError(f"{path.name} has no rows.")
    details = {"file": path.name, "sha256": sha256(path), "format": kind, **content.details}
    return replace(content, details=details)


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
