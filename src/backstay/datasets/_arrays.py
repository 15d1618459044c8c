"""Tables in NPZ files, read without running any code in them."""

import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from backstay._words import listed
from backstay.datasets._content import (
    Content,
    check_table,
    check_unpacked,
    features_by_name,
    read_as,
    repeated,
)
from backstay.datasets._labelled import TableError, written_out
from backstay.datasets._reading import Reading

# What arrays may be called beside x and y, in lower case.
NAMES = ("feature_names", "class_names", "groups", "n_train", "sample_names")
CSR = ("data", "indices", "indptr", "shape")


def read_npz(path: Path, reading: Reading) -> Content:
    """Read rows, labels and names from an NPZ file, never unpickling anything."""
    broken = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError)
    try:
        with read_as("an NPZ file", path, *broken), path.open("rb") as file:
            if zipfile.is_zipfile(path):  # numpy says what it is instead
                with zipfile.ZipFile(path) as members:
                    check_unpacked(
                        path, sum(one.file_size for one in members.infolist()), reading.max_size
                    )
            archive = np.load(file, allow_pickle=False)
            if isinstance(archive, np.ndarray):
                raise TableError(f"{path.name} holds one array without a name; save X and y.")
            with archive:
                arrays = {name: archive[name] for name in archive.files}
    except TableError:
        raise
    except (ValueError, MemoryError) as error:
        raise TableError(
            f"{path.name} holds Python objects or damaged arrays, which are not read; save texts "
            "as numpy arrays of strings."
        ) from error
    with read_as("a table in an NPZ file", path, ValueError, TypeError):
        return _content(path, arrays, reading)


def _vector(path: Path, name: str, values: NDArray[Any]) -> NDArray[Any]:
    """Return an array of labels: numbers as they are, bytes as texts."""
    if values.dtype.kind not in "biufMUS":
        raise TableError(f"{path.name}: {name} holds {values.dtype} values; it must hold a text or "
                         "a number per entry.")  # fmt: skip
    flat = values.ravel()
    flat = np.char.decode(flat, "utf-8") if flat.dtype.kind == "S" else flat
    return np.char.strip(flat) if flat.dtype.kind == "U" else flat


def _texts(path: Path, name: str, values: Any) -> list[str]:
    return [str(entry) for entry in _vector(path, name, values).tolist()]


def _matrix(path: Path, arrays: dict[str, Any], x: str | None) -> tuple[Any, tuple[str, ...]]:
    """Return the rows, and the names of the arrays that held them."""
    if x is not None:
        return arrays[x], (x,)
    if set(CSR) <= set(arrays):
        data, indices, indptr, shape = (arrays[key] for key in CSR)
        matrix = sparse.csr_matrix((data, indices, indptr), shape=tuple(map(int, shape)))
        matrix.check_format(full_check=True)
        return matrix, CSR
    tables = [k for k, v in arrays.items() if v.ndim == 2 and min(v.shape) > 1]
    if len(tables) == 1:
        return arrays[tables[0]], (tables[0],)
    raise TableError(
        f"{path.name} has no array X (nor data, indices, indptr and shape); it holds "
        f"{listed(arrays) or 'nothing'}."
    )


def _content(path: Path, arrays: dict[str, Any], reading: Reading) -> Content:
    """Return rows, labels and names out of the arrays of a file."""
    target = reading.target
    named = {name.lower(): name for name in reversed(arrays)}  # of two spellings, the first
    X, used = _matrix(path, arrays, named.get("x"))
    notes = []
    check_table(path.name, "X", X)
    n, d = X.shape
    if sparse.issparse(X):
        X = written_out(X, path.name)
        notes.append("The sparse matrix was written out.")
    names = [f"x{j}" for j in range(d)]
    if "feature_names" in named:
        names = _texts(path, "feature_names", arrays[named["feature_names"]])
    if len(names) != d:
        raise TableError(f"{path.name} has {len(names)} feature_names for {d} columns of X.")
    frame = features_by_name(X, None, names)
    label = target if target in arrays else named.get("y")
    beside = [name for name in (reading.time, reading.event) if name in arrays]
    sheet = {name: _vector(path, str(name), arrays[str(name)]) for name in beside}
    if reading.time is not None or (target not in arrays and target in frame.columns):
        label = None
    elif target is not None and target not in arrays and target.lower() != "y":
        raise TableError(
            f"{path.name} has no array or feature {target!r}; its arrays are {listed(arrays)}.",
            parameter="target",
        )
    extra: dict[str, Any] = {}
    if label is not None:
        extra = {"y": _vector(path, label, arrays[label]), "target": label}
    for key in ("class_names", "groups", "sample_names"):
        if key in named:
            extra[key] = (_vector if key == "groups" else _texts)(path, key, arrays[named[key]])
    if twice := repeated(extra.get("class_names", ())):
        raise TableError(f"{path.name} has several class_names {listed(twice)}; every class needs "
                         "its own.")  # fmt: skip
    taken = (*used, label, *beside)
    if ignored := [k for k in arrays if k not in taken and k.lower() not in NAMES]:
        notes.append(f"Arrays not used: {listed(ignored)}.")
    if "n_train" in named:
        notes.append("n_train is not used: a study splits all rows itself.")
    lengths = {key: len(extra[key]) for key in ("y", "groups", "sample_names") if key in extra}
    for key, length in [*lengths.items(), *((str(k), len(v)) for k, v in sheet.items())]:
        if length != n:
            raise TableError(f"{path.name} has {length} values of {key} for {n} rows of X.")
    if "sample_names" in extra:
        frame.index = pd.Index(extra.pop("sample_names"), dtype=object)
    about = pd.DataFrame(sheet, index=frame.index) if sheet else None
    return Content(path.name, frame, extra=extra, sheet=about, notes=notes)
