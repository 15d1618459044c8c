"""Estimators from what a store says about them: classes of scikit-learn and backstay only."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sklearn.base import BaseEstimator

from backstay._identity import describe, difference
from backstay.signature._error import SignatureError

# Parameters that are lists of named steps; all other sequences are tuples in scikit-learn.
LISTS = {"steps", "transformers", "estimators", "transformer_list"}
PACKAGES = ("sklearn", "backstay")


def rebuilt(described: Any, given: Any, argument: str) -> Any:
    """Return the estimator that a store describes: the one given if it is that one, or a new one.

    A store may come from anyone. So nothing is imported but estimators of scikit-learn and
    backstay, and what cannot be rebuilt from plain values must be given.
    """
    if given is not None:
        differs = difference(described, describe(given, argument))
        if differs:
            raise SignatureError(f"{argument} is not the one of the study: {differs}.")
        return given
    if described is None:
        return None
    reason = ""
    try:
        made = _value(described, argument)
        if difference(described, describe(made, argument)) is None:
            return made
    except (SignatureError, ImportError, AttributeError, TypeError, ValueError) as error:
        reason = f" ({error})"
    raise SignatureError(
        f"the store describes {argument}, but it cannot be made again from that{reason}; give it "
        "to freeze."
    )


def _value(described: Any, name: str) -> Any:
    if isinstance(described, list):
        values = [_value(item, "") for item in described]
        return values if name in LISTS else tuple(values)
    if not isinstance(described, dict):
        return described
    if set(described) == {"float"}:
        return float(described["float"])
    if set(described) == {"class", "parameters"}:
        kind = _estimator_class(described["class"])
        return kind(**{key: _value(item, key) for key, item in described["parameters"].items()})
    raise SignatureError(f"{name} is {described!r}")


def _estimator_class(path: str) -> type[BaseEstimator]:
    module, _, name = str(path).rpartition(".")
    if module.split(".")[0] not in PACKAGES:
        raise SignatureError(f"{path} belongs to another package")
    kind = getattr(import_module(module), name)
    ours = isinstance(kind, type) and issubclass(kind, BaseEstimator)
    if not ours or kind.__module__.split(".")[0] not in PACKAGES:
        raise SignatureError(f"{path} is not an estimator")
    return kind
