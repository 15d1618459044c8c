"""report.html: the summary and the displays in one file that needs no network; rendering only."""

import base64
import csv
import hashlib
import io
import json
import math
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any
from urllib.parse import quote

from backstay._files import spreadsheet_cell
from backstay.report._words import (
    THIN,
    capital,
    clean,
    metric_title,
    number_text,
    share_text,
    signed,
    two_decimals,
)
from backstay.report.figures._display import Display
from backstay.report.figures._heatmap import HeatmapDisplay
from backstay.report.figures._style import css_variables
from backstay.report.figures._svg import legend_key

# Longer tables of figures are in their download only.
SHOWN_ROWS = 24
ESCAPES = {code: quote(chr(code)) for code in range(128)}
# A figure is drawn for a wide screen and for a phone.
SIZES = ("wide", "narrow")


def page_text(summary: dict[str, Any], displays: list[dict[str, Display]], checklist: str) -> str:
    """Return the page of a summary and of the displays of its data sets."""
    figures, points = {}, {}
    for part, own in zip(summary["datasets"], displays, strict=True):
        for kind, display in own.items():
            key = f"{part['key']}-{kind}"
            figures[key], points[key] = render_figure(display, key)
    link = text_link(checklist, "text/markdown")
    return rendered("report.html", points, summary=summary, drawings=figures, dome_link=link)


def rendered(template: str, points: dict[str, Any], **known: Any) -> str:
    """Return a page; the same knowledge gives the same text."""
    from markupsafe import Markup

    script = package_file("report.js")
    shared = {
        "css": Markup(css_variables() + package_file("report.css")),
        "script": Markup(script),
        # The policy of the page allows this script only.
        "script_hash": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        "points": Markup(json_text(points)),
    }
    return str(_template(template).render(**shared, **known))


@cache
def _template(name: str) -> Any:
    """Return a template of this package, with the filters that all pages share."""
    import jinja2

    environment = jinja2.Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        loader=jinja2.FunctionLoader(package_file),
    )
    environment.filters |= {
        "number": number,
        "percentage": percentage,
        "grouped": lambda n: f"{n:,}".replace(",", THIN),
        "heading": lambda name: name.replace("_", " "),
        "metric": metric_title,
        "capital": capital,
        "share": share_text,
        "two": lambda value: "–" if value is None else two_decimals(value),
        "two_signed": lambda value: "–" if value is None else signed(value),
        "three_signed": lambda value: f"{round(value, 3) + 0.0:+.3f}".replace("-", "−"),
        "signed": lambda value: "–" if value is None else number_text(value, sign=True),
        "small": small,
    }
    environment.globals |= {
        "csv_link": csv_link,
        "feature_csv": feature_csv,
        "text_link": text_link,
        "shown_rows": SHOWN_ROWS,
    }
    return environment.get_template(name)


def package_file(name: str) -> str:
    """Return the text of a file in templates/."""
    return resources.files("backstay.report").joinpath("templates", name).read_text("utf-8")


def render_figure(display: Display, key: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what the template shows of a figure, and what the script knows of its points."""
    from markupsafe import Markup

    drawings = {name: display.draw(getattr(display, name), f"{key}-{name[0]}") for name in SIZES}
    # Text in the drawings is escaped already.
    shown: dict[str, Any] = {name: Markup(drawing.svg) for name, drawing in drawings.items()}
    series = zip(display.legend(), display.series(), strict=True)
    shown["series"] = [
        {"name": clean(name), "key": Markup(legend_key(style))} for name, (_, style) in series
    ]
    points: dict[str, Any] = {name: drawing.places for name, drawing in drawings.items()}
    if isinstance(display, HeatmapDisplay):
        # Thousands of cells: the script puts places and labels together from rows and columns.
        grid = display.grid()
        n = len(grid["columns"])
        for name, places in points.items():
            across, along = [place[0] for place in places[:n]], [row[1] for row in places[::n]]
            points[name] = {"x": across, "y": along}
        names = {key: [clean(name) for name in grid[key]] for key in ("columns", "rows")}
        return shown, {**points, "grid": {**names, "values": grid["values"]}}
    points["labels"] = [clean(point.label) for point in drawings["wide"].points]
    return shown, points


def json_text(value: Any) -> str:
    """Return JSON that may stand in a script element, whatever its strings hold."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for mark in ("<", ">", "&", "\u2028", "\u2029"):
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text


def csv_link(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a data: address of a table as CSV, safe to open in a spreadsheet."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([spreadsheet_cell(name) for name in columns])
    writer.writerows([["" if c is None else spreadsheet_cell(c) for c in row] for row in rows])
    # The mark at the start tells spreadsheets that this is UTF-8.
    return "data:text/csv;charset=utf-8,%EF%BB%BF" + _quoted(out.getvalue())


def _quoted(text: str) -> str:
    """Return what `quote` does; ASCII, which tables of numbers are, at a tenth of the time."""
    return text.translate(ESCAPES) if text.isascii() else quote(text)


def text_link(text: str, kind: str = "text/plain") -> str:
    """Return a data: address of a text."""
    return f"data:{kind};charset=utf-8," + quote(text)


def feature_csv(part: dict[str, Any]) -> tuple[list[str], list[list[Any]]]:
    """Return the columns and rows of the table of features, with all that it knows."""
    numbers = {
        "frequency": "frequency", "frequency_low": "frequency low",
        "frequency_high": "frequency high", "again": "again", "rank": "mean rank",
        "weight": "mean weight",
        "high_in": part["target"]["direction"], "difference": "difference", "effect": "effect",
        "effect_low": "effect low", "effect_high": "effect high", "p_value": "p", "q_value": "q",
    }  # fmt: skip
    if part["decoys"]:
        numbers["decoy_q_value"] = "q, decoys"
    described = part["target"]["columns"]
    methods = list(part["facts"]["methods"])
    said = list(part["features"]["rows"][0]["annotation"]) if part["features"]["rows"] else []
    columns = ["feature", "column", *said, "in signature", "core", *numbers.values()]
    columns += [*described.values(), *methods, "partners"]
    rows = []
    for row in part["features"]["rows"]:
        cells = [row["name"], row["feature"], *(row["annotation"][name] for name in said)]
        cells += [row["in_signature"], row["core"]]
        cells += [row[key] for key in numbers] + [row["means"][name] for name in described]
        cells += [row["frequencies"][name] for name in methods]
        cells.append("; ".join(partner["name"] for partner in row["partners"]))
        rows.append(cells + ([row["relevant"]] if part["truth"] else []))
    return columns + (["relevant"] if part["truth"] else []), rows


def number(value: Any, digits: int = 3) -> str:
    """Return a number as a table shows it."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        text = f"{value:.{digits}g}" if abs(value) < 1000 else f"{value:.0f}"
        return text.replace("-", "−")
    return str(value)


def small(value: float | None) -> str:
    """Return a p- or q-value."""
    if value is None:
        return "–"
    return "<\u202f0.001" if value < 0.001 else f"{value:.3f}"


def percentage(share: float | None) -> str:
    """Return a share in per cent, without the sign."""
    return "–" if share is None else f"{100 * share:.0f}"
