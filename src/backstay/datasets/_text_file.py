"""A text file, opened once: its first line, its characters, its checksum."""

import csv
import gzip
import hashlib
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Self, TextIO

import pandas as pd

from backstay.datasets._content import check_unpacked
from backstay.datasets._labelled import TableError

CHUNK = 2**20
# What is looked at to tell what a file is.
START = 4096
MAGIC = {
    b"PK\x03\x04": "a zip or Excel file; give it a name that ends in .xlsx, or save it as CSV",
    b"\xd0\xcf\x11\xe0": "an old Excel file; save it as .xlsx or CSV",
    b"\x89HDF": "an HDF5 file; if AnnData wrote it, give it a name that ends in .h5ad",
    b"\x1f\x8b": "compressed; give it a name that ends in .gz",
    b"SQLite format 3": "a database; a study's store is read by the command report",
    b"PAR1": "a Parquet file; give it a name that ends in .parquet",
}
# Longer marks first: that of UTF-32 begins like that of UTF-16.
MARKS = {
    b"\xff\xfe\0\0": "UTF-32", b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16",
}  # fmt: skip


def check_file(path: Path) -> None:
    """Refuse what is not a file."""
    if path.is_dir():
        raise TableError(f"{path} is a folder; name a file in it.")
    if not path.exists():
        raise TableError(f"there is no file {path}.")
    if not path.is_file():
        raise TableError(f"{path} is a pipe or a device, not a file; save it to a file first.")


@contextmanager
def explained(path: Path, encoding: str) -> Iterator[None]:
    """Turn errors of decoding, decompressing and parsing into a sentence."""
    try:
        yield
    except TableError:
        raise
    except UnicodeError as error:
        why = str(error)
        if isinstance(error, UnicodeDecodeError):
            why = f"byte 0x{error.object[error.start]:02x}"
        raise TableError(
            f"{path.name} is not {encoding} text ({why}); save it as UTF-8 or name its encoding, "
            "for example latin-1 for files of older Windows programs.",
            parameter="encoding",
        ) from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise TableError(f"{path.name} is not a whole gzip file ({error}).") from error
    except pd.errors.ParserWarning as error:
        raise TableError(
            f"{path.name} has a line with more fields than names; every line needs the same number."
        ) from error
    except (csv.Error, ValueError) as error:  # ParserError of pandas among them
        raise TableError(
            f"{path.name} is not a table of text ({str(error).strip()}); close a quotation mark "
            "that does not end, or name another delimiter.",
            parameter="delimiter",
        ) from error


class _Unpacked(io.RawIOBase):
    """A gzip file as bytes, refused as soon as there are more of them than the limit allows."""

    def __init__(self, path: Path, packed: BinaryIO, max_size: float | None) -> None:
        self.path, self.max_size, self.count = path, max_size, 0
        self.file = gzip.GzipFile(fileobj=packed)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.file.read(len(buffer))
        buffer[: len(data)] = data
        self.count += len(data)
        check_unpacked(self.path, self.count, self.max_size)
        return len(data)


class TextFile:
    """A text file, compressed or not: opened once, and read from its beginning when asked."""

    def __init__(self, path: Path, encoding: str, max_size: float | None, skip: int = 0) -> None:
        self.path, self.encoding, self.max_size, self.skip = path, encoding, max_size, skip
        self._file = path.open("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def _bytes(self) -> BinaryIO:
        self._file.seek(0)
        stored = io.BufferedReader(io.FileIO(self._file.fileno(), closefd=False), CHUNK)
        if self.path.suffix.lower() != ".gz":
            return stored
        return io.BufferedReader(_Unpacked(self.path, stored, self.max_size), CHUNK)

    def first_line(self) -> str:
        """Return how the first line begins that holds anything; it may be endless."""
        start = self._bytes().read(START).decode("latin-1")
        lines = (line for line in start.splitlines() if line.strip())
        return next(lines, "").lstrip("\ufeff\xef\xbb\xbf")

    def text(self) -> TextIO:
        """Return its characters, without the lines to skip; refuse what is not such text."""
        _check_bytes(self.path, self._bytes().read(START), self.encoding)
        # utf-8-sig also takes UTF-8 without the mark that Excel puts first.
        usual = self.encoding.lower() in ("utf-8", "utf8")
        encoding = "utf-8-sig" if usual else self.encoding
        try:
            text = io.TextIOWrapper(self._bytes(), encoding=encoding, newline="")
        except (LookupError, ValueError) as error:
            raise TableError(
                f"encoding={self.encoding!r} is unknown; try utf-8 or latin-1.",
                parameter="encoding",
            ) from error
        for _ in range(self.skip):
            text.readline()
        return text

    def sha256(self) -> str:
        """Return the checksum of the file as it is stored."""
        self._file.seek(0)
        return hashlib.file_digest(self._file, "sha256").hexdigest()


def _check_bytes(path: Path, start: bytes, encoding: str) -> None:
    """Refuse what is not text, or text in an encoding of wider characters than was named."""
    for magic, what in MAGIC.items():
        if start.startswith(magic):
            raise TableError(f"{path.name} is {what}.")
    if encoding.lower().replace("_", "-").startswith(("utf-16", "utf-32", "utf16", "utf32")):
        return
    for mark, name in MARKS.items():
        if start.startswith(mark):
            raise TableError(
                f"{path.name} is {name} text; save it as UTF-8 or name the encoding.",
                parameter="encoding",
            )
    if b"\0" in start:
        raise TableError(
            f"{path.name} is not text, or UTF-16; give a CSV or TSV file, or name the encoding.",
            parameter="encoding",
        )
