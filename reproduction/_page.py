"""The pages of all experiments, made from the files that runs left behind.

One page is the index: what agrees, and where each experiment is. Beside it lies a folder of the
same name with a page for each part of the documents.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pandas as pd

from reproduction._experiment import Experiment
from reproduction._registry import PAGES, experiments, pages
from reproduction._verdicts import Verdicts, count_verdicts, former_verdicts, verdict_groups

__all__ = ["write_page"]

RunFiles = dict[str, tuple[dict[str, Any], pd.DataFrame]]
# Longer tables are left to their CSV file: a page is to be read, not scrolled.
MOST_ROWS = 14


def write_page(folder: str | os.PathLike[str], path: str | os.PathLike[str]) -> Path:
    """Write Markdown pages of the experiments whose files lie in a folder.

    Parameters
    ----------
    folder : path
        Where :func:`reproduction.reproduce` wrote its tables.
    path : path
        Of the index; sections go to a folder beside it, ``page/han.md`` for ``page.md``. Figures
        and tables are linked relative to them. What stands above the line
        ``<!-- generated -->`` in an existing index is kept.

    Returns
    -------
    Path
        Of the index.
    """
    source, index = Path(folder), Path(path)
    found = {name: _read(source, name) for name in experiments() if _ran(source, name)}
    if not found:
        raise ValueError(
            f"folder={str(folder)!r} holds no experiment's files; run some experiments first."
        )
    mark = "<!-- generated -->"
    head = index.read_text(encoding="utf-8").split(mark)[0] if index.exists() else _HEAD
    parts_folder = index.with_suffix("")
    parts_folder.mkdir(parents=True, exist_ok=True)
    link = os.path.relpath(source, parts_folder)
    for page, title in PAGES.items():
        names = [name for name in found if pages()[name] == page]
        sections = [_section(experiments()[name], *found[name], link) for name in names]
        if sections:
            back = f"[All experiments](../{index.name})"
            _write(parts_folder / f"{page}.md", [f"# {title}", back, *sections])
    parts = [head.rstrip(), mark, _opening(found, parts_folder.name), _control_finding(found)]
    parts.append(_overview(found, parts_folder.name))
    missing = [one for one in experiments().values() if one.name not in found]
    if missing:
        parts.append(_not_run(missing))
    _write(index, parts)
    return index


def _write(path: Path, parts: list[str]) -> None:
    path.write_text("\n\n".join(part for part in parts if part) + "\n", encoding="utf-8")


def _linked(name: str, folder: str) -> str:
    return f"[{name}]({folder}/{pages()[name]}.md#{_anchor(name)})"


_HEAD = "# Reproduction\n\nPublished and measured side by side."


def _ran(folder: Path, name: str) -> bool:
    return all((folder / f"{name}.{kind}").is_file() for kind in ("json", "csv", "svg"))


def _read(folder: Path, name: str) -> tuple[dict[str, Any], pd.DataFrame]:
    about = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    # "low" and the like stay words; only empty cells are missing.
    table = pd.read_csv(folder / f"{name}.csv", keep_default_na=False, dtype=str)
    return about, table


def _opening(found: RunFiles, folder: str) -> str:
    """Say in one table what agrees, by which reading, and why we think that the rest does not."""
    verdicts: Verdicts = {}
    for name, (_, table) in found.items():
        verdicts |= count_verdicts(name, table)
    groups = verdict_groups(verdicts)
    counts = groups["group"].value_counts(sort=False)
    said = ", ".join(f"{n} {group}" for group, n in counts.items())
    shown = groups.assign(experiment=[_linked(name, folder) for name in groups["experiment"]])
    shown = shown[["group", "experiment", "first", "second", "why"]].rename(
        columns={
            "group": "",
            "first": "verdicts that agree",
            "second": "by the second reading",
            "why": "why we think so",
        }
    )
    text = f"## What agrees\n\n{_OPENING}\n\nExperiments: {said}.\n\n{_markdown(shown)}"
    former = former_verdicts(verdicts)
    if len(former):
        former["experiment"] = [_linked(name, folder) for name in former["experiment"]]
        kinds = former["what it was"].value_counts(sort=False)
        listed = ", ".join(f"{kind} {n}" for kind, n in kinds.items())
        text += f"\n\n## What did not agree before\n\n{_FORMER} By kind: {listed}.\n\n"
        text += _markdown(former)
    return text


_FORMER = (
    "These experiments did not agree when each verdict was counted as it came. Some of the "
    "criteria were ours, not the documents'; these are gone or corrected."
)

_OPENING = (
    "An experiment agrees if at least four fifths of its verdicts do, or three of four. A second "
    "reading fills what a document leaves open in another way; it was chosen after looking at the "
    "published figures, so its section says where it was judged instead."
)


def _overview(found: RunFiles, folder: str) -> str:
    rows = []
    for name, (about, table) in found.items():
        yes, no, unclear = ((table["agrees"] == word).sum() for word in ("yes", "no", "unclear"))
        rows.append(
            {
                "experiment": _linked(name, folder),
                "what": about["title"],
                "run": about["repeats"] + (", quick" if about["quick"] else ""),
                "agree": yes,
                "do not": no,
                "unclear": unclear,
            }
        )
    return "## All experiments\n\n" + _markdown(pd.DataFrame(rows))


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
    seed = f", seed {about['seed']}" if about.get("seed") else ""
    lines = [
        f"## {one.name}: {one.title} {{ #{_anchor(one.name)} }}",
        f"**Source:** {one.source}. **Published:** {one.claim}",
        f"**Run:** {about['repeats']}{seed}. {one.protocol}",
        f"**Found:** {about['finding']}",
    ]
    if about["without"]:
        lines.append(f"Not run because data are missing: {one.wanted(about['without'])}.")
    lines.append(f"![{one.title}]({link}/{one.name}.svg)")
    if len(table) <= MOST_ROWS:
        lines.append(_markdown(table.assign(measured=table["measured"].map(_short))))
    csv = f"[The table as CSV]({link}/{one.name}.csv), {len(table)} rows"
    return "\n\n".join([*lines, csv])


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
