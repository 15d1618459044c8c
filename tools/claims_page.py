"""Write docs/what-holds.md: which claims of the four documents hold.

python -m tools.claims_page          writes the page
python -m tools.claims_page --check  fails if the page is not what the claims say
"""

import csv
import re
import sys
import tomllib
from collections import Counter
from pathlib import Path

from reproduction._registry import section
from tools._pages import write_or_check

ROOT = Path(__file__).parents[1]
CLAIMS = ROOT / "reproduction" / "claims.toml"
PAGE = ROOT / "docs" / "what-holds.md"
RESULTS = ROOT / "docs" / "_reproduction"
VERDICTS = (
    "confirmed",
    "confirmed, and explained by its control",
    "not confirmed",
    "refuted",
)
# {experiment; column=value; …}: the measured figure of one row and its interval; with show=column
# that column instead.
FIGURE = re.compile(r"\{([^{}]+)\}")
HEAD = """# What holds

The headline claims of the [four documents](references.md#the-four-documents), run again. A claim is
**confirmed** if it holds beyond chance; **explained by its control** if something that has none of
the claimed cause does as well; **not confirmed** if it does not show; **refuted** if the opposite
shows. Brackets hold 95 % intervals. *K* is Kuncheva's index: 0 for chance, 1 for equal selections.

<!-- Written by tools/claims_page.py from reproduction/claims.toml; `make claims`. -->
"""


def claims() -> list[dict[str, str]]:
    """Return the claims in the order of the page."""
    with CLAIMS.open("rb") as file:
        return tomllib.load(file)["claim"]


def lookup(reference: str) -> dict[str, str]:
    """Return the one row of a stored result that a reference names."""
    name, *conditions = (part.strip() for part in reference.split(";"))
    wanted = dict(condition.split("=", 1) for condition in conditions)
    wanted.pop("show", None)
    with (RESULTS / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        found = [row for row in csv.DictReader(file) if all(row[k] == v for k, v in wanted.items())]
    if len(found) != 1:
        raise ValueError(f"{{{reference}}} names {len(found)} rows of {name}.csv; it must be one.")
    return found[0]


def figure(reference: str) -> str:
    """Return a figure and its interval as the page shows them."""
    row = lookup(reference)
    if "; show=" in reference:
        return row[reference.split("; show=")[1]]
    value = float(row["measured"])
    digits = 3 if abs(value) < 10 else 1
    text = f"{value:.1g}" if 0 < abs(value) < 1e-6 else f"{value:.{digits}f}"
    if row["interval"]:
        low, high = (float(end) for end in row["interval"].split(" to "))
        text += f" [{low:.{digits}f}, {high:.{digits}f}]"
    return text.replace("-", "−")


def filled(text: str) -> str:
    """Replace references by figures."""
    return FIGURE.sub(lambda found: figure(found[1]), text)


def references(claim: dict[str, str]) -> list[str]:
    """Return the references of a claim."""
    return FIGURE.findall(claim["figure"] + claim["control"])


def page() -> str:
    """Return the page's text."""
    items = claims()
    counts = Counter(item["verdict"] for item in items)
    said = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS)
    lines = [
        HEAD.rstrip(),
        f"{len(items)} claims: {said}.",
        "| claim | verdict | figure | control | experiment |\n|---|---|---|---|---|",
    ]
    for item in items:
        experiments = ", ".join(
            f"[{name}]({section(name)})" for name in item["experiments"].split("; ")
        )
        cells = [
            f"{item['claim']} ({item['source']})",
            f"**{item['verdict']}**",
            filled(item["figure"]),
            filled(item["control"]),
            experiments,
        ]
        lines[-1] += "\n| " + " | ".join(cells) + " |"
    lines.append(
        "All experiments, and which printed figures agree: [Reproduction](reproduction.md). "
        "Where the documents contain slips: [References](references.md#where-we-depart-from-them)."
    )
    return "\n\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(write_or_check(page, PAGE, "claims"))
