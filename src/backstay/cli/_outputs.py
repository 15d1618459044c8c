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
    from backstay.report import Report
    from backstay.results import Results


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
        raise WrongUse(f"the folder {folder} cannot be created ({error.strerror}).") from error


def feature_frame(results: Results) -> pd.DataFrame:
    """Return every feature that the recommended method ever selected at the recommended size.

    ``frequency`` is the share of runs, ``mean_rank`` and ``weight`` are means over runs;
    ``column`` counts the features of the table from 1.
    """
    frame = results.features().frame()
    recommended = results.choice().kind == "recommended"
    frame = frame[(frame["frequency"] > 0) & recommended]
    frame = frame.assign(column=frame["feature"] + 1, feature=frame["name"])
    return frame[COLUMNS].reset_index(drop=True)


def write_outputs(
    results: Results, folder: Path, given: LabelledTable | None, command: str
) -> Report:
    """Write features.csv, results.json and report.html; return the report."""
    from backstay.report import Report

    written, features = Report(results), feature_frame(results)
    features.to_csv(folder / "features.csv", index=False, float_format="%.6g")
    found = results.choice().recommendation
    everything = {
        "backstay": __version__,
        "command": command,
        "data": None if given is None else {**given.details, **given.summary()},
        "recommendation": None if found is None else _plain(vars(found)),
        "features": _plain(features.to_dict("records")),
        "evidence": _plain(results.frame().to_dict("records")),
        "summary": written.to_dict(),
    }
    (folder / "results.json").write_text(as_json(everything) + "\n", encoding="utf-8")
    written.write(folder / "report.html")
    return written


def _plain(value: Any) -> Any:
    """Turn numpy's numbers into Python's, and undefined ones into None."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    value = value.item() if hasattr(value, "dtype") else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


def show_results(results: Results, report: Report) -> None:
    """Write the recommendation, the methods beside each other, and what was not shown."""
    (part,) = report.parts
    choice = results.choice()
    found = choice.recommendation
    say()
    say("Recommendation", "bold")
    if found is None:
        say("None: the study had no classifiers.")
    else:
        say(found.sentence)
        if found.signature:
            shown = ", ".join(found.signature[:SHOWN_FEATURES])
            rest = len(found.signature) - SHOWN_FEATURES
            say(f"Signature: {shown}{f' and {rest} more' if rest > 0 else ''}.")
        elif found.method is not None:
            say("Signature: none; no feature was selected in more than half of the runs.")
    say()
    show_methods(results, choice.size, choice.classifier)
    say("What was not shown", "bold")
    for caveat in part.answer.caveats:
        say(f"- {caveat.title} {caveat.text}")


def show_methods(results: Results, size: int, classifier: str | None) -> None:
    """Write stability and accuracy of every method at a size, with intervals."""
    names = ["method", "stability"]
    everything = results.stability().frame()
    stability = _figures(everything[everything["size"] == size])
    rows = [[method, stability.get(method, "no result")] for method in results.methods]
    if classifier:
        names.append(f"accuracy of {classifier}")
        scores = results.accuracy(results.metric).frame()
        here = (scores["size"] == size) & (scores["classifier"] == classifier)
        accuracy = _figures(scores[here])
        rows = [[*row, accuracy.get(row[0], "")] for row in rows]
    many = "s" if size > 1 else ""
    table(names, rows, f"{size} feature{many}, means over runs with 95 % intervals")


def _figures(frame: pd.DataFrame) -> dict[str, str]:
    """Return the value of every method with its interval."""
    columns = (frame[name] for name in ("method", "value", "low", "high"))
    return {method: figure(*ends) for method, *ends in zip(*columns, strict=True)}
