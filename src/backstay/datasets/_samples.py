"""A table of numbers and the sheet of its samples: which way the table lies, and who is who."""

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay._words import counted, listed
from backstay.datasets._content import (
    Content,
    check_annotation,
    check_names,
    features_by_name,
    is_text,
    repeated,
)
from backstay.datasets._exact import as_names, plain_text
from backstay.datasets._labelled import TableError
from backstay.datasets._oddities import OddTexts, numbers_in
from backstay.datasets._reading import Reading


@dataclass(frozen=True)
class SampleSheet:
    """The sheet of samples, its file, and how both are to be read."""

    file: str
    frame: pd.DataFrame
    reading: Reading


class _Match:
    """A column of the sheet, its samples, and how many of them are on one side of the table."""

    def __init__(self, column: str, side: str, names: pd.Series, ids: pd.Series) -> None:
        # The side is "columns", "index", or a column's place as text.
        self.column, self.side, self.names, self.ids = column, side, names, ids
        self.own = set(ids.dropna())
        self.n = len(self.own & set(names.dropna()))


def join_samples(content: Content, sheet: SampleSheet) -> Content:
    """Return the table with samples in rows, and the sheet in their order."""
    match = _best_match(content, sheet)
    if twice := repeated(match.ids):
        raise TableError(
            f"{sheet.file} has more than one row for {counted(len(twice), 'sample')} of column "
            f"{match.column!r} ({listed(twice)}); every sample needs one row.",
            parameter="samples",
        )
    if twice := repeated(match.names[match.names.isin(match.own)]):
        raise TableError(
            f"{content.file} has {counted(len(twice), 'sample')} more than once ({listed(twice)}); "
            "give every sample its own name."
        )
    where, join = "the rows", _samples_in_rows
    if match.side == "columns":
        where, join = "the columns", _features_in_rows
    elif match.side != "index":
        where = f"the rows (column {content.frame.columns[int(match.side)]!r})"
    said = (
        f"Samples are {where} of {content.file}, matched by column {match.column!r} of "
        f"{sheet.file}: {match.n} of {len(match.ids)}."
    )
    joined = join(replace(content, notes=[*content.notes, said]), sheet, match)
    known = sheet.frame.set_axis(pd.Index(match.ids, dtype=object), axis=0)
    known = known[known.index.notna()].reindex(pd.Series(joined.frame.index))
    return replace(
        joined, named=False, sheet=known.drop(columns=match.column), extra={}, oriented=True
    )


def _best_match(content: Content, sheet: SampleSheet) -> _Match:
    """Return the column of the sheet and the side of the table that share most names."""
    columns = [sheet.reading.ids] if sheet.reading.ids is not None else list(sheet.frame.columns)
    sides = _sides(content, sheet)
    ids = {column: as_names(sheet.frame[column]) for column in columns}
    matches = (_Match(c, side, sides[side], ids[c]) for c in columns for side in sides)
    best = max(matches, key=lambda match: match.n)  # the first of equals
    if not best.n:
        across = [str(name) for name in content.frame.columns[1:]]
        down = next((names for side, names in sides.items() if side != "columns"), None)
        rows = "" if down is None else f", its rows with {listed(down.dropna(), 2)}"
        both = ids, sides
        here, away = ({n.lower() for part in s.values() for n in part.dropna()} for s in both)
        case = " Some differ in upper and lower case only." if here & away else ""
        raise TableError(
            f"no sample of {sheet.file} is in {content.file}: column {columns[0]!r} begins with "
            f"{listed(ids[columns[0]].dropna(), 2)}; the table's columns begin with "
            f"{listed(across, 2)}{rows}.{case} Check the names, or say with ids which column of "
            "the sheet holds them.",
            parameter="ids",
        )
    return best


def _sides(content: Content, sheet: SampleSheet) -> dict[str, pd.Series]:
    """Return the names that samples may have in the table, rows before columns."""
    frame, sides = content.frame, dict[str, pd.Series]()
    if not sheet.reading.transpose:
        if content.row_names is not None:
            sides["index"] = as_names(pd.Series(list(content.row_names), dtype=object))
        else:
            for j in range(frame.shape[1]):
                wanted = frame.columns[j] == sheet.reading.ids
                if j == 0 or wanted or is_text(frame.iloc[:, j]):
                    sides[str(j)] = as_names(frame.iloc[:, j])
    if not content.oriented:
        sides["columns"] = pd.Series([str(name) for name in frame.columns], dtype=object)
    return sides


def _check_unmatched(
    sheet: SampleSheet, match: _Match, file: str, others: Collection[str], hint: str = ""
) -> list[str]:
    """Refuse names on one side only, or say how many were left out."""
    there = set(match.names.dropna())
    lacking = [name for name in match.ids.dropna() if name not in there]
    parts = [
        f"{counted(len(names), 'sample')} of {here} {'is' if len(names) == 1 else 'are'} not in "
        f"{away}: {listed(names)}"
        for names, here, away in ((lacking, sheet.file, file), (others, file, sheet.file))
        if names
    ]
    lower = {name.lower() for name in others}
    if near := [name for name in lacking if name.lower() in lower]:
        parts.append(f"{listed(near)} differ from them in upper and lower case only")
    if parts and not sheet.reading.allow_unmatched:
        raise TableError(
            f"{'; '.join(parts)}. Correct the names{hint if others else ''}, or leave these "
            "samples out with allow_unmatched.",
            parameter="allow_unmatched",
        )
    return [f"Left out: {part}." for part in parts]


def _samples_in_rows(content: Content, sheet: SampleSheet, match: _Match) -> Content:
    if sheet.reading.annotation:
        raise TableError(
            f"{content.file} has a sample per row, so no column can describe features; leave "
            "annotation out.",
            parameter="annotation",
        )
    check_names(match.names, content.file, "row")
    frame, chosen = content.frame, match.names.isin(match.own).to_numpy()
    if match.side != "index":
        frame = frame.iloc[:, [j for j in range(frame.shape[1]) if j != int(match.side)]]
    frame = frame[chosen].set_axis(pd.Index(match.names[chosen], dtype=object), axis=0)
    notes = _check_unmatched(sheet, match, content.file, list(match.names[~chosen]))
    return replace(content, frame=frame, notes=[*content.notes, *notes])


def _features_in_rows(content: Content, sheet: SampleSheet, match: _Match) -> Content:
    frame, titles = content.frame, list(match.names)
    chosen = [j for j, name in enumerate(titles) if name in match.own]
    if content.row_names is not None:
        features, first = pd.Series(list(content.row_names), dtype=object), 0
    elif chosen[0] == 0:
        raise TableError(
            f"{content.file} has a sample in its first column, {titles[0]!r}; the first column "
            "must name the features."
        )
    else:
        features, first = as_names(frame.iloc[:, 0]), 1
    check_names(features, content.file, "row")
    about, notes = _annotation_columns(frame, titles, range(first, chosen[0]), sheet, content.file)
    known = {*range(first), *chosen, *about}
    others = [title for j, title in enumerate(titles) if j not in known]
    hint = ", name columns that describe features as annotation"
    notes += _check_unmatched(sheet, match, content.file, others, hint)
    chosen_frame = frame.iloc[:, chosen]
    values = numbers_of_samples(chosen_frame, features, content.file, sheet.reading)
    block = features_by_name(values.T, [titles[j] for j in chosen], features)
    annotation = frame.iloc[:, about].set_axis(block.columns, axis=0) if about else None
    return replace(content, frame=block, annotation=annotation, notes=[*content.notes, *notes])


def _annotation_columns(
    frame: pd.DataFrame, titles: list[str], leading: range, sheet: SampleSheet, file: str
) -> tuple[list[int], list[str]]:
    """Return the columns that describe features: as named, or those up to the last leading text."""
    if sheet.reading.annotation:
        check_annotation(sheet.reading.annotation, titles, file)
        return [titles.index(name) for name in sheet.reading.annotation], []
    texts = [j for j in leading if is_text(frame.iloc[:, j])]
    about = [j for j in leading if texts and j <= texts[-1]]
    if not about:
        return [], []
    return about, [f"Columns taken for annotation: {listed(titles[j] for j in about)}."]


def numbers_of_samples(
    frame: pd.DataFrame, features: pd.Series, file: str, reading: Reading
) -> NDArray[np.float64]:
    """Return a column per sample as numbers, refusing texts with the place of the first."""
    texts = [j for j in range(frame.shape[1]) if frame.iloc[:, j].dtype.kind not in "biuf"]
    if not texts:
        return frame.to_numpy(np.float64, na_value=np.nan)
    values, odd = np.empty(frame.shape, order="F"), OddTexts()
    numeric = [j for j in range(frame.shape[1]) if j not in set(texts)]
    values[:, numeric] = frame.iloc[:, numeric].to_numpy(np.float64, na_value=np.nan)
    for j in texts:
        known = plain_text(frame.iloc[:, j])
        values[:, j] = numbers_in(known, reading)
        junk = np.flatnonzero(np.isnan(values[:, j]) & known.notna().to_numpy())
        if len(junk):
            feature, sample = str(features.iloc[junk[0]]), str(frame.columns[j])
            odd.add(known.iloc[junk], f"for feature {feature!r} in sample {sample!r}")
    odd.check(file)
    return values
