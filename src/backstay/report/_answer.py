"""The answer in plain words."""

from __future__ import annotations

import math
from dataclasses import dataclass

from backstay.report._caveats import Caveat, WeightingWords, caveats, weighting_words
from backstay.report._evidence import Evidence
from backstay.report._words import (
    THIN,
    clean,
    count,
    interval,
    metric_name,
    percent,
    percent_interval,
    two_decimals,
)
from backstay.results import Choice, Recommendation

# A signature lists that many features before it points to the table.
LISTED = 12


@dataclass(frozen=True)
class Tile:
    """A key figure: what it is, its value, and how to read it."""

    label: str
    value: str
    note: str


@dataclass(frozen=True)
class SignatureFeature:
    """A feature of the signature; ``relevant`` is None where the truth is not known."""

    feature: int
    name: str
    frequency: float
    relevant: bool | None


@dataclass(frozen=True)
class Answer:
    """What the report opens with; ``kind`` is that of :class:`backstay.results.Choice`.

    ``signature`` holds the first of its ``n_signature`` features; ``verdicts`` say, for every
    weighted method, whether instance weighting helps.
    """

    kind: str
    headline: str
    sentences: list[str]
    figures: list[Tile]
    signature: list[SignatureFeature]
    n_signature: int
    caveats: list[Caveat]
    verdicts: list[WeightingWords]


def answer(evidence: Evidence) -> Answer:
    """Put the answer into words."""
    choice, n = evidence.choice, len(evidence.signature)
    verdicts = [weighting_words(verdict) for verdict in evidence.weighting]
    own = [
        f"{verdict.title} {verdict.text}"
        for verdict in verdicts
        if verdict.kind == "shown" and verdict.method == choice.method
    ]
    return Answer(
        kind=choice.kind,
        headline=_headline(choice, n, evidence.data.n_features),
        sentences=[
            *_sentences(choice, n, evidence.data.n_configurations),
            *own,
            *_relevant_sentence(evidence),
        ],
        figures=_tiles(choice, n),
        signature=[
            SignatureFeature(
                int(row["feature"]), clean(row["name"]), float(row["frequency"]), row["relevant"]
            )
            for row in evidence.signature.iloc[:LISTED].to_dict("records")
        ],
        n_signature=n,
        caveats=caveats(evidence, verdicts),
        verdicts=verdicts,
    )


def _headline(choice: Choice, n: int, n_features: int) -> str:
    if choice.kind == "nothing":
        return "Nothing can be recommended: no method is shown to beat chance"
    if not n:
        return "No feature was chosen in more than half of the runs"
    verb = "was" if n == 1 else "were"
    return f"{n} of {n_features:,} features {verb} chosen in most runs".replace(",", THIN)


def _sentences(choice: Choice, n: int, n_configurations: int) -> list[str]:
    each = count(choice.size, "feature")
    picked = (
        f"{choice.method} chose {each} in each of {count(choice.n_runs, 'resample')}; "
        f"{count(n, 'feature')} came up in more than half of them"
    )
    found = choice.recommendation
    if found is None:
        return [
            f"{picked}. It is the most stable method on average, at its most stable size. No "
            "classifier was run, so nothing says whether these features predict the classes; a "
            "selection can be stable and useless.",
        ]
    if choice.kind == "nothing":
        return [
            found.sentence,
            f"The figures below show the most accurate configuration, {choice.method} with "
            f"{each} and {choice.classifier}, so that you can see why.",
        ]
    score = metric_name(choice.metric)
    return [
        f"{picked}. {_score_sentence(choice, found)}",
        "This is the smallest number of features at which a method comes within one standard "
        f"error of the best {score}, and the most stable of the methods that do. The {score} is "
        f"corrected for having been chosen among {count(n_configurations, 'configuration')}: "
        f"{_correction(found)}.",
    ]


def _score_sentence(choice: Choice, found: Recommendation) -> str:
    value, chance = percent(found.accuracy), percent(found.chance)
    ends = f"(95{THIN}% interval {percent_interval(found.low, found.high)})"
    trained = f"Trained on the features chosen, {choice.classifier}"
    if choice.metric == "accuracy":
        return (
            f"{trained} is right about {value} of the rows it has not seen {ends}, where always "
            f"guessing the largest class is right about {chance}."
        )
    return (
        f"{trained} reaches a {metric_name(choice.metric)} of {value} on rows it has not seen "
        f"{ends}, where guessing reaches {chance}."
    )


def _correction(found: Recommendation) -> str:
    before, after = percent(found.apparent), percent(found.accuracy)
    if before == after:
        return "here that changes less than one percentage point"
    return f"uncorrected it would be {before}"


def _relevant_sentence(evidence: Evidence) -> list[str]:
    """Say how many features of the signature are relevant, where the truth is known."""
    n = len(evidence.signature)
    if evidence.relevant is None or not n:
        return []
    right = int(evidence.signature["relevant"].sum())
    return [f"The truth is known here: {right} of these {n} are truly relevant."]


def _tiles(choice: Choice, n: int) -> list[Tile]:
    note = f"in more than half of the runs; {choice.size} chosen in each"
    tiles = [Tile("Signature", count(n, "feature"), note)]
    if math.isnan(choice.stability):
        note = "all features are selected, or too few runs finished"
        tiles.append(Tile("Stability", "undefined", note))
    else:
        ends = interval(choice.low, choice.high)
        note = f"95{THIN}% {ends}; 0 is chance, 1 is always the same"
        tiles.append(Tile("Stability", two_decimals(choice.stability), note))
    found = choice.recommendation
    if found is not None:
        ends = percent_interval(found.low, found.high)
        note = f"95{THIN}% {ends}; chance {percent(found.chance)}"
        label = metric_name(choice.metric).capitalize()
        tiles.append(Tile(label, percent(found.accuracy), note))
    on = "" if choice.classifier is None else f", {choice.classifier}"
    label = "Method" if choice.kind == "recommended" else "Shown, not recommended"
    tiles.append(Tile(label, choice.method, f"{count(choice.size, 'feature')}{on}"))
    return tiles
