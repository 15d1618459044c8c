"""The answer in plain words."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from backstay.comparison import DifferenceTest
from backstay.report._caveats import (
    Caveat,
    WeightingWords,
    caveats,
    data_warnings,
    weighting_words,
)
from backstay.report._design_words import added_text
from backstay.report._evidence import Evidence
from backstay.report._words import (
    THIN,
    again_shares,
    capital,
    clean,
    count,
    interval,
    listed,
    metric_title,
    percent,
    percent_interval,
    score_interval,
    score_text,
    score_with_ends,
    share_text,
    signed,
    two_decimals,
)
from backstay.results import Estimate, Recommendation

# Features of the signature that the answer lists; the table has all.
LISTED = 12
# Warnings about the data that stand beside the score; the limits of the answer have all.
WARNED = 2
# Configurations that draws choose, as many as are named.
SHARES = 4
# What each of the three answers is best in.
BEST_IN = {
    "trusted": "chosen again most surely",
    "short": "the fewest features",
    "accurate": "the best {metric}",
}
# Why nothing is recommended.
REFUSED = {
    "chance": "no method is shown to be above chance",
    "null": "the choice is not shown to be stabler than with shuffled outcomes",
    "rows": "there are too few rows to say",
    "covariates": "the features are not shown to say more than what is known without them",
}
SCALE = "0: random features, 1: always the same"


@dataclass(frozen=True)
class Tile:
    """A key figure: what it is, its value, how to read it, and the method that it names if any."""

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
    again: float
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
    replication: str
    share: str
    stability: str
    null: str
    score: str
    score_cost: str
    stability_cost: str
    same_as: str
    draws: str


@dataclass(frozen=True)
class Answer:
    """What the report opens with; ``kind`` is that of :class:`backstay.results.Choice`.

    ``sentence`` is the answer in one sentence, ``sentences`` say what its numbers are.
    ``answers`` are the three named ones, trusted first. ``signature`` holds the first of its
    ``n_signature`` features, of which ``n_core`` were chosen in most runs; ``verdicts`` say, for
    every weighted method, whether instance weighting helps. ``warnings`` are the most serious of
    the ``n_warnings`` about the data; all are among the ``caveats``. ``doubtful`` says that the
    score may be worth nothing.
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
    warnings: list[Caveat]
    n_warnings: int
    doubtful: bool


def answer(evidence: Evidence) -> Answer:
    """Put the answer into words."""
    choice, advice = evidence.choice, evidence.choice.recommendation
    verdicts = [weighting_words(verdict) for verdict in evidence.weighting]
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
                clean(evidence.data.label(int(row["feature"]))),
                float(row["frequency"]),
                float(row["again"]),
                bool(row["core"]),
                row["relevant"],
                None if pd.isna(row["high_in"]) else clean(row["high_in"]),
            )
            for row in evidence.signature.iloc[:LISTED].to_dict("records")
        ],
        n_signature=len(evidence.signature),
        n_core=evidence.n_core,
        caveats=caveats(evidence, verdicts),
        verdicts=verdicts,
        warnings=data_warnings(evidence)[:WARNED],
        n_warnings=len(evidence.suspicions),
        doubtful=_doubtful(evidence),
    )


def _doubtful(evidence: Evidence) -> bool:
    return any(one.severity > 1 for one in evidence.suspicions)


def _headline(evidence: Evidence) -> str:
    if (advice := evidence.choice.recommendation) is not None and advice.refused:
        return f"Nothing is recommended: {REFUSED[advice.refused]}"
    n = len(evidence.signature)
    if not n:
        return "No features: too few runs finished"
    if (found := evidence.choice.replication) is None:
        return f"{count(n, 'feature')}, {evidence.n_core} of {n} in most runs"
    share = percent(again_shares(found, evidence.choice.size, evidence.data.n_features)[0])
    again = f"it with a chance of {share}" if n == 1 else f"about {share} again"
    return f"{count(n, 'feature')}; another study of this size would choose {again}"


def _sentence(evidence: Evidence) -> str:
    """Say in a sentence or two what the figures beside it leave open."""
    choice, advice = evidence.choice, evidence.choice.recommendation
    unsure = "Rows or runs are too few to say what another sample would choose again. "
    if advice is not None and choice.kind == "nothing":
        score = score_with_ends(advice.metric, advice.score, advice.chance)
        why = {
            "rows": "What looks good in so few rows is mostly luck.",
            "null": "But features chosen with shuffled outcomes are about as stable as these.",
            "covariates": added_text(advice, evidence.data),
            "chance": "That is not shown to be better than guessing.",
        }
        return f"On new rows expect {metric_title(advice.metric)} {score}. {why[advice.refused]}"
    said = _unknown_use(evidence) if advice is None else _how_sure(advice)
    return f"{unsure if choice.replication is None else ''}{said}"


def _how_sure(advice: Recommendation) -> str:
    """Say how often the same configuration is chosen if the rows vary."""
    trusted = advice.answers["trusted"]
    share = f"{percent(trusted.share)} of the draws choose the same"
    anew = "where rows and features are drawn anew,"
    if not trusted.toss_up:
        return f"{capital(anew)} {share}."
    shares = advice.considered.shares["trusted"]
    others = [c for c, _ in shares if c != trusted.configuration]
    named = [f"{c.method} with {count(c.size or 0, 'feature')}" for c in others[:2]]
    also = f"; others choose {' or '.join(named)}" if named else ""
    return f"The choice of the method is a toss-up: {anew} only {share}{also}."


def _unknown_use(evidence: Evidence) -> str:
    outcome = evidence.data.target.words().outcome
    return f"No model was run, so it is not known whether these features predict {outcome}."


def recommendation_words(advice: Recommendation) -> str:
    """Put a recommendation, or why there is none, into a few sentences."""
    metric, considered, trusted = metric_title(advice.metric), advice.considered, advice.trusted
    scores = [
        f"{_article(metric)} of {score_with_ends(advice.metric, advice.score, advice.chance)}"
    ]
    scores += [f"{metric_title(m)} {score_with_ends(m, one)}" for m, one in advice.beside.items()]
    expected = (
        f"Corrected for the choice among {_among(advice)}, expect {listed(scores, 12)} on new rows."
    )
    if trusted is None:
        words = (
            f"No method is recommended: {REFUSED[advice.refused]}. The best has "
            f"{_article(metric)} of {score_text(advice.metric, advice.apparent)}. {expected}"
        )
    else:
        words = f"{trusted.method} with {count(trusted.size, 'feature')} and {trusted.model}. "
        words += f"{_alike(advice)}. "
        if (one := trusted.replication) is not None:
            toss_up = ", so it is a toss-up" if trusted.toss_up else ""
            words += (
                "The overlap expected with another sample of this size is "
                f"{two_decimals(one.value)} (95{THIN}% interval {interval(one.low, one.high)}), "
                f"corrected for the choice; it is chosen on {percent(trusted.share)} of the "
                f"draws{toss_up}. "
            )
        known = not math.isnan(trusted.null)
        null = f"; {two_decimals(trusted.null)} with shuffled outcomes" if known else ""
        was = "was" if len(advice.core) == 1 else "were"
        words += (
            "Its stability on resamples of these rows is "
            f"{two_decimals(trusted.stability.value)} over {considered.runs}{null}. {expected} "
            f"{len(advice.core)} of the {count(len(advice.signature), 'feature')} in the "
            f"signature, its core, {was} selected in more than half of the runs."
        )
    if considered.weighting is not None:
        verdict = weighting_words(considered.weighting)
        words += f" {verdict.title} {verdict.text}"
    if considered.not_judged:
        named = [f"{method} ({runs})" for method, runs in considered.not_judged.items()]
        words += f" Not judged, because too many runs failed or are missing: {', '.join(named)}."
    return words


def _article(title: str) -> str:
    return f"{'an' if title.startswith(('a', 'A', 'R²')) else 'a'} {title}"


def _sentences(evidence: Evidence) -> Iterator[str]:
    choice, advice = evidence.choice, evidence.choice.recommendation
    each = count(choice.size, "feature")
    if advice is None:
        yield (
            f"{choice.method} is the most stable method on average, {each} its most stable size. "
            "A selection can be stable and useless."
        )
    else:
        yield (
            f"The figures are of the best, {choice.method} with {each} and {choice.model}."
            if choice.kind == "nothing"
            else f"{_alike(advice)}."
        )
        yield (
            f"The {metric_title(advice.metric)} is that of this whole procedure, on rows that had "
            f"no part in it, corrected for the choice among {_among(advice)}; before the "
            f"correction it looks like {score_text(advice.metric, advice.apparent)}."
        )
        if choice.kind != "nothing":
            yield (
                "Do not test the signature again on these rows: they chose it. In pure noise such "
                "a test gives an AUC of 0.74 instead of 0.5."
            )
        if advice.refused != "covariates":
            yield from filter(None, [added_text(advice, evidence.data)])
    yield from filter(None, [evidence.batches])
    for row in evidence.null_here.to_dict("records"):
        yield (
            f"With shuffled outcomes the same method reaches a stability of "
            f"{two_decimals(row['null'])} ({interval(row['low'], row['high'])}), because training "
            f"sets share {share_text(evidence.shared_rows)} of their rows."
        )


def _among(advice: Recommendation) -> str:
    """Say how many configurations there were to choose from."""
    considered = advice.considered
    among = count(considered.n_configurations, "configuration")
    if considered.max_features is None:
        return among
    return f"{among} of at most {count(considered.max_features, 'feature')}"


def _alike(advice: Recommendation) -> str:
    """Say how many of them predict well, and why this one was chosen."""
    metric, among = metric_title(advice.metric), _among(advice)
    if (n := advice.considered.n_candidates) <= 1:
        return (
            f"No other of {among} predicts about as well (up to one standard error of its {metric})"
        )
    return (
        f"{n} of {among} predict about as well as the best (their {metric} is at most one standard "
        "error lower). Of these, another sample would most surely choose this one's features again"
    )


def _named(advice: Recommendation, name: str) -> NamedAnswer:
    """Put one of the three answers beside the trusted one."""
    one, metric = advice.answers[name], advice.metric
    above = list(advice.answers)[: list(advice.answers).index(name)]
    same = [other for other in above if advice.answers[other].configuration == one.configuration]
    score, against = one.score, [_difference(test) for test in one.costs.get("trusted", ())]
    ends = score_interval(metric, score.low, score.high)
    draws = [
        f"{c.method}, {count(c.size or 0, 'feature')}, {c.model} {percent(share)}"
        for c, share in advice.considered.shares[name]
    ]
    return NamedAnswer(
        name=name,
        best_in=BEST_IN[name].format(metric=metric_title(metric)),
        method=clean(one.method),
        size=one.size,
        model=clean(one.model),
        replication=_estimate(one.replication),
        share=percent(one.share) + (" (a toss-up)" if one.toss_up else ""),
        stability=_estimate(one.stability),
        null="" if math.isnan(one.null) else two_decimals(one.null),
        score=f"{score_text(metric, score.value)} ({ends})",
        score_cost=against[0] if against else "",
        stability_cost=against[1] if against else "",
        same_as=same[0] if same else "",
        draws="; ".join(draws[:SHARES] + (["others"] if len(draws) > SHARES else [])),
    )


def _estimate(one: Estimate | None) -> str:
    if one is None:
        return "not known"
    return f"{two_decimals(one.value)} ({interval(one.low, one.high)})"


def _difference(test: DifferenceTest) -> str:
    if math.isnan(test.difference):
        return "undefined"
    return f"{signed(test.difference)} ({interval(test.low, test.high)})"


def _tiles(evidence: Evidence) -> list[Tile]:
    choice, advice = evidence.choice, evidence.choice.recommendation
    tiles = []
    if choice.kind != "nothing" and choice.replication is not None:
        found = choice.replication
        value, low, high = again_shares(found, choice.size, evidence.data.n_features)
        note = f"95{THIN}% {percent_interval(low, high)}, in another sample of this size"
        note += f"; stability on these rows {two_decimals(choice.stability)}"
        tiles.append(Tile("Chosen again", percent(value), note))
    else:
        note = f"95{THIN}% {interval(choice.low, choice.high)}; {SCALE}"
        for row in evidence.null_here.to_dict("records"):
            ends = interval(row["low"], row["high"])
            note += f"; with shuffled outcomes {two_decimals(row['null'])} ({ends})"
        steady = two_decimals(choice.stability)
        if math.isnan(choice.stability):
            steady, note = "undefined", "all features are selected, or too few runs finished"
        tiles.append(Tile("Stability on these rows", steady, note))
    if advice is not None:
        metric, score = advice.metric, advice.score
        ends = score_interval(metric, score.low, score.high)
        doubt = "doubtful, see the warning; " if _doubtful(evidence) else ""
        note = f"{doubt}95{THIN}% {ends}; chance {score_text(metric, advice.chance)}"
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
