"""Does a document have the published form? The few keywords of JSON Schema that ours uses.

The schema in ``schemas/`` is the one that is checked, so that the published form and the one that
is accepted are always the same; a test compares this reader with the package ``jsonschema``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib import resources
from typing import Any

VERSION = 1
NAMES = {"object": "an object", "array": "a list", "string": "text", "null": "null"}
TYPES = {"object": dict, "array": list, "string": str, "number": int | float, "null": type(None)}
# Keywords that compare a value of some type with a bound, and what they ask for.
Bound = tuple[Any, Callable[[Any, Any], bool], str]
BOUNDS: dict[str, Bound] = {
    "minItems": (list, lambda v, n: len(v) >= n, "have at least {} items"),
    "maxItems": (list, lambda v, n: len(v) <= n, "have at most {} items"),
    "minimum": (int | float, lambda v, n: v >= n, "be at least {}"),
    "maximum": (int | float, lambda v, n: v <= n, "be at most {}"),
    "exclusiveMinimum": (int | float, lambda v, n: v > n, "exceed {}"),
    "pattern": (str, lambda v, n: bool(re.search(n, v)), "match {}"),
}


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
    if "$ref" in rules:
        rules = _referred(rules)
    if "oneOf" in rules:
        yield from _faults_of_options(value, rules["oneOf"], where)
        return
    kinds = rules.get("type", [])
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if kinds and not any(_is(value, kind) for kind in kinds):
        wanted = " or ".join(NAMES.get(kind, f"a {kind}") for kind in kinds)
        yield f"{where or 'it'} must be {wanted}"
        return
    allowed = rules.get("enum", [rules["const"]] if "const" in rules else None)
    # 1 == True in Python, not in JSON.
    if allowed is not None and not any(
        value == one and isinstance(value, bool) == isinstance(one, bool) for one in allowed
    ):
        yield f"{where} must be {' or '.join(map(repr, allowed))}"
    for keyword, (kind, holds, words) in BOUNDS.items():
        concerned = keyword in rules and isinstance(value, kind) and not isinstance(value, bool)
        if concerned and not holds(value, rules[keyword]):
            yield f"{where} must {words.format(rules[keyword])}"
    if isinstance(value, dict):
        yield from _faults_inside(value, rules, where)
    if isinstance(value, list) and "items" in rules:
        for place, item in enumerate(value):
            yield from _faults(item, rules["items"], f"{where}[{place}]")


def _referred(rules: dict[str, Any]) -> dict[str, Any]:
    named: dict[str, Any] = schema()["$defs"][rules["$ref"].rsplit("/", 1)[-1]]
    return named


def _faults_of_options(value: Any, options: list[dict[str, Any]], where: str) -> Iterator[str]:
    """Judge by the option of this kind: every object among ours names its kind."""
    if value is None and {"type": "null"} in options:
        return
    objects = (_referred(option) if "$ref" in option else option for option in options)
    known = {o["properties"]["kind"]["const"]: o for o in objects if "properties" in o}
    kind = value.get("kind") if isinstance(value, dict) else None
    if isinstance(kind, str) and kind in known:
        yield from _faults(value, known[kind], where)
    else:
        yield f"{where}.kind must be one of {', '.join(known)}"


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer":  # as in JSON Schema, 2.0 is one
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return kind in TYPES and isinstance(value, TYPES[kind])


def _faults_inside(value: dict[str, Any], rules: dict[str, Any], where: str) -> Iterator[str]:
    start = f"{where}." if where else ""
    inside, others = rules.get("properties", {}), rules.get("additionalProperties", {})
    for key in rules.get("required", ()):
        if key not in value:
            yield f"{start}{key} is missing"
    for key, item in value.items():
        if key not in inside and others is False:
            yield f"{start}{key!r} is unknown"
        else:
            yield from _faults(item, inside.get(key, others), f"{start}{key}")
