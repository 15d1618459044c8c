"""A signature as a file: JSON, checked before any of it is used.

Nothing in it is executed. A checksum tells a file that was changed; the published schema tells one
that never was a signature; the lengths of its lists must fit together.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from pathlib import Path
from typing import Any

from backstay._files import write_whole
from backstay._refusal import Refusal
from backstay.signature._schema import VERSION, first_fault

FORMAT = "backstay signature"
N_QUANTILES = 19
# Far above any signature; a file of this size is a mistake, and would fill the memory.
MOST_BYTES = 256 * 2**20


class SignatureError(Refusal):
    """A signature cannot be used as it is; the message says why."""


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


def write_document(document: dict[str, Any], path: str | os.PathLike[str]) -> Path:
    """Write a document."""
    text = json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False)
    return write_whole(path, text + "\n")


def read_document(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a document that may come from anyone."""
    path = Path(path)
    if path.stat().st_size > MOST_BYTES:
        raise SignatureError(f"{path} has more than {MOST_BYTES >> 20} MB; it is no signature.")
    return parse_document(path.read_bytes(), str(path))


def parse_document(text: bytes | str, name: str = "the text") -> dict[str, Any]:
    """Return a checked document from its JSON."""
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8")
        document = json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
        check_document(document)
    except SignatureError as error:
        raise SignatureError(f"{name} cannot be used: {error}") from None
    except RecursionError:
        raise SignatureError(f"{name} cannot be used: its lists are nested too deeply.") from None
    except ValueError as error:  # wrong JSON, wrong UTF-8, a number of thousands of digits
        raise SignatureError(f"{name} is not JSON: {error}.") from None
    checked: dict[str, Any] = document
    return checked


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise SignatureError("an object names a key twice.")
    return found


def _constant(name: str) -> Any:
    raise SignatureError(f"it holds {name}, which is no number of JSON.")


def check_document(document: Any) -> None:
    """Refuse what is no signature of this version, or was changed, or does not fit together."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise SignatureError("it is not a signature that backstay froze.")
    version = document.get("version")
    if isinstance(version, bool) or version != VERSION:
        raise SignatureError(
            f"it has version {version!r} of the format; this backstay reads version {VERSION}."
        )
    # A class may be any whole number; all others are calculated with.
    numbers = {key: value for key, value in document.items() if key != "classes"}
    fault = first_fault(document) or _not_finite(numbers) or _misfit(document)
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
    elif isinstance(value, list):
        inside = ((f"{where}[{place}]", item) for place, item in enumerate(value))
    elif isinstance(value, float):
        return None if math.isfinite(value) else f"{where} is not finite"
    elif isinstance(value, int) and abs(value) > 2**63:
        return f"{where} is too large"
    else:
        return None
    return next((fault for path, item in inside if (fault := _not_finite(item, path))), None)


def _misfit(document: dict[str, Any]) -> str | None:
    """Say which lists have another length than the number of features or classes asks for."""
    classes, features = document["classes"], document["features"]
    n, k = len(classes), len(features)
    if len({str(label) for label in classes}) < n:
        return "classes holds a class twice"
    names = [feature["name"] for feature in features]
    if len(set(names)) < k:
        return "features holds a name twice"
    wanted: list[tuple[str, Any, tuple[int, ...]]] = [
        ("covariance", document["covariance"], (k, k)),
        ("training.class_sizes", document["training"]["class_sizes"], (n,)),
    ]
    for place, feature in enumerate(features):
        wanted.append((f"features[{place}].quantiles", feature["quantiles"], (N_QUANTILES,)))
        for key in ("class_means", "class_sds", "class_counts"):
            wanted.append((f"features[{place}].{key}", feature[key], (n,)))
    for place, step in enumerate(document["steps"]):
        for key in set(step) & {"values", "center", "scale", "shift"}:
            wanted.append((f"steps[{place}].{key}", step[key], (k,)))
    wanted += _model_shapes(document["model"], n, k)
    for where, value, shape in wanted:
        if not _has_shape(value, shape):
            return f"{where} must have {' × '.join(map(str, shape))} numbers"
    return _misfit_of_values(document)


def _model_shapes(model: dict[str, Any], n: int, k: int) -> list[tuple[str, Any, tuple[int, ...]]]:
    """Return the lists of a model with the shapes they must have."""
    rows = {
        "linear": 1 if n == 2 else n,
        "pairs": n * (n - 1) // 2,
        "centroids": n,
        "gaussian": n,
        "neighbors": len(model.get("codes", ())),
    }.get(model["kind"], 0)
    shapes = {key: (rows, k) for key in ("coef", "centroids", "means", "variances", "rows")}
    lists: dict[str, tuple[int, ...]] = {**shapes, "intercept": (rows,), "priors": (n,)}
    lists |= {"scale": (k,), "codes": (rows,)}
    return [(f"model.{key}", model[key], lists[key]) for key in sorted(set(model) & set(lists))]


def _has_shape(value: list[Any], shape: tuple[int, ...]) -> bool:
    inner = shape[1:]
    return len(value) == shape[0] and (not inner or all(_has_shape(row, inner) for row in value))


def _misfit_of_values(document: dict[str, Any]) -> str | None:
    """Say which values contradict each other."""
    model, calibration = document["model"], document["calibration"]
    n = len(document["classes"])
    if model["kind"] == "pairs" and n == 2:
        return "model.kind 'pairs' needs more than two classes"
    if model["kind"] == "neighbors":
        codes = model["codes"]
        if not codes or max(codes) >= n:
            return f"model.codes must be class numbers below {n}"
        if model["n_neighbors"] > len(codes):
            return "model.n_neighbors exceeds the number of rows"
    if calibration is not None and n > 2:
        return "calibration is for two classes"
    if calibration is not None and calibration["kind"] == "isotonic":
        scores, heights = calibration["scores"], calibration["probabilities"]
        if len(scores) != len(heights) or sorted(scores) != scores or sorted(heights) != heights:
            return "calibration must map rising scores to rising probabilities"
    # The nearest centroid, and a model in skops' format, decide without one.
    if (document["threshold"] is None) != (n > 2 or model["kind"] in ("centroids", "skops")):
        return "threshold is for the score of two classes"
    steps = (step for step in document["steps"] if step["kind"] == "standardize")
    if any(value == 0 for step in steps for value in step["scale"]):
        return "steps divides by zero"
    if any(step.get("clip") and step["clip"][0] > step["clip"][1] for step in document["steps"]):
        return "steps clips to nothing"
    return None
