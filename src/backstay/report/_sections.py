"""What a report shows of predictions: the sections that a target asks for, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from backstay.report.figures._confusion import ConfusionDisplay
from backstay.report.figures._display import Display
from backstay.report.figures._roc import CURVES, RocDisplay
from backstay.results import Results

MOST_SAMPLES = 12


@dataclass(frozen=True)
class Section:
    """Figures and tables of a section; the template of its name has the words."""

    figures: Callable[[Results], dict[str, Display]] = lambda results: {}
    tables: Callable[[Results], dict[str, Any]] = lambda results: {}


def section_figures(results: Results) -> dict[str, Display]:
    """Return the figures of predictions; none where no model was run."""
    figures: dict[str, Display] = {}
    for name in results.data.target.sections if results.data.models else ():
        figures |= SECTIONS[name].figures(results)
    return figures


def section_tables(results: Results) -> dict[str, Any]:
    """Return the tables of predictions, which are empty where no model was run."""
    tables: dict[str, Any] = {}
    for name in results.data.target.sections:
        tables |= SECTIONS[name].tables(results)
    return tables


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table, without the name of the data set."""
    rows = frame.drop(columns="dataset", errors="ignore").to_dict("records")
    return [{str(name): value for name, value in row.items()} for row in rows]


def _curves(results: Results) -> dict[str, Display]:
    curves = {kind: RocDisplay.from_results(results, kind) for kind in CURVES}
    return {kind: curve for kind, curve in curves.items() if len(curve.frame())}


def _recalls(results: Results) -> dict[str, Any]:
    judged = bool(results.data.models)
    return {"recalls": records(results.predictions.recalls().frame()) if judged else []}


def _misclassified(results: Results) -> dict[str, Any]:
    """Return the samples most often misclassified, and how many ever were."""
    if not results.data.models:
        return {"misclassified": {"rows": [], "n": 0, "tested": 0}}
    frame = results.predictions.misclassified().frame()
    wrong = frame[frame["share"] > 0]
    rows = records(wrong.iloc[:MOST_SAMPLES])
    return {"misclassified": {"rows": rows, "n": len(wrong), "tested": len(frame)}}


SECTIONS = {
    "confusion": Section(lambda results: {"confusion": ConfusionDisplay.from_results(results)},
                         _recalls),
    "roc": Section(_curves),
    "misclassified": Section(tables=_misclassified),
}  # fmt: skip
