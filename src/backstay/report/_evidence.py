"""Everything a report of one data set rests on, gathered from the results once."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from backstay.results import (
    Choice,
    Comparison,
    DatasetFacts,
    RelevantFound,
    Results,
    SampleWeights,
    StudyFacts,
    WeightingVerdict,
)


@dataclass(frozen=True)
class Evidence:
    """The answers of the results that the report puts into words, figures and tables.

    Features are those under the chosen method, frequencies those under every method. Where
    nothing is recommended there are no rivals, and the signature is empty: it would be one of
    noise. `null` has a row per method and size, none without runs with shuffled labels; runs
    train on `training_share` of the rows, and two of them share `shared_rows` of those.
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
    failures: pd.DataFrame

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
    def null_here(self) -> pd.DataFrame:
        """The null of the chosen method at the chosen size: one row, or none."""
        choice, null = self.choice, self.null
        return null[(null["method"] == choice.method) & (null["size"] == choice.size)]


def gather(results: Results) -> Evidence:
    """Gather what a report needs from the results of one data set."""
    choice = results.choice()
    size, trained = choice.size, results.training_rows()
    return Evidence(
        study=results.facts,
        data=results.data,
        choice=choice,
        null=results.null().frame(),
        training_share=trained.share,
        shared_rows=trained.shared,
        features=results.features(choice.method, size).frame(),
        frequencies=results.selection_frequency(size).frame(),
        consensus=results.consensus(size).frame(),
        partners=results.partners().frame(),
        gains=results.gains(choice.metric).frame(),
        weighting=results.weighting(size),
        rivals=[] if choice.kind == "nothing" else results.rivals(choice.configuration),
        relevant=results.relevant_found(size),
        samples=results.sample_weights(),
        runs=results.runs().frame(),
        failures=results.errors().frame(),
    )
