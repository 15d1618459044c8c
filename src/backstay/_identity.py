"""What makes a run the same run: its data and its parameters, written as JSON."""

from __future__ import annotations

import hashlib
import importlib.metadata
import inspect
import math
import platform
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

PACKAGES = ("backstay", "numpy", "scipy", "scikit-learn", "numba", "joblib", "pandas")
# How work is spread or reported never changes a result, so it does not make another run.
IGNORED = {"n_jobs", "verbose"}
BLOCK = 1024  # columns that are read together
HASH = re.compile("[0-9a-f]{64}")  # of data: tells a reader nothing but that they differ


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages results depend on."""
    found = {name: importlib.metadata.version(name) for name in PACKAGES}
    return {"python": platform.python_version(), **found}


def digest(array: NDArray[Any]) -> str:
    """Return a hash of an array's type, shape and values."""
    array = np.asarray(array)
    seen = hashlib.sha256(f"{array.dtype.str}{array.shape}".encode())
    if array.dtype.hasobject:
        for value in array.ravel().tolist():
            seen.update(f"{type(value).__name__}:{value!r}\0".encode())
    else:
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        seen.update(np.ascontiguousarray(little).view(np.uint8).data if array.size else b"")
    return seen.hexdigest()


def fingerprint(X: Any) -> str:
    """Return a hash of a table: array, sparse matrix or frame."""
    if sparse.issparse(X):
        X = X.tocsr()
        X.sum_duplicates()
        parts = [digest(np.asarray(part)) for part in (X.data, X.indices, X.indptr)]
        parts.append(repr(X.shape))
    elif hasattr(X, "columns"):
        parts = [f"{name!r} {digest(column)}" for name, column in _columns(X)]
    else:
        parts = [digest(np.asarray(X))]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _columns(X: Any) -> Iterator[tuple[Any, NDArray[Any]]]:
    """Yield names and values of a frame's columns.

    A frame of one type of numbers is cut into blocks: pandas takes 0.1 ms to find a column.
    """
    names = list(X.columns)
    kinds = set(X.dtypes) if hasattr(X, "iloc") else set()
    plain = len(kinds) == 1 and all(isinstance(kind, np.dtype) for kind in kinds)
    if not plain or kinds == {np.dtype(object)} or len(set(names)) < len(names):
        yield from ((name, np.asarray(X[name])) for name in names)
        return
    for start in range(0, len(names), BLOCK):
        block = np.ascontiguousarray(X.iloc[:, start : start + BLOCK].to_numpy().T)
        yield from zip(names[start : start + BLOCK], block, strict=True)


def describe(value: Any, path: str) -> Any:
    """Turn parameters into JSON that is equal exactly when the parameters are.

    A value without such a description, such as a lambda, is a ValueError: a later run could not
    tell whether it is the same.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": repr(value)}
    if isinstance(value, np.ndarray):
        return {"array": digest(value)}
    if isinstance(value, Mapping):
        return {str(k): describe(v, f"{path}.{k}") for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [describe(v, f"{path}[{i}]") for i, v in enumerate(value)]
    if isinstance(value, set | frozenset):
        return {"set": sorted(repr(describe(v, path)) for v in value)}
    if isinstance(value, np.dtype):
        return {"dtype": value.str}
    if hasattr(value, "get_params") and not inspect.isclass(value):
        return _described_class(value, value.get_params(deep=False), path)
    if _has_plain_state(value):
        return _described_class(value, vars(value), path)
    if inspect.isclass(value) or callable(value):
        return {"name": _importable(value, path)}
    raise _unrecognisable(value, path)


def _described_class(value: Any, parameters: Mapping[str, Any], path: str) -> dict[str, Any]:
    kept = {
        name: describe(parameter, f"{path}.{name}")
        for name, parameter in sorted(parameters.items())
        if name not in IGNORED
    }
    name = _public_path(f"{type(value).__module__}.{type(value).__qualname__}")
    return {"class": name, "parameters": kept}


def _public_path(path: str) -> str:
    """Leave private modules out of an import path: a class may move from one to another.

    The first and the last part stay, as in ``__main__._Ranker``.
    """
    first, *inside, last = path.split(".")
    return ".".join([first, *(part for part in inside if not part.startswith("_")), last])


# Parameters whose names differ from those that the oldest descriptions hold.
RENAMED = {
    "backstay.ensemble.BaggedRanker": {"n_estimators": "n_resamples", "scaling": "scale_on"},
    "backstay.ensemble.RepeatedSelector": {"n_repeats": "n_resamples", "scaling": "scale_on"},
    "backstay.ensemble.StabilitySelection": {"scaling": "scale_on"},
    "backstay.feature_weighting.DoubleReliefF": {"n_samples": "n_draws"},
    "backstay.feature_weighting.Relief": {"n_samples": "n_draws"},
    "backstay.feature_weighting.ReliefF": {"n_samples": "n_draws"},
}


# Parameters that older descriptions do not know yet, with the only value there was.
ADDED: dict[str, dict[str, Any]] = {
    "backstay.ensemble.StabilitySelection": {"path": False},
    "backstay.feature_weighting.BetweenWithinRatio": {"alpha": 0.05},
    "backstay.feature_weighting.ChiSquared": {"alpha": 0.05},
    "backstay.feature_weighting.FStatistic": {"alpha": 0.05},
    "backstay.feature_weighting.SVMRFE": {"max_iter": 1_000_000, "rounding": "down"},
    "backstay.feature_weighting.Simba": {"learning_rate": 1.0},
    "backstay.feature_weighting.TTest": {"alpha": 0.05},
    "backstay.instance_weighting.LogisticWeighting": {"metric": "euclidean"},
    "backstay.instance_weighting.MarginWeighting": {"metric": "euclidean"},
    "backstay.wrappers.SequentialSelector": {
        "cv_draw": "shared",
        "max_loss": None,
        "min_score": None,
        "remainder_weights": None,
        "ties": "first",
    },
}


def with_present_names(stored: Any) -> Any:
    """Return an older description as :func:`describe` would write it now."""
    if isinstance(stored, list):
        return [with_present_names(value) for value in stored]
    if isinstance(stored, str):  # scikit-learn's own RepeatedKFold shows n_repeats first
        return re.sub(r"^RepeatedKFold\(n_splits=", "RepeatedStratifiedKFold(n_splits=", stored)
    if not isinstance(stored, dict):
        return stored
    present = {key: with_present_names(value) for key, value in stored.items()}
    if set(present) == {"name"} and isinstance(present["name"], str):
        return {"name": _public_path(present["name"])}
    if set(present) == {"class", "parameters"}:
        name = _public_path(present["class"])
        renamed = RENAMED.get(name, {})
        parameters = {renamed.get(key, key): v for key, v in present["parameters"].items()}
        return {"class": name, "parameters": {**ADDED.get(name, {}), **parameters}}
    return present


def _importable(value: Any, path: str) -> str:
    """Return the import path of a function or class, if it has one."""
    name = getattr(value, "__qualname__", getattr(value, "__name__", ""))
    module = getattr(value, "__module__", None) or type(value).__module__
    if not name or "<" in name:
        raise _unrecognisable(value, path)
    return _public_path(f"{module}.{name}")


def _has_plain_state(value: Any) -> bool:
    """Whether an object is no more than its attributes, as scikit-learn's splitters and scorers."""
    known = hasattr(value, "split") or hasattr(value, "_score_func")
    return known and hasattr(value, "__dict__") and not inspect.isclass(value)


def _unrecognisable(value: Any, path: str) -> ValueError:
    hint = ""
    if isinstance(value, np.random.RandomState | np.random.Generator):
        hint = " Give random_state an integer, or None to have it drawn."
    elif callable(value):
        hint = " Give a function that can be imported by name."
    return ValueError(
        f"{path}={value!r} cannot be written down so that a later run recognises it.{hint}"
    )


def difference(stored: Any, given: Any, path: str = "", where: str = "the store") -> str | None:
    """Say how a description in a file first differs from the present one, or None."""
    if isinstance(stored, dict) and isinstance(given, dict):
        for key in [*stored, *(key for key in given if key not in stored)]:
            name = f"{path}.{key}" if path else key
            if key not in given:
                return f"{name} is in {where} only"
            if key not in stored:
                return f"{name} is not in {where}"
            found = difference(stored[key], given[key], name, where)
            if found:
                return found
        return None
    if isinstance(stored, list) and isinstance(given, list) and len(stored) == len(given):
        for number, pair in enumerate(zip(stored, given, strict=True)):
            found = difference(*pair, f"{path}[{number}]", where)
            if found:
                return found
        return None
    if stored == given:
        return None
    if all(isinstance(value, str) and HASH.fullmatch(value) for value in (stored, given)):
        return f"{path} is not what it is in {where}"
    return f"{path} is {stored!r} in {where} and {given!r} now"
