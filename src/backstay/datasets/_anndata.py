"""AnnData files (.h5ad): numbers, sheet of samples and names of features, and nothing else.

They are read with h5py, as the format's description lays down. What would need pickle or another
file (HDF5 links) is never followed.
"""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from backstay._words import listed
from backstay.datasets._content import (
    Content,
    check_table,
    check_unpacked,
    features_by_name,
    is_text,
    package,
    read_as,
)
from backstay.datasets._labelled import TableError, written_out
from backstay.datasets._reading import Reading


def read_anndata(path: Path, reading: Reading) -> Content:
    """Read X or a layer, ``obs`` as the sheet of samples and texts of ``var`` as annotation."""
    h5py = package("h5py", path, "anndata")
    if not h5py.is_hdf5(path):
        raise TableError(f"{path.name} is not an AnnData file: it is not HDF5, or cut short.")
    broken = (OSError, KeyError, ValueError, TypeError, RuntimeError, AttributeError)
    with read_as("a whole AnnData file", path, *broken), h5py.File(path, "r") as file:
        return _content(path, file, reading)


def _content(path: Path, file: Any, reading: Reading) -> Content:
    absent = [name for name in ("obs", "var") if not _has(file, name)]
    if absent:
        raise TableError(f"{path.name} is HDF5 without {listed(absent)}: not an AnnData file.")
    notes: list[str] = []
    sheet, features = (_frame(path, _own(path, file, name), notes) for name in ("obs", "var"))
    where = "X" if reading.layer is None else f"layers/{reading.layer}"
    layers = list(_own(path, file, "layers")) if _has(file, "layers") else []
    if not _has(file, "X") if reading.layer is None else reading.layer not in layers:
        held = listed(layers) if layers else "none"
        raise TableError(f"{path.name} has no {where}; its layers are: {held}.", parameter="layer")
    X = _matrix(path, _own(path, file, where), reading, (len(sheet), len(features)))
    if sparse.issparse(X):
        notes.append(f"{where} is sparse and was written out: {X.nnz} of its values are not 0.")
        X = written_out(X.astype(np.float64), path.name)
    frame = features_by_name(X, sheet.index, features.index)
    if reading.layer is not None:
        notes.append(f"Values are those of layer {reading.layer!r}.")
    texts = [name for name in features.columns if is_text(features[name])]
    return Content(
        path.name, frame, sheet=sheet, annotation=features[texts] if texts else None,
        oriented=True, notes=notes, details={"layer": reading.layer or "X"},
    )  # fmt: skip


def _has(parent: Any, name: str) -> bool:
    """Whether a group has a member; unlike ``in``, this opens no other file to find out."""
    return parent.get(name, getlink=True) is not None


def _own(path: Path, parent: Any, name: str) -> Any:
    """Return a member that is in this file, not a link to another."""
    import h5py

    place = parent
    for part in name.split("/"):
        if not isinstance(place, h5py.Group) or not _has(place, part):
            raise ValueError(f"it has no {place.name.rstrip('/')}/{part}")
        if not isinstance(place.get(part, getlink=True), h5py.HardLink):
            raise TableError(f"{path.name}: {name} is a link, which is not followed.")
        place = place[part]
        if isinstance(place, h5py.Dataset) and (place.external or place.is_virtual):
            raise TableError(f"{path.name}: {name} is kept in another file, which is not read.")
    return place


def _matrix(path: Path, stored: Any, reading: Reading, expected: tuple[int, int]) -> Any:
    """Return a dense or a sparse matrix, once its size is known to be right."""
    import h5py

    name, dense = stored.name.strip("/"), isinstance(stored, h5py.Dataset)
    kind = str(stored.attrs.get("encoding-type", ""))
    if dense:
        check_table(path.name, name, stored)
    elif not kind.startswith(("csr", "csc")):
        raise TableError(f"{path.name}: {name} is stored as {kind or 'a group'!r}; only dense, "
                         "csr and csc matrices are read.")  # fmt: skip
    shape = tuple(int(side) for side in (stored.shape if dense else stored.attrs["shape"]))
    if shape != expected:
        raise TableError(
            f"{path.name}: {name} is {' × '.join(map(str, shape))}; obs names {expected[0]} rows "
            f"and var {expected[1]} columns."
        )
    if dense:
        check_unpacked(path, math.prod(shape) * max(stored.dtype.itemsize, 8), reading.max_size)
        return stored[()]
    parts = [_own(path, stored, name) for name in ("data", "indices", "indptr")]
    check_unpacked(path, sum(part.size * 8 for part in parts), reading.max_size)
    made = sparse.csr_matrix if kind.startswith("csr") else sparse.csc_matrix
    X = made(tuple(part[()] for part in parts), shape=shape)
    X.check_format(full_check=True)
    check_table(path.name, name, X)
    return X


def _frame(path: Path, group: Any, notes: list[str]) -> pd.DataFrame:
    """Return a table of ``obs`` or ``var``; columns of unknown kinds are left out and named."""
    index = _column(path, _own(path, group, _text(group.attrs["_index"])))
    if index is None:
        raise ValueError(f"{group.name} does not name its rows")
    names = [_text(name) for name in group.attrs.get("column-order", [])]
    columns = {name: _column(path, _own(path, group, name)) for name in names}
    if unread := [f"{group.name.strip('/')}/{name}" for name in names if columns[name] is None]:
        notes.append(f"Columns of kinds that are not read: {listed(unread)}.")
    read = {name: values for name, values in columns.items() if values is not None}
    return pd.DataFrame(read, index=pd.Index(list(map(_text, index)), dtype=object))


def _column(path: Path, stored: Any) -> Any:
    """Return the values of a column, None for a kind that is not known."""
    import h5py

    if isinstance(stored, h5py.Dataset):
        if stored.ndim != 1 or stored.dtype.kind not in "biufOS":
            return None
        return [_text(value) for value in stored[()]] if stored.dtype.kind in "OS" else stored[()]
    if _has(stored, "codes") and _has(stored, "categories"):
        names = _column(path, _own(path, stored, "categories"))
        codes = _own(path, stored, "codes")[()]
        if names is None:
            return None
        return pd.Categorical.from_codes(codes, pd.Index([str(name) for name in names]))
    if _has(stored, "values") and _has(stored, "mask"):
        gaps = _own(path, stored, "mask")[()].astype(bool)
        values = pd.Series(_column(path, _own(path, stored, "values")), dtype=object)
        return values.mask(gaps, None).infer_objects().array
    return None


def _text(value: Any) -> str:
    # Bytes that are not UTF-8 are an error: if they were replaced, two labels could become one.
    return value.decode("utf-8") if isinstance(value, bytes) else str(value)
