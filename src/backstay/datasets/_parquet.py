"""Tables in Parquet files, with the types of their columns."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from backstay._words import listed
from backstay.datasets._content import Content, Limit, package, read_as
from backstay.datasets._labelled import TableError
from backstay.datasets._reading import Reading
from backstay.datasets._wide import column_blocks, float_type, wide_frame

ROWS_AT_ONCE = 250


def read_parquet(path: Path, reading: Reading) -> Content:
    """Read a Parquet file; rows keep the names that pandas wrote with them."""
    pyarrow, parquet = (package(name, path, "app") for name in ("pyarrow", "pyarrow.parquet"))
    notes: list[str] = []
    broken = (pyarrow.ArrowException, OSError, ValueError, TypeError, LookupError)
    what = "a Parquet file that can be read"
    with read_as(what, path, *broken), parquet.ParquetFile(path) as file:
        _check_parquet(path, file, reading.limit)
        wide = _wide_parquet(file, notes)
        frame = _frame(file.read(), notes) if wide is None else wide
        _check_labels(path, reading, frame, file.schema_arrow.names)
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


def _check_labels(path: Path, reading: Reading, frame: pd.DataFrame, names: list[str]) -> None:
    """Refuse a file whose labels are in a column that was left out."""
    for name in {*reading.outcome, *reading.labels} & set(names) - set(frame.columns):
        if name not in frame.index.names:
            raise TableError(
                f"{path.name} has lists, records or bytes in column {name!r}; labels are texts or "
                "numbers."
            )


def _plain_columns(table: Any, notes: list[str]) -> Any:
    """Leave columns out that hold no single values, and read bytes as the texts that they are."""
    import pyarrow
    from pyarrow import types

    unread: list[str] = []
    for j in reversed(range(table.num_columns)):
        field, column = table.schema.field(j), table.column(j)
        kind = field.type.value_type if types.is_dictionary(field.type) else field.type
        try:
            if types.is_nested(kind):
                raise pyarrow.ArrowInvalid("not a value per row")
            if types.is_binary(kind) or types.is_large_binary(kind):
                table = table.set_column(j, field.name, column.cast(pyarrow.large_string()))
            if types.is_fixed_size_binary(kind) and not types.is_decimal(kind):
                texts = column.cast(pyarrow.binary()).cast(pyarrow.large_string())
                table = table.set_column(j, field.name, texts)
        except pyarrow.ArrowInvalid:  # of bytes: not UTF-8
            table = table.remove_column(j)
            unread.insert(0, field.name)
    if unread:
        notes.append(f"Columns of lists, records or bytes, which are not read: {listed(unread)}.")
    return table


def _check_parquet(path: Path, file: Any, limit: Limit) -> None:
    """Refuse a file that is too large by its own word, or whose texts are when they are read."""
    from pyarrow import types

    said = file.metadata
    limit.check(path, 8 * said.num_rows * said.num_columns)
    groups = (said.row_group(k) for k in range(said.num_row_groups))
    limit.check(path, sum(group.total_byte_size for group in groups))
    short = (types.is_primitive, types.is_dictionary)
    texts = [f.name for f in file.schema_arrow if not any(is_kind(f.type) for is_kind in short)]
    # A text that repeats is stored once: how long all of them are shows only as they are read.
    unpacked = 0
    for batch in file.iter_batches(ROWS_AT_ONCE, columns=texts) if texts else ():
        unpacked += batch.nbytes
        limit.check(path, unpacked)


def _wide_parquet(file: Any, notes: list[str]) -> pd.DataFrame | None:
    """Read a very wide file of single precision, a block of columns at a time; None for others.

    Read as a whole, the same numbers would be there three times.
    """
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
