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

    Features are those under the chosen method, frequencies those under every method; there are
    no rivals where nothing is recommended.
    """

    study: StudyFacts
    data: DatasetFacts
    choice: Choice
    features: pd.DataFrame
    frequencies: pd.DataFrame
    consensus: pd.DataFrame
    partners: pd.DataFrame
    gains: pd.DataFrame
    weighting: list[WeightingVerdict]
    rivals: list[Comparison]
    relevant: RelevantFound | None
    samples: list[SampleWeights]
    failures: pd.DataFrame

    @property
    def signature(self) -> pd.DataFrame:
        """The features of the signature, most often chosen first."""
        return self.features[self.features["in_signature"].to_numpy(dtype=bool)]


def gather(results: Results) -> Evidence:
    """Gather what a report needs from the results of one data set."""
    choice = results.choice()
    size = choice.size
    return Evidence(
        study=results.facts,
        data=results.data,
        choice=choice,
        features=results.features(choice.method, size).frame(),
        frequencies=results.selection_frequency(size).frame(),
        consensus=results.consensus(size).frame(),
        partners=results.partners().frame(),
        gains=results.gains(choice.metric).frame(),
        weighting=results.weighting(size),
        rivals=[] if choice.kind == "nothing" else results.rivals(choice.configuration),
        relevant=results.relevant_found(size),
        samples=results.sample_weights(),
        failures=results.errors().frame(),
    )
