"""The uniform control of equal mass, and the plain method, beside every weighted one.

The margin weights of [HY] sum to 1; that alone makes an SVM's ranking stabler
(docs/control-finding.md). So no instance-weighted method goes without its control.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from backstay._identity import describe
from backstay.base import InstanceWeighted
from backstay.instance_weighting import UniformWeighting
from backstay.results import Role


class EqualMass(BaseEstimator):
    """Uniform weights with the sum that another weighting gives the same rows.

    For weightings without a ``scale`` of "mean" or "sum"; one that has it gets
    :class:`UniformWeighting` with the same scale.
    """

    def __init__(self, weighting: Any) -> None:
        self.weighting = weighting

    def fit_weight(self, X: Any, y: Any) -> NDArray[np.float64]:
        """Return the same weight for every row, summing to the other weighting's sum."""
        weights = np.asarray(clone(self.weighting).fit_weight(X, y), dtype=np.float64)
        return np.full(len(weights), weights.sum() / len(weights))


def with_controls(methods: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Role]]:
    """Return the methods with their controls and plain forms, and the role of each.

    A control that is already among the methods, under any name, is not added again.
    """
    everyone, roles = dict(methods), {name: Role() for name in methods}
    known = {_identity_key(method, name): name for name, method in reversed(list(methods.items()))}
    for name, method in methods.items():
        paths = _weighted_parts(method)
        if not paths:
            continue
        bare = _replaced(method, {path: clone(part.estimator) for path, part in paths.items()})
        plain = _add_unless_known(everyone, roles, known, type(bare).__name__, bare)
        made = {path: _uniform_control(part) for path, part in paths.items()}
        controls = {path: control for path, (control, _) in made.items()}
        title = f"{plain} (control, {', '.join(sorted({mass for _, mass in made.values()}))})"
        control = _add_unless_known(everyone, roles, known, title, _replaced(method, controls))
        roles[name] = Role(control=control, plain=plain)
    return everyone, roles


def _add_unless_known(
    everyone: dict[str, Any], roles: dict[str, Role], known: dict[str, str], name: str, method: Any
) -> str:
    key = _identity_key(method, name)
    if key not in known:
        number, title = 1, name
        while title in everyone:
            number += 1
            title = f"{name} {number}"
        everyone[title], roles[title], known[key] = method, Role(added=True), title
    return known[key]


def _identity_key(method: Any, name: str) -> str:
    return json.dumps(describe(method, f"methods.{name}"), sort_keys=True)


def _weighted_parts(method: Any) -> dict[str, InstanceWeighted]:
    """Return the outermost weighted parts that are not uniform themselves, by parameter path."""
    if isinstance(method, InstanceWeighted):
        uniform = isinstance(method.weighting, UniformWeighting | EqualMass)
        return {} if uniform else {"": method}
    parts: dict[str, InstanceWeighted] = {}
    held = method.get_params(deep=True) if hasattr(method, "get_params") else {}
    for path, value in sorted(held.items()):
        inside = any(path.startswith(f"{outer}__") for outer in parts)
        if isinstance(value, InstanceWeighted) and not inside and _weighted_parts(value):
            parts[path] = value
    return parts


def _replaced(method: Any, parts: Mapping[str, Any]) -> Any:
    """Return a copy of a method with some parts, named by path, exchanged."""
    if "" in parts:
        return parts[""]
    return clone(method).set_params(**parts)


def _uniform_control(part: InstanceWeighted) -> tuple[InstanceWeighted, str]:
    """Return the same method with uniform weights of the same sum, and what that is."""
    scale = getattr(part.weighting, "scale", None)
    if scale in ("mean", "sum"):
        return clone(part).set_params(weighting=UniformWeighting(scale=str(scale))), f"{scale} 1"
    return clone(part).set_params(weighting=EqualMass(clone(part.weighting))), "same sum"
