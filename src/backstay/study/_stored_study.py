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

from backstay._identity import difference, digest, fingerprint, versions
from backstay.store import FIRST_PART, Store, StoreError
from backstay.study._checks import CheckedStudy
from backstay.study._data import CheckedData
from backstay.study._protocols import FiveByTwo, Split
from backstay.study._shards import Shard

# What may differ between a data set in a store and the same one in a study that has grown.
GROWING = ("methods", "resampling", "splits", "null", "null_splits", "planning")
GROWS_ONLY = "A study can grow, not shrink: ask for as much as it has or more, or use another file."


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
    for name in ("null", "planning"):
        n_stored, n_given = stored.get(name, 0), description.get(name, 0)
        if n_stored > n_given:
            raise StoreError(
                f"{wrong}{name} is {n_stored} in the store and {n_given} now. {GROWS_ONLY}"
            )
    methods = {name: description["methods"].get(name) for name in stored["methods"]}
    if lacking := [name for name, given in methods.items() if given is None]:
        raise StoreError(
            f"{wrong}methods.{lacking[0]} is in the store only. It has {', '.join(methods)}. "
            f"{GROWS_ONLY}"
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
    design, X, resampling = data.design, data.X, study.resampling
    covariates = None if design.covariates is None else design.covariates.Z
    beside = {"covariates": covariates, "batch": design.batch, "pairs": design.pairs}
    index: Any = getattr(X, "index", None)
    named = isinstance(index, pd.Index) and not isinstance(index, pd.RangeIndex)
    if hasattr(resampling, "split"):  # a default repr would hold an address
        shown = repr(resampling)
        shown = type(resampling).__name__ if " at 0x" in shown else shown
    else:
        shown = f"{type(resampling).__name__} of {len(list(resampling))} splits"
    facts = {
        "data": {
            "X": fingerprint(X),
            "y": digest(data.target.values),
            "groups": None if data.groups is None else digest(data.groups),
            **{name: digest(held) for name, held in beside.items() if held is not None},
        },
        "resampling": shown,
        "splits": _digest(splits),
        "five_by_two": isinstance(resampling, FiveByTwo),
        "n_samples": int(n_samples),
        "n_features": int(n_features),
        "feature_names": list(map(str, X.columns)) if hasattr(X, "columns") else None,
        "sample_names": list(map(str, index)) if named and study.keep_samples else None,
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


def check_same_data(store: Store, runs: PlannedRuns) -> None:
    """Refuse data or splits that are not those in the store, or fewer splits."""
    name, facts = runs.data.name, runs.facts
    stored = store.datasets().get(name)
    if stored is None:
        return
    n_stored, n_given = len(store.dataset_arrays(name)["seeds"]), len(runs.splits)
    if n_stored > n_given:
        raise StoreError(
            f"{store.name} holds {n_stored} splits of {name!r}, and now there are {n_given}. "
            f"{GROWS_ONLY}"
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
        raise StoreError(f"{store.name} holds {name!r} with other parts of rows; use another file.")


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
    if data.given.provenance is not None:
        kept, said = facts.get("keep_samples", True), dict(data.given.provenance)
        said = said if kept else store.without_names(said)
        store.describe_study({f"provenance of {data.name}": said})
    if data.given.suspicions is not None:
        beside = [asdict(one) for one in data.given.suspicions]
        store.describe_study({f"suspicions beside {data.name}": beside})
    if data.annotation is not None:
        store.describe_study({f"annotation of {data.name}": data.annotation})
    runs.facts["feature_names"] = None  # up to a million; they are in the store


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


def _digest(splits: list[Split]) -> str:
    parts = [rows for split in splits for rows in (split.train, split.test, [split.seed])]
    of_rows = digest(np.concatenate([[len(part), *part] for part in parts]).astype("<i8"))
    shuffled = [(split.shuffled, split.train) for split in splits]
    labels = [digest(target.values[rows]) for target, rows in shuffled if target is not None]
    return digest(np.array([of_rows, *labels])) if labels else of_rows
