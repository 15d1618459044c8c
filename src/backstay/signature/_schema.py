"""Does a document have the published form? The few keywords of JSON Schema that ours uses.

The schema in ``schemas/`` is the one that is checked, so that the published form and the one that
is accepted cannot part; a test compares this reader with the package ``jsonschema``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from importlib import resources
from typing import Any

VERSION = 1
NAMES = {"object": "an object", "array": "a list", "string": "text", "null": "null"}


@cache
def schema() -> dict[str, Any]:
    """Return the published schema of a signature."""
    file = resources.files("backstay.signature").joinpath("schemas", f"signature-{VERSION}.json")
    found: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return found


def first_fault(value: Any, rules: dict[str, Any] | None = None, where: str = "") -> str | None:
    """Say where a document first departs from the schema, or None."""
    rules = schema() if rules is None else rules
    if "$ref" in rules:
        return first_fault(value, schema()["$defs"][rules["$ref"].rsplit("/", 1)[-1]], where)
    if "oneOf" in rules:
        return _fault_of_options(value, rules["oneOf"], where)
    if "type" in rules and not _has_type(value, rules["type"]):
        wanted = rules["type"] if isinstance(rules["type"], list) else [rules["type"]]
        names = " or ".join(NAMES.get(kind, f"a {kind}") for kind in wanted)
        return f"{where or 'it'} must be {names}"
    for keyword, check in CHECKS.items():
        if keyword in rules:
            fault = check(value, rules, where)
            if fault:
                return fault
    return None


def _fault_of_options(value: Any, options: list[dict[str, Any]], where: str) -> str | None:
    """Judge by the option of this kind: every object among ours names its kind."""
    if value is None and {"type": "null"} in options:
        return None
    known = {}
    for option in options:
        rules = option
        if "$ref" in option:
            rules = schema()["$defs"][option["$ref"].rsplit("/", 1)[-1]]
        if "properties" in rules:
            known[rules["properties"]["kind"]["const"]] = rules
    kind = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(kind, str) or kind not in known:
        return f"{where}.kind must be one of {', '.join(known)}"
    return first_fault(value, known[kind], where)


def _has_type(value: Any, wanted: str | list[str]) -> bool:
    kinds = wanted if isinstance(wanted, list) else [wanted]
    return any(_is(value, kind) for kind in kinds)


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer":  # as in JSON Schema, 2.0 is one
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    python = {"object": dict, "array": list, "string": str, "number": int | float}
    return value is None if kind == "null" else kind in python and isinstance(value, python[kind])


def _properties(value: Any, rules: dict[str, Any], where: str) -> str | None:
    if not isinstance(value, dict):
        return None
    inside = rules.get("properties", {})
    for key in rules.get("required", ()):
        if key not in value:
            return f"{where + '.' if where else ''}{key} is missing"
    for key, item in value.items():
        path = f"{where}.{key}" if where else key
        if key in inside:
            fault = first_fault(item, inside[key], path)
        elif rules.get("additionalProperties") is False:
            return f"{path!r} is unknown"
        elif isinstance(rules.get("additionalProperties"), dict):
            fault = first_fault(item, rules["additionalProperties"], path)
        else:
            fault = None
        if fault:
            return fault
    return None


def _items(value: Any, rules: dict[str, Any], where: str) -> str | None:
    if not isinstance(value, list):
        return None
    for place, item in enumerate(value):
        fault = first_fault(item, rules["items"], f"{where}[{place}]")
        if fault:
            return fault
    return None


def _simple(
    keyword: str, kind: Any, holds: Callable[[Any, Any], bool], words: str
) -> Callable[[Any, dict[str, Any], str], str | None]:
    """Return the check of a keyword that compares a value of some type with a bound."""

    def check(value: Any, rules: dict[str, Any], where: str) -> str | None:
        concerned = isinstance(value, kind) and not isinstance(value, bool)
        if not concerned or holds(value, rules[keyword]):
            return None
        return f"{where} must {words.format(rules[keyword])}"

    return check


def _constant(value: Any, rules: dict[str, Any], where: str) -> str | None:
    allowed = rules.get("enum", [rules.get("const")])
    # 1 == True in Python, not in JSON.
    if any(value == one and isinstance(value, bool) == isinstance(one, bool) for one in allowed):
        return None
    return f"{where} must be {' or '.join(map(repr, allowed))}"


_number = int | float
CHECKS: dict[str, Callable[[Any, dict[str, Any], str], str | None]] = {
    "const": _constant,
    "enum": _constant,
    "properties": _properties,
    "additionalProperties": _properties,
    "items": _items,
    "minItems": _simple("minItems", list, lambda v, n: len(v) >= n, "have at least {} items"),
    "maxItems": _simple("maxItems", list, lambda v, n: len(v) <= n, "have at most {} items"),
    "minimum": _simple("minimum", _number, lambda v, n: v >= n, "be at least {}"),
    "maximum": _simple("maximum", _number, lambda v, n: v <= n, "be at most {}"),
    "exclusiveMinimum": _simple("exclusiveMinimum", _number, lambda v, n: v > n, "exceed {}"),
    "pattern": _simple("pattern", str, lambda v, n: bool(re.search(n, v)), "match {}"),
}
