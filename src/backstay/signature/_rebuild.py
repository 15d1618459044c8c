"""Estimators from what a store says about them: classes of scikit-learn and backstay only."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sklearn.base import BaseEstimator, clone

from backstay._identity import describe, difference
from backstay.signature._document import SignatureError

# Parameters that are lists of named steps; all other sequences are tuples in scikit-learn.
LISTS = {"steps", "transformers", "estimators", "transformer_list"}
PACKAGES = ("sklearn", "backstay")


def rebuilt(described: Any, given: Any, argument: str) -> Any:
    """Return the estimator that a store describes: rebuilt, or the one given if it is that one.

    A store may come from anyone. So nothing is imported but estimators of scikit-learn and
    backstay, and what cannot be rebuilt from plain values must be given.
    """
    if given is not None:
        found = difference(described, describe(given, argument))
        if found:
            raise SignatureError(f"{argument} is not the one of the study: {found}.")
        return clone(given)
    if described is None:
        return None
    try:
        made = _value(described, argument)
        exact = difference(described, describe(made, argument)) is None
    except (SignatureError, ImportError, AttributeError, TypeError, ValueError) as error:
        raise SignatureError(
            f"the store's {argument} cannot be made again from its description ({error}); give "
            f"it as {argument}=."
        ) from error
    if not exact:
        raise SignatureError(
            f"the store's {argument} cannot be made again from its description; give it as "
            f"{argument}=."
        )
    return made


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
        raise SignatureError(f"{path} is of another package")
    kind = getattr(import_module(module), name)
    ours = isinstance(kind, type) and issubclass(kind, BaseEstimator)
    if not ours or kind.__module__.split(".")[0] not in PACKAGES:
        raise SignatureError(f"{path} is no estimator")
    return kind
