"""How is a file written? Completely or not at all, and safe to open in a spreadsheet."""

import contextlib
import errno
import glob
import json
import math
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar
from unicodedata import category

try:
    import fcntl
except ImportError:  # Windows, where a file that is open cannot be removed
    fcntl = None  # type: ignore[assignment]

Cell = TypeVar("Cell")


def write_whole(
    path: str | os.PathLike[str], content: str | bytes, *, private: bool = False
) -> Path:
    """Write a file so that a reader finds the old content or the new one, never part of it.

    If writing fails, the file stays as it was. One that is `private` only its owner can read.
    """
    path = Path(path)
    with draft_of(path) as draft, _named(path):
        if private:
            create_private(draft)
        draft.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def create_private(path: Path) -> None:
    """Make an empty file that only its owner may read, unless there is one; POSIX only."""
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))


def plain(value: Any) -> Any:
    """Return values as JSON holds them: Python's numbers for numpy's, None for undefined ones."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    value = value.item() if hasattr(value, "dtype") else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


@contextlib.contextmanager
def draft_of(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a name to write a file under; if nothing fails, the file is then moved to its place.

    The draft lies in a temporary folder beside its place, as SQLite has files of its own there.
    Drafts of writers that were killed are removed. A pipe or a device is refused: it cannot be
    replaced.
    """
    path = Path(path)
    with _named(path):
        place = path.resolve()  # the file that a link points to is replaced, not the link
        if place.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if place.exists() and not place.is_file():
            why = "it is a pipe or a device, not a file, and was left as it is"
            raise OSError(errno.EINVAL, why)
        _remove_leftovers(place)
        folder = Path(tempfile.mkdtemp(".part", f".{place.name}.", place.parent))
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        if fcntl is not None:
            number = os.open(folder, os.O_RDONLY)
            stack.callback(os.close, number)
            with contextlib.suppress(OSError):  # not every file system has locks
                fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)  # the writer is still running
        draft = folder / place.name
        yield draft
        with _named(path):
            with draft.open("rb+") as file:
                if place.exists():
                    os.chmod(draft, stat.S_IMODE(place.stat().st_mode))
                os.fsync(file.fileno())
            os.replace(draft, place)
            _sync_folder(place.parent)


@contextlib.contextmanager
def _named(path: Path) -> Iterator[None]:
    """Let errors name the file that was asked for, not its draft."""
    try:
        yield
    except OSError as error:
        raise type(error)(error.errno, error.strerror or str(error), str(path)) from error


def _remove_leftovers(place: Path) -> None:
    """Remove drafts of a file, except those that a running process has locked."""
    for draft in place.parent.glob(f".{glob.escape(place.name)}.*.part"):
        with contextlib.suppress(OSError):
            if fcntl is not None:
                number = os.open(draft, os.O_RDONLY | os.O_NONBLOCK)
                try:
                    fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
                finally:
                    os.close(number)
            shutil.rmtree(draft)


def _sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk, new ones included."""
    with contextlib.suppress(OSError):  # not every system lets a folder be synced
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def as_json(value: Any) -> str:
    """Write JSON that every program can read: no NaN, no infinity."""
    return json.dumps(plain(value), indent=1, ensure_ascii=False, allow_nan=False)


def spreadsheet_cell(cell: Cell) -> Cell | str:
    """Keep a spreadsheet from taking text for a formula; other cells stay as they are."""
    if not isinstance(cell, str):
        return cell
    start: Any = cell[:1]
    formula = cell.lstrip()[:1] in tuple("=+-@＝＋－＠")  # some take wide signs for the others
    return f"'{cell}" if formula or (start and category(start) == "Cc") else cell
