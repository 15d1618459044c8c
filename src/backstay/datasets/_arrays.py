"""Tables in NPZ and MATLAB files, read without running any code in them."""

import math
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from scipy.io import loadmat, whosmat
from scipy.io.matlab import MatReadError

from backstay._words import listed
from backstay.datasets._content import (
    Content,
    check_table,
    features_by_name,
    first_line,
    read_as,
    repeated,
)
from backstay.datasets._labelled import TableError, written_out
from backstay.datasets._reading import Reading

# What arrays of an NPZ or MATLAB file may be called beside x and y, in lower case.
NAMES = ("feature_names", "class_names", "groups", "n_train", "sample_names")
CSR = ("data", "indices", "indptr", "shape")


def read_npz(path: Path, reading: Reading) -> Content:
    """Read rows, labels and names from an NPZ file, never unpickling anything."""
    broken = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError)
    try:
        with read_as("an NPZ file", path, *broken), path.open("rb") as file:
            if zipfile.is_zipfile(path):  # numpy says what it is instead
                with zipfile.ZipFile(path) as members:
                    reading.limit.check(path, sum(one.file_size for one in members.infolist()))
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
    return _from_arrays(path, arrays, reading)


def read_mat(path: Path, reading: Reading) -> Content:
    """Read rows, labels and names from a MATLAB file of version 4 to 7.2."""
    broken = (MatReadError, ValueError, TypeError, OSError, LookupError, MemoryError, zlib.error)
    try:
        with read_as("a MATLAB file", path, *broken):
            sides = (shape for _, shape, kind in whosmat(str(path)) if kind != "sparse")
            reading.limit.check(path, 8 * sum(math.prod(shape) for shape in sides))
            variables = loadmat(str(path), chars_as_strings=True)
    except NotImplementedError as error:
        raise TableError(
            f"{path.name} is a MATLAB file of version 7.3; save it with save(…, '-v7')."
        ) from error
    arrays = {k: v for k, v in variables.items() if not k.startswith("__")}
    return _from_arrays(path, arrays, reading)


def _vector(path: Path, name: str, values: Any) -> NDArray[Any]:
    """Return an array of labels: numbers as they are, bytes and MATLAB's cells as texts."""
    values = values.toarray() if sparse.issparse(values) else np.asarray(values)
    if values.dtype.kind not in "biufMUSO" or values.dtype.names is not None:
        raise TableError(f"{path.name}: {name} holds {values.dtype} values; it must hold a text or "
                         "a number per entry.")  # fmt: skip
    flat = values.ravel()
    if flat.dtype.kind in "OS":
        flat = np.array([_text(path, name, entry) for entry in flat.tolist()], dtype=str)
    return np.char.strip(flat) if flat.dtype.kind == "U" else flat


def _text(path: Path, name: str, entry: Any) -> str:
    """Return the text that an entry holds, or a cell of MATLAB, in which it is an array."""
    while isinstance(entry, np.ndarray) and entry.dtype.names is None and entry.size < 2:
        entry = entry.ravel()[0] if entry.size else ""
    if isinstance(entry, bytes):
        try:
            return entry.decode("utf-8")
        except UnicodeDecodeError as error:
            raise TableError(f"{path.name}: {name} holds bytes that are not UTF-8 text.") from error
    if isinstance(entry, str | int | float | np.bool_ | np.number):
        return str(entry)
    raise TableError(f"{path.name}: {name} holds a cell with more than one text or number.")


def _texts(path: Path, name: str, values: Any) -> list[str]:
    return [str(entry) for entry in _vector(path, name, values).tolist()]


def _matrix(path: Path, arrays: dict[str, Any], x: str | None) -> tuple[Any, tuple[str, ...]]:
    """Return the rows, and the names of the arrays that held them."""
    if x is not None:
        return arrays[x], (x,)
    if set(CSR) <= set(arrays):
        data, indices, indptr = (arrays[key] for key in CSR[:3])
        try:
            shape = tuple(int(side) for side in arrays["shape"])
            matrix = sparse.csr_matrix((data, indices, indptr), shape=shape)
            matrix.check_format(full_check=True)
        except (ValueError, TypeError) as error:
            raise TableError(
                f"{path.name}: data, indices, indptr and shape are not a sparse matrix "
                f"({first_line(error)})."
            ) from error
        return matrix, CSR
    tables = [k for k, v in arrays.items() if getattr(v, "ndim", 0) == 2 and min(v.shape) > 1]
    if len(tables) == 1:
        return arrays[tables[0]], (tables[0],)
    raise TableError(
        f"{path.name} has no array X (nor data, indices, indptr and shape); it holds "
        f"{listed(arrays) or 'nothing'}."
    )


def _from_arrays(path: Path, arrays: dict[str, Any], reading: Reading) -> Content:
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
    if reading.time is not None:
        label = None
    if target is not None and target not in arrays and target in frame.columns:
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
