"""How is a file written? Whole or not at all, and safe to open in a spreadsheet."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path
from typing import Any, TypeVar
from unicodedata import category

try:
    import fcntl
except ImportError:  # Windows, where a file that is open cannot be removed
    fcntl = None  # type: ignore[assignment]

Cell = TypeVar("Cell")


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> Path:
    """Write a file so that a reader finds the old content or the new one, never a part.

    The content goes to a temporary name in the same folder, to the disk, and then in one step to
    its place. If that fails the file stays as it was, and the error names it. What an earlier
    attempt left when it was killed is removed.
    """
    path = Path(path)
    data = content.encode() if isinstance(content, str) else content
    try:
        place = path.resolve()  # the file that a link points to is replaced, not the link
        if place.exists() and not stat.S_ISREG(place.stat().st_mode):
            place.write_bytes(data)  # a device or a pipe is written to, not replaced
        else:
            _replace(place, data)
    except OSError as error:
        raise type(error)(error.errno, error.strerror or str(error), str(path)) from error
    return path


def _replace(place: Path, data: bytes) -> None:
    for left in place.parent.glob(f".{_literal(place.name)}.*.part"):
        _remove_if_nobodys(left)
    number, name = tempfile.mkstemp(".part", f".{place.name}.", place.parent)
    draft = Path(name)
    try:
        with os.fdopen(number, "wb") as file:
            if fcntl is not None:
                with contextlib.suppress(OSError):  # not every file system has locks
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            file.write(data)
            file.flush()
            os.chmod(draft, _mode(place))
            os.fsync(file.fileno())
        os.replace(draft, place)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise
    with contextlib.suppress(OSError):  # not every system lets a folder be synced
        folder = os.open(place.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


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
            with draft.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
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
