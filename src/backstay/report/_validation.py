"""What a signature did in a cohort, in words: validation.html, in the style of the report."""

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from backstay import __version__
from backstay._files import write_whole
from backstay.report._page import render_figure, rendered
from backstay.report._words import (
    capital,
    count,
    interval,
    listed,
    metric_title,
    number_text,
    percent,
    percent_interval,
    score_interval,
    score_text,
    signed,
)
from backstay.report.figures._confusion import ConfusionDisplay
from backstay.report.figures._display import Display
from backstay.report.figures._numbers import PredictedDisplay
from backstay.report.figures._roc import RocDisplay
from backstay.report.figures._survival import AucOverTimeDisplay, HorizonDisplay, RiskGroupsDisplay
from backstay.report.figures._validation import (
    CalibrationDisplay,
    ShiftDisplay,
)
from backstay.results import Estimate
from backstay.signature import ScoreComparison, Validation
from backstay.targets import INTERVAL_LEVEL, find_metric

Facts = dict[str, Any]
VERDICTS = {
    "worse": "It is worse than expected",
    "better": "It is better than expected",
    "as good": "It is as good as expected",
    "at least as good": "It is at least as good as expected",
    "cannot be told apart": "It cannot be told apart from what was expected",
    "undefined": "It cannot be compared with what was expected",
}
NOT_SHOWN = "is not shown to be better than guessing"


class ValidationReport:
    """A validation in words, and as one HTML file.

    Parameters
    ----------
    validation : Validation
        As ``Signature.validate`` returns it.
    command, signature, cohort, values : str
        How it was made, the names of the files, and what was done to the values, to be shown.
    """

    def __init__(
        self,
        validation: Validation,
        *,
        command: str = "",
        signature: str = "",
        cohort: str = "",
        values: str = "",
    ) -> None:
        self.validation = validation
        self.about = {
            "command": command, "signature": signature, "cohort": cohort, "values": values
        }  # fmt: skip

    @property
    def headline(self) -> str:
        """The verdict in words."""
        said = VERDICTS[self.validation.main.verdict]
        return f"{said}, and {NOT_SHOWN}" if self._may_be_guessing else said

    @property
    def sentence(self) -> str:
        """The result in words."""
        main, n_rows = self.validation.main, self.validation.n_rows
        text = (
            f"On {n_rows} rows the {metric_title(main.metric)} is {_shown(main, main.found)}; "
            f"{_shown(main, main.expected)} was expected. "
        )
        if main.verdict != "undefined":
            by, ends = _difference(main)
            text += f"The difference is {by} ({ends}), p {_p_text(main.p_value)}. "
        text += f"{VERDICTS[main.verdict]}{_because(main)}.{_needed(main, n_rows)}"
        if self._may_be_guessing:
            text += f" It {NOT_SHOWN} ({score_text(main.metric, main.chance)})."
        return text

    @property
    def _may_be_guessing(self) -> bool:
        return any(one.kind == "chance" for one in self.validation.cautions)

    @property
    def margin(self) -> str:
        """Which difference counts as none, in words."""
        main = self.validation.main
        return (
            f"A difference counts as none within ±{main.tolerance:.2g} of the "
            f"{metric_title(main.metric)}: {percent(main.margin)} of the way from guessing to the "
            "best score."
        )

    @property
    def cautions(self) -> list[tuple[str, str]]:
        """What to beware of: headings, each with a sentence or two."""
        return [WORDS[one.kind](self.validation, one.facts) for one in self.validation.cautions]

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the single rows, numbers and words, ready for JSON."""
        values = self.validation.to_dict()
        for known, (title, text) in zip(values["cautions"], self.cautions, strict=True):
            known |= {"title": title, "text": text}
        return {**self.about, "headline": self.headline, "sentence": self.sentence, **values}

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write one HTML file and return its path; needs ``pip install "backstay[app]"``.

        Parameters
        ----------
        path : path
            Of the HTML file; an existing one is replaced.
        """
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        return write_whole(path, _page(self))


def _page(report: ValidationReport) -> str:
    displays = _displays(report.validation)
    drawn = {key: render_figure(display, key) for key, display in displays.items()}
    return rendered(
        "validation.html",
        {key: points for key, (_, points) in drawn.items()},
        about=report.about,
        known=report.to_dict(),
        margin=report.margin,
        figures={key: _data(display) for key, display in displays.items()},
        drawings={key: shown for key, (shown, _) in drawn.items()},
        version=__version__,
        **_words(report.validation),
    )


def _displays(validation: Validation) -> dict[str, Display]:
    displays: dict[str, Display] = {}
    target, rows = validation.target, validation.predictions
    two = len(target.names) == 2
    if "predicted" in target.sections:
        displays["predicted"] = PredictedDisplay(rows)
    if "risk groups" in validation.tables:
        horizon = target.to_json()["horizon"]
        displays["groups"] = RiskGroupsDisplay(validation.tables["risk groups"], horizon)
        for name, kind in (("calibration", HorizonDisplay), ("auc over time", AucOverTimeDisplay)):
            if len(known := validation.tables[name]):
                displays[name] = kind(known, horizon)
    if "confusion" in target.sections:
        displays["confusion"] = ConfusionDisplay(validation.tables["confusion"], target.names)
    if "roc" in target.sections and all(n for _, n in target.summary()):
        names = [name for name in rows if str(name).startswith("score ")]
        # What is predicted comes before the scores; nobody asks for it here.
        outputs = np.column_stack([np.zeros(len(rows)), rows[names[-1:] if two else names]])
        curve = pd.DataFrame(target.table("roc", [(np.arange(len(rows)), outputs)]))
        displays["roc"] = RocDisplay.of_target(curve, target)
    if validation.calibration is not None:
        displays["calibration"] = CalibrationDisplay.from_validation(validation)
    if validation.shifts:
        displays["shift"] = ShiftDisplay.from_validation(validation)
    return displays


def _data(display: Display) -> dict[str, Any]:
    frame = display.frame()
    rows = [[None if cell != cell else cell for cell in row] for row in frame.to_numpy().tolist()]
    return {"columns": list(frame.columns), "rows": rows, "finding": display.finding()}


def _words(validation: Validation) -> dict[str, Any]:
    """Return key figures and tables as text."""
    main, moved = validation.main, sum(shift.moved for shift in validation.shifts)
    found, note = _estimate(main, main.found)
    missing = f"{count(len(validation.stand_ins), 'feature')} missing"
    guessing = f"{note}; guessing {score_text(main.metric, main.chance)}"
    return {
        "keys": [
            (f"{capital(metric_title(main.metric))} in the cohort", found, guessing),
            ("Expected", *_estimate(main, main.expected)),
            ("Difference", *_difference(main)),
            ("Features that moved", f"{moved} of {len(validation.shifts)}", missing),
        ],
        "summary": validation.target.summary(),
        "classes": _classes(validation) if "recalls" in validation.tables else [],
        "n_rows": validation.n_rows,
        "more_figures": _more_figures(validation),
        "scores": [
            {
                "title": capital(metric_title(score.metric)),
                "found": _shown(score, score.found),
                "expected": _shown(score, score.expected),
                "difference": "{} ({})".format(*_difference(score)),
                "p": _p_text(score.p_value).removeprefix("= ").replace("nan", "–"),
                "verdict": score.verdict,
            }
            for score in validation.scores
        ],
    }


def _classes(validation: Validation) -> list[dict[str, Any]]:
    """Return how many rows of each class were recognised, and its share here and in training."""
    recalls = validation.tables["recalls"].to_dict("records")
    n_training = sum(validation.training_rows)
    return [
        {
            "name": recall["class"],
            "n": recall["rows"],
            "recall": percent(recall["recall"]),
            "interval": percent_interval(recall["low"], recall["high"]),
            "share": recall["rows"] / validation.n_rows,
            "training": n / n_training,
        }
        for recall, n in zip(recalls, validation.training_rows, strict=True)
    ]


def _more_figures(validation: Validation) -> list[dict[str, str]]:
    """Return what more is known of the predictions, as text."""
    table = validation.tables.get("figures")
    return [
        {
            "figure": one["figure"],
            "value": _p_text(one["value"]).removeprefix("= ")
            if one["key"] == "log_rank"
            else number_text(one["value"]),
            "interval": f"{number_text(one['low'])} to {number_text(one['high'])}"
            if math.isfinite(one["low"] + one["high"])
            else "–",
        }
        for one in ([] if table is None else table.to_dict("records"))
    ]


def _because(score: ScoreComparison) -> str:
    """Return what the interval of the difference has to do with the margin."""
    margin = f"the margin of ±{score.tolerance:.2g}"
    if score.verdict in ("worse", "better"):
        return f", but by less than {margin}" if score.within_margin else ""
    return {
        "as good": f": all of the interval of the difference is within {margin}",
        "at least as good": f": it is not worse by more than {margin}",
        "cannot be told apart": ": the interval of the difference includes 0, but also scores "
        f"that are worse by more than {margin}",
    }.get(score.verdict, "")


def _needed(score: ScoreComparison, n_rows: int) -> str:
    """Return what the interval of the difference is too wide to show, and whether rows help."""
    if score.verdict != "cannot be told apart":
        return ""
    text = (
        f" The cohort has {count(n_rows, 'row')}; with an interval this wide, a score shows as "
        f"worse only if it is worse by more than {score.least_shown:.2f}."
    )
    if not score.more_rows_suffice:
        text += (
            " Even many more rows could hardly show that it is as good: what the study expects is "
            "itself less certain than the margin."
        )
    return text


def _p_text(p_value: float) -> str:
    return "< 0.001" if p_value < 0.001 else f"= {p_value:.3f}"


def _shown(score: ScoreComparison, one: Estimate) -> str:
    return "{} ({})".format(*_estimate(score, one))


def _estimate(score: ScoreComparison, one: Estimate) -> tuple[str, str]:
    """Return a score and its interval."""
    if not math.isfinite(one.value):
        return "undefined", "no interval"
    ends = score_interval(score.metric, one.low, one.high)
    return score_text(score.metric, one.value), f"95\u202f% {ends}"


def _difference(score: ScoreComparison) -> tuple[str, str]:
    """Return by how much a score differs from the expected one, and the interval of that."""
    if score.verdict == "undefined":
        return "undefined", "no interval"
    unit, by = find_metric(score.metric).has_unit, score.difference
    value, low, high = (
        number_text(one, sign=True) if unit else signed(one) for one in (by.value, by.low, by.high)
    )
    return value, f"95\u202f% {low} to {high}"


def _score(validation: Validation, facts: Facts) -> tuple[str, str]:
    shown = [
        f"{metric_title(one.metric)} {score_text(one.metric, one.found.value)} instead of "
        f"{score_text(one.metric, one.expected.value)}, difference {' '.join(_difference(one))}"
        for one in validation.scores
        if one.metric in facts["metrics"]
    ]
    deciding = validation.main.metric in facts["metrics"]
    title = "The score" if deciding else "By another metric, it"
    return f"{title} is worse than expected.", f"{capital('; '.join(shown))}."


def _chance(validation: Validation, facts: Facts) -> tuple[str, str]:
    main = validation.main
    return (
        f"The signature {NOT_SHOWN} here.",
        f"The {metric_title(main.metric)} is {_shown(main, main.found)}; guessing reaches "
        f"{score_text(main.metric, main.chance)}.",
    )


def _absent(validation: Validation, facts: Facts) -> tuple[str, str]:
    return (
        "The cohort lacks a class.",
        f"It has no rows of {listed(facts['names'])}, so this says nothing about recognising "
        "them, and scores that compare classes may be undefined.",
    )


def _platform(validation: Validation, facts: Facts) -> tuple[str, str]:
    worst = facts["worst"]
    how = "class by class" if validation.target.names else "beyond what the outcome explains"
    text = (
        f"{facts['moved']} of {len(validation.shifts)} features differ from the training rows in "
        f"mean or spread, {how}. {worst['feature']!r} differs most: its mean by "
        f"{worst['shift']:+.2f} standard deviations, and its spread is {worst['ratio']:.2f} times "
        "as large. The cause may be another platform, batch or normalisation. "
    )
    how = "as they are; you can ask for rescaling"
    if validation.rescale != "none":
        how = f"rescaled by {validation.rescale}"
    return "Features are measured differently.", f"{text}Predictions use the values {how}."


def _missing(validation: Validation, facts: Facts) -> tuple[str, str]:
    n = len(validation.stand_ins)
    filled = [
        f"{one.feature} by the mean of the training rows"
        if one.by is None
        else f"{one.feature} by {one.by} (r = {one.correlation:.2f})"
        for one in validation.stand_ins
    ]
    return (
        f"{n} feature{'s are' if n > 1 else ' is'} not in the cohort.",
        f"Filled in: {listed(filled)}. The expected score takes that into account.",
    )


def _proportions(validation: Validation, facts: Facts) -> tuple[str, str]:
    by_class = zip(facts["names"], facts["training"], facts["cohort"], strict=True)
    shares = [f"{name} {here:.0%} instead of {before:.0%}" for name, before, here in by_class]
    text = f"{', '.join(shares)}. "
    if facts["metrics"]:
        moving = listed([metric_title(metric) for metric in facts["metrics"]])
        text += f"That alone changes the {moving}, but not the AUC or the recalls. "
    if math.isfinite(facts["accuracy"]):
        text += (
            "In the proportions of the training rows the accuracy would be "
            f"{facts['accuracy']:.3f}. "
        )
    text += "Probabilities assume the proportions of the training rows."
    return "Classes come in other proportions.", text


def _outcome(validation: Validation, facts: Facts) -> tuple[str, str]:
    text = (
        f"Its mean differs by {facts['shift']:+.2f} standard deviations from the training rows, "
        f"and its spread is {facts['ratio']:.2f} times as large. That alone changes errors and R², "
        "which rises where numbers lie far from the mean of the training rows."
    )
    if own := facts["own_r2"]:
        text += f" Against the cohort's own mean R² is {own['value']:.2f}."
    return "The outcome is distributed otherwise.", text


def _line(validation: Validation, facts: Facts) -> tuple[str, str]:
    text = ""
    if slope := facts["slope"]:
        how = "spread too far" if slope["value"] < 1 else "do not spread far enough"
        ends = interval(slope["low"], slope["high"])
        text += f"They {how}: the {slope['figure']} is {slope['value']:.2f} (95\u202f% {ends}), "
        text += "where 1 is right. "
    if bias := facts["bias"]:
        how = "low" if bias["value"] > 0 else "high"
        text += f"They are too {how} by {abs(bias['value']):.3g} on average (observed minus "
        text += f"predicted: 95\u202f% {bias['low']:.3g} to {bias['high']:.3g})."
    return "Predictions do not mean what they say.", text.rstrip()


def _coverage(validation: Validation, facts: Facts) -> tuple[str, str]:
    return (
        "Prediction intervals are too narrow here.",
        f"{percent(facts['value'])} of the rows are inside (95\u202f% "
        f"{percent_interval(facts['low'], facts['high'])}); {percent(INTERVAL_LEVEL)} were "
        "promised for rows of the same population.",
    )


def _calibration(validation: Validation, facts: Facts) -> tuple[str, str]:
    text = ""
    if facts["slope"] is not None:
        how = "too sure" if facts["slope"] < 1 else "not sure enough"
        text += f"They are {how}: the slope of the observed log odds against the predicted ones is "
        text += f"{facts['slope']:.2f}, where 1 is right. "
    if facts["observed"] is not None and validation.calibration is not None:
        name = validation.calibration.name
        text += f"On average, they are {facts['predicted']:.0%} for {name}, and "
        text += f"{facts['observed']:.0%} of the rows are {name}."
    return "Probabilities do not mean what they say.", text.rstrip()


def _rescaled(validation: Validation, facts: Facts) -> tuple[str, str]:
    classes, numbers = "classes come in the same proportions", "outcomes are distributed alike"
    return (
        f"Features were rescaled ({validation.rescale}).",
        "Every feature was moved to where it lay in the training rows, without looking at "
        f"outcomes. That is right only if {classes if validation.target.names else numbers}, and "
        "a prediction then depends on the other rows of the table.",
    )


def _few_rows(validation: Validation, facts: Facts) -> tuple[str, str]:
    few = listed([f"{name} ({n})" for name, n in facts["few"]])
    text = f"Classes with fewer than {facts['least']} rows: {few}."
    if not validation.target.names:
        kind = facts["few"][0][0].removeprefix("rows")
        text = f"It has fewer than {facts['least']} rows {kind}".rstrip() + "."
    return "The cohort is small.", f"{text} A large drop could go unnoticed."


WORDS: dict[str, Callable[[Validation, Facts], tuple[str, str]]] = {
    "score": _score,
    "chance": _chance,
    "absent": _absent,
    "concern": lambda _, facts: (facts["title"], facts["text"]),
    "platform": _platform,
    "missing": _missing,
    "proportions": _proportions,
    "outcome": _outcome,
    "calibration": _calibration,
    "line": _line,
    "coverage": _coverage,
    "rescaled": _rescaled,
    "rows": _few_rows,
}
