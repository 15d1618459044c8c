"""How the study was set up, and how to repeat it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from backstay.report._words import estimator_text, listed
from backstay.results import DatasetFacts, Role, StudyFacts


@dataclass(frozen=True)
class Built:
    """A method or a classifier, and the code that builds it or what it is."""

    name: str
    made: str


@dataclass(frozen=True)
class Setting:
    """Everything needed to repeat the study on the data set."""

    methods: list[Built]
    classifiers: list[Built]
    preprocess: str | None
    seed: int | None
    seed_drawn: bool
    controls: bool
    versions: list[dict[str, str]]
    provenance: dict[str, Any]
    data: dict[str, str | None]
    splits: str


def setting(study: StudyFacts, data: DatasetFacts) -> Setting:
    """Return the setting of a study on one of its data sets."""
    given = {name: estimator_text(value) for name, value in study.methods.items()}
    methods = [
        Built(name, given.get(name) or _companion(name, data.methods)) for name in data.methods
    ]
    classifiers = [Built(name, estimator_text(value)) for name, value in study.classifiers.items()]
    return Setting(
        methods=methods,
        classifiers=classifiers,
        preprocess=None if study.preprocess is None else estimator_text(study.preprocess),
        seed=study.seed,
        seed_drawn=study.seed_drawn,
        controls=study.controls,
        versions=study.versions,
        provenance=data.provenance,
        data=data.fingerprints,
        splits=data.splits,
    )


def _companion(name: str, roles: Mapping[str, Role]) -> str:
    """Say what a method is that the study added itself."""
    weighted = [method for method, role in roles.items() if role.control == name]
    if weighted:
        return f"added by the study: {listed(weighted)} with equal weights of the same sum"
    plain_of = [method for method, role in roles.items() if role.plain == name]
    return f"added by the study: {listed(plain_of)} without weights" if plain_of else "added"
