"""The files of a run, and what the terminal shows of them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backstay import __version__
from backstay.cli._guard import WrongUse
from backstay.cli._lists import as_json
from backstay.cli._show import figure, say, table

if TYPE_CHECKING:
    import pandas as pd

    from backstay.datasets import LabelledTable
    from backstay.results import Recommendation, Results

__all__ = [
    "check_folder", "feature_frame", "make_folder", "show_methods", "show_results", "write_outputs",
]  # fmt: skip

SHOWN_FEATURES = 15
COLUMNS = ["feature", "column", "frequency", "mean_rank", "weight", "in_signature"]


def check_folder(folder: Path) -> None:
    """Refuse a folder for the results that is a file."""
    if folder.exists() and not folder.is_dir():
        raise WrongUse(f"--out {folder} is a file; name a folder.")


def make_folder(folder: Path) -> None:
    """Make the folder for the results, unless it is there."""
    check_folder(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WrongUse(f"the folder {folder} cannot be made ({error.strerror}).") from error


def feature_frame(results: Results, found: Recommendation) -> pd.DataFrame:
    """Return every feature that the recommended method ever selected at the recommended size.

    ``frequency`` is the share of runs, ``mean_rank`` and ``weight`` are means over runs;
    ``column`` counts the features of the table from 1.
    """
    import numpy as np
    import pandas as pd

    from backstay.stability import selection_frequency

    if found.method is None or found.size is None:
        return pd.DataFrame(columns=COLUMNS)
    records = results._one()
    _, orders = records.orders(found.method)
    _, weights = records.weights(found.method)
    frequency = selection_frequency(orders[:, : found.size], records.n_features)
    chosen = np.flatnonzero(frequency > 0)
    signature = set(found.features)
    frame = pd.DataFrame(
        {
            "feature": [records.feature_name(int(j)) for j in chosen],
            "column": chosen + 1,
            "frequency": frequency[chosen],
            "mean_rank": records.mean_ranks(found.method)[chosen],
            "weight": weights.mean(axis=0)[chosen],
            "in_signature": [int(j) in signature for j in chosen],
        }
    )
    order = ["frequency", "mean_rank"]
    return frame.sort_values(order, ascending=[False, True], kind="stable", ignore_index=True)


def write_outputs(
    results: Results, folder: Path, given: LabelledTable | None, command: str
) -> tuple[Recommendation, dict[str, Any]]:
    """Write features.csv, results.json and report.html; return recommendation and summary."""
    from backstay.report._html import write_page
    from backstay.report._summarize import gather

    summary, displays = gather(results)
    found = results.recommend()
    features = feature_frame(results, found)
    features.to_csv(folder / "features.csv", index=False, float_format="%.6g")
    everything = {
        "backstay": __version__,
        "command": command,
        "data": None if given is None else {**given.details, **given.summary()},
        "recommendation": {k: _plain(v) for k, v in vars(found).items()},
        "features": [{k: _plain(v) for k, v in row.items()} for row in features.to_dict("records")],
        "evidence": [
            {k: _plain(v) for k, v in row.items()} for row in results.frame().to_dict("records")
        ],
        "summary": summary,
    }
    (folder / "results.json").write_text(as_json(everything) + "\n", encoding="utf-8")
    report.write(folder / "report.html")
    return found, summary


def _plain(value: Any) -> Any:
    value = value.item() if hasattr(value, "dtype") else value  # numpy's scalars
    return None if isinstance(value, float) and not math.isfinite(value) else value


def show_results(results: Results, found: Recommendation, summary: dict[str, Any]) -> None:
    """Write the recommendation, the methods beside each other, and what was not shown."""
    (part,) = summary["datasets"]
    size, classifier = part["choice"]["size"], part["choice"]["classifier"]
    say()
    say("Recommendation", "bold")
    say(found.sentence)
    if found.signature:
        shown = ", ".join(found.signature[:SHOWN_FEATURES])
        rest = len(found.signature) - SHOWN_FEATURES
        say(f"Signature: {shown}{f' and {rest} more' if rest > 0 else ''}.")
    elif found.method is not None:
        say("Signature: none; no feature was selected in more than half of the runs.")
    say()
    show_methods(results, size, classifier)
    say("What was not shown", "bold")
    for caveat in part["answer"]["caveats"]:
        say(f"- {caveat['title']} {caveat['text']}")


def show_methods(results: Results, size: int, classifier: str | None) -> None:
    """Write stability and accuracy of every method at a size, with intervals."""
    stability = results.stability().frame()
    stable = {
        row["method"]: figure(row["value"], row["low"], row["high"])
        for row in stability[stability["size"] == size].to_dict("records")
    }
    accuracy = results.accuracy(results._one().scoring[0]).frame() if classifier else None
    rows = [[method, stable.get(method, "no result")] for method in results.methods]
    if accuracy is not None:
        here = (accuracy["size"] == size) & (accuracy["classifier"] == classifier)
        right = {
            row["method"]: figure(row["value"], row["low"], row["high"])
            for row in accuracy[here].to_dict("records")
        }
        rows = [[*row, right.get(row[0], "")] for row in rows]
    names = ["method", "stability"] + ([f"accuracy of {classifier}"] if classifier else [])
    many = "s" if size > 1 else ""
    table(names, rows, f"{size} feature{many}, means over runs with 95 % intervals")
