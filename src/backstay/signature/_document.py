"""A signature as a file: JSON, checked before any of it is used.

Nothing in it is executed. The published schema in ``schemas/`` tells whether it is a signature at
all, a checksum whether it was changed; a test compares this reader of the few keywords of JSON
Schema that ours uses with the package ``jsonschema``.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib import resources
from typing import Any

from backstay._refusal import Refusal

FORMAT, VERSION = "backstay signature", 1
N_QUANTILES = 19
TYPES: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": int | float,
    "null": type(None),
}
# Keywords that compare a value with a bound, and what they ask for.
BOUNDS: dict[str, tuple[Callable[[Any, Any], bool], str]] = {
    "minItems": (lambda v, n: len(v) >= n, "have at least {} items"),
    "maxItems": (lambda v, n: len(v) <= n, "have at most {} items"),
    "minimum": (lambda v, n: v >= n, "be at least {}"),
    "maximum": (lambda v, n: v <= n, "be at most {}"),
    "exclusiveMinimum": (lambda v, n: v > n, "exceed {}"),
    "pattern": (lambda v, n: bool(re.search(n, v)), "match {}"),
}
# Lists of numbers that never fall.
RISING = ("quantiles", "times", "hazard", "cuts")


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


def parse_document(text: bytes) -> dict[str, Any]:
    """Return a checked document from JSON that may come from anyone."""
    try:
        document: dict[str, Any] = json.loads(text)
        check_document(document)
    except SignatureError:
        raise
    except RecursionError:
        raise SignatureError("its lists are nested too deeply.") from None
    except ValueError as error:  # wrong JSON, wrong UTF-8, numbers that JSON does not have
        raise SignatureError(f"it is not JSON: {error}.") from None
    return document


def check_document(document: Any) -> None:
    """Refuse a document that is not a signature, was changed, or makes no sense."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise SignatureError("it is not a signature that backstay froze.")
    version = document.get("version")
    if version != VERSION:
        raise SignatureError(
            f"it has version {version!r} of the format; this backstay reads version {VERSION}."
        )
    fault = first_fault(document) or _out_of_order(document)
    if fault:
        raise SignatureError(f"{fault}.")
    if document["checksum"] != checksum(document):
        raise SignatureError(
            "it was changed after it was frozen: its checksum differs. Freeze it again, or get "
            "the file again from where it came from."
        )


def _out_of_order(document: dict[str, Any]) -> str | None:
    """Say which numbers no rows can have: a file may be changed and its checksum with it."""
    parts = [(f"features[{place}]", one) for place, one in enumerate(document["features"])]
    parts += [("target.moments", document["target"]["moments"]), ("model", document["model"])]
    for where, part in parts:
        for key in RISING:
            if key in part and part[key] != sorted(part[key]):
                return f"{where}.{key} are not in order"
    return None


@cache
def schema() -> dict[str, Any]:
    """Return the published schema of a signature."""
    file = resources.files("backstay.signature").joinpath("schemas", f"signature-{VERSION}.json")
    rules: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return rules


def first_fault(document: Any) -> str | None:
    """Say where a document first departs from the schema, or None."""
    return next(_faults(document, schema(), ""), None)


def _faults(value: Any, rules: dict[str, Any], where: str) -> Iterator[str]:
    rules = _referred(rules)
    if "oneOf" in rules:
        yield from _faults_of_options(value, rules["oneOf"], where)
        return
    kinds = rules.get("type", [*TYPES])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    # True is a number in Python, not in JSON.
    wrong = isinstance(value, bool) and "boolean" not in kinds
    if wrong or not any(isinstance(value, TYPES[kind]) for kind in kinds):
        yield f"{where or 'it'} must be of type {' or '.join(kinds)}"
        return
    allowed = rules.get("enum", [rules["const"]] if "const" in rules else [])
    if allowed and json.dumps(value) not in map(json.dumps, allowed):
        yield f"{where} must be {' or '.join(map(repr, allowed))}"
    for keyword, (holds, words) in BOUNDS.items():
        if keyword in rules and value is not None and not holds(value, rules[keyword]):
            yield f"{where} must {words.format(rules[keyword])}"
    if isinstance(value, dict):
        yield from _faults_inside(value, rules, f"{where}." if where else "")
    if isinstance(value, list) and "items" in rules:
        for place, item in enumerate(value):
            yield from _faults(item, rules["items"], f"{where}[{place}]")


def _referred(rules: dict[str, Any]) -> dict[str, Any]:
    named: dict[str, Any] = schema()["$defs"]
    return named[rules["$ref"].rsplit("/", 1)[-1]] if "$ref" in rules else rules


def _faults_of_options(value: Any, options: list[dict[str, Any]], where: str) -> Iterator[str]:
    """Judge by the option of this kind: every object among ours names its kind."""
    objects = [one for one in map(_referred, options) if "properties" in one]
    known = {one["properties"]["kind"]["const"]: one for one in objects}
    kind = str(value.get("kind")) if isinstance(value, dict) else ""
    if kind in known:
        yield from _faults(value, known[kind], where)
    elif value is not None or {"type": "null"} not in options:
        yield f"{where}.kind must be one of {', '.join(known)}"


def _faults_inside(value: dict[str, Any], rules: dict[str, Any], start: str) -> Iterator[str]:
    inside, others = rules.get("properties", {}), rules.get("additionalProperties", {})
    for key in rules.get("required", ()):
        if key not in value:
            yield f"{start}{key} is missing"
    for key, item in value.items():
        if key not in inside and others is False:
            yield f"{start}{key!r} is unknown"
        else:
            yield from _faults(item, inside.get(key, others), f"{start}{key}")
