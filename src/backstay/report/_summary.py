"""The part of a report about one data set, and the same as a dictionary, table by table."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from backstay.report._answer import Answer, recommendation_words
from backstay.report._design_words import added_text, design_text
from backstay.report._evidence import Evidence
from backstay.report._methods_text import methods_text
from backstay.report._plan_words import needed_words
from backstay.report._sections import records
from backstay.report._words import (
    clean,
    estimator_text,
    listed,
    pair_order_text,
    units_text,
)
from backstay.report.figures._display import Display
from backstay.results import Role
from backstay.targets import find_metric

MOST_FEATURES = 300
SHOWN_PARTNERS = 3
ANNOTATION = "annotation "
# How a feature goes with the outcome, as Results.features() names it.
EFFECTS = ("high_in", "difference", "effect", "effect_low", "effect_high", "p_value", "q_value")
CHOSEN = ("feature", "name", "frequency", "frequency_low", "frequency_high", "again", "weight")
# Rows of a figure's data at most; the tables of the results have all.
MOST_ROWS = 4000


@dataclass(frozen=True)
class DatasetReport:
    """The part of a report that is about one data set; its figures are in order."""

    name: str
    evidence: Evidence
    answer: Answer
    figures: dict[str, Display]

    @property
    def recommendation(self) -> str:
        """What is recommended and why, or why nothing is; empty if no model was run."""
        advice = self.evidence.choice.recommendation
        if advice is None:
            return ""
        more = added_text(advice, self.evidence.data), self.evidence.batches
        return " ".join([recommendation_words(advice), *filter(None, more)])


def summary(part: DatasetReport, key: str) -> dict[str, Any]:
    """Return everything that the report says about a data set; the key is for ids in the page."""
    evidence = part.evidence
    return {
        "name": part.name,
        "key": key,
        "facts": _facts(evidence),
        "kind": evidence.data.target.kind,
        "kinds": list(map(str, evidence.data.target.names)),
        "by": evidence.data.target.row_column,
        "target": asdict(evidence.data.words),
        "sections": list(evidence.data.target.sections if evidence.data.models else ()),
        "choice": _choice(part),
        "answer": asdict(part.answer),
        "measured": getattr(part.figures.get("map"), "measured", False),
        "n_drawn": len(getattr(part.figures.get("heatmap"), "samples", ())),
        "strips": len(getattr(part.figures.get("heatmap"), "features", ())),
        "suspicions": [asdict(one) for one in evidence.suspicions],
        "truth": _relevant(evidence),
        "figures": {kind: _figure(display) for kind, display in part.figures.items()},
        "gains": _gains(evidence),
        "consensus": evidence.consensus.drop(columns="dataset").to_dict("records"),
        "features": {"rows": _features(evidence), "n": int(evidence.features["chosen"].sum())},
        "decoys": _decoys(evidence),
        "outlying": [
            {"methods": own.methods, "n": len(own.rows), "rows": records(own.outlying)}
            for own in evidence.samples
        ],
        "errors": _failures(evidence.failures),
        "times": records(evidence.times),
        **evidence.predictions,
        "groups": _groups(evidence),
        "modules": _modules(evidence),
        "plan": _plan(evidence),
        "dial": evidence.study.dial,
        "equivalents": _equivalents(evidence),
        "why_no_samples": evidence.why_no_samples,
        "names": {name: asdict(known) for name, known in evidence.names.items()},
        "methods_text": methods_text(evidence),
        "setting": _setting(evidence),
    }


def plain(value: Any) -> Any:
    """Turn numbers of numpy into Python's, undefined ones into None, and clean all text."""
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, dict):
        return {clean(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return plain(value.item()) if isinstance(value, np.number | np.bool_) else clean(value)


def _facts(evidence: Evidence) -> dict[str, Any]:
    data = evidence.data
    names = (
        "n_samples", "n_features", "sizes", "models", "scoring", "n_resamples", "n_groups",
        "n_configurations", "max_features", "resampling", "metric", "n_tasks", "n_done", "null",
        "null_runs",
    )  # fmt: skip
    return {
        **{name: getattr(data, name) for name in names},
        data.target.kind: [{"name": name, "n": n} for name, n in data.target.summary()],
        "methods": {name: asdict(role) for name, role in data.methods.items()},
        "training_share": evidence.training_share,
        "shared_rows": evidence.shared_rows,
        "higher_is_better": find_metric(data.metric).higher_is_better,
        "logged": data.logged,
        "design": data.effect_units.kind,
        "effects_over": units_text(data),
        "design_text": design_text(data),
        "pair_order": pair_order_text(evidence.predictions),
    }


def _choice(part: DatasetReport) -> dict[str, Any]:
    choice, advice = part.evidence.choice, part.evidence.choice.recommendation
    return {
        "kind": choice.kind,
        **asdict(choice.configuration),
        **{name: getattr(choice, name) for name in ("stability", "low", "high", "null", "n_runs")},
        "replication": None if choice.replication is None else asdict(choice.replication),
        "sentence": part.recommendation,
        "answers": advice.frame().to_dict("records") if advice else [],
    }


def _relevant(evidence: Evidence) -> dict[str, Any] | None:
    """Return the counts of truly relevant features, where the truth is known."""
    known = evidence.relevant
    if known is None:
        return None
    counts = {name: getattr(known, name) for name in ("n_relevant", "by_chance", "size")}
    return {**counts, "rows": known.frame().to_dict("records")}


def _figure(display: Display) -> dict[str, Any]:
    """Return the data of a figure, the first rows of every method where they are many."""
    frame = display.frame().drop(columns="dataset", errors="ignore")
    shown = frame.iloc[:MOST_ROWS]
    if "method" in frame and len(frame) > MOST_ROWS:
        each = MOST_ROWS // frame["method"].nunique()
        shown = frame.groupby("method", sort=False).head(max(each, 1))
    return {
        "finding": display.finding(),
        **_columns_and_rows(shown),
        "n_rows": len(frame),
        "model": display.model,
        "chance": display.chance,
    }


def _columns_and_rows(frame: pd.DataFrame) -> dict[str, Any]:
    rows = frame.astype(object).to_numpy().tolist()
    return {"columns": [str(name) for name in frame.columns], "rows": rows}


def _gains(evidence: Evidence) -> dict[str, Any]:
    """Return the gains of instance weighting at all sizes, and those at the chosen size."""
    table = evidence.gains.drop(columns="dataset")
    here = table[table["size"] == evidence.choice.size].to_dict("records")
    return {**_columns_and_rows(table), "here": here}


def _features(evidence: Evidence) -> list[dict[str, Any]]:
    """Return the features chosen most often, how often by every method, and their partners."""
    shown = evidence.features[evidence.features["chosen"]].iloc[:MOST_FEATURES]
    by_method = evidence.frequencies.pivot_table("frequency", "feature", "method")
    by_method = by_method.reindex(index=shown["feature"], columns=list(evidence.data.methods))
    partners: dict[int, list[dict[str, Any]]] = {}
    most = evidence.partners.groupby("feature", sort=False).head(SHOWN_PARTNERS)
    for row in most.to_dict("records"):
        partner = {"name": row["partner_name"], "r": row["correlation"]}
        partners.setdefault(row["feature"], []).append(partner)
    annotated = [name for name in map(str, shown) if name.startswith(ANNOTATION)]
    members, chosen = set(evidence.signature["feature"]), evidence.choice.method
    described = evidence.data.target.words().columns
    rows, shares = shown.to_dict("records"), by_method.fillna(0.0).to_dict("records")
    return [
        {
            **{name: row[name] for name in (*CHOSEN, *EFFECTS, "relevant")},
            "annotation": {
                key.removeprefix(ANNOTATION): None if pd.isna(row[key]) else row[key]
                for key in annotated
            },
            "means": {name: row[column] for name, column in described.items()},
            "decoy_q_value": row.get("decoy_q_value"),
            "rank": row["mean_rank"],
            "in_signature": row["feature"] in members,
            "core": row["feature"] in members and row["core"],
            "frequencies": own,
            "agreed": sum(share > 0.5 for name, share in own.items() if name != chosen),
            "partners": partners.get(row["feature"], []),
        }
        for row, own in zip(rows, shares, strict=True)
    ]


def _decoys(evidence: Evidence) -> dict[str, Any] | None:
    """Return how many features of the signature are expected to be false, if that is known."""
    expected, n = evidence.expected_false, len(evidence.signature)
    sentence = f"Expected false among these {n}: {expected}." if n else ""
    return None if expected is None else {"sentence": sentence, **expected._asdict()}


def _groups(evidence: Evidence) -> list[dict[str, Any]]:
    """Return the groups of correlated features in the signature, by their best feature."""
    if not len(evidence.signature):
        return []
    return [
        {"names": rows["feature"].map(evidence.data.label).tolist()}
        for _, rows in evidence.groups.groupby("group", sort=True)
    ]


def _modules(evidence: Evidence) -> dict[str, Any] | None:
    """Return the stability of the chosen method's modules; None if it is not known."""
    rows = records(evidence.modules[evidence.modules["method"] == evidence.choice.method])
    return rows[0] if rows else None


def _plan(evidence: Evidence) -> dict[str, Any] | None:
    """Return how many rows are needed, in words and numbers; None if it is not known."""
    plan = evidence.plan
    if plan is None:
        return None
    needed = {"shared": plan.shared, "validation": plan.validation}
    figures = {name: one and asdict(one) for name, one in needed.items()}
    return {"sentences": needed_words(plan), **figures, "grouped": plan.grouped}


def _equivalents(evidence: Evidence) -> dict[str, Any]:
    """Return the features of the signature with their replacements, and all as a table."""
    frame = evidence.equivalents.drop(columns=["dataset", "method", "size"], errors="ignore")
    if frame.empty:
        return {"slots": [], "columns": [], "rows": []}
    metric, target = find_metric(evidence.data.metric), evidence.data.target
    if metric.needs == "probabilities":  # the ridge model has none
        metric = find_metric(target.default_metric({}))
    figures = ("stand_in_name", "correlation", "change", "error")
    slots = []
    label = evidence.data.label
    others = frame["stand_in"].map(lambda j: label(int(j)), na_action="ignore")
    named = frame.assign(name=frame["feature"].map(label), stand_in_name=others)
    for _, rows in named.groupby("feature", sort=False):
        first = rows.iloc[0]
        own = rows.dropna(subset="stand_in")
        slots.append(
            {
                **{name: first[name] for name in ("name", "without", "without_error")},
                "spared": bool(first["without"] > -first["without_error"]),
                "stand_ins": [{key: row[key] for key in figures} for _, row in own.iterrows()],
            }
        )
    return {"slots": slots, "metric": metric.title, **_columns_and_rows(frame)}


def _failures(failures: pd.DataFrame) -> list[dict[str, Any]]:
    """Return every error of a method once, with the resamples on which it happened."""
    names = ["method", "stage", "error"]
    groups = failures.groupby(names, sort=False)["resample"]
    return [dict(zip(names, kind, strict=True), resamples=sorted(runs)) for kind, runs in groups]


def _setting(evidence: Evidence) -> dict[str, Any]:
    """Return how the study was set up: everything needed to repeat it on the data set."""
    study, data = evidence.study, evidence.data
    given = {name: estimator_text(value) for name, value in study.methods.items()}
    methods = {name: given.get(name) or _companion(name, data.methods) for name in data.methods}
    models = {name: estimator_text(value) for name, value in study.models.items()}
    as_given = ("seed", "seed_drawn", "controls", "weight_models", "versions")
    return {
        "methods": [{"name": name, "made": made} for name, made in methods.items()],
        "models": [{"name": name, "made": made} for name, made in models.items()],
        "preprocess": None if study.preprocess is None else estimator_text(study.preprocess),
        **{name: getattr(study, name) for name in as_given},
        "provenance": data.provenance,
        "data": data.fingerprints,
        "splits": data.splits,
    }


def _companion(name: str, roles: Mapping[str, Role]) -> str:
    """Say what a method is that the study added itself."""
    weighted = [method for method, role in roles.items() if role.control == name]
    if weighted:
        return f"added by the study: {listed(weighted)} with equal weights of the same sum"
    return "added by the study: a weighted method without its weights"
