"""How much memory tasks need, and how much there is: a warning before a study runs out of it."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path
from typing import Any

from scipy import sparse

from backstay.study._protocols import Split

# A worker process with the libraries it loads.
WORKER_BYTES = 200e6
# Copies of the training rows that a task holds at once (taken from the table, scaled, in the
# method's own layout), and matrices of training rows × training rows. Tasks of t, relieff, mrmr-f
# and svm-rfe on 100 × 20,000, 400 × 20,000 and 3000 × 500 took 38 to 72, 129 to 206 and 30 to 82
# MB beyond their process; this says 43, 171 and 96.
COPIES, KERNELS = 4, 2
GIGABYTE = 1e9


def bytes_of_task(X: Any, splits: dict[int, Split]) -> float:
    """Return about how much memory the largest task needs, its process included."""
    n_train = max((len(split.train) for split in splits.values()), default=0)
    cells = X.nnz / X.shape[0] if sparse.issparse(X) else X.shape[1]
    return WORKER_BYTES + 8 * (COPIES * n_train * cells + KERNELS * n_train**2)


def bytes_free() -> float | None:
    """Return how much memory this process and its workers may still take; None if not known."""
    known = [size for size in (_of_machine(), _of_group()) if size is not None]
    return min(known, default=None)


def warn_of_memory(X: Any, splits: dict[int, Split], n_jobs: int) -> None:
    """Warn if so many tasks at once probably need more memory than there is."""
    free, each = bytes_free(), bytes_of_task(X, splits)
    if free is None or n_jobs * each <= free:
        return
    room = max(int(free // each), 1)
    fewer = f" Use --jobs {room} (n_jobs={room})." if room < n_jobs else ""
    tasks = f"{n_jobs} tasks at a time" if n_jobs > 1 else "a task"
    warnings.warn(
        f"{tasks} may need about {n_jobs * each / GIGABYTE:.1f} GB of memory, and "
        f"{free / GIGABYTE:.1f} GB are free.{fewer}",
        UserWarning,
        stacklevel=7,  # the caller of Study.run
    )


def _of_machine() -> float | None:
    """Return the memory that the system can give away without swapping."""
    if sys.platform.startswith("linux"):
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return float(line.split()[1]) * 1024
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):  # Windows
        return None


def _of_group() -> float | None:
    """Return what is left of the limit of a container or a job, as Linux sets it."""
    folder = Path("/sys/fs/cgroup")
    try:
        limit, used = (
            (folder / name).read_text().strip() for name in ("memory.max", "memory.current")
        )
        return None if limit == "max" else max(float(limit) - float(used), 0.0)
    except (OSError, ValueError):
        return None
