"""Everything a report says, as one dict."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from backstay.base import one_thread
from backstay.report import _words as words
from backstay.report._answer import answer
from backstay.report._choice import Choice, choose
from backstay.report._features import consensus_rows, feature_rows, signature_rows, truth_rows
from backstay.report.figures import (
    AccuracyDisplay,
    AgreementDisplay,
    Display,
    FitTimesDisplay,
    ParetoDisplay,
    SampleWeightsDisplay,
    SelectionFrequencyDisplay,
    StabilityDisplay,
)
from backstay.results import Results

__all__ = ["Figures", "gather", "summarize"]

Figures = dict[str, Display]
# A figure's data beyond that many rows are left to the results' own tables.
MOST_ROWS = 4000


def summarize(results: Results) -> dict[str, Any]:
    """Return everything a report says, ready for JSON.

    Parameters
    ----------
    results : Results
        Of one or several data sets.

    Returns
    -------
    dict
        ``versions`` and, for every data set, the answer, figures' data and findings, tables
        and the setting. Undefined numbers are None. Names are as given, not escaped.

    Examples
    --------
    >>> from backstay import ReliefF, Study
    >>> from backstay.datasets import make_xor
    >>> from backstay.report import summarize
    >>> from backstay.study import Subsampling
    >>> X, y, truth = make_xor(150, random_state=0)
    >>> study = Study({"relieff": ReliefF()}, Subsampling(10), sizes=[3], random_state=0)
    >>> (part,) = summarize(study.run(X, y, truth=truth))["datasets"]
    >>> part["answer"]["headline"]
    '3 of 10 features were chosen in most runs'
    """
    return gather(results)[0]


def gather(results: Results) -> tuple[dict[str, Any], list[Figures]]:
    """Return the summary, and the displays of every data set."""
    if not results.datasets:
        raise ValueError("the results are empty; run a study first.")
    parts, displays = [], []
    # Thousands of small products: threads would spend their time waiting for each other.
    with one_thread():
        for place, name in enumerate(results.datasets):
            part, figures = _part(results[name], name, f"d{place}")
            parts.append(part)
            displays.append(figures)
    names = ", ".join(words.clean(name) for name in results.datasets)
    return plain({"title": names, "datasets": parts}), displays


def plain(value: Any) -> Any:
    """Turn numbers of numpy into Python's, undefined ones into None, and clean all text."""
    if isinstance(value, dict):
        return {words.clean(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int):
        return value
    return words.clean(value)


def _part(results: Results, name: str, key: str) -> tuple[dict[str, Any], Figures]:
    facts = _facts(results, name)
    choice = choose(results)
    displays = _displays(results, choice, facts)
    frequencies = displays["frequency"].frame()
    signature = signature_rows(results, choice)
    features, n_features = feature_rows(results, choice, frequencies)
    gains = results.gains(choice.metric).frame()
    part = {
        "name": name,
        "key": key,
        "facts": facts,
        "choice": {
            "kind": choice.kind,
            "method": choice.method,
            "size": choice.size,
            "classifier": choice.classifier,
            "metric": choice.metric,
            "stability": choice.stability,
            "low": choice.low,
            "n_runs": choice.n_runs,
            "high": choice.high,
            "sentence": choice.recommendation.sentence if choice.recommendation else "",
        },
        "answer": answer(results, choice, facts, signature, gains),
        "truth": truth_rows(results, choice),
        "figures": {kind: _figure(kind, display) for kind, display in displays.items()},
        "gains": _gains(gains, choice),
        "consensus": consensus_rows(frequencies, list(facts["methods"]), choice.size),
        "features": {"rows": features, "n": n_features},
        "outlying": _outlying(displays.get("weights")),
        "errors": _errors(results),
        "setting": _setting(results, facts),
    }
    return part, displays


def _facts(results: Results, name: str) -> dict[str, Any]:
    known = results.facts["datasets"][name]
    records = results._one()
    sizes = np.bincount(records.codes, minlength=len(known["classes"]))
    classes = [
        {"name": words.clean(kind), "n": int(n)}
        for kind, n in zip(known["classes"], sizes, strict=True)
    ]
    return {
        "n_samples": known["n_samples"],
        "n_features": known["n_features"],
        "classes": classes,
        "sizes": known["sizes"],
        "methods": known["methods"],
        "classifiers": known["classifiers"],
        "scoring": known["scoring"],
        "n_resamples": records.n_resamples,
        "n_groups": int(records.units.max()) + 1 if known["data"]["groups"] else None,
        "n_configurations": len(known["methods"])
        * max(len(known["classifiers"]), 1)
        * len(known["sizes"]),
        "resampling": known["resampling"],
    }


def _displays(results: Results, choice: Choice, facts: dict[str, Any]) -> Figures:
    found: Figures = {"stability": StabilityDisplay.from_results(results)}
    for classifier in sorted(facts["classifiers"], key=lambda name: name != choice.classifier):
        place = facts["classifiers"].index(classifier)
        found[f"accuracy{place}"] = AccuracyDisplay.from_results(results, choice.metric, classifier)
    if facts["classifiers"]:
        found["pareto"] = ParetoDisplay.from_results(
            results, size=choice.size, classifier=choice.classifier, metric=choice.metric
        )
    found["frequency"] = SelectionFrequencyDisplay.from_results(results, choice.size)
    if len(facts["methods"]) > 1:
        found["agreement"] = AgreementDisplay.from_results(results, choice.size)
    weights = SampleWeightsDisplay.from_results(results)
    if weights.lanes():
        found["weights"] = weights
    found["times"] = FitTimesDisplay.from_results(results)
    for display in found.values():
        display.highlight = choice.method
    return found


def _figure(kind: str, display: Display) -> dict[str, Any]:
    frame = display.frame().drop(columns="dataset", errors="ignore")
    shown = _trimmed(frame)
    return {
        "finding": display.finding(),
        "columns": [str(name) for name in shown.columns],
        "rows": shown.astype(object).to_numpy().tolist(),
        "n_rows": len(frame),
        "classifier": display.classifier,
        "chance": display.chance,
    }


def _trimmed(frame: pd.DataFrame) -> pd.DataFrame:
    """Keep the first rows of every method, in all no more than the cap."""
    if len(frame) <= MOST_ROWS:
        return frame
    if "method" not in frame:
        return frame.iloc[:MOST_ROWS]
    each = MOST_ROWS // frame["method"].nunique()
    return frame.groupby("method", sort=False).head(max(each, 1))


def _gains(gains: pd.DataFrame, choice: Choice) -> dict[str, Any]:
    table = gains.drop(columns="dataset", errors="ignore")
    return {
        "columns": [str(name) for name in table.columns],
        "rows": table.astype(object).to_numpy().tolist(),
        "here": table[table["size"] == choice.size].to_dict("records"),
    }


def _outlying(display: Display | None) -> list[dict[str, Any]]:
    if not isinstance(display, SampleWeightsDisplay):
        return []
    return [
        {
            "methods": names,
            "fence": fence,
            "n": len(rows),
            "rows": rows[rows["weight"] < fence]
            .sort_values("weight", kind="stable")[["row", "name", "class", "weight", "n_runs"]]
            .to_dict("records"),
        }
        for names, rows, fence in display.lanes()
    ]


def _errors(results: Results) -> list[dict[str, Any]]:
    table = results.errors().frame()
    if table.empty:
        return []
    groups = table.groupby(["method", "stage", "error"], sort=False)["resample"]
    return [
        {"method": method, "stage": stage, "error": error, "resamples": sorted(map(int, runs))}
        for (method, stage, error), runs in groups
    ]


def _setting(results: Results, facts: dict[str, Any]) -> dict[str, Any]:
    known = results.facts
    (own,) = known["datasets"].values()
    asked = known["facts"]
    made = {name: words.estimator_text(value) for name, value in asked["methods"].items()}
    methods = [
        {"name": name, "made": made.get(name) or _companion(name, facts["methods"])}
        for name in facts["methods"]
    ]
    classifiers = [
        {"name": name, "made": words.estimator_text(value)}
        for name, value in asked["classifiers"].items()
    ]
    return {
        "methods": methods,
        "classifiers": classifiers,
        "preprocess": None
        if asked["preprocess"] is None
        else words.estimator_text(asked["preprocess"]),
        "seed": known.get("entropy", asked["random_state"]),
        "seed_drawn": asked["random_state"] is None,
        "controls": asked["controls"],
        "versions": known["versions"],
        "provenance": own.get("provenance") or {},
        "data": own["data"],
        "splits": own["splits"],
    }


def _companion(name: str, roles: dict[str, Any]) -> str:
    """Say what a method is that the study added itself."""
    weighted = [method for method, role in roles.items() if role["control"] == name]
    if weighted:
        return f"added by the study: {words.listed(weighted)} with equal weights of the same sum"
    plain_of = [method for method, role in roles.items() if role["plain"] == name]
    return f"added by the study: {words.listed(plain_of)} without weights" if plain_of else "added"
