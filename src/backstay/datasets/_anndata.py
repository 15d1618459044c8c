"""AnnData files (.h5ad): numbers, sheet of samples and names of features, and nothing else.

They are read with h5py, as the format's description lays down. What would need pickle or another
file (HDF5 links) is never followed.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import sparse

from backstay._words import listed
from backstay.datasets._content import (
    Content,
    check_table,
    features_by_name,
    is_text,
    package,
    read_as,
)
from backstay.datasets._labelled import TableError
from backstay.datasets._reading import Reading
from backstay.datasets._wide import sparse_frame

if TYPE_CHECKING:
    import h5py


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
    labels = {*reading.outcome, *reading.labels}
    sheet = _frame(path, _own(path, file, "obs"), notes, labels)
    features = _frame(path, _own(path, file, "var"), notes)
    where = "X" if reading.layer is None else f"layers/{reading.layer}"
    layers = list(_own(path, file, "layers")) if _has(file, "layers") else []
    if not _has(file, "X") if reading.layer is None else reading.layer not in layers:
        held = listed(layers) if layers else "none"
        raise TableError(f"{path.name} has no {where}; its layers are: {held}.", parameter="layer")
    X = _matrix(path, _own(path, file, where), reading, (len(sheet), len(features)))
    _check_shape(path, where, X.shape, (len(sheet), len(features)))
    if sparse.issparse(X):
        frame = sparse_frame(X.astype(np.float64), sheet.index, features.index)
        notes.append(f"{where} is sparse, and stays so: {X.nnz} of its values are not 0.")
    else:
        frame = features_by_name(X, sheet.index, features.index)
    if reading.layer is not None:
        notes.append(f"Values are those of layer {reading.layer!r}.")
    texts = [name for name in features.columns if is_text(features[name])]
    annotation = features[texts] if texts else None
    return Content(
        path.name, frame, sheet=sheet, annotation=annotation, oriented=True, notes=notes,
        details={"layer": reading.layer or "X"},
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


def _check_shape(path: Path, where: str, shape: tuple[int, ...], expected: tuple[int, int]) -> None:
    if shape != expected:
        raise TableError(
            f"{path.name}: {where} is {' × '.join(map(str, shape))}; obs names {expected[0]} rows "
            f"and var {expected[1]} columns."
        )


def _matrix(path: Path, stored: Any, reading: Reading, expected: tuple[int, int]) -> Any:
    import h5py

    if isinstance(stored, h5py.Dataset):
        check_table(path.name, stored.name, stored)
        reading.limit.check(path, math.prod(stored.shape) * max(stored.dtype.itemsize, 8))
        return stored[()]
    kind = str(stored.attrs.get("encoding-type", ""))
    if not kind.startswith(("csr", "csc")):
        raise TableError(f"{path.name}: {stored.name} is stored as {kind or 'a group'!r}; only "
                         "dense, csr and csc matrices are read.")  # fmt: skip
    parts = [_own(path, stored, name) for name in ("data", "indices", "indptr")]
    reading.limit.check(path, sum(part.size * 8 for part in parts))
    shape = stored.attrs.get("shape")
    _check_shape(path, stored.name.strip("/"), tuple(int(side) for side in shape), expected)
    made = sparse.csr_matrix if kind.startswith("csr") else sparse.csc_matrix
    X = made(tuple(part[()] for part in parts), shape=tuple(int(side) for side in shape))
    X.check_format(full_check=True)
    check_table(path.name, stored.name, X)
    return X.tocsc()


def _frame(
    path: Path, group: Any, notes: list[str], labels: Collection[str | None] = ()
) -> pd.DataFrame:
    """Return a table of ``obs`` or ``var``; columns of unknown kinds are left out and named."""
    import h5py

    if not isinstance(group, h5py.Group):
        raise TableError(
            f"{path.name} was written by an anndata before 0.7; read and write it with a newer one."
        )
    index = _column(path, _own(path, group, _text(group.attrs["_index"])))
    if index is None:
        raise ValueError(f"{group.name} does not name its rows")
    columns, unread = {}, []
    for name in map(_text, group.attrs.get("column-order", [])):
        values = _column(path, _own(path, group, name))
        if values is None and name in labels:
            raise TableError(f"{path.name}: {group.name}/{name} is of a kind that is not read.")
        if values is None:
            unread.append(f"{group.name.strip('/')}/{name}")
        elif len(values) != len(index):
            raise TableError(f"{path.name}: {group.name}/{name} has {len(values)} values for "
                             f"{len(index)} rows.")  # fmt: skip
        else:
            columns[name] = values
    if unread:
        notes.append(f"Columns of kinds that are not read: {listed(unread)}.")
    return pd.DataFrame(columns, index=pd.Index(list(map(_text, index)), dtype=object))


def _column(path: Path, stored: h5py.Dataset | h5py.Group) -> Any:
    """Return the values of a column, None for a kind that is not known."""
    import h5py

    if isinstance(stored, h5py.Group):
        if _has(stored, "codes") and _has(stored, "categories"):
            names = _column(path, _own(path, stored, "categories"))
            return _categorical(_own(path, stored, "codes")[()], names, stored)
        if _has(stored, "values") and _has(stored, "mask"):
            values = _values(_own(path, stored, "values"))
            if values is None:
                return None
            gaps = _own(path, stored, "mask")[()].astype(bool)
            return pd.Series(values, dtype=object).mask(gaps, None).infer_objects().array
        return None
    return _values(stored)


def _categorical(codes: Any, names: Any, described: Any) -> Any:
    if names is None or codes.ndim != 1 or codes.dtype.kind not in "iu":
        return None
    if len(codes) and (int(codes.max()) >= len(names) or int(codes.min()) < -1):
        raise ValueError(f"{described.name} holds numbers of categories that do not exist")
    labels = [None if code < 0 else str(names[code]) for code in codes]
    return pd.Categorical(labels, [str(name) for name in names])


def _values(stored: Any) -> Any:
    """Return a row of texts or numbers, None for anything else."""
    if stored.ndim != 1 or stored.dtype.kind not in "biufOS":
        return None
    return [_text(value) for value in stored[()]] if stored.dtype.kind in "OS" else stored[()]


def _text(value: Any) -> str:
    # Bytes that are not UTF-8 are an error: if they were replaced, two labels could become one.
    return value.decode("utf-8") if isinstance(value, bytes) else str(value)
