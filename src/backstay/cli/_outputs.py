"""The files of a run, and what the terminal shows of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backstay import __version__
from backstay._files import as_json, spreadsheet_cell, write_whole
from backstay._words import counted
from backstay.cli._guard import WrongUse
from backstay.cli._show import figure, fixed, say, table, warn

if TYPE_CHECKING:
    import pandas as pd

    from backstay.datasets import LabelledTable
    from backstay.report import Report
    from backstay.results import Recommendation, Results


SHOWN_FEATURES = 15
# What features.csv has no use for: it is about one data set, and the choice is in two columns.
LEFT_OUT = ["dataset", "name", "chosen"]


def check_folder(folder: Path) -> None:
    """Refuse a folder for the results that is a file."""
    if folder.exists() and not folder.is_dir():
        raise WrongUse(f"--out {folder} is a file; name a folder.")


def make_folder(folder: Path) -> None:
    """Make the folder for the results, unless it is there."""
    check_folder(folder)
    folder.mkdir(parents=True, exist_ok=True)


def feature_frame(results: Results) -> pd.DataFrame:
    """Return every feature, most often selected first, as features.csv has them."""
    frame = results.features().frame()
    frame.insert(0, "column", frame["feature"] + 1)
    frame["feature"] = frame["name"]
    # As the kind of outcome calls it.
    direction = results.data.target.words().direction.replace(" ", "_")
    frame = frame.rename(columns={"high_in": direction})
    adjusted = {"covariates", "batches"} & {*results.data.design}
    if results.data.effect_units.kind != "rows" or adjusted:
        from backstay.report import units_text

        frame["effects_over"] = units_text(results.data)
    if results.choice().kind == "nothing":
        frame[["in_signature", "core"]] = False  # there is no signature
    if frame["relevant"].isna().all():
        frame = frame.drop(columns="relevant")
    first = ["feature", "column", "in_signature", "core"]
    return frame[[*first, *(name for name in frame if name not in [*first, *LEFT_OUT])]]


def write_outputs(
    results: Results, folder: Path, given: LabelledTable | None, command: str
) -> Report:
    """Write the CSV files, results.json, report.html and dome.md; return the report."""
    from backstay.report import Report

    written, chosen = Report(results), feature_frame(results)
    _write_csv(chosen, folder / "features.csv")
    (part,) = written.parts
    equivalents = part.evidence.equivalents
    if not equivalents.empty:
        named = equivalents.assign(
            feature=equivalents["name"], stand_in=equivalents["stand_in_name"]
        ).drop(columns=["dataset", "name", "stand_in_name"])
        _write_csv(named, folder / "equivalents.csv")
    advice = results.choice().recommendation
    everything = {
        "backstay": __version__,
        "command": command,
        "data": None if given is None else {**given.details, **given.summary()},
        "recommendation": None if advice is None else _as_dict(advice, part.recommendation),
        "features": chosen[chosen["frequency"] > 0].to_dict("records"),
        "evidence": results.frame().to_dict("records"),
        "ranked": results.selections.ranked().frame().to_dict("records"),
        "summary": written.to_dict(),
    }
    write_whole(folder / "results.json", as_json(everything) + "\n", private=written.holds_samples)
    written.write(folder / "report.html")
    write_whole(folder / "dome.md", written.dome())
    if equivalents.empty:
        # One of an earlier run would be taken for this one's, now that the other files are new.
        (folder / "equivalents.csv").unlink(missing_ok=True)
    return written


def _write_csv(frame: pd.DataFrame, path: Path) -> None:
    """Write a table whose texts a spreadsheet does not take for formulas."""
    from pandas.api.types import is_numeric_dtype

    texts = [str(name) for name in frame if not is_numeric_dtype(frame[name])]
    safe = frame.assign(**{name: frame[name].map(spreadsheet_cell) for name in texts})
    write_whole(path, safe.to_csv(index=False, float_format="%.6g"))


def write_signature(results: Results, X: Any, table: LabelledTable, folder: Path) -> Path | None:
    """Write the trusted signature, frozen, or say why there is none."""
    from backstay.signature import Signature, SignatureError

    path, signature = folder / "signature.json", None
    if results.choice().kind == "recommended":
        try:
            signature = results.freeze(X, table.y, covariates=table.covariates, batch=table.batch)
        except (SignatureError, ImportError) as error:
            warn(f"signature.json was not written: {error}")
    if isinstance(signature, Signature):
        return signature.save(path)
    path.unlink(missing_ok=True)  # one of an earlier run would be taken for this one's
    return None


def _as_dict(advice: Recommendation, sentence: str) -> dict[str, Any]:
    """Return a recommendation as a dictionary, its trusted answer's settings beside the rest."""
    everything = {**asdict(advice), "sentence": sentence}
    # The sentence says the rest of what was considered.
    everything["shares"] = everything.pop("considered")["shares"]
    for answer in everything["answers"].values():
        answer["costs"] = {
            other: {"score": score, "stability": stability}
            for other, (score, stability) in answer["costs"].items()
        }
    names = ("method", "size", "model", "stability")
    again = None if advice.replication is None else asdict(advice.replication)
    return {**{name: getattr(advice, name) for name in names}, "replication": again, **everything}


def show_results(results: Results, report: Report) -> None:
    """Write the recommendation, the methods beside each other, and the limits of the answer."""
    (part,) = report.parts
    choice = results.choice()
    advice = choice.recommendation
    assert advice is not None  # of a study with models
    say()
    say("Recommendation", "bold")
    if part.answer.doubtful:
        titles = " ".join(warning.title for warning in part.answer.warnings)
        say(f"Do not trust the score yet. {titles} (See the limits of this answer.)", "yellow")
    say(part.recommendation)
    if advice.answers:
        say()
        _show_answers(advice)
        for named in part.answer.answers:
            say(f"Draws, {named.name}: {named.draws}.")
        _show_signature(advice, results.data.label)
    say()
    show_methods(results, choice.size, choice.model)
    say("Limits of this answer", "bold")
    for caveat in part.answer.caveats:
        say(f"- {caveat.title} {caveat.text}")


def _show_answers(advice: Recommendation) -> None:
    """Write the three answers below each other."""
    title = metric_title(advice.metric)
    costs = {"trusted": ""}
    for name, answer in advice.answers.items():
        if name != "trusted":
            named = zip((title, "stability"), answer.costs.get("trusted", ()), strict=False)
            gains = [f"{of} {figure(a.difference, a.low, a.high, sign='+')}" for of, a in named]
            costs[name] = "; ".join(gains) or "the same choice here"
    names = [
        "answer", "method", "features", "model", "draws", "again", "stability",
        "shuffled outcomes", title, "against trusted",
    ]  # fmt: skip
    rows = [
        [
            answer.name,
            answer.method,
            answer.size,
            answer.model,
            f"{100 * answer.share:.0f} %",
            "not known" if answer.replication is None else figure(**asdict(answer.replication)),
            figure(**asdict(answer.stability)),
            "not run" if math.isnan(answer.null) else fixed(answer.null),
            figure(**asdict(answer.score)),
            costs[answer.name],
        ]
        for answer in advice.answers.values()
    ]
    first, *lines = zip(names, *rows, strict=True)  # the answers side by side
    table(first, lines, "Three answers, with 95 % intervals")
    say(
        "draws: how often each answer was chosen when the runs were drawn anew. again: overlap "
        "expected with another sample of this size. stability: on these rows. "
        f"{title}: on new rows. 'again' and {title} are corrected for the choice."
    )


def _show_signature(advice: Recommendation, label: Callable[[int], str]) -> None:
    """Write the signature, the features of its core marked."""
    core = set(advice.core)
    pairs = zip(map(label, advice.features), advice.signature, strict=True)
    names = [f"{said}*" if name in core else said for said, name in pairs]
    rest = len(names) - SHOWN_FEATURES
    shown = ", ".join(names[:SHOWN_FEATURES]) + (f" and {rest} more" if rest > 0 else "")
    say(f"Signature of {counted(len(names), 'feature')}: {shown}.")
    if core:
        n = counted(len(core), "feature")
        say(f"* Its core of {n}: more than half of the runs selected each.")
    else:
        say("It has no core: no feature was selected in more than half of the runs.")


def metric_title(metric: str) -> str:
    """Return how a caption names a metric."""
    from backstay.targets import find_metric

    return find_metric(metric).title


def show_methods(results: Results, size: int, model: str | None, metric: str | None = None) -> None:
    """Write stability and scores of every method at a size, with intervals."""
    shown = _figures(results.stability().frame(), size)
    columns = {"stability": {method: shown.get(method, "no result") for method in results.methods}}
    modules = results.selections.module_stability().frame()
    if len(modules):
        # Features of one module counted as the same.
        columns["of modules"] = _figures(modules, size)
    if model:
        metric = metric or results.data.metric
        scores = results.scores(metric).frame()
        title = f"{metric_title(metric)} of {model}"
        columns[title] = _figures(scores[scores["model"] == model], size)
    runs = results.runs.counts().frame().to_dict("records")
    columns["runs"] = {row["method"]: _runs(row) for row in runs}
    ranked = results.selections.ranked().frame()
    filled = ranked[(ranked["size"] == size) & (ranked["filled"] > 0)]
    if len(filled):
        shares = zip(filled["method"], filled["filled"], strict=True)
        columns["filled at random"] = {method: f"{100 * share:.0f} %" for method, share in shares}
    table(
        ["method", *columns],
        [[name, *(c.get(name, "") for c in columns.values())] for name in results.methods],
        f"{counted(size, 'feature')}, means over runs with 95 % intervals",
    )


def _runs(row: Mapping[Any, Any]) -> str:
    """Say how many runs the figures of a method rest on."""
    if row["n_runs"] == row["of"]:
        return str(row["of"])
    return f"{row['n_runs']} of {row['of']}" + ("" if row["judged"] else ", too few to compare")


def _figures(frame: pd.DataFrame, size: int) -> dict[str, str]:
    """Return the value of every method at a size, with its interval."""
    here = frame[frame["size"] == size]
    columns = (here[name] for name in ("method", "value", "low", "high"))
    return {method: figure(*ends) for method, *ends in zip(*columns, strict=True)}
