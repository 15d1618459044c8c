"""Are two runs the same run? Their data and parameters, written as JSON, decide."""

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
# How work is spread over processes or reported never changes a result.
IGNORED = {"n_jobs", "verbose"}
BLOCK = 1024  # columns that are read together
HASH = re.compile("[0-9a-f]{64}")  # of data; a message need not show it


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that results depend on."""
    packages = {name: importlib.metadata.version(name) for name in PACKAGES}
    return {"python": platform.python_version(), **packages}


def digest(array: NDArray[Any]) -> str:
    """Return a hash of an array's type, shape and values."""
    array = np.asarray(array)
    content = hashlib.sha256(f"{array.dtype.str}{array.shape}".encode())
    if array.dtype.hasobject:
        for value in array.ravel().tolist():
            content.update(f"{type(value).__name__}:{value!r}\0".encode())
    else:
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        content.update(np.ascontiguousarray(little).view(np.uint8).data if array.size else b"")
    return content.hexdigest()


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

    A frame of one type of numbers is read in blocks, because pandas takes 0.1 ms per column.
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
    """Turn parameters into JSON that is equal exactly when they are; refuse such as a lambda."""
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
    if hasattr(value, "get_params") and not inspect.isclass(value):
        return _described_class(value, value.get_params(deep=False), path)
    plain = hasattr(value, "split") or hasattr(value, "_score_func")
    if plain and hasattr(value, "__dict__") and not inspect.isclass(value):
        # Attributes are all there is to scikit-learn's splitters and scorers.
        return _described_class(value, vars(value), path)
    name = getattr(value, "__qualname__", getattr(value, "__name__", ""))
    if callable(value) and name and "<" not in name:
        module = getattr(value, "__module__", None) or type(value).__module__
        return {"name": _public_path(f"{module}.{name}")}
    hint = ""
    if isinstance(value, np.random.RandomState | np.random.Generator):
        hint = " Give random_state an integer, or None for a seed drawn at random."
    elif callable(value):
        hint = " Give a function that can be imported by name."
    raise ValueError(
        f"{path}={value!r} cannot be written down so that a later run recognises it.{hint}"
    )


def _described_class(value: Any, parameters: Mapping[str, Any], path: str) -> dict[str, Any]:
    kept = {
        name: describe(parameter, f"{path}.{name}")
        for name, parameter in sorted(parameters.items())
        if name not in IGNORED
    }
    name = _public_path(f"{type(value).__module__}.{type(value).__qualname__}")
    return {"class": name, "parameters": kept}


def _public_path(path: str) -> str:
    """Leave private modules inside an import path out, because classes move between them."""
    first, *inside, last = path.split(".")
    return ".".join([first, *(part for part in inside if not part.startswith("_")), last])


def difference(stored: Any, given: Any, path: str = "", where: str = "the store") -> str | None:
    """Return the first difference of a stored description from the present one, or None."""
    if isinstance(stored, dict) and isinstance(given, dict):
        for key in [*stored, *(key for key in given if key not in stored)]:
            name = f"{path}.{key}" if path else key
            if key not in given:
                return f"{name} is in {where} only"
            if key not in stored:
                return f"{name} is not in {where}"
            if apart := difference(stored[key], given[key], name, where):
                return apart
        return None
    if isinstance(stored, list) and isinstance(given, list) and len(stored) == len(given):
        for number, pair in enumerate(zip(stored, given, strict=True)):
            if apart := difference(*pair, f"{path}[{number}]", where):
                return apart
        return None
    if stored == given:
        return None
    if all(isinstance(value, str) and HASH.fullmatch(value) for value in (stored, given)):
        return f"{path} is not the same as in {where}"
    return f"{path} is {stored!r} in {where} and {given!r} now"
