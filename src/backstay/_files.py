"""How is a file written? Whole or not at all, and safe to open in a spreadsheet."""

from __future__ import annotations

import contextlib
import errno
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
# How a message names what is not a file.
KINDS = {stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket"}


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> Path:
    """Write a file so that a reader finds the old content or the new one, never a part.

    The content goes to a temporary name in the same folder, to the disk, and then in one step to
    its place. If that fails the file stays as it was, and the error names it. What an earlier
    attempt left when it was killed is removed. A pipe or a device is refused: the one would wait
    for a reader, perhaps for ever, and neither can be replaced.
    """
    path = Path(path)
    data = content.encode() if isinstance(content, str) else content
    with _named(path):
        place = path.resolve()  # the file that a link points to is replaced, not the link
        _check_is_file(place)
        _replace(place, data)
    return path


def plain(value: Any) -> Any:
    """Return values as JSON holds them: Python's numbers for numpy's, None for undefined ones.

    Examples
    --------
    >>> import numpy as np
    >>> plain({"a": np.float64(0.5), "b": (np.int64(1), float("nan"))})
    {'a': 0.5, 'b': [1, None]}
    """
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    value = value.item() if hasattr(value, "dtype") else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


@contextlib.contextmanager
def draft_of(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a name to write a file under; if nothing fails, it is then put in its place.

    This is :func:`write_whole` for what writes by name and has files of its own beside that, as
    SQLite does: the draft lies in a temporary folder, which goes with all that is in it.
    """
    path = Path(path)
    with _named(path):
        place = path.resolve()
        _check_is_file(place)
        _remove_leftovers(place)
        folder = Path(tempfile.mkdtemp(".part", f".{place.name}.", place.parent))
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        if fcntl is not None:
            number = os.open(folder, os.O_RDONLY)
            stack.callback(os.close, number)
            _lock(number)
        draft = folder / place.name
        yield draft
        with _named(path):
            with draft.open("rb+") as file:
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


def _check_is_file(place: Path) -> None:
    """Refuse to write onto what is there and is not a file."""
    if not place.exists():
        return
    kind = stat.S_IFMT(place.stat().st_mode)
    if kind == stat.S_IFDIR:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if kind != stat.S_IFREG:
        what = KINDS.get(kind, "a device")
        raise OSError(errno.EINVAL, f"it is {what}, not a file, and was left as it is")


def _remove_leftovers(place: Path) -> None:
    """Remove the drafts of a file whose writers were killed."""
    for left in place.parent.glob(f".{_literal(place.name)}.*.part"):
        _remove_if_nobodys(left)


def _replace(place: Path, data: bytes) -> None:
    _remove_leftovers(place)
    number, name = tempfile.mkstemp(".part", f".{place.name}.", place.parent)
    draft = Path(name)
    try:
        with os.fdopen(number, "wb") as file:
            _lock(file.fileno())
            file.write(data)
            file.flush()
            os.chmod(draft, _mode(place))
            os.fsync(file.fileno())
        os.replace(draft, place)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise
    _sync_folder(place.parent)


def _lock(number: int) -> None:
    """Show others that the writer of a draft is alive, as long as it is open."""
    if fcntl is not None:
        with contextlib.suppress(OSError):  # not every file system has locks
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _sync_folder(folder: Path) -> None:
    """Wait until the disk has the names in a folder, a new one among them."""
    with contextlib.suppress(OSError):  # not every system lets a folder be synced
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def _literal(name: str) -> str:
    """Return a name as a pattern that matches nothing else."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in name)


def _mode(place: Path) -> int:
    """Return the permissions of a file that is there, or of any new one."""
    if place.exists():
        return stat.S_IMODE(place.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _remove_if_nobodys(draft: Path) -> None:
    """Remove a draft, unless a running process has it locked."""
    with contextlib.suppress(OSError):
        if fcntl is not None:
            number = os.open(draft, os.O_RDONLY | os.O_NONBLOCK)
            try:
                fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            finally:
                os.close(number)
        if draft.is_dir():
            shutil.rmtree(draft)
        else:
            draft.unlink()


def spreadsheet_cell(cell: Cell) -> Cell | str:
    """Keep text from being taken for a formula by a spreadsheet; all else stays as it is.

    Examples
    --------
    >>> spreadsheet_cell("=1+2"), spreadsheet_cell("gene"), spreadsheet_cell(-1.5)
    ("'=1+2", 'gene', -1.5)
    """
    if not isinstance(cell, str):
        return cell
    start: Any = cell[:1]
    if cell.lstrip()[:1] in ("=", "+", "-", "@") or (start and category(start) == "Cc"):
        return f"'{cell}"
    return cell
