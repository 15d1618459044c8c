"""What a report shows of predictions: figures and tables by the names of a target's sections.

The words of a section are in the template of its name.
"""

from collections.abc import Callable
from typing import Any

import pandas as pd

from backstay.report.figures._confusion import ConfusionDisplay
from backstay.report.figures._display import Display
from backstay.report.figures._numbers import PredictedDisplay
from backstay.report.figures._roc import CURVES, RocDisplay
from backstay.report.figures._survival import (
    AucOverTimeDisplay,
    HorizonDisplay,
    RiskGroupsDisplay,
)
from backstay.results import Results

MOST_SAMPLES = 8
# Wrong in this share of at least so many tests, samples may be mislabelled; if more than
# 15 % of all are, the model is to blame.
NEARLY_ALL, FEW_TESTS, FEW_SUSPECTS = 0.9, 5, 0.15


def section_figures(results: Results) -> dict[str, Display]:
    """Return the figures of predictions; none where no model was run."""
    figures: dict[str, Display] = {}
    for name in results.data.target.sections if results.data.models else ():
        figures |= FIGURES[name](results) if name in FIGURES else {}
    return figures


def section_tables(results: Results) -> dict[str, Any]:
    """Return the tables of predictions; none where no model was run."""
    wanted = results.data.target.sections if results.data.models else ()
    return {TABLES[name][0]: TABLES[name][1](results) for name in wanted if name in TABLES}


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table, without the name of the data set."""
    rows = frame.drop(columns="dataset", errors="ignore").to_dict("records")
    return [{str(name): value for name, value in row.items()} for row in rows]


def _curves(results: Results) -> dict[str, Display]:
    curves = {kind: RocDisplay.from_results(results, kind) for kind in CURVES}
    return {kind: curve for kind, curve in curves.items() if len(curve.frame())}


def _misclassified(results: Results) -> dict[str, Any]:
    """Return the samples most often misclassified, and how many ever were."""
    frame = results.predictions.table("misclassified").frame()
    wrong = frame[frame["share"] > 0]
    nearly = wrong[(wrong["share"] >= NEARLY_ALL) & (wrong["n_runs"] >= FEW_TESTS)]
    suspect = records(nearly if len(nearly) <= FEW_SUSPECTS * len(frame) else nearly[:0])
    found = {"rows": records(wrong.iloc[:MOST_SAMPLES]), "n": len(wrong), "tested": len(frame)}
    return {**found, "suspect": suspect}


def _horizon(results: Results) -> dict[str, Display]:
    kinds = {"horizon": HorizonDisplay, "auc_over_time": AucOverTimeDisplay}
    return {name: kind.from_results(results) for name, kind in kinds.items()}


def _first_of(results: Results, name: str) -> dict[str, Any]:
    """Return the first samples of a table of predictions, and their number."""
    frame = results.predictions.table(name).frame()
    return {"rows": records(frame.iloc[:MOST_SAMPLES]), "n": len(frame)}


FIGURES: dict[str, Callable[[Results], dict[str, Display]]] = {
    "confusion": lambda results: {"confusion": ConfusionDisplay.from_results(results)},
    "roc": _curves,
    "predicted": lambda results: {"predicted": PredictedDisplay.from_results(results)},
    "risk_groups": lambda results: {"risk_groups": RiskGroupsDisplay.from_results(results)},
    "horizon": _horizon,
}
# The name of a section's table in the summary, and what it holds.
TABLES: dict[str, tuple[str, Callable[[Results], Any]]] = {
    "confusion": ("recalls", lambda results: records(results.predictions.table("recalls").frame())),
    "roc": (
        "pair_order",
        lambda results: records(results.predictions.table("pair_order").frame()),
    ),
    "misclassified": ("misclassified", _misclassified),
    "residuals": ("residuals", lambda results: _first_of(results, "residuals")),
    "follow_up": ("follow_up", lambda results: results.data.target.remarks()),
    "surprises": ("surprises", lambda results: _first_of(results, "surprises")),
}
