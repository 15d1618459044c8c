"""Write docs/coverage.md: what of the four documents is where in backstay.

python -m tools.coverage_page          writes the page
python -m tools.coverage_page --check  fails if the page is not what the table says
"""

import csv
import json
import sys
from collections import Counter
from pathlib import Path

from reproduction._registry import section
from tools._pages import write_or_check

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "reproduction" / "coverage.csv"
PAGE = ROOT / "docs" / "coverage.md"
STATUSES = ("full", "part", "background", "missing")
KINDS = ("claim", "algorithm", "measure", "generator", "protocol", "table", "figure")
HEAD = """# What of the four documents is here

Every headline claim, algorithm, measure, generator, protocol, table and figure of the
[four documents](references.md#the-four-documents): its name in backstay, the page about it, the
tests and the experiment. A claim is *full* if it was tested, whatever came out; that is said on
[What holds](what-holds.md). A table or figure is *part* if printed rows were not run. *Background*
are drawings and motivations, with nothing to compute. Whatever is not fully here says why.

<!-- Written by tools/coverage_page.py from reproduction/coverage.csv; `make coverage`. -->
"""


def rows() -> list[dict[str, str]]:
    """Return the table, one item per row."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="|"))


def parts(cell: str) -> list[str]:
    """Split a cell that names several things."""
    return [part.strip() for part in cell.split(";") if part.strip()]


def stored() -> set[str]:
    """Return the experiments that have a stored result of a full run."""
    results = (ROOT / "docs" / "_reproduction").glob("*.json")
    found = (json.loads(path.read_text(encoding="utf-8")) for path in results)
    return {result["name"] for result in found if not result["quick"]}


def _names(cell: str) -> str:
    return ", ".join(f"`{name}`" for name in parts(cell))


def _page(cell: str) -> str:
    return f"[{cell.removesuffix('.md')}]({cell})" if cell else ""


def _experiments(cell: str) -> str:
    return ", ".join(f"[{name}]({section(name)})" for name in parts(cell))


def _summary(items: list[dict[str, str]]) -> str:
    counts = Counter((item["kind"], item["status"]) for item in items)
    lines = ["| | " + " | ".join(STATUSES) + " |", "|---|" + "---|" * len(STATUSES)]
    for kind in KINDS:
        cells = " | ".join(str(counts[kind, status]) for status in STATUSES)
        lines.append(f"| {kind}s | {cells} |")
    return "\n".join(lines)


def _counts(items: list[dict[str, str]]) -> str:
    """Say what every row was when all were last checked against the documents, and is now."""
    now = Counter(item["status"] for item in items)
    said = ", ".join(f"{now[status]} {status}" for status in STATUSES)
    n_claims = sum(item["kind"] == "claim" for item in items)
    return (
        "Every row was checked against the documents once more. Before that the table had 159 "
        "rows: 131 full, 12 part, 9 background, 7 missing. Now it has "
        f"{len(items)}, {n_claims} of them claims that had no row: {said}."
    )


def _section(kind: str, items: list[dict[str, str]], ran: set[str]) -> str:
    lines = [
        f"## {kind.capitalize()}s",
        "",
        "| where | what | in backstay | page | test | experiment | status |",
        "|---|---|---|---|---|---|---|",
    ]
    for item in items:
        # Only experiments that were run have a section to link to.
        done = [name for name in parts(item["experiment"]) if name in ran]
        left = [name for name in parts(item["experiment"]) if name not in ran]
        experiments = ", ".join(filter(None, [_experiments("; ".join(done)), ", ".join(left)]))
        status = item["status"] + (f": {item['note']}" if item["note"] else "")
        cells = [
            f"{item['document']} {item['place']}",
            item["item"],
            _names(item["name"]),
            _page(item["page"]),
            _names(item["test"].replace("tests/", "")),
            experiments,
            status,
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def page() -> str:
    """Return the page's text."""
    items = rows()
    ran = stored()
    sections = [
        _section(kind, [item for item in items if item["kind"] == kind], ran) for kind in KINDS
    ]
    return "\n\n".join([HEAD.rstrip(), _counts(items), _summary(items), *sections]) + "\n"


if __name__ == "__main__":
    sys.exit(write_or_check(page, PAGE, "coverage"))
