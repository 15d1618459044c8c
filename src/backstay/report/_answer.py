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
    listed,
    metric_title,
    score_interval,
    score_text,
    score_with_ends,
    share_text,
    signed,
    two_decimals,
)
from backstay.results import Recommendation

# Features of the signature that the answer lists; the table has all.
LISTED = 12
# What each of the three answers is best in.
BEST_IN = {
    "trusted": "the most stable",
    "short": "the fewest features",
    "accurate": "the best {metric}",
}
SCALE = "0: random features, 1: always the same"


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

    ``relevant`` is None where the truth is not known, ``high_in`` where the effects are not.
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
    advice = choice.recommendation
    return Answer(
        kind=choice.kind,
        headline=_headline(evidence),
        sentence=_sentence(evidence),
        sentences=list(_sentences(evidence)),
        figures=_tiles(evidence),
        answers=[] if advice is None else [_named(advice, name) for name in advice.answers],
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
    """Say in a sentence or two what was found, how stable it is and how well it predicts."""
    choice, advice = evidence.choice, evidence.choice.recommendation
    named = evidence.names[choice.method]
    steady = "undefined" if math.isnan(choice.stability) else two_decimals(choice.stability)
    if advice is None:
        # A name as it was given stays as it is, even where it begins a sentence.
        method = named.name if named.title == named.name else capital(named.title)
        return (
            f"{method} chose {count(choice.size, 'feature')} in each of "
            f"{count(choice.n_runs, 'run')}, with a stability of {steady} ({SCALE}). "
            f"{_unknown_use(evidence)}"
        )
    assert choice.model is not None
    score = score_with_ends(advice.metric, advice.score, advice.chance)
    reached = f"{metric_title(advice.metric)} {score}"
    if choice.kind == "nothing":
        return f"On new rows expect {reached}, which is not shown to be better than guessing."
    return (
        f"When the samples change, {named.title} chooses these features with a stability of "
        f"{steady} ({SCALE}). {capital(evidence.names[choice.model].title)} with features chosen "
        f"in this way is expected to reach {reached} on new rows."
    )


def _unknown_use(evidence: Evidence) -> str:
    outcome = evidence.data.target.words().outcome
    return f"No model was run, so it is not known whether these features predict {outcome}."


def _how_many(some: int, n: int) -> str:
    return {0: "none", n: "all"}.get(some, str(some))


def _core(evidence: Evidence) -> str:
    return f"{_how_many(evidence.n_core, len(evidence.signature))} of them, its core"


def recommendation_words(advice: Recommendation) -> str:
    """Put a recommendation, or why there is none, into a few sentences."""
    metric, considered, trusted = metric_title(advice.metric), advice.considered, advice.trusted
    among = count(considered.n_configurations, "configuration")
    scores = [
        f"{_article(metric)} of {score_with_ends(advice.metric, advice.score, advice.chance)}"
    ]
    scores += [f"{metric_title(m)} {score_with_ends(m, one)}" for m, one in advice.beside.items()]
    expected = f"Corrected for the choice among {among}, expect {listed(scores, 12)} on new rows."
    if trusted is None:
        words = (
            "No method is recommended: none is shown to be above chance. The best has "
            f"{_article(metric)} of {score_text(advice.metric, advice.apparent)}. {expected}"
        )
    else:
        alike = (
            f"{considered.n_candidates} of {among} predict about as well as the best (their "
            f"{metric} is at most one standard error lower). This one is the most stable of them, "
            "and among equally stable ones the one with the fewest features"
            if considered.n_candidates > 1
            else f"No other of {among} predicts about as well (up to one standard error of its "
            f"{metric})"
        )
        null = f"; {two_decimals(trusted.null)} with shuffled labels"
        words = (
            f"{trusted.method} with {count(trusted.size, 'feature')} and {trusted.model}. {alike}: "
            f"its stability is {two_decimals(trusted.stability.value)} over {considered.runs}"
            f"{'' if math.isnan(trusted.null) else null}. {expected} {len(advice.core)} of the "
            f"{count(len(advice.signature), 'feature')} in the signature, its core, were selected "
            "in more than half of the runs."
        )
    if considered.weighting is not None:
        verdict = weighting_words(considered.weighting)
        words += f" {verdict.title} {verdict.text}"
    if considered.not_judged:
        named = [f"{method} ({runs})" for method, runs in considered.not_judged.items()]
        words += f" Not judged, because too many runs failed or are missing: {', '.join(named)}."
    return words


def _article(title: str) -> str:
    return f"{'an' if title[0] in 'aA' else 'a'} {title}"


def _sentences(evidence: Evidence) -> Iterator[str]:
    choice, advice = evidence.choice, evidence.choice.recommendation
    each = count(choice.size, "feature")
    if advice is not None:
        yield recommendation_words(advice)
    if advice is not None and choice.kind == "nothing":
        yield (
            "The figures below show why: they are of the configuration with the best "
            f"{metric_title(advice.metric)}, {choice.method} with {each} and {choice.model}."
        )
        yield from _null_sentence(evidence)
        return
    if advice is None:
        yield (
            f"{choice.method} chose {each} in each of {count(choice.n_runs, 'run')}. The signature "
            f"is the {len(evidence.signature)} chosen most often; {_core(evidence)}, were chosen "
            "in more than half of the runs. It is the most stable method on average, at its most "
            f"stable size. {_unknown_use(evidence)} A selection can be stable and useless."
        )
    yield from _null_sentence(evidence)
    if advice is not None:
        yield _what_the_score_is(evidence, advice)
    yield from _relevant_sentence(evidence)


def _null_sentence(evidence: Evidence) -> Iterator[str]:
    """Say what stability the method has without any signal, if that was run."""
    for row in evidence.null_here.to_dict("records"):
        yield (
            f"Its stability is {two_decimals(evidence.choice.stability)}. With shuffled labels "
            f"the same method reaches {two_decimals(row['null'])} "
            f"({interval(row['low'], row['high'])}), because training sets share "
            f"{share_text(evidence.shared_rows)} of their rows."
        )


def _what_the_score_is(evidence: Evidence, advice: Recommendation) -> str:
    metric = advice.metric
    before, after = score_text(metric, advice.apparent), score_text(metric, advice.score.value)
    looks = "the same" if before == after else f"like {before}"
    return (
        f"The {metric_title(metric)} is that of the whole procedure, including the choice among "
        f"{count(evidence.data.n_configurations, 'configuration')}: trained on the training part "
        f"of a split ({share_text(evidence.training_share)} of the rows) and tested on the rest. "
        f"Before the correction for that choice it looks {looks}. Do not test the signature again "
        "on these rows: they chose it. In pure noise such a test gives 0.74 instead of 0.5."
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


def _named(advice: Recommendation, name: str) -> NamedAnswer:
    """Put one of the three answers beside the trusted one."""
    one, metric = advice.answers[name], advice.metric
    above = list(advice.answers)[: list(advice.answers).index(name)]
    same = [other for other in above if advice.answers[other].configuration == one.configuration]
    costs = one.costs.get("trusted")
    steady, score = one.stability, one.score
    ends = score_interval(metric, score.low, score.high)
    return NamedAnswer(
        name=name,
        best_in=BEST_IN[name].format(metric=metric_title(metric)),
        method=clean(one.method),
        size=one.size,
        model=clean(one.model),
        stability=f"{two_decimals(steady.value)} ({interval(steady.low, steady.high)})",
        null="" if math.isnan(one.null) else two_decimals(one.null),
        score=f"{score_text(metric, score.value)} ({ends})",
        score_cost="" if costs is None else _difference(costs[0]),
        stability_cost="" if costs is None else _difference(costs[1]),
        same_as=same[0] if same else "",
    )


def _difference(test: DifferenceTest) -> str:
    if math.isnan(test.difference):
        return "undefined"
    return f"{signed(test.difference)} ({interval(test.low, test.high)})"


def _tiles(evidence: Evidence) -> list[Tile]:
    choice, advice = evidence.choice, evidence.choice.recommendation
    tiles = []
    if choice.kind != "nothing":
        note = f"{_core(evidence)}, in more than half of the runs"
        tiles.append(Tile("Signature", count(len(evidence.signature), "feature"), note))
    tiles.append(_stability_tile(evidence))
    if advice is not None:
        metric, score = advice.metric, advice.score
        ends = score_interval(metric, score.low, score.high)
        note = f"95{THIN}% {ends}; chance {score_text(metric, advice.chance)}"
        for name, other in advice.beside.items():
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
    note = f"95{THIN}% {interval(choice.low, choice.high)} on these rows; {SCALE}"
    for row in evidence.null_here.to_dict("records"):
        ends = interval(row["low"], row["high"])
        note += f"; with shuffled labels {two_decimals(row['null'])} ({ends})"
    return Tile("Stability", two_decimals(choice.stability), note)
