"""ARFF files, in time that grows with their length and no faster."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from backstay.datasets._content import Content
from backstay.datasets._labelled import TableError
from backstay.datasets._reading import Reading

# A quoted text, in which a backslash takes the next character as it is, or a bare one with the
# blanks behind it. What *+ took it keeps: where a field does not fit, no other cut is tried.
FIELD = re.compile(r"""\s*+(?:'((?:[^'\\]|\\.)*+)'\s*+|"((?:[^"\\]|\\.)*+)"\s*+|([^,'"]*+))(,|$)""")
NAME = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s{]+))\s*(.*)$""", re.S)
NUMBERS = ("numeric", "real", "integer")


def read_arff(path: Path, reading: Reading) -> Content:
    """Read an ARFF file; nominal attributes become categories in the declared order."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            texts = ((number, line.strip()) for number, line in enumerate(file, 1))
            lines = (pair for pair in texts if pair[1] and not pair[1].startswith("%"))
            attributes = _attributes(path, lines)
            rows = _rows(path, lines, len(attributes))
    except UnicodeDecodeError as error:
        raise TableError(f"{path.name} is not UTF-8 text; save it as UTF-8.") from error
    names = [name for name, _ in attributes]
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    made = [
        _column(path, name, values, texts)
        for (name, values), texts in zip(attributes, columns, strict=True)
    ]
    frame = pd.DataFrame(dict(enumerate(made)), index=pd.RangeIndex(len(rows)))
    frame.columns = pd.Index(names, dtype=object)
    return Content(path.name, frame)


def _attributes(path: Path, lines: Iterator[tuple[int, str]]) -> list[tuple[str, list[str] | None]]:
    """Return the declared names, each with its categories or None for numbers."""
    declared: list[tuple[str, list[str] | None]] = []
    for number, line in lines:
        keyword, *rest = line.split(None, 1)
        if keyword.lower() == "@data":
            if not declared:
                raise _refusal(path, "it declares no attribute")
            return declared
        if keyword.lower() == "@attribute":
            parts = NAME.match(rest[0]) if rest else None
            if parts is None or not parts[4]:
                raise _refusal(path, f"line {number} declares no attribute with a type")
            declared.append((_bare(parts), _categories(path, parts[4].strip(), line)))
        elif keyword.lower() != "@relation":
            raise _refusal(path, f"line {number} begins with {keyword[:20]!r} before @data")
    raise _refusal(path, "it has no line @data")


def _categories(path: Path, kind: str, line: str) -> list[str] | None:
    """Return the categories of a nominal attribute, None for numbers."""
    if kind.startswith("{"):
        end = kind.rfind("}")
        values = _fields(kind[1:end]) if end > 0 else None
        if values is None:
            raise _refusal(path, f"the values of {line[:40]!r} are not a list in braces")
        return values
    if kind.split()[0].lower() in NUMBERS:
        return None
    raise TableError(
        f"{path.name} has attributes of text, dates or relations, which are not read "
        f"({line[:60]}); leave them out of the file, or save it as CSV."
    )


def _rows(path: Path, lines: Iterator[tuple[int, str]], width: int) -> list[list[str]]:
    rows = []
    for number, line in lines:
        if line.startswith("{"):
            raise _refusal(path, "sparse rows are not read; save it as CSV")
        fields = _fields(line)
        if fields is None or len(fields) != width:
            held = "a quote that does not end" if fields is None else f"{len(fields)} fields"
            raise _refusal(path, f"line {number} holds {held} for {width} attributes")
        rows.append(fields)
    return rows


def _fields(line: str) -> list[str] | None:
    """Return the fields between commas, None where quotes do not fit."""
    if "'" not in line and '"' not in line:
        return [field.strip() for field in line.split(",")]
    fields, place = [], 0
    while (match := FIELD.match(line, place)) is not None:
        fields.append(_bare(match))
        place = match.end()
        if not match[4]:
            return fields
    return None


def _bare(match: re.Match[str]) -> str:
    quoted = match[1] if match[1] is not None else match[2]
    return match[3].strip() if quoted is None else re.sub(r"\\(.)", r"\1", quoted)


def _column(path: Path, name: str, values: list[str] | None, texts: tuple[str, ...]) -> object:
    known = [None if text in ("?", "") else text for text in texts]
    if values is not None:
        if "?" in values:
            raise _refusal(path, f"{name!r} declares '?' as a value, which means a missing one")
        unknown = set(texts) - set(values) - {"?", ""}
        if unknown:
            raise _refusal(path, f"{name!r} holds {min(unknown)!r}, which it does not declare")
        return pd.Categorical(known, list(dict.fromkeys(values)))
    return np.array([np.nan if text is None else _number(path, name, text) for text in known])


def _number(path: Path, name: str, text: str) -> float:
    try:
        if "_" not in text:  # 1_0 is a number in programs, not in files
            return float(text)
    except ValueError:
        pass
    raise _refusal(path, f"{name!r} is declared as numbers and holds {text!r}")


def _refusal(path: Path, why: str) -> TableError:
    return TableError(f"{path.name} cannot be read as ARFF: {why}.")
