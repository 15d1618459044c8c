"""What a store holds about a study before its tasks, and whether it holds this very study."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay._identity import difference, digest, fingerprint, versions
from backstay.results import Store, StoreError
from backstay.study._checks import CheckedData, CheckedStudy
from backstay.study._parallel import StudyError
from backstay.study._protocols import FiveByTwo, Split


def check_same_study(store: Store, description: dict[str, Any]) -> None:
    """Refuse a store of another study; note the versions in use."""
    known, now = store.study(), versions()
    if "facts" not in known:
        store.describe_study({"facts": description, "versions": [now]})
        return
    found = difference(known["facts"], description)
    if found:
        raise StoreError(
            f"{store.name} holds a study with other parameters: {found}. Use another file, or "
            "the parameters it was made with."
        )
    if now not in known["versions"]:
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


def enter_data(
    store: Store, study: CheckedStudy, data: CheckedData, splits: list[Split]
) -> dict[str, Any]:
    """Write a data set's facts and splits, or refuse a store that has others under its name.

    Returns
    -------
    dict
        The facts.
    """
    facts = _facts(study, data, splits)
    known = store.datasets()
    if data.name not in known:
        store.add_dataset(data.name, facts, _arrays(data, splits))
    elif found := difference(known[data.name], facts):
        raise StoreError(
            f"{store.name} holds {data.name!r} with other data or splits: {found}. Use another "
            "file or another dataset= name, or the data it was made with."
        )
    if data.truth is not None:
        store.set_array(data.name, "truth", data.truth)
    if data.provenance is not None:
        store.describe_study({f"provenance of {data.name}": data.provenance})
    return facts


def _facts(study: CheckedStudy, data: CheckedData, splits: list[Split]) -> dict[str, Any]:
    n_samples, n_features = data.X.shape
    return {
        "data": {
            "X": fingerprint(data.X),
            "y": digest(data.y),
            "groups": None if data.groups is None else digest(data.groups),
        },
        "resampling": _resampling_name(study.resampling),
        "splits": _digest_of_splits(splits),
        "five_by_two": isinstance(study.resampling, FiveByTwo),
        "n_samples": int(n_samples),
        "n_features": int(n_features),
        "feature_names": _feature_names(data.X),
        "sample_names": _sample_names(data.X),
        "classes": data.classes.tolist(),
        "sizes": list(data.sizes),
        "methods": {name: vars(study.roles[name]) for name in study.methods},
        "classifiers": list(study.classifiers),
        "scoring": study.scoring,
    }


def _arrays(data: CheckedData, splits: list[Split]) -> dict[str, NDArray[Any]]:
    """Return what results need of the data: splits, class numbers and group numbers."""
    arrays = {
        "seeds": np.array([split.seed for split in splits], dtype="<i8"),
        "codes": data.codes.astype("<i4"),
        **{f"train {i}": split.train.astype("<i4") for i, split in enumerate(splits)},
        **{f"test {i}": split.test.astype("<i4") for i, split in enumerate(splits)},
    }
    if data.groups is not None:
        arrays["groups"] = np.unique(data.groups, return_inverse=True)[1].astype("<i4")
    return arrays


def _resampling_name(resampling: Any) -> str:
    """Name a way to split, the same on every run (default reprs hold addresses)."""
    if not hasattr(resampling, "split"):
        return f"{type(resampling).__name__} of {len(list(resampling))} splits"
    shown = repr(resampling)
    return type(resampling).__name__ if " at 0x" in shown else shown


def _digest_of_splits(splits: list[Split]) -> str:
    """Return a hash of every split and seed."""
    parts = [rows for split in splits for rows in (split.train, split.test, [split.seed])]
    return digest(np.concatenate([[len(part), *part] for part in parts]).astype("<i8"))


def _feature_names(X: Any) -> list[str] | None:
    """Return the names of the columns, if they have any."""
    return [str(name) for name in X.columns] if hasattr(X, "columns") else None


def _sample_names(X: Any) -> list[str] | None:
    """Return the names of the rows, if a frame's index gives them any."""
    index = getattr(X, "index", None)
    if not isinstance(index, pd.Index) or isinstance(index, pd.RangeIndex):
        return None
    return [str(name) for name in index]


def report_failures(store: Store, dataset: str) -> None:
    """Warn of tasks that failed; if all did, raise, as there are no results to return."""
    tasks = store.tasks(dataset)
    failed = [task for task in tasks if task["error"]]
    if not failed:
        return
    first = failed[0]
    example = f"{first['method']!r} on resample {first['resample']}: {first['error']}"
    if len(failed) == len(tasks):
        raise StudyError(f"all {len(tasks)} tasks on {dataset!r} failed; {example}")
    warnings.warn(
        f"{len(failed)} of {len(tasks)} tasks on {dataset!r} failed, see results.errors(); "
        f"{example}",
        UserWarning,
        stacklevel=5,  # the caller of Study.run
    )
