"""The tables of a report, row by row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from backstay.report._evidence import Evidence
from backstay.report.figures import Display
from backstay.results import SampleWeights

MOST_FEATURES = 300
SHOWN_PARTNERS = 3
# A figure's data beyond that many rows are left to the results' own tables.
MOST_ROWS = 4000


@dataclass(frozen=True)
class Partner:
    """A feature that could stand in for another, and their correlation."""

    name: str
    r: float


@dataclass(frozen=True)
class FeatureRow:
    """A feature under the chosen method, and how often every method chose it."""

    feature: int
    name: str
    frequency: float
    rank: float
    weight: float
    frequencies: dict[str, float]
    partners: list[Partner]
    relevant: bool | None


@dataclass(frozen=True)
class FigureTable:
    """The data of a figure with its finding, and how many rows there are in all."""

    finding: str
    columns: list[str]
    rows: list[list[Any]]
    n_rows: int
    classifier: str | None
    chance: float


@dataclass(frozen=True)
class Failure:
    """An error of a method, and the resamples on which it happened."""

    method: str
    stage: str
    error: str
    resamples: list[int]


def feature_rows(evidence: Evidence) -> list[FeatureRow]:
    """Return the features chosen most often, with their partners."""
    shown = evidence.features.iloc[:MOST_FEATURES]
    by_method = evidence.frequencies.pivot_table("frequency", "feature", "method")
    by_method = by_method.reindex(index=shown["feature"], columns=list(evidence.data.methods))
    shares = by_method.fillna(0.0).to_dict("records")
    partners = _partners(evidence.partners)
    return [
        FeatureRow(
            feature=row["feature"],
            name=row["name"],
            frequency=row["frequency"],
            rank=row["mean_rank"],
            weight=row["weight"],
            frequencies={str(method): share for method, share in own.items()},
            partners=partners.get(row["feature"], []),
            relevant=row["relevant"],
        )
        for row, own in zip(shown.to_dict("records"), shares, strict=True)
    ]


def _partners(table: pd.DataFrame) -> dict[int, list[Partner]]:
    found: dict[int, list[Partner]] = {}
    for row in table.groupby("feature", sort=False).head(SHOWN_PARTNERS).to_dict("records"):
        partner = Partner(row["partner_name"], row["correlation"])
        found.setdefault(row["feature"], []).append(partner)
    return found


def figure_table(display: Display) -> FigureTable:
    """Return the data of a figure, the first rows of every method where they are many."""
    frame = display.frame().drop(columns="dataset", errors="ignore")
    shown = frame.iloc[:MOST_ROWS]
    if "method" in frame and len(frame) > MOST_ROWS:
        each = MOST_ROWS // frame["method"].nunique()
        shown = frame.groupby("method", sort=False).head(max(each, 1))
    return FigureTable(
        display.finding(), *frame_rows(shown), len(frame), display.classifier, display.chance
    )


def frame_rows(frame: pd.DataFrame) -> tuple[list[str], list[list[Any]]]:
    """Return names of columns, and rows."""
    return [str(name) for name in frame.columns], frame.astype(object).to_numpy().tolist()


def gain_rows(evidence: Evidence) -> dict[str, Any]:
    """Return the gains of instance weighting at all sizes, and those at the chosen size."""
    table = evidence.gains.drop(columns="dataset")
    columns, rows = frame_rows(table)
    here = table[table["size"] == evidence.choice.size].to_dict("records")
    return {"columns": columns, "rows": rows, "here": here}


def relevant_rows(evidence: Evidence) -> dict[str, Any] | None:
    """Return the counts of truly relevant features, where the truth is known."""
    found = evidence.relevant
    if found is None:
        return None
    return {
        "n_relevant": found.n_relevant,
        "by_chance": found.by_chance,
        "size": found.size,
        "rows": found.frame().to_dict("records"),
    }


def outlying_rows(weights: SampleWeights) -> dict[str, Any]:
    """Return the samples below the fence of a weighting."""
    columns = ["row", "name", "class", "weight", "n_runs"]
    return {
        "methods": weights.methods,
        "fence": weights.fence,
        "n": len(weights.rows),
        "rows": weights.outlying[columns].to_dict("records"),
    }


def failure_rows(failures: pd.DataFrame) -> list[Failure]:
    """Return every kind of failure once."""
    groups = failures.groupby(["method", "stage", "error"], sort=False)["resample"]
    return [
        Failure(str(method), str(stage), str(error), sorted(map(int, runs)))
        for (method, stage, error), runs in groups
    ]
