"""Everything a report of one data set rests on, gathered from the results once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from backstay._identity import describe
from backstay._refusal import Refusal
from backstay.report._design_words import batch_text
from backstay.report._sections import records, section_tables
from backstay.report._words import estimator_text
from backstay.results import (
    Choice,
    Comparison,
    DatasetFacts,
    Plan,
    RelevantFound,
    Results,
    SampleWeights,
    StudyFacts,
    Suspicion,
    WeightingVerdict,
)
from backstay.study import list_methods, make_methods

if TYPE_CHECKING:  # a report need not load the methods
    from backstay.ensemble import ExpectedFalse


@dataclass(frozen=True)
class Name:
    """A name as it was given, spelt out, what it does, and who described it first."""

    name: str
    title: str
    what: str = ""
    source: str = ""


@dataclass(frozen=True)
class Evidence:
    """The answers of the results that the report puts into words, figures and tables.

    Features, groups and tables of `predictions` are those of the choice; frequencies, the null (a
    row per size) and stability of modules those of every method. Where nothing is recommended
    there are no rivals, and the signature is empty: it would be one of noise. Runs train on
    `training_share` of the rows, and two of them share `shared_rows` of those. What the study did
    not run is None or empty. Suspicions about the data begin with the most serious.
    """

    study: StudyFacts
    data: DatasetFacts
    choice: Choice
    null: pd.DataFrame
    training_share: float
    shared_rows: float
    features: pd.DataFrame
    frequencies: pd.DataFrame
    consensus: pd.DataFrame
    partners: pd.DataFrame
    gains: pd.DataFrame
    weighting: list[WeightingVerdict]
    rivals: list[Comparison]
    relevant: RelevantFound | None
    samples: list[SampleWeights]
    runs: pd.DataFrame
    ranked: pd.DataFrame
    failures: pd.DataFrame
    times: pd.DataFrame
    names: dict[str, Name]
    predictions: dict[str, Any]
    groups: pd.DataFrame
    modules: pd.DataFrame
    equivalents: pd.DataFrame
    values_kept: bool
    expected_false: ExpectedFalse | None
    suspicions: list[Suspicion]
    plan: Plan | None
    batches: str

    @property
    def signature(self) -> pd.DataFrame:
        """The features of the signature, most often chosen first."""
        members = self.features["in_signature"].to_numpy(dtype=bool)
        return self.features[members & (self.choice.kind != "nothing")]

    @property
    def n_core(self) -> int:
        """Number of features of the signature that more than half of the runs chose."""
        return int(self.signature["core"].sum())

    @property
    def version(self) -> str:
        """Version of backstay that the study ran with last."""
        return self.study.versions[-1]["backstay"] if self.study.versions else "unknown"

    @property
    def why_no_samples(self) -> str:
        """Why the samples are not drawn on the signature; empty if they are."""
        data = self.data
        if not len(self.signature):
            return "there is no signature"
        if not data.keep_samples:
            return (
                "the study was run with --no-samples, or its store was stripped, so neither "
                "values nor names of samples are kept. There are no replacements of features either"
            )
        if self.values_kept:
            return ""
        if data.n_samples > data.FEW_SAMPLES:
            return f"there are {data.n_samples} samples, and the store holds no values of them"
        return (
            "the store does not hold their values yet; finish the study, or run it again (nothing "
            "is computed twice)"
        )

    @property
    def null_here(self) -> pd.DataFrame:
        """The null of the chosen method at the chosen size: one row, or none."""
        choice, null = self.choice, self.null
        return null[(null["method"] == choice.method) & (null["size"] == choice.size)]


def gather(results: Results) -> Evidence:
    """Gather what a report needs from the results of one data set."""
    choice = results.choice()
    size, trained = choice.size, results.runs.training_rows()
    partners = results.selections.partners().frame()
    return Evidence(
        study=results.facts,
        data=results.data,
        choice=choice,
        null=results.null().frame(),
        training_share=trained.share,
        shared_rows=trained.shared,
        features=results.features(choice.method, size).frame(),
        frequencies=results.selections.frequency(size).frame(),
        consensus=results.selections.consensus(size).frame(),
        partners=partners.assign(
            name=partners["feature"].map(results.data.label),
            partner_name=partners["partner"].map(results.data.label),
        ),
        gains=results.weights.gains(choice.metric).frame(),
        weighting=results.weights.verdicts(size),
        rivals=[] if choice.kind == "nothing" else results.comparisons.rivals(choice.configuration),
        relevant=results.selections.relevant_found(size),
        samples=results.samples.weightings(),
        runs=results.runs.counts().frame(),
        ranked=results.selections.ranked().frame(),
        failures=results.runs.errors().frame(),
        times=results.runs.times().frame(),
        names=_names(results.facts, results.data),
        predictions=section_tables(results),
        groups=results.selections.groups().frame(),
        modules=results.selections.module_stability([size]).frame(),
        equivalents=_equivalents(results, choice),
        values_kept=results.samples.kept(),
        expected_false=results.selections.expected_false(choice.method, size),
        suspicions=[
            Suspicion(one["kind"], one["severity"], _labelled(one["figures"], results.data))
            for one in results.suspicions().frame().to_dict("records")
        ],
        plan=_plan(results),
        batches=batch_text(
            results.data,
            records(results.predictions.batches().frame()),
            results.selections.batch_agreement().frame(),
        ),
    )


def _labelled(figures: dict[str, Any], data: DatasetFacts) -> dict[str, Any]:
    """Return the figures of a suspicion with symbols before the names of features."""
    if data.feature_names is None or not isinstance(figures.get("features"), list):
        return figures
    place = {str(name): j for j, name in enumerate(data.feature_names)}
    named = [data.label(place[one]) if one in place else one for one in figures["features"]]
    return {**figures, "features": named}


def _plan(results: Results) -> Plan | None:
    """Return what more rows would bring; None where that was not run, or is not finished."""
    try:
        return results.plan()
    except Refusal:
        return None


def _equivalents(results: Results, choice: Choice) -> pd.DataFrame:
    """Return what could replace features; nothing without a signature or its values."""
    few = results.data.n_samples <= results.data.FEW_SAMPLES
    if choice.kind == "nothing" or not few or not results.samples.kept():
        return pd.DataFrame()
    return results.selections.equivalents().frame()


def _names(study: StudyFacts, data: DatasetFacts) -> dict[str, Name]:
    """Return what every method and model is called; unknown names stay as they are."""
    known = {
        row["name"]: Name(row["name"], row["title"], row["what"], row["source"])
        for row in list_methods().to_dict("records")
    }
    names = {}
    for name, role in data.methods.items():
        made = study.methods.get(name)
        if role.added:
            # Named by the study after the method they belong to, such as "t (control, mean 1)".
            plain, mark, rest = name.partition(" (")
            names[name] = Name(name, known.get(plain, Name(plain, plain)).title + mark + rest)
        elif name in known and describe(make_methods([name])[name], name) == made:
            names[name] = known[name]
        else:
            names[name] = Name(name, name)
    models = data.target.words().models
    for name in data.models:
        title, marks, what = models.get(name, (name, (), ""))
        code = estimator_text(study.models.get(name))
        meant = all(mark in code for mark in marks)
        names[name] = Name(name, title, what) if meant else Name(name, name)
    return names
