"""The page of all experiments, made from the files that runs left behind."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pandas as pd

from reproduction._experiment import Experiment
from reproduction._registry import experiments
from reproduction._verdicts import verdict_groups

__all__ = ["write_page"]

RunFiles = dict[str, tuple[dict[str, Any], pd.DataFrame]]
# Longer tables are folded away under their heading, and the longest left to their CSV file.
OPEN_ROWS, MOST_ROWS = 30, 400


def write_page(folder: str | os.PathLike[str], path: str | os.PathLike[str]) -> Path:
    """Write a Markdown page of the experiments whose files lie in a folder.

    Parameters
    ----------
    folder : path
        Where :func:`reproduction.reproduce` wrote its tables.
    path : path
        Of the page; figures and tables are linked relative to it. What stands
        above the line ``<!-- generated -->`` in an existing page is kept.

    Returns
    -------
    Path
        Of the page.
    """
    source, page = Path(folder), Path(path)
    found = {name: _read(source, name) for name in experiments() if _ran(source, name)}
    if not found:
        raise ValueError(
            f"folder={str(folder)!r} holds no experiment's files; run some experiments first."
        )
    mark = "<!-- generated -->"
    head = page.read_text(encoding="utf-8").split(mark)[0] if page.exists() else _HEAD
    link = os.path.relpath(source, page.parent)
    parts = [head.rstrip(), mark, _opening(found), _control_finding(found), _overview(found)]
    parts += [_section(experiments()[name], *what, link) for name, what in found.items()]
    missing = [one for one in experiments().values() if one.name not in found]
    if missing:
        parts.append(_not_run(missing))
    page.write_text("\n\n".join(part for part in parts if part) + "\n", encoding="utf-8")
    return page


_HEAD = "# Reproduction\n\nPublished and measured side by side."


def _ran(folder: Path, name: str) -> bool:
    return all((folder / f"{name}.{kind}").is_file() for kind in ("json", "csv", "svg"))


def _read(folder: Path, name: str) -> tuple[dict[str, Any], pd.DataFrame]:
    about = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    # "low" and the like stay words; only empty cells are missing.
    table = pd.read_csv(folder / f"{name}.csv", keep_default_na=False, dtype=str)
    return about, table


def _opening(found: RunFiles) -> str:
    """Say in one table what agrees, by which reading, and why we think that the rest does not."""
    verdicts = {
        name: (
            int((table["agrees"] == "yes").sum()),
            int(table["agrees"].isin(["yes", "no"]).sum()),
        )
        for name, (_, table) in found.items()
    }
    groups = verdict_groups(verdicts)
    counts = groups["group"].value_counts(sort=False)
    said = ", ".join(f"{n} {group}" for group, n in counts.items())
    linked = groups.assign(
        experiment=[f"[{name}](#{_anchor(name)})" for name in groups["experiment"]]
    )
    shown = linked[["group", "experiment", "first", "second", "why"]].rename(
        columns={
            "group": "",
            "first": "verdicts that agree",
            "second": "by the second reading",
            "why": "why we think so",
        }
    )
    return f"## What agrees\n\n{_OPENING}\n\nExperiments: {said}.\n\n{_markdown(shown)}"


_OPENING = (
    "An experiment agrees if at least four fifths of its verdicts do. A second reading fills what "
    "a document leaves open in another way; it was chosen after looking at the published figures, "
    "so its section says where it was judged instead."
)


def _overview(found: RunFiles) -> str:
    rows = []
    for name, (about, table) in found.items():
        yes, no, unclear = ((table["agrees"] == word).sum() for word in ("yes", "no", "unclear"))
        rows.append(
            {
                "experiment": f"[{name}](#{_anchor(name)})",
                "what": about["title"],
                "run": about["repeats"] + (", quick" if about["quick"] else ""),
                "agree": yes,
                "do not": no,
                "unclear": unclear,
            }
        )
    return "## Overview\n\n" + _markdown(pd.DataFrame(rows))


def _control_finding(found: RunFiles) -> str:
    """Set the published gain beside what uniform weights of the same mass reach."""
    rows = []
    if "han-fig6.2" in found:
        table = found["han-fig6.2"][1]
        at_50 = table[(table["quantity"] == "Kuncheva") & (table["features"] == "50")]
        rows.append(_beside("Han–Yu data: Kuncheva's index at 50 features", at_50))
    if "han-tab7.6" in found:
        table = found["han-tab7.6"][1]
        often = table[table["frequency"] == "(50,100]"]
        for (name, values), part in often.groupby(["dataset", "intensities"], sort=False):
            what = f"{name}, {values} intensities: genes in more than half of the signatures of 50"
            rows.append(_beside(what, part))
    if not rows:
        return ""
    return "## The control finding\n\n" + _CONTROL + "\n\n" + _markdown(pd.DataFrame(rows))


_CONTROL = (
    "The published instance weights sum to 1, so in an SVM they also divide every cost by the "
    "number of rows. The control has uniform weights that sum to 1, too: what it gains is due to "
    "the stronger regularisation alone, without any weighting. 'Mean 1' are the published weights "
    "without that side effect."
)


def _beside(what: str, table: pd.DataFrame) -> dict[str, str]:
    """Put the methods of a table beside each other, with intervals and published figures."""
    cells = {"": what}
    for title, names in _COLUMNS.items():
        rows = table[table["method"].isin(names)].to_dict("records")
        cells[title] = "–"
        if rows:
            known = f"; published {rows[0]['published']}" if rows[0]["published"] else ""
            cells[title] = f"{_short(rows[0]['measured'])} ({rows[0]['interval']}{known})"
    return cells


_COLUMNS = {
    "SVM-RFE": ["SVM-RFE"],
    "ensemble": ["En SVM-RFE"],
    "instance weights, sum 1": ["IW SVM-RFE"],
    "**the control**": ["control", "control SVM-RFE"],
    "instance weights, mean 1": ["IW SVM-RFE, mean 1"],
}


def _section(one: Experiment, about: dict[str, Any], table: pd.DataFrame, link: str) -> str:
    lines = [
        f"## {one.name}: {one.title} {{ #{_anchor(one.name)} }}",
        f"**Source:** {one.source}. **Published:** {one.claim}",
        f"**Run:** {about['repeats']}. {one.protocol}",
        f"**Found:** {about['finding']}",
    ]
    if about["without"]:
        lines.append(f"Not run because data are missing: {one.wanted(about['without'])}.")
    lines.append(f"![{one.title}]({link}/{one.name}.svg)")
    shown = _markdown(table.assign(measured=table["measured"].map(_short)))
    if len(table) > MOST_ROWS:
        shown = f"The table has {len(table)} rows."
    elif len(table) > OPEN_ROWS:
        summary = f"<summary>The table, {len(table)} rows</summary>"
        shown = f'<details markdown="1">\n{summary}\n\n{shown}\n\n</details>'
    lines += [shown, f"[The table as CSV]({link}/{one.name}.csv)"]
    return "\n\n".join(lines)


def _not_run(missing: list[Experiment]) -> str:
    rows = [
        {
            "experiment": one.name,
            "what": one.title,
            "needs": one.wanted(list(one.needs)) if one.needs else "nothing",
        }
        for one in missing
    ]
    return "## Not run\n\n" + _markdown(pd.DataFrame(rows))


def _anchor(name: str) -> str:
    return name.replace(".", "-").lower()


def _markdown(table: pd.DataFrame) -> str:
    """Write a frame as a Markdown table."""
    rows = [list(table.columns), ["---"] * table.shape[1], *table.astype(str).to_numpy().tolist()]
    return "\n".join("| " + " | ".join(map(_cell, row)) + " |" for row in rows)


def _short(figure: str) -> str:
    """Write a figure with four digits; the CSV has more."""
    try:
        return f"{float(figure):.4g}"
    except ValueError:
        return figure


def _cell(value: str) -> str:
    return value.replace("|", "\\|").replace("\n", " ")
