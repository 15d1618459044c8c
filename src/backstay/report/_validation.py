"""validation.html: what a signature did in a cohort, in the looks of the report."""

from __future__ import annotations

import base64
import hashlib
import os
from pathlib import Path
from typing import Any

from backstay import __version__
from backstay._files import write_whole
from backstay.report._page import json_text, package_file, page_template, render_figure
from backstay.report._words import (
    capital,
    count,
    metric_title,
    percent,
    percent_interval,
    score_interval,
    score_text,
    signed,
)
from backstay.report.figures._confusion import ConfusionDisplay
from backstay.report.figures._display import Display
from backstay.report.figures._roc import RocDisplay
from backstay.report.figures._style import css_variables
from backstay.report.figures._validation import (
    CalibrationDisplay,
    ExpectedScoreDisplay,
    ShiftDisplay,
)
from backstay.results import Estimate
from backstay.signature import ScoreComparison, Validation

HEADLINES = {
    "as expected": "It does as well as expected",
    "worse": "It does worse than expected",
    "better": "It does better than expected",
    "undefined": "It cannot be compared with what was expected",
}


def write_validation(
    validation: Validation,
    path: str | os.PathLike[str],
    *,
    command: str = "",
    signature: str = "",
    cohort: str = "",
) -> Path:
    """Write a validation as one HTML file; needs ``pip install "backstay[app]"``.

    Parameters
    ----------
    validation : Validation
        As ``Signature.validate`` returns it.
    path : path
        Of the HTML file; an existing one is replaced.
    command, signature, cohort : str
        How it was made, and the names of the files, to be shown.

    Returns
    -------
    Path
        Where it is.
    """
    about = {"command": command, "signature": signature, "cohort": cohort}
    text = _page(validation, about)
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    return write_whole(path, text)


def _page(validation: Validation, about: dict[str, str]) -> str:
    from markupsafe import Markup

    displays = _displays(validation)
    drawn = {key: render_figure(display, key) for key, display in displays.items()}
    script = package_file("report.js")
    policy = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return str(
        page_template("validation.html").render(
            about=about,
            found=validation.to_dict(),
            figures={key: _data(display) for key, display in displays.items()},
            drawings={key: shown for key, (shown, _) in drawn.items()},
            points=Markup(json_text({key: points for key, (_, points) in drawn.items()})),
            css=Markup(css_variables() + package_file("report.css")),
            script=Markup(script),
            script_hash=policy,
            version=__version__,
            **_words(validation),
        )
    )


def _displays(validation: Validation) -> dict[str, Display]:
    rows = validation.predictions
    found: dict[str, Display] = {
        "scores": ExpectedScoreDisplay.from_validation(validation),
        "confusion": ConfusionDisplay.from_predictions(
            rows["class"], rows["predicted"], validation.classes
        ),
    }
    if all(validation.class_sizes):
        scores = rows[[name for name in rows if str(name).startswith("score ")]].to_numpy()
        found["roc"] = RocDisplay.from_predictions(
            rows["class"], scores, classes=validation.classes
        )
    if validation.calibration is not None:
        found["calibration"] = CalibrationDisplay.from_validation(validation)
    if validation.shifts:
        found["shift"] = ShiftDisplay.from_validation(validation)
    return found


def _data(display: Display) -> dict[str, Any]:
    frame = display.frame()
    rows = [[None if cell != cell else cell for cell in row] for row in frame.to_numpy().tolist()]
    return {"columns": list(frame.columns), "rows": rows, "finding": display.finding()}


def _words(validation: Validation) -> dict[str, Any]:
    """Return headline, figures and tables as text."""
    main = validation.main
    title = metric_title(main.metric)
    moved = sum(shift.moved for shift in validation.shifts)
    training = sum(validation.training_sizes)
    keys = [
        {
            "label": f"{capital(title)} in the cohort",
            "value": score_text(main.metric, main.found.value),
            "note": f"95\u202f% {score_interval(main.metric, main.found.low, main.found.high)}; "
            f"guessing {score_text(main.metric, main.chance)}",
        },
        {
            "label": "Expected",
            "value": score_text(main.metric, main.expected.value),
            "note": f"95\u202f% "
            f"{score_interval(main.metric, main.expected.low, main.expected.high)}",
        },
        {
            "label": "Difference",
            "value": signed(main.difference.value),
            "note": _difference_note(main),
        },
        {
            "label": "Features that moved",
            "value": f"{moved} of {len(validation.shifts)}",
            "note": f"{count(len(validation.stand_ins), 'feature')} missing",
        },
    ]
    classes = [
        {
            "name": recall.label,
            "n": recall.n,
            "recall": percent(recall.value),
            "interval": percent_interval(recall.low, recall.high),
            "share": recall.n / validation.n_rows,
            "training": n / training,
        }
        for recall, n in zip(validation.recalls, validation.training_sizes, strict=True)
    ]
    return {
        "headline": HEADLINES[main.verdict],
        "lead": validation.sentence,
        "keys": keys,
        "classes": classes,
        "n_rows": validation.n_rows,
        "scores": [_score_row(score) for score in validation.scores],
    }


def _difference_note(score: ScoreComparison) -> str:
    if score.verdict == "undefined":
        return "no interval"
    p = "< 0.001" if score.p_value < 0.001 else f"= {score.p_value:.3f}"
    return f"95\u202f% {_ends(score.difference)}; p {p}"


def _ends(estimate: Estimate) -> str:
    return f"{signed(estimate.low)} to {signed(estimate.high)}"


def _score_row(score: ScoreComparison) -> dict[str, str]:
    def shown(known: Estimate) -> str:
        ends = score_interval(score.metric, known.low, known.high)
        return f"{score_text(score.metric, known.value)} ({ends})"

    defined = score.verdict != "undefined"
    return {
        "title": capital(metric_title(score.metric)),
        "found": shown(score.found),
        "expected": shown(score.expected),
        "difference": f"{signed(score.difference.value)} ({_ends(score.difference)})"
        if defined
        else "–",
        "p": "–" if not defined else "< 0.001" if score.p_value < 0.001 else f"{score.p_value:.3f}",
        "verdict": score.verdict,
    }
