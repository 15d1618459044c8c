"""What is known of rows beside features and outcome: covariates, batches, pairs and groups.

A design travels beside the table and is never a part of it. Whatever is estimated from it, is
estimated on training rows.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay._refusal import Refusal
from backstay._words import listed

Floats = NDArray[np.float64]
# Names of covariates: None for numbers; for others their levels, the first is the reference.
Levels = Mapping[str, list[str] | None]
# A column of texts has so many rows per level on average, or it names rows; and so many rows must
# be left over when all columns are fitted.
ROWS_PER_LEVEL, ROWS_LEFT = 4, 10
# Directions, of columns of length 1, below which they say the same; deviations that are rounding.
RANK, ROUNDING = 1e-8, 1e-12


@dataclass(frozen=True)
class Covariates:
    """Columns that features are adjusted for: a number each, and one per level but the reference.

    >>> column_names(Covariates.of({"age": [40.0, 50, 60] * 8, "sex": ["f", "m", "f"] * 8}).levels)
    ['age', 'sex m']
    """

    levels: Levels
    Z: Floats

    @classmethod
    def of(cls, frame: Any) -> Self:
        """Return covariates from a frame, and refuse what cannot be adjusted for."""
        frame = pd.DataFrame(frame).rename(columns=str)
        levels: dict[str, list[str] | None] = {}
        for name, column in frame.items():
            counts, n_gaps = column.map(str).value_counts(), int(column.isna().sum())
            numbers = pd.api.types.is_numeric_dtype(column) and column.dtype.kind != "b"
            why = ""
            if n_gaps:
                first = int(np.flatnonzero(column.isna())[0])
                why = f"is missing in {n_gaps} rows, first row {first}. Fill it in, leave these out"
            elif len(counts) < 2:
                why = "has one value in all rows, so it explains nothing"
            elif not numbers and len(counts) * ROWS_PER_LEVEL > len(frame):
                why = f"has {len(counts)} levels in {len(frame)} rows: it names rows, not kinds"
            if why:
                text = f"covariate {name!r} {why}, or leave it out of the adjustment."
                raise Refusal(text, parameter="adjust")
            # The most frequent level is the reference; of equally frequent ones the first by name.
            ordered = sorted(counts.index, key=lambda level: (-counts[level], level))
            levels[str(name)] = None if numbers else ordered
        found = cls(levels, _columns(levels, frame))
        if len(frame) - len(basis(found.Z, np.ones(len(frame))).T) < ROWS_LEFT:
            raise Refusal(
                f"{listed(levels)} make {found.Z.shape[1]} columns, too many for {len(frame)} "
                f"rows: {ROWS_LEFT} must be left over. Adjust for fewer.",
                parameter="adjust",
            )
        return found


@dataclass(frozen=True)
class Design:
    """What is known of rows beside features and outcome.

    ``batch`` names every row's batch, ``pairs`` its pair of rows with different outcomes; rows of
    one of the ``groups`` stay on one side of every split. ``centered`` says whether features are
    centred within batches.
    """

    covariates: Covariates | None = None
    batch: NDArray[Any] | None = None
    pairs: NDArray[Any] | None = None
    groups: NDArray[Any] | None = None
    centered: bool = False

    @property
    def adjusts(self) -> bool:
        """Whether features change by it."""
        return self.covariates is not None or self.centered

    @property
    def beside(self) -> Floats | None:
        """Covariates, and a column for every batch but the first unless they say it already."""
        Z = None if self.covariates is None else self.covariates.Z
        if self.batch is None:
            return Z
        batches = np.equal.outer(self.batch, np.unique(self.batch)[1:]).astype(np.float64)
        if Z is None:
            return batches
        left = batches - batches.mean(axis=0) - Regression.fit(Z, batches).explained(Z)
        return Z if np.abs(left).max(initial=0.0) < RANK else np.hstack([Z, batches])

    def to_json(self) -> dict[str, Any]:
        """Return what a store says of the design, beside its rows; empty if there is none."""
        said: dict[str, Any] = {}
        if self.covariates is not None:
            said["covariates"] = self.covariates.levels
        if self.batch is not None:
            said["batches"] = [str(name) for name in np.unique(self.batch)]
        if self.pairs is not None:
            said["pairs"] = len(np.unique(self.pairs))
        return said | ({"centered": True} if self.centered else {})

    def take(self, rows: Any) -> Self:
        """Return the design of some rows."""
        parts = {name: getattr(self, name) for name in ("batch", "pairs", "groups")}
        cut = {name: one[rows] for name, one in parts.items() if one is not None}
        if self.covariates is not None:
            cut["covariates"] = replace(self.covariates, Z=self.covariates.Z[rows])
        return replace(self, **cut)


def column_names(levels: Levels) -> list[str]:
    """Return the names of the columns that covariates become."""
    each = [[name] if known is None else [f"{name} {one}" for one in known[1:]]
            for name, known in levels.items()]  # fmt: skip
    return [name for names in each for name in names]


def encoded(levels: Levels, frame: Any) -> Floats:
    """Return the covariates of new rows as columns; refuse columns or levels not known."""
    frame = pd.DataFrame(frame).rename(columns=str)
    if lacking := [name for name in levels if name not in frame]:
        raise Refusal(
            f"the signature was adjusted for {listed(levels)}; {listed(lacking)} is not among the "
            "columns given: add it to the table or to the sample sheet.",
            parameter="samples",
        )
    for name, known in levels.items():
        if frame[name].isna().any():
            n = int(frame[name].isna().sum())
            raise Refusal(f"covariate {name!r} is missing in {n} rows; fill it in.")
        if known is None and not pd.api.types.is_numeric_dtype(frame[name]):
            raise Refusal(f"covariate {name!r} held numbers in the study, and texts here.")
        if known is not None and (new := sorted({*frame[name].map(str)} - {*known})):
            raise Refusal(
                f"covariate {name!r} is {listed(new)} in some rows; the study knew "
                f"{listed(known, 20)}, and nothing is known of other levels. Leave these rows out."
            )
    return _columns(levels, frame)


def _columns(levels: Levels, frame: pd.DataFrame) -> Floats:
    columns: list[Floats] = []
    for name, known in levels.items():
        if known is None:
            columns.append(frame[name].to_numpy(np.float64))
        else:
            texts = frame[name].map(str).to_numpy(str)
            columns += [(texts == level).astype(np.float64) for level in known[1:]]
    return np.column_stack(columns)


# What covariates and batches explain.


def _unit_columns(Z: Floats, omega: Floats) -> tuple[Floats, Floats, Floats]:
    """Return covariates of mean 0 and length 1 under ω, times √ω; their means and lengths before.

    A column that is constant in these rows becomes 0, and its length infinite.
    """
    mean = omega @ Z / omega.sum()
    scaled = np.sqrt(omega)[:, None] * (Z - mean)
    length = np.sqrt((scaled**2).sum(axis=0))
    length[length <= ROUNDING * np.sqrt(omega.sum()) * np.abs(mean)] = np.inf
    return scaled / length, mean, length


def basis(Z: Floats, omega: Floats) -> Floats:
    """Return orthonormal columns that span the intercept and the covariates of weighted rows."""
    left, size, _ = np.linalg.svd(_unit_columns(Z, omega)[0], full_matrices=False)
    return np.hstack([np.sqrt(omega / omega.sum())[:, None], left[:, size > RANK]])


@dataclass(frozen=True)
class Regression:
    """What covariates explain of columns by least squares: their means, and slopes q × d."""

    mean: Floats
    coef: Floats

    @classmethod
    def fit(cls, Z: Floats, X: Floats, omega: Floats | None = None) -> Self:
        """Regress columns on covariates of training rows; if some say the same, each has a part."""
        weights = np.ones(len(Z)) if omega is None else omega
        unit, mean, length = _unit_columns(Z, weights)
        aims = np.sqrt(weights)[:, None] * (X - weights @ X / weights.sum())
        return cls(mean, np.linalg.lstsq(unit, aims, RANK)[0] / length[:, None])

    def explained(self, Z: Floats) -> Floats:
        """Return how far from their means the covariates say that columns are."""
        return (Z - self.mean) @ self.coef


@dataclass(frozen=True)
class Adjustment:
    """What training rows say of batches, by their means, and of covariates.

    There are no means unless features are centred within batches.
    """

    means: dict[Any, Floats]
    regression: Regression | None

    @classmethod
    def fit(cls, X: Floats, design: Design) -> Self:
        """Estimate both from training rows."""
        batch = design.batch if design.centered else None
        names = [] if batch is None else np.unique(batch).tolist()
        found = cls({name: X[batch == name].mean(axis=0) for name in names}, None)
        if design.covariates is None:
            return found
        Z = design.covariates.Z
        return replace(found, regression=Regression.fit(Z, found.centered(X, design)))

    def centered(self, X: Floats, design: Design) -> Floats:
        """Return rows minus the mean of their batch; that of a new batch is its own."""
        if not self.means or design.batch is None:
            return X
        out = np.empty_like(X)
        for name in np.unique(design.batch).tolist():
            rows = design.batch == name
            mean = self.means.get(name)
            out[rows] = X[rows] - (X[rows].mean(axis=0) if mean is None else mean)
        return out

    def adjusted(self, X: Floats, design: Design) -> Floats:
        """Return centred rows minus what covariates explain of them."""
        if self.regression is None or design.covariates is None:
            return X
        return X - self.regression.explained(design.covariates.Z)
