"""A signature as a file: JSON, checked before any of it is used.

Nothing in it is executed. A checksum tells whether a file was changed; the published schema tells
whether it is a signature at all; the lengths of its lists must fit together.
"""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any

import numpy as np

from backstay._design import column_names
from backstay.signature._error import SignatureError
from backstay.signature._models import frozen_models
from backstay.signature._schema import VERSION, first_fault
from backstay.targets import from_store

FORMAT = "backstay signature"
N_QUANTILES = 19


def checksum(document: dict[str, Any]) -> str:
    """Return the SHA-256 of everything but the checksum itself."""
    rest = {key: value for key, value in document.items() if key != "checksum"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def sealed(content: dict[str, Any]) -> dict[str, Any]:
    """Return a document with its format, version and checksum."""
    document = {"format": FORMAT, "version": VERSION, "checksum": "", **content}
    document["checksum"] = checksum(document)
    return document


def parse_document(text: bytes | str, name: str = "the text") -> dict[str, Any]:
    """Return a checked document from JSON that may come from anyone."""
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8")
        document: dict[str, Any] = json.loads(
            text, object_pairs_hook=_object, parse_constant=_constant
        )
        check_document(document)
    except SignatureError as error:
        raise SignatureError(f"{name} cannot be used: {error}") from None
    except RecursionError:
        raise SignatureError(f"{name} cannot be used: its lists are nested too deeply.") from None
    except ValueError as error:  # wrong JSON, wrong UTF-8, a number of thousands of digits
        raise SignatureError(f"{name} is not JSON: {error}.") from None
    return document


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    by_key = dict(pairs)
    if len(by_key) < len(pairs):
        raise SignatureError("an object names a key twice.")
    return by_key


def _constant(name: str) -> Any:
    raise SignatureError(f"it holds {name}, which JSON does not have.")


def check_document(document: Any) -> None:
    """Refuse a document that is not a signature, was changed, or does not fit together."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise SignatureError("it is not a signature that backstay froze.")
    version = document.get("version")
    if isinstance(version, bool) or version != VERSION:
        raise SignatureError(
            f"it has version {version!r} of the format; this backstay reads version {VERSION}."
        )
    fault = first_fault(document) or _not_finite(document) or _misfit(document)
    if fault:
        raise SignatureError(f"{fault}.")
    if document["checksum"] != checksum(document):
        raise SignatureError(
            "it was changed after it was frozen: its checksum differs. Freeze it again, or get "
            "the file again from where it came from."
        )


def _not_finite(value: Any, where: str = "") -> str | None:
    """Say where a number is too large for a float; JSON has no bound."""
    if isinstance(value, dict):
        inside = ((f"{where}.{key}" if where else key, item) for key, item in value.items())
    elif isinstance(value, list) and where != "target.classes":  # any whole number may be a class
        inside = ((f"{where}[{place}]", item) for place, item in enumerate(value))
    elif isinstance(value, float):
        return None if math.isfinite(value) else f"{where} is not finite"
    elif isinstance(value, int) and abs(value) > 2**63:
        return f"{where} is too large"
    else:
        return None
    return next((fault for path, item in inside if (fault := _not_finite(item, path))), None)


def _misfit(document: dict[str, Any]) -> str | None:
    """Say which values do not fit together, or None."""
    target, model = from_store(document["target"], {}), document["model"]
    names = [feature["name"] for feature in document["features"]]
    k = len(names)
    for where, texts in (("target", list(map(str, target.names))), ("features", names)):
        if len(set(texts)) < len(texts):
            return f"{where} holds a name twice"
    models = frozen_models(target)
    wanted: dict[str, tuple[list[Any], tuple[int, ...]]] = {
        f"target.moments.{key}": (document["target"]["moments"][key], shape)
        for key, shape in target.moment_shapes(k).items()
    }
    wanted["training.rows"] = document["training"]["rows"], (len(target.summary()),)
    n_covariates = len(column_names(document.get("covariates", {})))
    joined = [len(s["coef"][0]) for s in document["steps"] if s["kind"] == "join" and s["coef"]]
    for key, shape in models.shapes(model, k + sum(joined)).items():
        if key in model:
            wanted[f"model.{key}"] = model[key], shape
    for place, feature in enumerate(document["features"]):
        wanted[f"features[{place}].quantiles"] = feature["quantiles"], (N_QUANTILES,)
    for place, step in enumerate(document["steps"]):
        for key in sorted(set(step) & {"values", "center", "scale", "shift"}):
            wanted[f"steps[{place}].{key}"] = step[key], (k,)
        if "coef" in step:
            width = k if step["kind"] == "adjust" else sum(joined)
            wanted[f"steps[{place}].mean"] = step["mean"], (n_covariates,)
            wanted[f"steps[{place}].coef"] = step["coef"], (n_covariates, width)
    for where, (value, shape) in wanted.items():
        if not _has_shape(value, shape):
            return f"{where} must have {' × '.join(map(str, shape))} numbers"
    return (
        models.misfit(document)
        or _misfit_of_steps(document["steps"])
        or _nonsense(document["features"], document["target"]["moments"])
    )


def _nonsense(features: list[dict[str, Any]], moments: dict[str, Any]) -> str | None:
    """Say which numbers no rows can have: a file may be changed and its checksum with it."""
    for place, feature in enumerate(features):
        known = [value for value in feature["quantiles"] if value is not None]
        if known != sorted(known):
            return f"features[{place}].quantiles are not in order"
    for key in ("counts", "sds"):
        if (np.array(moments[key], dtype=np.float64) < 0).any():
            return f"target.moments.{key} holds a negative number"
    return None


def _has_shape(value: list[Any], shape: tuple[int, ...]) -> bool:
    try:
        return np.shape(value) == shape
    except ValueError:  # rows of different lengths
        return False


def _misfit_of_steps(steps: list[dict[str, Any]]) -> str | None:
    if any(0 in step["scale"] for step in steps if step["kind"] == "standardize"):
        return "steps divides by zero"
    if any(step.get("clip") and step["clip"][0] > step["clip"][1] for step in steps):
        return "steps has a clip whose lower end exceeds the upper one"
    return None
