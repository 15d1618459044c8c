"""Tables in Parquet files, with the types of their columns."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from backstay._words import listed
from backstay.datasets._content import Content, check_unpacked, package, read_as
from backstay.datasets._labelled import column_blocks, float_type, wide_frame
from backstay.datasets._reading import Reading


def read_parquet(path: Path, reading: Reading) -> Content:
    """Read a Parquet file; rows keep the names that pandas wrote with them."""
    pyarrow, parquet = (package(name, path, "app") for name in ("pyarrow", "pyarrow.parquet"))
    notes: list[str] = []
    broken = (pyarrow.ArrowException, OSError, ValueError, TypeError, LookupError)
    what = "a Parquet file that can be read"
    with read_as(what, path, *broken), parquet.ParquetFile(path) as file:
        said = file.metadata
        groups = (said.row_group(k).total_byte_size for k in range(said.num_row_groups))
        unpacked = max(8 * said.num_rows * said.num_columns, sum(groups))
        check_unpacked(path, unpacked, reading.max_size)
        wide = _wide_parquet(file, notes)
        frame = _frame(file.read(), notes) if wide is None else wide
    return Content(path.name, frame, notes=notes)


def _frame(table: Any, notes: list[str]) -> pd.DataFrame:
    """Return a table of Arrow as one of pandas, with every value as it is."""
    table.validate(full=True)  # so that texts that are not UTF-8 fail here, not later
    table = _plain_columns(table, notes)
    names = table.column_names
    twice = len(set(names)) < len(names)
    if twice:  # pandas' own description of them would not fit
        table = table.rename_columns([str(j) for j in range(len(names))]).replace_schema_metadata()
    frame = table.to_pandas()
    frame.columns = pd.Index(names, dtype=object) if twice else frame.columns.map(str)
    return pd.DataFrame(frame)


def _plain_columns(table: Any, notes: list[str]) -> Any:
    """Leave columns out that hold no single values: lists, records and bytes."""
    from pyarrow import types

    unread = []
    for field in table.schema:
        kind = field.type.value_type if types.is_dictionary(field.type) else field.type
        is_bytes = types.is_binary(kind) or types.is_large_binary(kind)
        is_bytes |= types.is_fixed_size_binary(kind) and not types.is_decimal(kind)
        if types.is_nested(kind) or is_bytes:
            unread.append(field.name)
    if unread:
        notes.append(f"Columns of lists, records or bytes, which are not read: {listed(unread)}.")
    return table.drop_columns(unread)


def _wide_parquet(file: Any, notes: list[str]) -> pd.DataFrame | None:
    """Read a very wide file of single precision, a block of columns at a time; None for others."""
    # Read as a whole, the same numbers would be there three times.
    import pyarrow

    schema, n = file.schema_arrow, file.metadata.num_rows
    single = [f.name for f in schema if f.type == pyarrow.float32()]
    others = [f.name for f in schema if f.type != pyarrow.float32()]
    distinct = len({*single, *others}) == len(schema.names)
    if float_type([np.float32], n, len(single)) != np.float32 or not distinct:
        return None
    block = np.empty((n, len(single)), np.float32)
    for part in column_blocks(n, len(single)):
        table = file.read(columns=single[part])
        if table.column_names != single[part]:  # a dot in a name may stand for something nested
            return None
        block[:, part] = np.array([column.to_numpy() for column in table.columns]).T
    beside = _frame(file.read(columns=others), notes)  # its index is that of the rows
    frame = wide_frame(block, beside.index, pd.Index(single, dtype=object))
    return pd.concat([frame, beside], axis=1)
