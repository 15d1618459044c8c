"""What a report shows of predictions: figures and tables by the names of a target's sections.

The words of a section are in the template of its name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from backstay.report.figures._confusion import ConfusionDisplay
from backstay.report.figures._display import Display
from backstay.report.figures._numbers import PredictedDisplay, ResidualsDisplay
from backstay.report.figures._roc import CURVES, RocDisplay
from backstay.report.figures._survival import (
    AucOverTimeDisplay,
    HorizonDisplay,
    RiskGroupsDisplay,
)
from backstay.results import Results

MOST_SAMPLES = 12
# Wrong in this share of at least so many tests, samples may be mislabelled; if more than a tenth of
# all are, the model is to blame.
NEARLY_ALL, FEW_TESTS, FEW_SUSPECTS = 0.9, 5, 0.1


def section_figures(results: Results) -> dict[str, Display]:
    """Return the figures of predictions; none where no model was run."""
    figures: dict[str, Display] = {}
    for name in results.data.target.sections if results.data.models else ():
        figures |= FIGURES[name](results) if name in FIGURES else {}
    return figures


def section_tables(results: Results) -> dict[str, Any]:
    """Return the tables of predictions, which are empty where no model was run."""
    wanted = [name for name in results.data.target.sections if name in TABLES]
    return {TABLES[name][0]: TABLES[name][1](results) for name in wanted}


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table, without the name of the data set."""
    rows = frame.drop(columns="dataset", errors="ignore").to_dict("records")
    return [{str(name): value for name, value in row.items()} for row in rows]


def _curves(results: Results) -> dict[str, Display]:
    curves = {kind: RocDisplay.from_results(results, kind) for kind in CURVES}
    return {kind: curve for kind, curve in curves.items() if len(curve.frame())}


def _recalls(results: Results) -> list[dict[str, Any]]:
    return records(results.predictions.recalls().frame()) if results.data.models else []


def _pair_order(results: Results) -> list[dict[str, Any]]:
    return records(results.predictions.table("pair_order").frame()) if results.data.models else []


def _misclassified(results: Results) -> dict[str, Any]:
    """Return the samples most often misclassified, and how many ever were."""
    if not results.data.models:
        return {"rows": [], "n": 0, "tested": 0, "suspect": []}
    frame = results.predictions.misclassified().frame()
    wrong = frame[frame["share"] > 0]
    nearly = wrong[(wrong["share"] >= NEARLY_ALL) & (wrong["n_runs"] >= FEW_TESTS)]
    suspect = records(nearly if len(nearly) <= FEW_SUSPECTS * len(frame) else nearly[:0])
    found = {"rows": records(wrong.iloc[:MOST_SAMPLES]), "n": len(wrong), "tested": len(frame)}
    return {**found, "suspect": suspect}


def _predicted(results: Results) -> dict[str, Display]:
    kinds = {"predicted": PredictedDisplay, "residuals": ResidualsDisplay}
    return {name: kind.from_results(results) for name, kind in kinds.items()}


def _horizon(results: Results) -> dict[str, Display]:
    kinds: dict[str, Any] = {"horizon": HorizonDisplay, "auc_over_time": AucOverTimeDisplay}
    return {name: kind.from_results(results) for name, kind in kinds.items()}


def _first_of(name: str) -> Callable[[Results], dict[str, Any]]:
    """Return how to get the first samples of a table of predictions, and their number."""

    def first(results: Results) -> dict[str, Any]:
        if not results.data.models:
            return {"rows": [], "n": 0}
        frame = results.predictions.table(name).frame()
        return {"rows": records(frame.iloc[:MOST_SAMPLES]), "n": len(frame)}

    return first


FIGURES: dict[str, Callable[[Results], dict[str, Display]]] = {
    "confusion": lambda results: {"confusion": ConfusionDisplay.from_results(results)},
    "roc": _curves,
    "predicted": _predicted,
    "risk_groups": lambda results: {"risk_groups": RiskGroupsDisplay.from_results(results)},
    "horizon": _horizon,
}
# The name of a section's table in the summary, and what it holds.
TABLES: dict[str, tuple[str, Callable[[Results], Any]]] = {
    "confusion": ("recalls", _recalls),
    "roc": ("pair_order", _pair_order),
    "misclassified": ("misclassified", _misclassified),
    "residuals": ("residuals", _first_of("residuals")),
    "follow_up": ("follow_up", lambda results: results.data.target.remarks()),
    "surprises": ("surprises", _first_of("surprises")),
}
