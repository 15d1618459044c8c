"""Whether a store holds this study, or less of it: what is there stays, and the study goes on.

A study may grow by splits that follow those it has, by permutations of the labels and by methods.
It never shrinks: what a store holds would be results that the study does not ask for.
"""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay._design import Design
from backstay._identity import difference, digest, fingerprint, versions
from backstay.store import FIRST_PART, Store, StoreError
from backstay.study._checks import CheckedStudy
from backstay.study._data import CheckedData
from backstay.study._protocols import FiveByTwo, Split
from backstay.study._shards import Shard

# What may differ between a data set in a store and the same one in a study that has grown.
GROWING = ("methods", "resampling", "splits", "null", "null_splits", "planning")


class SmallerStudyError(StoreError):
    """A store holds more of a study than was asked for.

    Attributes
    ----------
    what : {"splits", "permutations", "planning", "methods"}
        Of which there is more.
    stored, given : int or list of str
        How many the store holds and how many were asked for; names of methods.
    """

    def __init__(self, message: str, what: str, stored: Any, given: Any) -> None:
        super().__init__(message)
        self.what, self.stored, self.given = what, stored, given


@dataclass(frozen=True)
class PlannedRuns:
    """A data set with its splits, of shuffled labels and into parts too, and what a store says."""

    data: CheckedData
    splits: list[Split]
    null: list[Split]
    parts: list[Split]
    facts: dict[str, Any]

    def by_number(self) -> dict[int, Split]:
        """Return the splits by the number of their run; each kind of run may grow."""
        shuffled = {-1 - i: split for i, split in enumerate(self.null)}
        parts = {FIRST_PART - i: split for i, split in enumerate(self.parts)}
        return dict(enumerate(self.splits)) | shuffled | parts


def check_same_study(store: Store, description: dict[str, Any]) -> None:
    """Refuse a store of another study, or of more of it."""
    known = store.study()
    if "facts" not in known:
        return
    stored = known["facts"]
    wrong = f"{store.name} holds a study with other parameters: "
    for name, what in (("null", "permutations"), ("planning", "planning")):
        n_stored, n_given = stored.get(name, 0), description.get(name, 0)
        if n_stored > n_given:
            raise SmallerStudyError(
                f"{wrong}{name} is {n_stored} in the store and {n_given} now. A study can grow, "
                "not shrink; use another file for less.",
                what,
                n_stored,
                n_given,
            )
    methods = {name: description["methods"].get(name) for name in stored["methods"]}
    if lacking := [name for name, given in methods.items() if given is None]:
        raise SmallerStudyError(
            f"{wrong}methods.{lacking[0]} is in the store only. A study can grow, not shrink; name "
            "all of its methods, or use another file.",
            "methods",
            list(methods),
            list(description["methods"]),
        )
    grown = {name: stored[name] for name in ("null", "planning") if name in stored}
    same = {name: value for name, value in description.items() if name != "planning"}
    differs = difference(stored, {**same, "methods": methods, **grown})
    if differs:
        raise StoreError(f"{wrong}{differs}. Use another file, or the parameters it was made with.")


def describe_in(store: Store, description: dict[str, Any], shard: Shard | None) -> None:
    """Write the description of a study that is new or has grown; note the versions in use."""
    known, now = store.study(), versions()
    stored = known.get("facts", {"methods": {}})
    if stored != description or list(stored["methods"]) != list(description["methods"]):
        store.describe_study({"facts": description})
    if shard is not None and known.get("shard") != [shard.number, shard.total]:
        store.describe_study({"shard": [shard.number, shard.total]})
    if "versions" not in known:
        store.describe_study({"versions": [now]})
    elif now not in known["versions"]:
        changed = difference(known["versions"][-1], now)
        warnings.warn(
            f"{store.name} was made with other versions ({changed}); results may differ in "
            "their last digits.",
            UserWarning,
            stacklevel=4,  # the caller of Study.run
        )
        store.describe_study({"versions": [*known["versions"], now]})


def seed_of_study(store: Store, random_state: int | None) -> int:
    """Return the seed of everything; drawn once for a store if the study has none."""
    if random_state is not None:
        return int(random_state)
    drawn = store.study().get("entropy")
    if drawn is None:
        drawn = int(np.random.SeedSequence().generate_state(1)[0])
        store.describe_study({"entropy": drawn})
    return int(drawn)


def planned_runs(
    study: CheckedStudy,
    data: CheckedData,
    splits: list[Split],
    null: list[Split],
    parts: list[Split],
) -> PlannedRuns:
    """Put together what a store says about a data set."""
    n_samples, n_features = data.X.shape
    design = data.design
    facts = {
        "data": {
            "X": fingerprint(data.X),
            "y": digest(data.target.values),
            "groups": None if data.groups is None else digest(data.groups),
            **_design_digests(design),
        },
        "resampling": _resampling_name(study.resampling),
        "splits": _digest(splits),
        "five_by_two": isinstance(study.resampling, FiveByTwo),
        "n_samples": int(n_samples),
        "n_features": int(n_features),
        "feature_names": list(map(str, data.X.columns)) if hasattr(data.X, "columns") else None,
        "sample_names": _sample_names(data.X) if study.keep_samples else None,
        "target": data.target.to_json(),
        "sizes": list(data.sizes),
        "methods": {name: vars(study.roles[name]) for name in study.methods},
        "models": list(study.models),
        "scoring": study.scoring,
        "metric": study.metric,
        # Fewer than usual on a permutation where the protocol has fewer splits.
        "null": [study.null, len(null) // max(study.null, 1)],
    }
    if said := design.to_json():
        facts["design"] = said
    if null:
        facts["null_splits"] = _digest(null)
    if parts:
        facts["planning"] = [len(parts), _digest(parts)]
    if not study.keep_samples:
        facts["keep_samples"] = False
    return PlannedRuns(data, splits, null, parts, facts)


def _design_digests(design: Design) -> dict[str, str]:
    """Return hashes of covariates, batches and pairs, of those that there are."""
    covariates = None if design.covariates is None else design.covariates.Z
    parts = {"covariates": covariates, "batch": design.batch, "pairs": design.pairs}
    return {name: digest(values) for name, values in parts.items() if values is not None}


def check_same_data(store: Store, runs: PlannedRuns) -> None:
    """Refuse data or splits that are not those in the store, or fewer splits."""
    name, facts = runs.data.name, runs.facts
    stored = store.datasets().get(name)
    if stored is None:
        return
    n_stored, n_given = len(store.dataset_arrays(name)["seeds"]), len(runs.splits)
    if n_stored > n_given:
        raise SmallerStudyError(
            f"{store.name} holds {n_stored} splits of {name!r}, and now there are {n_given}. A "
            "study can grow, not shrink; use another file for fewer.",
            "splits",
            n_stored,
            n_given,
        )
    keeps = facts.get("keep_samples", True)
    if stored.get("keep_samples", True) != keeps:
        raise StoreError(
            f"{store.name} keeps no values and no names of samples. Go on with --no-samples "
            "(keep_samples=False), or use another file."
            if keeps
            else f"{store.name} keeps values or names of samples. Write a copy without them with "
            "backstay strip and go on in that, or use another file."
        )
    fixed, now = (
        {key: said[key] for key in said if key not in GROWING} for said in (stored, facts)
    )
    differs = difference(fixed, now)
    same_splits = _digest(runs.splits[:n_stored]) == stored["splits"]
    if differs is None and (n_stored == n_given or not same_splits):
        differs = difference(stored["resampling"], facts["resampling"], "resampling")
    if differs is None and not same_splits:
        differs = "splits is not the same as in the store"
    if differs:
        raise StoreError(
            f"{store.name} holds {name!r} with other data or splits: {differs}. Use another "
            "file or another dataset= name, or the data it was made with."
        )
    n_permutations, n_each = stored["null"]
    if n_permutations and _digest(runs.null[: n_permutations * n_each]) != stored["null_splits"]:
        raise StoreError(
            f"{store.name} holds {name!r} with other runs with shuffled labels: they are "
            "drawn from all splits of this protocol, so it cannot grow. Use another file, or "
            "Subsampling or RepeatedStratifiedKFold."
        )
    n_parts, of_parts = stored.get("planning", (0, None))
    if n_parts and _digest(runs.parts[:n_parts]) != of_parts:
        raise StoreError(
            f"{store.name} holds {name!r} with other parts of the rows to plan by; use another "
            "file."
        )


def enter_data(store: Store, runs: PlannedRuns) -> None:
    """Write a data set's facts and splits, unless the store has them."""
    data, facts = runs.data, runs.facts
    stored = store.datasets().get(data.name)
    if stored is None:
        store.add_dataset(data.name, facts, _arrays(runs))
    elif list(stored["methods"]) != list(facts["methods"]) or any(
        stored.get(key) != facts.get(key) for key in ("methods", "splits", "null", "planning")
    ):
        store.grow_dataset(data.name, facts, _arrays(runs))
    if data.truth is not None:
        store.set_array(data.name, "truth", data.truth)
    if data.provenance is not None:
        kept = facts.get("keep_samples", True)
        said = data.provenance if kept else store.without_names(data.provenance)
        store.describe_study({f"provenance of {data.name}": said})
    if data.suspicions is not None:
        beside = [asdict(one) for one in data.suspicions]
        store.describe_study({f"suspicions beside {data.name}": beside})
    if data.annotation is not None:
        store.describe_study({f"annotation of {data.name}": data.annotation})


def _arrays(runs: PlannedRuns) -> dict[str, NDArray[Any]]:
    """Return what results need of the data: splits, class numbers and group numbers."""
    data, splits = runs.data, runs.splits
    arrays = {
        "seeds": np.array([split.seed for split in splits], dtype="<i8"),
        **data.target.arrays(),
        **{f"train {i}": split.train.astype("<i4") for i, split in enumerate(splits)},
        **{f"test {i}": split.test.astype("<i4") for i, split in enumerate(splits)},
        **{f"part {i}": split.train.astype("<i4") for i, split in enumerate(runs.parts)},
    }
    if runs.parts:
        places = [[split.deal, split.n_parts] for split in runs.parts]
        arrays["deals"] = np.array(places, dtype="<i4")
    if data.design.batch is not None:
        arrays["batch"] = np.unique(data.design.batch, return_inverse=True)[1].astype("<i4")
    if data.groups is not None:
        arrays["groups"] = np.unique(data.groups, return_inverse=True)[1].astype("<i4")
    return arrays


def _resampling_name(resampling: Any) -> str:
    """Name a way to split, the same on every run (default reprs hold addresses)."""
    if not hasattr(resampling, "split"):
        return f"{type(resampling).__name__} of {len(list(resampling))} splits"
    shown = repr(resampling)
    return type(resampling).__name__ if " at 0x" in shown else shown


def _digest(splits: list[Split]) -> str:
    parts = [rows for split in splits for rows in (split.train, split.test, [split.seed])]
    of_rows = digest(np.concatenate([[len(part), *part] for part in parts]).astype("<i8"))
    shuffled = [(split.shuffled, split.train) for split in splits]
    labels = [digest(target.values[rows]) for target, rows in shuffled if target is not None]
    return digest(np.array([of_rows, *labels])) if labels else of_rows


def _sample_names(X: Any) -> list[str] | None:
    """Return the names of the rows, if a frame's index gives them any."""
    index = getattr(X, "index", None)
    if not isinstance(index, pd.Index) or isinstance(index, pd.RangeIndex):
        return None
    return [str(name) for name in index]
