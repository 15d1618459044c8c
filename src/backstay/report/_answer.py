"""The answer in plain words."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from backstay.report._caveats import caveats, verdicts
from backstay.report._choice import Choice
from backstay.report._words import count, interval, percent, percent_interval
from backstay.results import Results

__all__ = ["answer"]

Facts = dict[str, Any]
# A signature lists that many features before it points to the table.
LISTED = 12


def answer(
    results: Results,
    choice: Choice,
    facts: Facts,
    signature: list[dict[str, Any]],
    gains: pd.DataFrame,
) -> dict[str, Any]:
    """Return headline, sentence, key figures, signature and caveats."""
    judged = verdicts(results, choice, gains)
    own = [
        f"{verdict['title']} {verdict['text']}"
        for verdict in judged
        if verdict["kind"] == "shown" and verdict["method"] == choice.method
    ]
    return {
        "kind": choice.kind,
        "headline": _headline(choice, facts, signature),
        "sentences": _sentences(choice, facts, signature) + own + _truly(signature),
        "figures": _figures(choice, facts, signature),
        "signature": signature[:LISTED],
        "n_signature": len(signature),
        "caveats": caveats(results, choice, facts, signature, judged),
        "verdicts": judged,
    }


def _headline(choice: Choice, facts: Facts, signature: list[dict[str, Any]]) -> str:
    if choice.kind == "nothing":
        return "Nothing can be recommended: no method is shown to beat chance"
    if not signature:
        return "No feature was chosen in more than half of the runs"
    verb = "was" if len(signature) == 1 else "were"
    of = f"{facts['n_features']:,}".replace(",", "\u202f")
    return f"{len(signature)} of {of} features {verb} chosen in most runs"


def _sentences(choice: Choice, facts: Facts, signature: list[dict[str, Any]]) -> list[str]:
    runs = count(choice.n_runs, "resample")
    each = count(choice.size, "feature")
    picked = (
        f"{choice.method} chose {each} in each of {runs}; "
        f"{count(len(signature), 'feature')} came up in more than half of them"
    )
    if choice.kind == "recommended":
        found = choice.recommendation
        assert found is not None
        return [
            f"{picked}. Trained on the features chosen, "
            f"{choice.classifier} is right about {percent(found.accuracy)} of the rows it has not "
            f"seen (95\u202f% interval {percent_interval(found.low, found.high)}), where always "
            f"guessing the largest class is right about {percent(found.chance)}.",
            "It is the smallest number of features at which a method comes within one standard "
            "error of the best accuracy, and the stablest of the methods that do. The accuracy "
            "pays for having been chosen among "
            f"{count(facts['n_configurations'], 'configuration')}: {_uncorrected(found)}.",
        ]
    if choice.kind == "nothing":
        found = choice.recommendation
        assert found is not None
        return [
            found.sentence,
            f"The figures below look at the most accurate configuration, {choice.method} with "
            f"{each} and {choice.classifier}, so that you can see why.",
        ]
    return [
        f"{picked}. It is the stablest method on average, at "
        "its stablest size. No classifier was run, so nothing says whether these features predict "
        "the classes; a selection can be stable and useless.",
    ]


def _truly(signature: list[dict[str, Any]]) -> list[str]:
    """Say how many features of the signature are relevant, where the truth is known."""
    if not signature or signature[0]["relevant"] is None:
        return []
    n = sum(item["relevant"] for item in signature)
    return [f"The truth is known here: {n} of these {len(signature)} are truly relevant."]


def _uncorrected(found: Any) -> str:
    before, after = percent(found.apparent), percent(found.accuracy)
    if before == after:
        return "here that changes less than one per cent"
    return f"without that it would read {before}"


def _figures(choice: Choice, facts: Facts, signature: list[dict[str, Any]]) -> list[dict[str, str]]:
    figures = [
        {
            "label": "Signature",
            "value": count(len(signature), "feature"),
            "note": f"in more than half of the runs; {choice.size} chosen in each",
        }
    ]
    if math.isnan(choice.stability):
        stable = ("undefined", "all features are selected, or too few runs finished")
    else:
        stable = (
            f"{choice.stability:.2f}".replace("-", "−"),
            f"95\u202f% {interval(choice.low, choice.high)}; 0 is chance, 1 is always the same",
        )
    figures.append({"label": "Stability", "value": stable[0], "note": stable[1]})
    found = choice.recommendation
    if found is not None:
        figures.append(
            {
                "label": "Accuracy",
                "value": percent(found.accuracy),
                "note": f"95\u202f% {percent_interval(found.low, found.high)}; "
                f"chance {percent(found.chance)}",
            }
        )
    on = "" if choice.classifier is None else f", {choice.classifier}"
    named = "Method" if choice.kind == "recommended" else "Shown, not recommended"
    figures.append(
        {
            "label": named,
            "value": choice.method,
            "note": f"{count(choice.size, 'feature')}{on}",
        }
    )
    return figures
