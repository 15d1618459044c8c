"""Whole numbers of a text file that floating point would round: kept as they are written."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from backstay.datasets._labelled import is_rounded
from backstay.datasets._wide import column_blocks


def keep_exact(
    frame: pd.DataFrame, read_texts: Callable[[list[int]], pd.DataFrame], decimal: str = "."
) -> None:
    """Put texts in the place of columns in which a whole number was rounded.

    Beside a gap or a fraction, pandas makes whole numbers floating point. Whether that merges
    features or labels is decided later: the column may be dropped.

    Parameters
    ----------
    frame : DataFrame
        As it was parsed; its columns are named 0, 1, 2, ….
    read_texts : callable
        Reads some of its columns again, as text.
    decimal : str
        Of the file; the texts have a point instead.
    """
    large = _large_columns(frame)
    if not large:
        return
    texts = read_texts(large)
    for j in large:
        written = texts[j].str.replace(decimal, ".", regex=False).astype(object)
        if is_rounded(written.dropna().unique()):
            frame[j] = written


def _large_columns(frame: pd.DataFrame) -> list[int]:
    """Return the columns of floating point with values so large that whole numbers are rounded."""
    places = [j for j, kind in enumerate(frame.dtypes) if kind == np.float64]
    large: list[int] = []
    for block in column_blocks(len(frame), len(places)):
        values = frame[places[block]].to_numpy()
        ends = np.fmax.reduce(values, initial=0), np.fmin.reduce(values, initial=0)
        found = np.maximum(ends[0], -ends[1]) >= 2**53
        large += [places[block][j] for j in np.flatnonzero(found).tolist()]
    return large
