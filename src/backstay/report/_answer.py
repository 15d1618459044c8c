"""The answer in plain words."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from backstay.comparison import DifferenceTest
from backstay.report._caveats import Caveat, WeightingWords, caveats, weighting_words
from backstay.report._evidence import Evidence
from backstay.report._words import (
    THIN,
    capital,
    clean,
    count,
    interval,
    metric_title,
    score_interval,
    score_text,
    share_text,
    signed,
    two_decimals,
)
from backstay.results import Choice, Recommendation

# A signature lists that many features before it points to the table.
LISTED = 12
# What each of the three answers is best in.
BEST_IN = {
    "trusted": "the most stable",
    "short": "the fewest features",
    "accurate": "the best {metric}",
}
BY_LOT = "0: features drawn by lot, 1: always the same"


@dataclass(frozen=True)
class Tile:
    """A key figure: what it is, its value, and how to read it.

    ``named`` is the method that the value names, if it does: a page links it to what it is.
    """

    label: str
    value: str
    note: str
    named: str = ""


@dataclass(frozen=True)
class SignatureFeature:
    """A feature of the signature.

    ``relevant`` is None where the truth is not known, ``high_in`` where the class means are not.
    """

    feature: int
    name: str
    frequency: float
    core: bool
    relevant: bool | None
    high_in: str | None = None


@dataclass(frozen=True)
class NamedAnswer:
    """One of the three answers, in words; costs are differences from the trusted one.

    ``same_as`` names an answer above it that is the same configuration, or is empty.
    """

    name: str
    best_in: str
    method: str
    size: int
    model: str
    stability: str
    null: str
    score: str
    score_cost: str
    stability_cost: str
    same_as: str


@dataclass(frozen=True)
class Answer:
    """What the report opens with; ``kind`` is that of :class:`backstay.results.Choice`.

    ``sentence`` is the answer in one sentence, ``sentences`` say what its numbers are.
    ``answers`` are the three named ones, trusted first. ``signature`` holds the first of its
    ``n_signature`` features, of which ``n_core`` were chosen in most runs; ``verdicts`` say, for
    every weighted method, whether instance weighting helps.
    """

    kind: str
    headline: str
    sentence: str
    sentences: list[str]
    figures: list[Tile]
    answers: list[NamedAnswer]
    signature: list[SignatureFeature]
    n_signature: int
    n_core: int
    caveats: list[Caveat]
    verdicts: list[WeightingWords]


def answer(evidence: Evidence) -> Answer:
    """Put the answer into words."""
    choice, n = evidence.choice, len(evidence.signature)
    verdicts = [weighting_words(verdict) for verdict in evidence.weighting]
    found = choice.recommendation
    return Answer(
        kind=choice.kind,
        headline=_headline(evidence),
        sentence=_sentence(evidence),
        sentences=list(_sentences(evidence, verdicts)),
        figures=_tiles(evidence),
        answers=[] if found is None else [_named(found, name) for name in found.answers],
        signature=[
            SignatureFeature(
                int(row["feature"]),
                clean(row["name"]),
                float(row["frequency"]),
                bool(row["core"]),
                row["relevant"],
                None if pd.isna(row["high_in"]) else clean(row["high_in"]),
            )
            for row in evidence.signature.iloc[:LISTED].to_dict("records")
        ],
        n_signature=n,
        n_core=evidence.n_core,
        caveats=caveats(evidence, verdicts),
        verdicts=verdicts,
    )


def _headline(evidence: Evidence) -> str:
    if evidence.choice.kind == "nothing":
        return "Nothing is recommended: no method is shown to be above chance"
    n, often = len(evidence.signature), evidence.n_core
    if not n:
        return "No features: too few runs finished"
    if n == 1:
        return f"1 feature, chosen in {'most' if often else 'less than half of the'} runs"
    return f"{count(n, 'feature')}, {_how_many(often, n)} of them in most runs"


def _sentence(evidence: Evidence) -> str:
    """Say in one sentence what was found, how stable it is and how well it predicts."""
    choice, found = evidence.choice, evidence.choice.recommendation
    named = evidence.names[choice.method]
    # A name as it was given stays as it is, even where it begins a sentence.
    method = named.name if named.title == named.name else capital(named.title)
    each = count(choice.size, "feature")
    steady = "undefined" if math.isnan(choice.stability) else two_decimals(choice.stability)
    if found is None:
        return (
            f"{method} chose {each} in each of {count(choice.n_runs, 'run')} with a stability of "
            f"{steady}; no model was run, so nothing says whether they predict the classes."
        )
    assert choice.model is not None
    metric, score = found.metric, found.score
    value, chance = score_text(metric, score.value), score_text(metric, found.chance)
    ends = score_interval(metric, score.low, score.high)
    model = evidence.names[choice.model].title
    reached = f"{metric_title(metric)} {value} (95{THIN}% interval {ends}; guessing: {chance})"
    if choice.kind == "nothing":
        return (
            f"The best that can be expected of these methods on new rows is {reached}, which does "
            "not rule out guessing."
        )
    return (
        f"{method} keeps choosing them when the samples change (stability {steady}; 0 is by lot, 1 "
        f"always the same), and {model} with features so chosen is expected to reach "
        f"{reached} on rows it has not seen."
    )


def _how_many(some: int, n: int) -> str:
    return {0: "none", n: "all"}.get(some, str(some))


def _core(evidence: Evidence) -> str:
    return f"{_how_many(evidence.n_core, len(evidence.signature))} of them, its core"


def _sentences(evidence: Evidence, verdicts: list[WeightingWords]) -> Iterator[str]:
    choice, found = evidence.choice, evidence.choice.recommendation
    each = count(choice.size, "feature")
    if found is not None and choice.kind == "nothing":
        yield found.sentence
        yield (
            f"The figures below show the configuration with the best {metric_title(found.metric)}, "
            f"{choice.method} with {each} and {choice.model}, so that you can see why."
        )
        yield from _null_sentence(evidence)
        return
    n = len(evidence.signature)
    picked = (
        f"{choice.method} chose {each} in each of {count(choice.n_runs, 'run')}. The signature is "
        f"the {n} chosen most often; {_core(evidence)}, came up in more than half of the runs."
    )
    if found is None:
        yield (
            f"{picked} It is the most stable method on average, at its most stable size. No "
            "model was run, so nothing says whether these features predict the classes; a "
            "selection can be stable and useless."
        )
    else:
        yield f"{picked} {_score_sentence(choice, found)}"
        yield _rule_sentence(found)
    yield from _null_sentence(evidence)
    if found is not None:
        yield _what_the_score_is(evidence, found)
    for verdict in verdicts:
        if verdict.kind == "shown" and verdict.method == choice.method:
            yield f"{verdict.title} {verdict.text}"
    yield from _relevant_sentence(evidence)


def _score_sentence(choice: Choice, found: Recommendation) -> str:
    metric, score = found.metric, found.score
    value, chance = score_text(metric, score.value), score_text(metric, found.chance)
    ends = f"(95{THIN}% interval {score_interval(metric, score.low, score.high)}"
    for name, other in found.beside.items():
        ends += (
            f"; {metric_title(name)} {score_text(name, other.value)}, "
            f"{score_interval(name, other.low, other.high)}"
        )
    trained = f"Trained on the features chosen, {choice.model}"
    if metric == "accuracy":
        return (
            f"{trained} is right about {value} of the rows it has not seen {ends}), where always "
            f"guessing the largest class is right about {chance}."
        )
    return (
        f"{trained} reaches {_article(metric_title(metric))} of {value} on rows it has not seen "
        f"{ends}), where guessing reaches {chance}."
    )


def _article(title: str) -> str:
    return f"{'an' if title[0] in 'aA' else 'a'} {title}"


def _rule_sentence(found: Recommendation) -> str:
    return (
        "It is the trusted answer: the most stable of the configurations whose "
        f"{metric_title(found.metric)} is within one standard error of the best, and among those "
        "as stable, within one standard error, the one with the fewest features."
    )


def _null_sentence(evidence: Evidence) -> Iterator[str]:
    """Say what stability the method has where there is nothing to find, if that was run."""
    for row in evidence.null_here.to_dict("records"):
        yield (
            f"Its stability is {two_decimals(evidence.choice.stability)}. With shuffled labels "
            f"the same method scores {two_decimals(row['null'])} "
            f"({interval(row['low'], row['high'])}), because training sets share "
            f"{share_text(evidence.shared_rows)} of their rows."
        )


def _what_the_score_is(evidence: Evidence, found: Recommendation) -> str:
    metric = found.metric
    before, after = score_text(metric, found.apparent), score_text(metric, found.score.value)
    correction = (
        "before the correction for that choice it looks the same"
        if before == after
        else f"before the correction for that choice it looks like {before}"
    )
    return (
        f"The {metric_title(metric)} is that of the procedure, with the choice among "
        f"{count(evidence.data.n_configurations, 'configuration')} included, trained on the "
        f"training part of a split ({share_text(evidence.training_share)} of the rows) and tested "
        f"on the rest; {correction}. Testing the signature again on these rows is not valid: they "
        "chose it. In pure noise such a test gives 0.74, where 0.5 is right."
    )


def _relevant_sentence(evidence: Evidence) -> list[str]:
    """Say how many features of the signature are relevant, where the truth is known."""
    signature, often = evidence.signature, evidence.n_core
    if evidence.relevant is None or signature.empty:
        return []
    relevant = signature["relevant"].astype(bool)
    words = f"The truth is known here: {relevant.sum()} of these {len(signature)} are relevant"
    if 0 < often < len(signature):
        words += f", {relevant[signature['core'].astype(bool)].sum()} of the {often} in the core"
    return [f"{words}."]


def _named(found: Recommendation, name: str) -> NamedAnswer:
    """Put one of the three answers beside the trusted one."""
    one, metric = found.answers[name], found.metric
    above = list(found.answers)[: list(found.answers).index(name)]
    same = [other for other in above if found.answers[other].configuration == one.configuration]
    costs = one.costs.get("trusted")
    stability, score = one.stability, one.score
    return NamedAnswer(
        name=name,
        best_in=BEST_IN[name].format(metric=metric_title(metric)),
        method=clean(one.method),
        size=one.size,
        model=clean(one.model),
        stability=_with_ends(
            two_decimals(stability.value), interval(stability.low, stability.high)
        ),
        null="" if math.isnan(one.null) else two_decimals(one.null),
        score=_with_ends(
            score_text(metric, score.value), score_interval(metric, score.low, score.high)
        ),
        score_cost="" if costs is None else _difference(costs[0]),
        stability_cost="" if costs is None else _difference(costs[1]),
        same_as=same[0] if same else "",
    )


def _with_ends(value: str, ends: str) -> str:
    return f"{value} ({ends})"


def _difference(test: DifferenceTest) -> str:
    if math.isnan(test.difference):
        return "undefined"
    return _with_ends(signed(test.difference), interval(test.low, test.high))


def _tiles(evidence: Evidence) -> list[Tile]:
    choice, found = evidence.choice, evidence.choice.recommendation
    tiles = []
    if choice.kind != "nothing":
        note = f"{_core(evidence)}, in more than half of the runs"
        tiles.append(Tile("Signature", count(len(evidence.signature), "feature"), note))
    tiles.append(_stability_tile(evidence))
    if found is not None:
        metric, score = found.metric, found.score
        ends = score_interval(metric, score.low, score.high)
        note = f"95{THIN}% {ends}; chance {score_text(metric, found.chance)}"
        for name, other in found.beside.items():
            note += f"; {metric_title(name)} {score_text(name, other.value)}"
        label = capital(metric_title(metric))
        tiles.append(Tile(label, score_text(metric, score.value), note))
    names = evidence.names
    on = "" if choice.model is None else f", {names[choice.model].title}"
    label = "Method" if choice.kind == "recommended" else "Shown, not recommended"
    note = f"{count(choice.size, 'feature')}{on}"
    tiles.append(Tile(label, names[choice.method].title, note, choice.method))
    return tiles


def _stability_tile(evidence: Evidence) -> Tile:
    choice = evidence.choice
    if math.isnan(choice.stability):
        note = "all features are selected, or too few runs finished"
        return Tile("Stability", "undefined", note)
    note = f"95{THIN}% {interval(choice.low, choice.high)} on these rows; {BY_LOT}"
    for row in evidence.null_here.to_dict("records"):
        ends = interval(row["low"], row["high"])
        note += f"; with shuffled labels {two_decimals(row['null'])} ({ends})"
    return Tile("Stability", two_decimals(choice.stability), note)
