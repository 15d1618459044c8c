"""A table taken apart by the columns that the caller names: they must exist, with one role each."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from backstay._words import listed
from backstay.datasets._content import Content
from backstay.datasets._exact import plain_text
from backstay.datasets._labelled import TableError
from backstay.datasets._reading import Reading

# A column can be one of these only.
ROLES = ("measured", "ids", "target", "time", "event", "groups", "batch")
LISTS = ("drop", "keep", "categories", "also", "adjust")


@dataclass
class Parts:
    """A table as it is taken apart: features, what stands beside them, names of rows, notes."""

    features: pd.DataFrame
    sheet: pd.DataFrame
    samples: pd.Series | None
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def column(self, name: str) -> pd.Series:
        """Return a column of the sheet, or else of the table."""
        return self.sheet[name] if name in self.sheet.columns else self.features[name]

    def of_rows(self, chosen: Any) -> Parts:
        """Return the same with some of the rows, numbered anew."""
        samples = None if self.samples is None else self.samples[chosen].reset_index(drop=True)
        features, sheet = (p[chosen].reset_index(drop=True) for p in (self.features, self.sheet))
        return replace(self, features=features, sheet=sheet, samples=samples)


def take_apart(content: Content, reading: Reading, taken: Collection[str | None]) -> Parts:
    """Return rows, sheet, and names of rows, from a first column that is not `taken` otherwise."""
    frame, names, notes = content.frame.reset_index(drop=True), content.row_names, content.notes
    samples = None if names is None else pd.Series(names.map(str), dtype=object)
    if content.named and reading.ids is None and frame.columns[0] not in taken:
        samples = plain_text(frame.iloc[:, 0])
        frame = frame.iloc[:, 1:]
        notes = [*notes, "The first column names the rows."]
    check_named(reading, replace(content, frame=frame))
    sheet = pd.DataFrame(index=frame.index) if content.sheet is None else content.sheet
    parts = Parts(frame, sheet.reset_index(drop=True), samples, list(notes))
    if reading.ids is not None:
        parts.samples = plain_text(parts.column(reading.ids))
    return parts


def check_named(reading: Reading, content: Content) -> None:
    """Refuse columns that do not exist, or that have two roles."""
    columns = [*([] if content.sheet is None else content.sheet), *content.frame.columns]
    where = content.details.get("samples", content.file)
    roles = {role: getattr(reading, role) for role in ROLES if getattr(reading, role) is not None}
    beside = {"target": {"y", content.extra["target"]} if "y" in content.extra else (),
              "groups": {"groups"} & set(content.extra)}  # fmt: skip
    named = [(role, name) for role, name in roles.items() if name not in beside.get(role, ())]
    named += [(parameter, name) for parameter in LISTS for name in getattr(reading, parameter)]
    for parameter, name in named:
        check_column(parameter, name, columns, where, sheet=content.sheet is not None)
    if len(set(roles.values())) < len(roles):
        raise TableError(f"{', '.join(roles)} must be different columns.")
    if reading.also and content.sheet is None:
        raise TableError(
            "also names columns of a sheet of samples; here every column is a feature.",
            parameter="also",
        )


def check_column(
    parameter: str, name: str, columns: Collection[str], file: str, *, sheet: bool = True
) -> None:
    """Refuse a column that does not exist, and name those that may be meant."""
    if name in columns:
        return
    lower = {str(column).lower(): str(column) for column in columns}
    near = [lower[key] for key in difflib.get_close_matches(name.lower(), lower, 3, 0.6)]
    if near:
        raise TableError(
            f"{file} has no column {name!r}; did you mean {' or '.join(map(repr, near))}?",
            parameter=parameter,
        )
    hint = f"; its columns are {listed(columns, 8)}"
    numbers = pd.to_numeric(pd.Series(list(columns), dtype=object), errors="coerce").notna()
    if numbers.mean() > 0.9:
        hint += " (numbers: does its first line lack the names?)"
    elif not sheet:
        hint += ". If another file says it of every sample, give that as the sheet of samples"
        parameter = "samples"
    raise TableError(f"{file} has no column {name!r}{hint}.", parameter=parameter)


def with_also(features: pd.DataFrame, sheet: pd.DataFrame, reading: Reading) -> pd.DataFrame:
    """Return the features, and the columns of the sheet that are features, too."""
    if not reading.also:
        return features
    if clash := [name for name in reading.also if name in features.columns]:
        raise TableError(
            f"{listed(clash)} is a feature and a column of the sheet; rename one.", parameter="also"
        )
    return pd.concat([features, sheet[list(reading.also)]], axis=1)
