"""A folder of NPZ files as a mapping of data sets."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import Bunch

from backstay.datasets import TableError

__all__ = ["NpzFolder", "load_npz_dir"]

CSR = ("data", "indices", "indptr", "shape")


class NpzFolder(Mapping[str, Bunch]):
    """Data sets of a folder by name; each access reads one file.

    Parameters
    ----------
    path : path
        The folder.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        if not self.path.is_dir():
            raise TableError(f"{self.path} is not a folder.")
        self._files = {file.stem: file for file in sorted(self.path.glob("*.npz"))}
        if not self._files:
            raise TableError(f"{self.path} holds no .npz files.")

    def __len__(self) -> int:
        return len(self._files)

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __repr__(self) -> str:
        return f"NpzFolder({len(self)} data sets: {', '.join(map(repr, self))})"

    def __getitem__(self, name: str) -> Bunch:
        if name not in self._files:
            raise KeyError(f"no data set {name!r}; there are {', '.join(self)}")
        return _bunch(self._files[name])


def _arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Read plain arrays only: a file from elsewhere must not run code."""
    try:
        with path.open("rb") as file:  # numpy does not close one that it cannot read
            archive = np.load(file, allow_pickle=False)
            if isinstance(archive, np.ndarray):
                raise ValueError("it holds one array without a name")
            with archive:
                return dict(archive)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        reason = str(error).rstrip(".")
        raise TableError(f"{path.name} must be an NPZ file of plain arrays: {reason}.") from error


def _bunch(path: Path) -> Bunch:
    arrays = _arrays(path)
    if "X" in arrays:
        X: Any = arrays.pop("X")
    elif set(CSR) <= set(arrays):
        data, indices, indptr, shape = (arrays.pop(key) for key in CSR)
        X = sparse.csr_matrix((data, indices, indptr), shape=tuple(shape.tolist()))
        X.check_format(full_check=True)
    else:
        raise TableError(f"{path.name} has no X, nor data, indices, indptr and shape.")
    if "y" not in arrays:
        raise TableError(f"{path.name} has no y; it holds {', '.join(arrays) or 'X only'}.")
    y = arrays.pop("y")
    if y.shape != (X.shape[0],):
        raise TableError(f"{path.name}: y has shape {y.shape}, X has {X.shape[0]} rows.")
    classes, names = arrays.pop("class_names", np.unique(y)), arrays.pop("feature_names", None)
    n_train = arrays.pop("n_train", None)
    return Bunch(
        X=X,
        y=y,
        class_names=[str(name) for name in classes],
        feature_names=[f"x{j}" for j in range(X.shape[1])]
        if names is None
        else [str(name) for name in names],
        groups=arrays.pop("groups", None),
        n_train=None if n_train is None else int(n_train),
        **arrays,
    )


def load_npz_dir(path: str | os.PathLike[str]) -> NpzFolder:
    """Open a folder of NPZ files as a mapping from names to data sets.

    Parameters
    ----------
    path : path
        A folder of ``.npz`` files with ``X`` (or ``data``, ``indices``, ``indptr`` and ``shape``
        of a CSR matrix) and ``y``, and perhaps ``class_names``, ``feature_names``, ``groups`` and
        ``n_train``.

    Returns
    -------
    NpzFolder
        Each access reads one data set, as a Bunch with these as attributes.
        Values are as in the file: for raw microarrays see :func:`backstay.datasets.log2_floor`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(pathlib.Path(folder, "toy.npz"), X=np.eye(4), y=[0, 1, 0, 1])
    ...     data = load_npz_dir(folder)
    ...     toy = data["toy"]
    >>> list(data), toy.X.shape, toy.feature_names, toy.n_train
    (['toy'], (4, 4), ['x0', 'x1', 'x2', 'x3'], None)
    """
    return NpzFolder(path)
