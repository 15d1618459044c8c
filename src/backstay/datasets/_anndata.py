"""AnnData files (.h5ad): numbers, sheet of samples and names of features, and nothing else.

They are read with h5py, as the format's description lays down. What would need pickle or another
file (HDF5 links) is never followed.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import sparse

from backstay.datasets._arrays import first_line
from backstay.datasets._content import Content, Reading, features_by_name
from backstay.datasets._labelled import TableError, listed
from backstay.datasets._sparse import sparse_frame

if TYPE_CHECKING:
    import h5py


def read_anndata(path: Path, reading: Reading) -> Content:
    """Read X or a layer, ``obs`` as the sheet of samples and texts of ``var`` as annotation."""
    try:
        import h5py
    except ImportError as error:
        raise TableError(
            f"{path.name} is an AnnData file, which needs h5py; install it with pip install "
            '"backstay[anndata]".'
        ) from error
    if not h5py.is_hdf5(path):
        raise TableError(f"{path.name} is not an AnnData file: it is not HDF5, or cut short.")
    try:
        with h5py.File(path, "r") as file:
            return _content(path, file, reading)
    except TableError:
        raise
    except (OSError, KeyError, ValueError, TypeError, RuntimeError, AttributeError) as error:
        raise TableError(
            f"{path.name} is not a whole AnnData file ({first_line(error)})."
        ) from error


def _content(path: Path, file: Any, reading: Reading) -> Content:
    absent = [name for name in ("obs", "var") if name not in file]
    if absent:
        raise TableError(f"{path.name} is HDF5 without {listed(absent)}: not an AnnData file.")
    notes: list[str] = []
    sheet = _frame(path, _own(path, file, "obs"), notes)
    features = _frame(path, _own(path, file, "var"), notes)
    where = "X" if reading.layer is None else f"layers/{reading.layer}"
    if where not in file:
        layers = list(file["layers"]) if "layers" in file else []
        held = listed(layers) if layers else "none"
        raise TableError(f"{path.name} has no {where}; its layers are: {held}.")
    X = _matrix(path, _own(path, file, where), reading)
    if X.shape != (len(sheet), len(features)):
        raise TableError(
            f"{path.name}: {where} is {X.shape[0]} × {X.shape[1]}; obs names {len(sheet)} rows and "
            f"var {len(features)} columns."
        )
    if sparse.issparse(X):
        index = pd.Index(list(sheet.index), dtype=object)
        frame = sparse_frame(X, index, pd.Index(features.index, dtype=object))
        notes.append(f"{where} is sparse, and stays so: {X.nnz} of its values are not 0.")
    else:
        frame = features_by_name(X, sheet.index, features.index)
    if reading.layer is not None:
        notes.append(f"Values are those of layer {reading.layer!r}.")
    texts = [name for name in features.columns if not _numeric(features[name])]
    annotation = features[texts] if texts else None
    return Content(
        path.name, frame, sheet=sheet, annotation=annotation, oriented=True, notes=notes,
        details={"layer": reading.layer or "X"},
    )  # fmt: skip


def _own(path: Path, parent: Any, name: str) -> Any:
    """Return a member that is in this file, not a link to another."""
    import h5py

    place = parent
    for part in name.split("/"):
        if part not in place:
            raise ValueError(f"it has no {place.name.rstrip('/')}/{part}")
        if not isinstance(place.get(part, getlink=True), h5py.HardLink):
            raise TableError(f"{path.name}: {name} is a link, which is not followed.")
        place = place[part]
        if isinstance(place, h5py.Dataset) and (place.external or place.is_virtual):
            raise TableError(f"{path.name}: {name} is kept in another file, which is not read.")
    return place


def _matrix(path: Path, found: Any, reading: Reading) -> Any:
    import h5py

    if isinstance(found, h5py.Dataset):
        if found.ndim != 2 or found.dtype.kind not in "biuf":
            raise TableError(f"{path.name}: {found.name} holds {found.dtype}, not a table.")
        reading.limit.check(path, math.prod(found.shape) * max(found.dtype.itemsize, 8))
        return found[()]
    kind = str(found.attrs.get("encoding-type", found.attrs.get("h5sparse_format", "")))
    if not kind.startswith(("csr", "csc")):
        raise TableError(f"{path.name}: {found.name} is stored as {kind or 'a group'!r}; only "
                         "dense, csr and csc matrices are read.")  # fmt: skip
    parts = [_own(path, found, name) for name in ("data", "indices", "indptr")]
    reading.limit.check(path, sum(part.size * 8 for part in parts))
    shape = found.attrs.get("shape", found.attrs.get("h5sparse_shape"))
    made = sparse.csr_matrix if kind.startswith("csr") else sparse.csc_matrix
    X = made(tuple(part[()] for part in parts), shape=tuple(int(side) for side in shape))
    X.check_format(full_check=True)
    return X.astype(np.float64).tocsc()


def _frame(path: Path, group: Any, notes: list[str]) -> pd.DataFrame:
    """Return a table of ``obs`` or ``var``; columns of unknown kinds are left out and named."""
    import h5py

    if not isinstance(group, h5py.Group):
        raise TableError(
            f"{path.name} was written by an anndata before 0.7; read and write it with a newer one."
        )
    index = _own(path, group, _text(group.attrs["_index"]))
    columns, unread = {}, []
    for name in group.attrs.get("column-order", []):
        found = _column(_own(path, group, _text(name)), group)
        if found is None:
            unread.append(f"{group.name.strip('/')}/{_text(name)}")
        else:
            columns[_text(name)] = found
    if unread:
        notes.append(f"Columns of kinds that are not read: {listed(unread)}.")
    names = _strings(index)
    for name, values in columns.items():
        if len(values) != len(names):
            raise TableError(f"{path.name}: {group.name}/{name} has {len(values)} values for "
                             f"{len(names)} rows.")  # fmt: skip
    return pd.DataFrame(columns, index=pd.Index(names, dtype=object))


def _column(found: h5py.Dataset | h5py.Group, parent: Any) -> Any:
    """Return the values of a column, None for a kind that is not known."""
    import h5py

    if isinstance(found, h5py.Group):
        if {"codes", "categories"} <= set(found):
            return _categorical(found["codes"][()], found["categories"], found)
        if {"values", "mask"} <= set(found):
            values = pd.Series(_values(found["values"]), dtype=object)
            return values.mask(found["mask"][()].astype(bool), None).infer_objects().array
        return None
    if found.ndim != 1:
        return None
    if "categories" in found.attrs:  # as anndata 0.7 wrote it
        return _categorical(found[()], parent[found.attrs["categories"]], found)
    return _values(found)


def _categorical(codes: Any, categories: Any, described: Any) -> Any:
    names = _values(categories)
    if len(codes) and (int(codes.max()) >= len(names) or int(codes.min()) < -1):
        raise ValueError(f"{described.name} holds numbers of categories that do not exist")
    labels = [None if code < 0 else str(names[code]) for code in codes]
    return pd.Categorical(labels, [str(name) for name in names])


def _values(found: Any) -> Any:
    if found.dtype.kind in "OS":
        return _strings(found)
    return found[()] if found.dtype.kind in "biuf" else None


def _strings(found: Any) -> list[str]:
    if found.dtype.kind in "biuf":
        return [str(value) for value in found[()].tolist()]
    return [_text(value) for value in found[()]]


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _numeric(column: pd.Series) -> bool:
    return bool(pd.api.types.is_numeric_dtype(column.dtype))
