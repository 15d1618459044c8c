"""Features of the same name: refused, or joined as the caller says."""

from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay._words import counted, listed
from backstay.datasets._content import Content, is_text, repeated
from backstay.datasets._labelled import TableError

# What becomes of features of the same name, and how a note says it.
DEDUPE = {
    "first": "the first of each was kept",
    "mean": "their means were taken",
    "max-variance": "the one of largest variance was kept",
}


def unique_columns(content: Content, how: str | None) -> Content:
    """Return the content with a column for every name; repeated names are refused or joined."""
    names = content.frame.columns
    if names.is_unique:
        return content
    twice = repeated(names)
    if how is None:
        places = np.flatnonzero(names == twice[0]) + 1
        what = "feature" if content.oriented else "column"
        raise TableError(
            f"{content.file} has {counted(len(twice), 'name')} more than once ({listed(twice)}, "
            f"the first in {what}s {places[0]} and {places[1]}); give every {what} its own name, "
            f"or say what to do with dedupe: {' or '.join(DEDUPE)}.",
            parameter="dedupe",
        )
    frame, chosen = _joined(content, how)
    annotation = content.annotation
    if annotation is not None and len(annotation) == len(names):
        annotation = annotation.iloc[chosen]
    gone = len(names) - len(chosen)
    note = (
        f"{counted(len(twice), 'name')} of features occurred more than once, {gone} columns too "
        f"many: {DEDUPE[how]}."
    )
    return replace(content, frame=frame, annotation=annotation, notes=[*content.notes, note])


def _joined(content: Content, how: str) -> tuple[pd.DataFrame, NDArray[np.intp]]:
    """Return the frame with one column per name, and the place of each in the old one."""
    frame, names = content.frame, content.frame.columns
    codes = pd.factorize(names)[0]
    first = np.flatnonzero(~names.duplicated())
    if how == "first":
        return frame.iloc[:, first], first
    several = np.flatnonzero(names.duplicated(keep=False))
    texts = [names[j] for j in several.tolist() if is_text(frame.iloc[:, j])]
    if texts:
        raise TableError(
            f"{content.file} has several columns {texts[0]!r}, which hold text; dedupe "
            f"{how!r} is for numbers.",
            parameter="dedupe",
        )
    values = frame.iloc[:, several].to_numpy(np.float64, na_value=np.nan)
    known = ~np.isnan(values)
    count, total = known.sum(axis=0), np.where(known, values, 0).sum(axis=0)
    order = np.argsort(codes[several], kind="stable")
    starts = np.flatnonzero(np.diff(codes[several][order], prepend=-1))
    chosen = first.copy()
    if how == "max-variance":
        with np.errstate(invalid="ignore", divide="ignore"):
            spread = np.where(known, values - total / count, 0) ** 2
            variance = np.nan_to_num(spread.sum(axis=0) / count, nan=-1.0)
        best = np.lexsort((several, -variance, codes[several]))[starts]
        chosen[codes[several[best]]] = several[best]
        return frame.iloc[:, chosen], chosen
    sums = np.add.reduceat(np.where(known, values, 0)[:, order], starts, axis=1)
    counts = np.add.reduceat(known[:, order], starts, axis=1, dtype=np.int64)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = pd.DataFrame(sums / counts, frame.index)
    kept = frame.iloc[:, first].copy()
    places = codes[several][order][starts]
    means.columns = pd.Index(names[first[places]])
    single = kept.loc[:, ~kept.columns.isin(means.columns)]
    return pd.concat([single, means], axis=1)[list(names[first])], first
